package repository

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/graph"
)

// Update changes a tenant's state as decide says of the state that there is
// now. Where somebody else was faster, it is asked again, of the state after
// that. A Change without an Item changes nothing. Errors of decide are returned as
// they are.
func Update(ctx context.Context, r Repository, tenant string, decide func(now State) (Change, error)) (State, error) {
	for {
		now, err := r.State(ctx, tenant)
		if err != nil {
			return State{}, err
		}
		c, err := decide(now)
		if err != nil {
			return State{}, err
		}
		if c.Item == "" {
			return now, nil
		}
		after, err := r.Commit(ctx, tenant, now.Version, c)
		if !errors.Is(err, graph.Conflict) || ctx.Err() != nil {
			return after, err
		}
	}
}

package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/store/social"
)

// together compares how many calls all clients of a peer get answered at once
// with what one gets alone. One and all take turns.
func together(ctx context.Context, q social.Question, askers [][]asker, each time.Duration, out []Measure) error {
	const rounds = 4
	for i, clients := range askers {
		var alone, all float64
		for range rounds {
			one, err := throughput(ctx, q, clients[:1], each/rounds)
			if err != nil {
				return err
			}
			many, err := throughput(ctx, q, clients, each/rounds)
			if err != nil {
				return err
			}
			alone, all = max(alone, one), max(all, many)
		}
		out[i].Scale = all / alone
	}
	return nil
}

// throughput returns the calls a second that clients get answered. Each makes at
// least one.
func throughput(ctx context.Context, q social.Question, clients []asker, d time.Duration) (float64, error) {
	var work sync.WaitGroup
	var calls atomic.Int64
	failures := make([]error, len(clients))
	start := time.Now()
	for i, to := range clients {
		work.Go(func() {
			for n := int64(0); ; n++ {
				if n > 0 && time.Since(start) >= d || failures[i] != nil {
					calls.Add(n)
					return
				}
				_, failures[i] = to(ctx, q)
			}
		})
	}
	work.Wait()
	took := time.Since(start)
	for _, err := range failures {
		if err != nil {
			return 0, err
		}
	}
	return float64(calls.Load()) / took.Seconds(), nil
}

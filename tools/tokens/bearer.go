package tokens

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// ErrUnknown says that a request has no token, or one that nobody knows.
var ErrUnknown = errors.New("a bearer token that this server knows is needed")

// Bearer returns a function that tells on whose behalf an HTTP request is made:
// that of the bearer token in its Authorization header (RFC 6750), of which there
// is one. The verifier is that of a File, or the host's own; it returns nil for a
// token that it does not know. The error is ErrUnknown, or the verifier's.
func Bearer(verify func(ctx context.Context, token string) (*graph.Scope, error)) func(*http.Request) (*graph.Scope, error) {
	return func(r *http.Request) (*graph.Scope, error) {
		headers := r.Header.Values("Authorization")
		if len(headers) != 1 {
			return nil, ErrUnknown
		}
		scheme, token, _ := strings.Cut(headers[0], " ")
		if !strings.EqualFold(scheme, "Bearer") || !wellFormed(token) {
			return nil, ErrUnknown
		}
		s, err := verify(r.Context(), token)
		if err == nil && s == nil {
			err = ErrUnknown
		}
		return s, err
	}
}

package graph

import "context"

// A Scope says on whose behalf a call is made. It comes from the host, through
// the context; nothing in a call's arguments can set or change it.
type Scope struct {
	Tenant    string
	Principal string
	TokenID   string
	// Claims are what policies read as caller.NAME: strings, booleans,
	// numbers, and lists and maps of these.
	Claims map[string]any
}

type scopeKey struct{}

// WithScope returns a context whose calls are made in the given scope.
func WithScope(ctx context.Context, s *Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// ScopeFrom returns the context's scope, nil if it has none.
func ScopeFrom(ctx context.Context) *Scope {
	s, _ := ctx.Value(scopeKey{}).(*Scope)
	return s
}

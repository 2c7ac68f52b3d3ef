package graph

import "context"

// A Scope says on whose behalf a call is made. It comes from the host, through
// the context; nothing in a call's arguments can set or change it. It must not
// be changed once calls are made with it.
type Scope struct {
	// Tenant is what policies read as caller.tenant. Where a policy reads it,
	// a scope without a tenant is refused as NO_SCOPE.
	Tenant string
	// View names the view of the tenant that the call works on, where the host's
	// graphs have views: see engine.Source. "" is the whole of the tenant's. It
	// chooses what there is, and is no right: policies do not read it (and
	// caller.view is the claim of that name). What the view must not show has to
	// be outside of it, or under a policy.
	View string
	// Principal is who asks: a user or a service. Policies read it as
	// caller.principal, and rates are limited by it.
	Principal string
	// TokenID names the credential, never its secret. Policies read it as
	// caller.token_id.
	TokenID string
	// Claims are what policies read as caller.NAME, for any other name:
	// strings, booleans, numbers, and lists and maps of these. A claim named
	// tenant, principal or token_id is not read.
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

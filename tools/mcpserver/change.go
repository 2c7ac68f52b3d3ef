package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
)

// An audience are those who listen in scopes of one tenant and one view: what
// changes, changes for all of them, and is no business of others.
type audience struct {
	listeners  map[*listener]bool
	subscribed map[string]bool // the resources that any of them has subscribed to
	end        func()          // of its watch
}

type audienceKey struct {
	scoped       bool
	tenant, view string
}

func keyOf(scope *graph.Scope) audienceKey {
	if scope == nil {
		return audienceKey{}
	}
	return audienceKey{true, scope.Tenant, scope.View}
}

// A listener is one client that listens, and what it is still to be told.
type listener struct {
	key     audienceKey
	session *mcp.ServerSession // nil until its first request
	pending map[string]bool    // notifications, by method, and resources by URI
}

// The notifications that tell of a change.
const (
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
	resourceUpdated  = "notifications/resources/updated"
)

type listenerKey struct{}

// watch has one who listens told of every change of what is there for the
// context's scope, until the returned function is called. As long as nobody of
// an audience listens nothing is watched for it, and however many do, one
// goroutine does it. The session is nil where it is not known yet: see join.
func (s *Server) watch(ctx context.Context, session *mcp.ServerSession) (l *listener, stop func()) {
	if !s.opts.ListChanged {
		return nil, func() {}
	}
	scope := graph.ScopeFrom(ctx)
	l = &listener{key: keyOf(scope), pending: map[string]bool{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if session != nil && s.listening[session] != nil { // as all of Run's sessions do
		return nil, func() {}
	}
	a := s.audiences[l.key]
	if a == nil {
		a = &audience{listeners: map[*listener]bool{}, subscribed: map[string]bool{}}
		a.end = s.startWatch(scope)
		s.audiences[l.key] = a
	}
	a.listeners[l] = true
	if session != nil {
		l.session, s.listening[session] = session, l
	}
	return l, func() { s.leave(a, l) }
}

// leave ends that one listens, and the watch with the last of an audience.
func (s *Server) leave(a *audience, l *listener) {
	end := func() {}
	s.mu.Lock()
	delete(a.listeners, l)
	if s.listening[l.session] == l {
		delete(s.listening, l.session)
	}
	if len(a.listeners) == 0 {
		end = a.end
		delete(s.audiences, l.key)
	}
	s.mu.Unlock()
	end()
}

// join makes a session that of a listener whose context has it.
func (s *Server) join(ctx context.Context, session mcp.Session) {
	l, ok := ctx.Value(listenerKey{}).(*listener)
	own, is := session.(*mcp.ServerSession)
	if !ok || l == nil || !is {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.session == nil {
		l.session, s.listening[own] = own, l
	}
}

func (s *Server) startWatch(scope *graph.Scope) (end func()) {
	ctx, cancel := context.WithCancel(graph.WithScope(context.Background(), scope))
	changed := s.tools.Changed(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				changed = s.tools.Changed(ctx)
				s.notify(ctx, keyOf(scope))
			}
		}
	})
	return func() { cancel(); running.Wait() }
}

// notify tells an audience that what it has read may be another now. The SDK
// tells all who listen to anything; told lets through what is for the audience.
func (s *Server) notify(ctx context.Context, key audienceKey) {
	var uris []string
	s.mu.Lock()
	if a := s.audiences[key]; a != nil {
		for uri := range a.subscribed {
			uris = append(uris, uri)
		}
		for l := range a.listeners {
			l.pending[toolsChanged], l.pending[promptsChanged], l.pending[resourcesChanged] = true, true, true
			for _, uri := range uris {
				l.pending[uri] = true
			}
		}
	}
	s.mu.Unlock()
	s.register()
	for _, uri := range uris {
		_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // it fails for nobody else
	}
}

// told keeps from a client what has changed for others.
func (s *Server) told(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		what := method
		switch method {
		case toolsChanged, promptsChanged, resourcesChanged:
		case resourceUpdated:
			if p, ok := req.GetParams().(*mcp.ResourceUpdatedNotificationParams); ok {
				what = p.URI
			}
		default:
			return next(ctx, method, req)
		}
		session, _ := req.GetSession().(*mcp.ServerSession)
		s.mu.Lock()
		l := s.listening[session]
		wanted := l != nil && l.pending[what]
		if wanted {
			delete(l.pending, what)
		}
		s.mu.Unlock()
		if !wanted {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// subscribe lets a client know when a resource changes that it can read.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	if _, err := s.resource(ctx, req.Params.URI); err != nil {
		return err
	}
	if usual := spelled(req.Params.URI); usual != req.Params.URI {
		return notFound(req.Params.URI, "it is spelled "+usual) // or one caller could make any number of them
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.audiences[keyOf(graph.ScopeFrom(ctx))]; a != nil { // who does not listen can be told nothing
		a.subscribed[req.Params.URI] = true
	}
	return nil
}

// unsubscribe has nothing to do: the SDK knows who listens, and of which
// resources there are few.
func (s *Server) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }

package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watch has those who listen told of every swap of the catalog's schema, until
// the returned function is called. As long as nobody listens nothing is watched,
// and however many do, one goroutine does it.
func (s *Server) watch() (stop func()) {
	if s.opts.Catalog == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners++; s.listeners == 1 {
		s.endWatch = s.startWatch()
	}
	return func() {
		s.mu.Lock()
		end := func() {}
		if s.listeners--; s.listeners == 0 {
			end = s.endWatch
		}
		s.mu.Unlock()
		end()
	}
}

func (s *Server) startWatch() (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	changed := s.opts.Catalog.Changed()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				changed = s.opts.Catalog.Changed()
				s.notify(ctx)
			}
		}
	})
	return func() { cancel(); running.Wait() }
}

// notify tells all who listen that what they have read may be another now.
func (s *Server) notify(ctx context.Context) {
	s.register()
	s.mu.Lock()
	uris := slices.Collect(maps.Keys(s.subscribed))
	s.mu.Unlock()
	for _, uri := range uris {
		_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // it fails for nobody else
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
	s.subscribed[req.Params.URI] = true
	return nil
}

// unsubscribe has nothing to do: the SDK knows who listens, and of which
// resources there are few.
func (s *Server) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }

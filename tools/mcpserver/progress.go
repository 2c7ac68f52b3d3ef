package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress tells a client that gave a token for it, every second, that its call
// still runs: how many seconds it has taken, out of those that it may take. It
// ends, with all notices sent, when the returned function is called.
func (s *Server) progress(ctx context.Context, req *mcp.CallToolRequest, name string) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	began, most := time.Now(), s.tools.Limits().Timeout
	var running sync.WaitGroup
	running.Go(func() {
		every := time.NewTicker(time.Second)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
				taken := time.Since(began)
				if taken > most {
					return // it is being ended
				}
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: taken.Seconds(), Total: most.Seconds(), Message: name + " still runs; it is ended after " + most.String(),
				}) // a client that cannot be told is about to go
			}
		}
	})
	return func() { cancel(); running.Wait() }
}

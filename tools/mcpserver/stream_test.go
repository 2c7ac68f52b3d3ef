package mcpserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

// Who pipes requests into the server and closes the pipe gets all answers.
func TestEndOfInput(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{ListChanged: true})
	for version, handshake := range revisions {
		c := open(t, graph.WithScope(t.Context(), callers["token-of-clerk"]), s)
		c.begin(version)
		var lines []string
		for id := 1; id <= 50; id++ {
			lines = append(lines, message(version, id, "tools/call", findPeople))
		}
		if !handshake {
			lines = append(lines, message(version, 99, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
		}
		go func() {
			c.write(strings.Join(lines, "\n"))
			_ = c.in.Close()
		}()
		answered := map[string]bool{}
		for len(answered) < 50 {
			if answer := c.read(); answer.Method == "" && string(answer.ID) != "99" {
				require.Contains(t, string(answer.Result), `\"id\":\"2\"`)
				answered[string(answer.ID)] = true
			}
		}
		go func() { // what else is written, such as the end of what was listened to
			for c.lines.Scan() {
			}
		}()
		require.NoError(t, <-c.ended, "what is listened for is not waited for")
	}
}

// Who interrupts the server does not wait for its store.
func TestInterrupt(t *testing.T) {
	st := newStuck()
	ctx, interrupt := context.WithCancel(t.Context())
	c := open(t, ctx, mcpserver.New(things(t, st), mcpserver.Options{}))
	c.begin("2025-11-25")
	c.write(message("2025-11-25", 1, "tools/call", `"name":"find_nodes","arguments":{"node_label":"thing"}`))
	<-st.asked
	interrupt()
	require.ErrorIs(t, <-st.ended, context.Canceled)
	go func() {
		for c.lines.Scan() {
		}
	}()
	require.ErrorIs(t, <-c.ended, context.Canceled)
}

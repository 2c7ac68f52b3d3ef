package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A patient transport tells the end of its input only when the calls that came
// before it have been answered, or after a while: who pipes some requests into
// the server and closes the pipe wants the answers. What listens for changes is
// not waited for.
type patient struct {
	mcp.Transport
	while time.Duration
}

// Connect implements mcp.Transport.
func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: c, while: p.while, closed: make(chan struct{}), pending: map[jsonrpc.ID]bool{}}, nil
}

type patientConn struct {
	mcp.Connection
	while  time.Duration
	once   sync.Once
	closed chan struct{}

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // calls that are not answered
	idle    chan struct{}       // closed when there are none, once the input has ended
}

// Read implements mcp.Connection.
func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.wait()
		return nil, err
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.IsCall() && req.Method != "subscriptions/listen" {
		c.mu.Lock()
		c.pending[req.ID] = true
		c.mu.Unlock()
	}
	return m, nil
}

// wait returns when all calls are answered, the connection is closed, or the
// while has passed.
func (c *patientConn) wait() {
	idle := make(chan struct{})
	c.mu.Lock()
	if len(c.pending) == 0 {
		close(idle)
	} else {
		c.idle = idle
	}
	c.mu.Unlock()
	enough := time.NewTimer(c.while)
	defer enough.Stop()
	select {
	case <-idle:
	case <-c.closed:
	case <-enough.C:
	}
}

// Write implements mcp.Connection.
func (c *patientConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if resp, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.pending, resp.ID)
		if len(c.pending) == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		c.mu.Unlock()
	}
	return err
}

// Close implements mcp.Connection.
func (c *patientConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

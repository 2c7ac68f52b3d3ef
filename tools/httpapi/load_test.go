package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

// A faulty store does something before it runs a plan.
type faulty struct {
	store.Store
	before func(context.Context) error
}

func (f faulty) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	if err := f.before(ctx); err != nil {
		return store.Outcome{}, err
	}
	return f.Store.Run(ctx, p, w)
}

// A thousand calls at the same time, with two tokens over the same connections:
// every caller gets its own answer, in the form that it asked for.
func TestNoCrossedReplies(t *testing.T) {
	server := httptest.NewServer(offer(t, engine.Options{MaxQueue: 2000, QueueTimeout: time.Minute, Limits: graph.Limits{Timeout: time.Minute}}, httpapi.Options{}, nil))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 32}}
	defer client.CloseIdleConnections()
	want := map[string]string{acme: `"name":"Mira Solberg"`, birch: `"name":"Ines Adeyemi"`}
	foreign := map[string]string{acme: "Ines", birch: "Mira"}
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			token := []string{acme, birch}[i%2]
			// each call has a number of its own, which its answer repeats
			args := fmt.Sprintf(`{"node_label": "person", "properties": ["name"], "filters": {"id": {"lt": %d}}, "ids": [1, 3, %d]}`, 10, 1000+i)
			r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/tools/find_nodes", strings.NewReader(args))
			if !assert.NoError(t, err) {
				return
			}
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			res, err := client.Do(r)
			if !assert.NoError(t, err) {
				return
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			assert.NoError(t, err)
			assert.Equal(t, 200, res.StatusCode, string(body))
			assert.Contains(t, string(body), want[token])
			assert.NotContains(t, string(body), foreign[token])
			assert.Contains(t, string(body), fmt.Sprintf(`\"%d\"`, 1000+i), "the warning of its own id")
		})
	}
	wg.Wait()
}

func TestRateLimit(t *testing.T) {
	api := offer(t, engine.Options{Rates: engine.Rates{PerToken: engine.Rate{PerSecond: .25, Burst: 2}}}, httpapi.Options{}, nil)
	call := func(token string) answered {
		return ask(t, api, "POST", "/tools/find_nodes", people, bearer(token)...)
	}
	require.Equal(t, 200, call(acme).StatusCode)
	require.Equal(t, 200, call(acme).StatusCode)
	res := call(acme)
	require.Equal(t, 429, res.StatusCode)
	require.Contains(t, []string{"3", "4"}, res.Header.Get("Retry-After"), "in seconds, rounded up")
	require.Contains(t, res.body, `"code":"RATE_LIMITED"`)
	require.Contains(t, res.body, `"retry_after_ms":`)
	require.Equal(t, 200, call(birch).StatusCode, "somebody else")
}

// A client that goes away in the middle of its call takes the call with it, down
// to the store.
func TestCancellation(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	api := offer(t, engine.Options{Limits: graph.Limits{Timeout: time.Minute}, Log: slog.New(slog.DiscardHandler)}, httpapi.Options{}, func(s store.Store) store.Store {
		return faulty{s, func(ctx context.Context) error {
			close(begun)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return ctx.Err()
		}}
	})
	server := httptest.NewServer(api)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/tools/find_nodes", strings.NewReader(people))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+acme)
	r.Header.Set("Content-Type", "application/json")
	_, err = http.DefaultClient.Do(r)
	require.ErrorIs(t, err, context.Canceled)
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(20 * time.Second):
		t.Fatal("the store still runs")
	}
}

func TestTimeout(t *testing.T) {
	api := offer(t, engine.Options{Limits: graph.Limits{Timeout: 20 * time.Millisecond}, Log: slog.New(slog.DiscardHandler)}, httpapi.Options{}, func(s store.Store) store.Store {
		return faulty{s, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
	})
	res := ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme)...)
	require.Equal(t, 504, res.StatusCode)
	require.Contains(t, res.body, `"code":"TIMEOUT"`)
}

// A body that never ends is read to the limit and a byte, and no further.
func TestEndlessBody(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	r := httptest.NewRequest("POST", "/tools/find_nodes", nil)
	endless := &counting{}
	r.Body = io.NopCloser(endless)
	r.Header.Set("Authorization", "Bearer "+acme)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	require.Equal(t, 413, w.Code)
	require.LessOrEqual(t, endless.read, 64<<10+512)
}

type counting struct{ read int }

func (c *counting) Read(b []byte) (int, error) {
	c.read += len(b)
	copy(b, bytes.Repeat([]byte{' '}, len(b)))
	return len(b), nil
}

// A client that does not send its body in time is told so, and let go.
func TestSlowBody(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for ten seconds")
	}
	server := httptest.NewServer(offer(t, engine.Options{}, httpapi.Options{}, nil))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /tools/find_nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{", acme)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(30*time.Second)))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, 408, res.StatusCode)
}

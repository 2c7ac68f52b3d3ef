package chdb

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// A Server answers over HTTP on a port of its own. As on a real one, a request
// may neither hold several statements nor take back that it is read-only, and what
// its caller no longer waits for is ended.
type Server struct {
	library *library
	dir     string
	http    *http.Server
	listen  net.Listener
	serving sync.WaitGroup
	asked   atomic.Int64
	running atomic.Int64

	mu   sync.Mutex
	idle map[string][]*engineConn // by readonly, which a connection keeps
	all  []*engineConn
}

// Start loads the library of a file and serves a database in a directory. A
// process can do so once.
func Start(file, dir string) (*Server, error) {
	l, err := load(file)
	if err != nil {
		return nil, err
	}
	s := &Server{library: l, dir: dir, idle: map[string][]*engineConn{}}
	if s.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	// Large lists are parameters of the URL.
	s.http = &http.Server{Handler: s, MaxHeaderBytes: 64 << 20}
	s.serving.Go(func() { _ = s.http.Serve(s.listen) })
	return s, nil
}

// URL is where the driver finds a database.
func (s *Server) URL(name string) string {
	return "http://" + s.listen.Addr().String() + "/" + url.PathEscape(name)
}

// Close ends the server and the engine.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	s.serving.Wait()
	for _, c := range s.all {
		c.close()
	}
	s.library.shutDown()
	return err
}

// hello is what the driver asks first.
const hello = "SELECT displayName(), version(), revision(), timezone()"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	values := r.URL.Query()
	text, parameters, settings := string(body), map[string]string{}, map[string]string{}
	for name := range values {
		switch value := values.Get(name); {
		case strings.HasPrefix(name, "param_"):
			parameters[strings.TrimPrefix(name, "param_")] = value
		case !slices.Contains([]string{"default_format", "client_protocol_version"}, name):
			settings[name] = value
		}
	}
	out, err := s.answer(r.Context(), text, parameters, settings)
	if err == nil && text == hello {
		out, err = plain(out, values.Get("client_protocol_version"))
	}
	if err != nil {
		if code := regexp.MustCompile(`^Code: (\d+)`).FindStringSubmatch(err.Error()); code != nil {
			w.Header().Set("X-ClickHouse-Exception-Code", code[1])
		}
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(out)
}

// plain writes the greeting in the protocol that the client begins with, and has
// the client read all that follows in the oldest, which is what the engine writes.
func plain(greeting []byte, version string) ([]byte, error) {
	revision, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return nil, err
	}
	said, told := proto.NewBlock(), proto.NewBlock()
	if err := said.Decode(chproto.NewReader(bytes.NewReader(greeting)), 0); err != nil {
		return nil, err
	}
	row := make([]any, len(said.Columns))
	for i, c := range said.Columns {
		if err := told.AddColumn(said.ColumnsNames()[i], c.Type()); err != nil {
			return nil, err
		}
		if row[i] = c.Row(0, false); c.Name() == "revision()" {
			row[i] = uint32(0)
		}
	}
	if err := told.Append(row...); err != nil {
		return nil, err
	}
	var buffer chproto.Buffer
	err = told.Encode(&buffer, revision)
	return buffer.Buf, err
}

// answer runs a statement on a connection with these settings.
func (s *Server) answer(ctx context.Context, text string, parameters, settings map[string]string) ([]byte, error) {
	if several(text) {
		return nil, exception("Code: 62. DB::Exception: Syntax error: Multi-statements are not allowed. (SYNTAX_ERROR)")
	}
	c, err := s.take(settings["readonly"])
	if err != nil {
		return nil, err
	}
	defer s.give(settings["readonly"], c)
	for name, value := range settings {
		if err := c.apply(name, value); err != nil {
			return nil, err
		}
	}
	mark := fmt.Sprintf("/* request %d */ ", s.asked.Add(1))
	ended := context.AfterFunc(ctx, func() { s.kill(mark) })
	defer ended()
	s.running.Add(1)
	defer s.running.Add(-1)
	// Around its statement the engine forgets remarks.
	word, rest, _ := strings.Cut(text, " ")
	return c.run(word+" "+mark+rest, parameters)
}

// Running is how many statements of requests the engine is busy with.
func (s *Server) Running() int64 { return s.running.Load() }

// kill ends the statement with a mark. It may be waiting for its turn.
func (s *Server) kill(mark string) {
	c, err := s.take("")
	if err != nil {
		return
	}
	defer s.give("", c)
	_, _ = c.run("KILL QUERY WHERE position(query, {mark:String}) > 0 ASYNC", map[string]string{"mark": mark})
}

// take returns a connection that nobody uses.
func (s *Server) take(readonly string) (*engineConn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if idle := s.idle[readonly]; len(idle) > 0 {
		s.idle[readonly] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	c, err := s.library.open(s.dir)
	if err == nil {
		s.all = append(s.all, c)
	}
	return c, err
}

func (s *Server) give(readonly string, c *engineConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle[readonly] = append(s.idle[readonly], c)
}

// database is the parameter that names the database of a request.
const database = "database"

// several reports whether there is more than one statement in a text.
func several(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"', '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ';':
			return strings.TrimSpace(text[i+1:]) != ""
		}
	}
	return false
}

// quote writes a text between quotes.
func quote(text string, q byte) string {
	text = strings.ReplaceAll(text, `\`, `\\`)
	return string(q) + strings.ReplaceAll(text, string(q), `\`+string(q)) + string(q)
}

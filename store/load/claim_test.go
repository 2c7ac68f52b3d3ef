package load_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/load"
)

// A load that is under way keeps what it makes, whoever else loads the same tables;
// they are told.
func TestLoadsUnderWayAreLeftAlone(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			g := generation(t, 1)
			s.drop(t, g)
			t.Cleanup(func() { s.drop(t, g) })
			in, out := make(chan struct{}), make(chan struct{})
			first := true
			ended := make(chan error, 1)
			go func() {
				ended <- load.Load(context.Background(), s.db, g, load.Options{Progress: func(load.Progress) {
					if first {
						first = false
						close(in)
						<-out
					}
				}})
			}()
			<-in
			err := load.Load(context.Background(), s.db, generation(t, 2), load.Options{})
			close(out)
			require.ErrorContains(t, err, `another load of table "lt_gen_`)
			require.NoError(t, <-ended)
			compare(t, s, g)
			requireNothingBeside(t, s)
			require.NoError(t, load.Load(context.Background(), s.db, generation(t, 3), load.Options{}))
			compare(t, s, generation(t, 3))
		})
	}
}

// A pool of two connections is enough, and of one.
func TestLoadOverFewConnections(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { s.drop(t, generation(t, 1)) })
			for _, n := range []int{1, 2} {
				s.db.SetMaxOpenConns(n)
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				require.NoError(t, load.Load(ctx, s.db, generation(t, n), load.Options{}))
				cancel()
				s.db.SetMaxOpenConns(0)
				compare(t, s, generation(t, n))
			}
		})
	}
}

// TestKilledChild is the program of a child that loads and is killed, in TestKilledLoad.
func TestKilledChild(t *testing.T) {
	name := os.Getenv("TRELLIS_CHILD")
	if name == "" {
		t.Skip("skipped: it is the child of another test")
	}
	s := servers(t)[name]
	_ = load.Load(context.Background(), s.db, generation(t, 2), load.Options{Progress: func(load.Progress) {
		fmt.Println("\nloading")
		select {}
	}})
}

// What a load has left whose process was killed the next one removes.
func TestKilledLoad(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			s.drop(t, generation(t, 1))
			t.Cleanup(func() { s.drop(t, generation(t, 1)) })
			require.NoError(t, load.Load(context.Background(), s.db, generation(t, 1), load.Options{}))
			child := exec.Command(os.Args[0], "-test.run", "^TestKilledChild$")
			child.Env = append(os.Environ(), "TRELLIS_CHILD="+name)
			out, err := child.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, child.Start())
			for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "loading"; {
			}
			require.NotEmpty(t, s.beside(t))
			require.NoError(t, child.Process.Kill())
			require.ErrorContains(t, child.Wait(), "killed")
			require.NotEmpty(t, s.beside(t))
			compare(t, s, generation(t, 1))
			// The server notices soon that its client is gone.
			require.Eventually(t, func() bool {
				return load.Load(context.Background(), s.db, generation(t, 3), load.Options{}) == nil
			}, 10*time.Second, 20*time.Millisecond)
			require.Empty(t, s.beside(t))
			compare(t, s, generation(t, 3))
		})
	}
}

// beside are the tables of the database under the names that loads give them meanwhile.
func (s server) beside(t *testing.T) (out []string) {
	own := "DATABASE()"
	if s.quote == `"` {
		own = "current_schema()"
	}
	rows, err := s.db.Query("SELECT table_name FROM information_schema.tables WHERE table_schema = " + own + " AND table_name LIKE 'trellis\\_%\\_________________'")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		out = append(out, name)
	}
	require.NoError(t, rows.Err())
	return out
}

package storetest_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
)

// A privateServer is a database server of one test, which may be killed.
type privateServer struct {
	t       testing.TB
	command func() *osexec.Cmd
	dir     string // all its files
	running *osexec.Cmd
	exit    chan struct{} // closed when running has ended
	unwatch func()
	driver  string
	dsn     string
	port    int
	dialect *compile.Dialect
}

// start starts the server and waits until it answers. One that has just been
// killed may refuse to start, until the last of its processes has noticed.
func (s *privateServer) start() {
	db, err := sql.Open(s.driver, s.dsn)
	require.NoError(s.t, err)
	defer db.Close()
	require.Eventually(s.t, func() bool {
		if s.running == nil || s.ended() {
			s.running, s.exit = s.command(), make(chan struct{})
			if s.running.Start() != nil {
				return false
			}
			s.watch()
			go func(cmd *osexec.Cmd, exit chan struct{}) {
				_ = cmd.Wait()
				close(exit)
			}(s.running, s.exit)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return db.PingContext(ctx) == nil
	}, time.Minute, 20*time.Millisecond, "the server does not start")
}

// watch has a shell end the server and remove its files if this process ends
// without having done so: tests are killed, too. The shell waits for the end of a
// pipe that nobody else holds.
func (s *privateServer) watch() {
	if s.unwatch != nil {
		s.unwatch()
	}
	end, alive, err := os.Pipe()
	require.NoError(s.t, err)
	const script = `read end; kill -s QUIT -- "-$0"; sleep 5; kill -s KILL -- "-$0"; rm -rf "$1"`
	shell := osexec.Command("sh", "-c", script, strconv.Itoa(s.running.Process.Pid), s.dir)
	shell.Stdin, shell.SysProcAttr = end, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(s.t, shell.Start())
	_ = end.Close()
	s.unwatch = func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
		_ = alive.Close()
	}
}

func (s *privateServer) ended() bool {
	select {
	case <-s.exit:
		return true
	default:
		return false
	}
}

// kill ends the server and the processes that it has started at once, as a
// lost machine would.
func (s *privateServer) kill() {
	if s.running != nil {
		s.unwatch()
		s.unwatch = nil
		pid := s.running.Process.Pid
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		for _, child := range strings.Fields(string(children)) { // PostgreSQL's have groups of their own
			if n, err := strconv.Atoi(child); err == nil {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
		<-s.exit
		s.running = nil
	}
}

// account is the user that a server runs as: it refuses to be root.
func account(t testing.TB, name string) *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Skipf("skipped: needs a user %s to run the server as", name)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// program finds a program in the path or where packages keep it.
func program(t testing.TB, name string, elsewhere ...string) string {
	for _, pattern := range elsewhere {
		if found, _ := filepath.Glob(pattern + "/" + name); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	path, err := osexec.LookPath(name)
	if err != nil {
		t.Skip("skipped: needs " + name)
	}
	return path
}

// place is a directory that belongs to the server's user. Sockets have short
// names only, and so has it.
func place(t testing.TB, as *syscall.Credential) string {
	dir, err := os.MkdirTemp("/tmp", "trellis")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	if as != nil {
		require.NoError(t, os.Chown(dir, int(as.Uid), int(as.Gid)))
	}
	return dir
}

func freePort(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func run(t testing.TB, as *syscall.Credential, name string, args ...string) {
	cmd := osexec.Command(name, args...)
	cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: as}, "/"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// privatePostgreSQL starts a PostgreSQL server in a directory of its own.
func privatePostgreSQL(t testing.TB) *privateServer { return privatePostgreSQLs(t, []string{})[0] }

// privatePostgreSQLs starts a server for each list of options, of which each
// knows nothing of the others.
func privatePostgreSQLs(t testing.TB, options ...[]string) []*privateServer {
	initdb := program(t, "initdb", "/usr/lib/postgresql/*/bin")
	postgres := program(t, "postgres", "/usr/lib/postgresql/*/bin")
	as := account(t, "postgres")
	dirs := places(t, as, len(options), func(data string) {
		run(t, as, initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	})
	out := make([]*privateServer, len(options))
	for i, dir := range dirs {
		port := freePort(t)
		s := &privateServer{t: t, driver: "pgx", dir: dir, port: port, dialect: compile.Postgres(),
			dsn: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)}
		s.command = func() *osexec.Cmd {
			cmd := osexec.Command(postgres, append([]string{"-D", filepath.Join(dir, "data"), "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", dir, "-F"}, options[i]...)...)
			cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: as, Setpgid: true}, "/"
			return cmd
		}
		t.Cleanup(s.kill)
		s.start()
		out[i] = s
	}
	return out
}

// privateMariaDB starts a MariaDB server in a directory of its own.
func privateMariaDB(t testing.TB) *privateServer { return privateMariaDBs(t, []string{})[0] }

// privateMariaDBs starts a server for each list of options, of which each knows
// nothing of the others.
func privateMariaDBs(t testing.TB, options ...[]string) []*privateServer {
	install := program(t, "mariadb-install-db")
	mariadbd := program(t, "mariadbd", "/usr/sbin")
	as := account(t, "mysql")
	dirs := places(t, as, len(options), func(data string) {
		run(t, as, install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=8M", "--tmpdir="+filepath.Dir(data))
	})
	out := make([]*privateServer, len(options))
	for i, dir := range dirs {
		port := freePort(t)
		s := &privateServer{t: t, driver: "mysql", dir: dir, port: port, dialect: compile.MariaDB(),
			dsn: fmt.Sprintf("root@tcp(127.0.0.1:%d)/mysql", port)}
		s.command = func() *osexec.Cmd {
			cmd := osexec.Command(mariadbd, append([]string{"--no-defaults", "--datadir=" + filepath.Join(dir, "data"), "--port=" + strconv.Itoa(port),
				"--bind-address=127.0.0.1", "--socket=" + filepath.Join(dir, "s"), "--pid-file=" + filepath.Join(dir, "pid"),
				"--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync", "--sync-frm=OFF",
				"--innodb-buffer-pool-size=64M", "--tmpdir=" + dir}, // a server empties its tmpdir at its start, of what others made, too
				options[i]...)...)
			cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: as, Setpgid: true}, "/"
			return cmd
		}
		t.Cleanup(s.kill)
		s.start()
		out[i] = s
	}
	return out
}

// places are directories with the files of new servers in data. They are made
// once and copied, which is faster.
func places(t testing.TB, as *syscall.Credential, n int, install func(data string)) []string {
	dirs := make([]string, n)
	for i := range dirs {
		dirs[i] = place(t, as)
		if i == 0 {
			install(filepath.Join(dirs[0], "data"))
		} else {
			run(t, as, "cp", "-Rp", filepath.Join(dirs[0], "data"), filepath.Join(dirs[i], "data"))
		}
	}
	return dirs
}

package command

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A database that takes connections and says nothing is waited for no longer than a
// call, before the first one, too.
func TestTimeoutOfTheChecks(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer mute.Close()
	for _, url := range []string{"postgres://u@" + mute.Addr().String() + "/d?sslmode=disable", "mysql://u@" + mute.Addr().String() + "/d"} {
		start := time.Now()
		o := trellis(t, "", "call", "find_nodes", openIssues, "--schema", filepath.Join(forgeDir, "schema.yaml"), "--dsn", url, "--timeout", "300ms")
		require.Equal(t, 3, o.code, o.err)
		require.Less(t, time.Since(start), 10*time.Second)
		require.Contains(t, o.err, "the database did not answer what is asked before the first call within --timeout 300ms")
	}
}

package tokens_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/trellisgraph/trellis/tools/tokens"
)

// Over HTTP, tokens.Bearer(file.Verify) is the Authenticate of each surface.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "tokens")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tokens.yaml")
	if err := os.WriteFile(path, []byte(`
format: trellis.tokens.v1
tokens:
  - {token: the-token-of-ada-0000, scope: {tenant: acme, principal: ada}}
`), 0o600); err != nil {
		log.Fatal(err)
	}
	file, err := tokens.Open(path, slog.Default())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	scope, err := file.Verify(ctx, "the-token-of-ada-0000")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scope.Tenant, scope.Principal)
	scope, err = file.Verify(ctx, "a-token-of-nobody-000")
	fmt.Println("unknown:", scope == nil, err)
	// Output:
	// acme ada
	// unknown: true <nil>
}

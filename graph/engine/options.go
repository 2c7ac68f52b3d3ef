package engine

import (
	"log/slog"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// Options configure an Engine. The zero value is a sound default for a program
// of its own; a server sets Cursors and Statements.
type Options struct {
	Limits graph.Limits
	// Cursors sign the cursors of answers. Nil means random keys: the cursors
	// work with this Engine only.
	Cursors    *compile.CursorKeys
	Statements Statements
	// Log gets the details of failures that callers must not see. Nil means
	// slog.Default().
	Log *slog.Logger
}

// Statements says what answers tell of the statements that ran.
type Statements uint8

// The ways to show statements.
const (
	ShowStatements Statements = iota // text and parameters
	HideValues                       // text, and parameters without their values
	HideStatements                   // nothing
)

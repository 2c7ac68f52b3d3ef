package audit

import (
	"context"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// An Outcome says how a call ended.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"      // answered, in full or in part
	Refused Outcome = "refused" // not run: the call, its rights or its rate are at fault
	Failed  Outcome = "failed"  // begun and not answered
)

// A Record is what is kept of one call: who asked what, which rules stood on
// it, and what came of it. It is plain data, and handed to the sink exactly once
// for each call, refused ones included; one that the sink does not take in time
// is lost, and counted. A field that a call did not get far enough to
// have is empty.
type Record struct {
	// Time is when the call came in, Duration how long it took until its answer
	// was ready.
	Time     time.Time
	Duration time.Duration
	// Tenant, View, Principal and TokenID are those of the call's scope.
	Tenant    string
	View      string
	Principal string
	TokenID   string
	// Tool is the tool's name as it was called, known or not.
	Tool string
	// Explained says that not an answer was asked for, but how, or whether,
	// there would be one.
	Explained bool
	// Arguments are the call's arguments as one canonical JSON text, with
	// values hashed or shown: see Values.
	Arguments string
	// Fingerprint names the plan's shape: calls that differ in values only have
	// the same one.
	Fingerprint string
	// SchemaRevision is the revision that the call was checked against.
	SchemaRevision string
	// Statements are the texts that a store ran, without their parameters.
	Statements []string
	// Guards are the conditions that the caller's rights put on the call, one
	// text for each label and relationship pair that it refers to.
	Guards []string
	// Rows are the nodes, paths or rows that were returned.
	Rows        int
	TruncatedBy graph.Truncation
	Outcome     Outcome
	// Codes are the codes of the errors that the caller got.
	Codes []graph.Code
	// ErrorID finds a failure's details in the host's log.
	ErrorID string
}

// A Sink keeps records: *JSONLines or *Slog, or the host's own. Write is called
// at the same time by many calls. It must not change the record, or keep it once
// it has returned, and returns an error if the record is not kept. It should
// return when the context is done: nobody waits for it much longer.
type Sink interface {
	Write(ctx context.Context, r *Record) error
}

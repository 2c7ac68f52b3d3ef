package command

import (
	"flag"
	"log/slog"
	"os"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// A host is the flags that say how a graph is asked.
type host struct {
	bounds
	keys
	queries, audit string
	dry            bool
	// estimate asks for what a call would cost; count says that the tables of a
	// database may be counted for it.
	estimate, count bool
	// statements is what answers tell of what ran; log gets the details of
	// failures, which are told on standard error otherwise.
	statements engine.Statements
	log        *slog.Logger
	// rates and observer are those of a server's engine.
	rates    engine.Rates
	observer engine.Observer
}

const queriesUsage = "a `file` of named queries (trellis.queries.v1), which are tools too"

func (h *host) define(flags *flag.FlagSet) {
	h.bounds.define(flags)
	h.bounds.defineTimeout(flags)
	h.keys.define(flags)
	flags.StringVar(&h.queries, "queries", "", queriesUsage)
}

// costs weighs calls by some statistics, and refuses none.
func costs(s *compile.Statistics) compile.Cost {
	return compile.Cost{Statistics: func() *compile.Statistics { return s }, Refuse: -1, Warn: -1}
}

// options are those of an engine; closeAudit ends its records. A call whose
// record cannot be written is not answered.
func (h *host) options() (opts engine.Options, closeAudit func() error, err error) {
	ring, err := h.keys.read()
	if err != nil {
		return opts, nil, err
	}
	opts = engine.Options{
		Limits: h.limits(), Cursors: ring.cursors, MaskKey: ring.mask,
		Log: h.log, Statements: h.statements, Rates: h.rates, Observer: h.observer,
	}
	if h.log == nil {
		opts.Log = slog.New(slog.DiscardHandler) // what failed below is told on standard error
	}
	if h.audit == "" {
		return opts, func() error { return nil }, nil
	}
	f, err := os.OpenFile(h.audit, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return opts, nil, err
	}
	opts.Audit, opts.AuditFailClosed = audit.NewJSONLines(f), true
	opts.AuditValues = audit.Values{Key: ring.audit}
	return opts, f.Close, nil
}

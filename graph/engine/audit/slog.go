package audit

import (
	"context"
	"log/slog"
)

// Slog is a Sink that hands each record to a structured log, as one line of
// the level Info with the message "call" and the members of JSONLines as
// attributes; those without a value are left out. What a handler loses, Slog
// does not learn of, except by the error that it returns.
type Slog struct {
	handler slog.Handler
}

// NewSlog returns a sink over a logger; nil means slog.Default().
func NewSlog(l *slog.Logger) *Slog {
	if l == nil {
		l = slog.Default()
	}
	return &Slog{handler: l.Handler()}
}

// Write hands a record to the log. It goes to the handler itself, since a
// Logger would drop the handler's error. Control and invisible characters are
// written out, whatever the handler does about them. A handler that is not
// enabled for Info gets the record all the same.
func (s *Slog) Write(ctx context.Context, r *Record) error {
	line := slog.NewRecord(r.Time.UTC(), slog.LevelInfo, "call", 0)
	text := func(name, value string, most int) {
		if value != "" {
			line.AddAttrs(slog.String(name, visible(capped(value, most))))
		}
	}
	line.AddAttrs(slog.Int64("duration_us", r.Duration.Microseconds()))
	text("tenant", r.Tenant, fieldBytes)
	text("view", r.View, fieldBytes)
	text("principal", r.Principal, fieldBytes)
	text("token_id", r.TokenID, fieldBytes)
	text("tool", r.Tool, fieldBytes)
	if r.Explained {
		line.AddAttrs(slog.Bool("explained", true))
	}
	text("arguments", r.Arguments, textBytes)
	text("fingerprint", r.Fingerprint, fieldBytes)
	text("schema_revision", r.SchemaRevision, fieldBytes)
	addTexts(&line, "statements", r.Statements, statementBytes)
	addTexts(&line, "guards", r.Guards, statementBytes)
	line.AddAttrs(slog.Int("rows", r.Rows))
	text("truncated_by", string(r.TruncatedBy), fieldBytes)
	text("outcome", string(r.Outcome), fieldBytes)
	addTexts(&line, "codes", r.Codes, fieldBytes)
	text("error_id", r.ErrorID, fieldBytes)
	return s.handler.Handle(ctx, line)
}

func addTexts[T ~string](line *slog.Record, name string, list []T, most int) {
	if len(list) == 0 {
		return
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = visible(capped(string(s), most))
	}
	line.AddAttrs(slog.Any(name, texts))
}

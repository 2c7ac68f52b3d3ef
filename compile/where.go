package compile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A where is read in three steps: CEL's own parser makes a syntax tree of the
// text, reading types it against the properties and lowers it to a filter, and
// where something is wrong, mending writes the text that was likely meant.
//
// Typing is done here and not by CEL's checker, whose types are not those of a
// graph: it knows neither decimals nor dates nor the values of an enum, and
// says "no matching overload" where a caller needs to hear what to write.

// whereSubset is the hint for whatever is not part of the language.
const whereSubset = `a where compares a property with a literal by == != < <= > >= or in [...], ` +
	`tests text with contains startsWith endsWith, and joins with && || ! and parentheses; ` +
	`null, date("2026-11-21") and timestamp("2026-11-21T09:30:00Z") are literals`

// whereEnv is what the names in an expression stand for.
type whereEnv struct{ props []*schema.Property }

// newWhereEnv returns the names that a caller may use: all properties but the
// hidden ones, which do not exist for a caller.
func newWhereEnv(props []*schema.Property) whereEnv {
	visible := make([]*schema.Property, 0, len(props))
	for _, p := range props {
		if !p.Hidden {
			visible = append(visible, p)
		}
	}
	return whereEnv{visible}
}

// reference returns the name of the property that an expression refers to, if
// it has the form of a reference.
func (env whereEnv) reference(e ast.Expr) (string, bool) {
	if e.Kind() != ast.IdentKind {
		return "", false
	}
	return e.AsIdent(), true
}

func (env whereEnv) lookup(name string) *schema.Property {
	for _, p := range env.props {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// suggest needs no schema: only the properties and their synonyms count.
func (env whereEnv) suggest(name string) []string {
	var none *schema.Schema
	return none.SuggestProperty(filterable(env.props), name)
}

// parseWhere reads a CEL expression as a condition on the properties. Values
// in the filter have their property's type.
//
// All mistakes are reported together, each with its line and column: a wrong
// name as UNKNOWN_PROPERTY, an exceeded limit as LIMIT_EXCEEDED, anything else
// as INVALID_EXPRESSION. Paths are "", the expression itself; a fix replaces
// the whole text and mends at once whatever can be mended.
func parseWhere(props []*schema.Property, text string, limits graph.Limits) (graph.Filter, []*graph.Error) {
	env, limits := newWhereEnv(props), limits.WithDefaults()
	r := readWhere(env, text, limits)
	if len(r.errs) == 0 {
		return r.filter, nil
	}
	r.mend()
	return nil, r.errs
}

// A whereReader reads one expression.
type whereReader struct {
	env    whereEnv
	limits graph.Limits
	text   string
	runes  []rune // CEL counts offsets in code points
	info   *ast.SourceInfo

	filter graph.Filter
	errs   []*graph.Error
	edits  []whereEdit
}

func readWhere(env whereEnv, text string, limits graph.Limits) *whereReader {
	r := &whereReader{env: env, limits: limits, text: text}
	if len(text) > limits.WhereBytes {
		r.errs = append(r.errs, errLimit(nil, "bytes of where", len(text), limits.WhereBytes))
		return r
	}
	r.runes = []rune(text)
	switch {
	case !utf8.ValidString(text):
		r.fail(0, "the expression is not valid UTF-8")
		return r
	case strings.IndexByte(text, 0) >= 0:
		r.fail(slices.Index(r.runes, 0), "the expression must not hold the character NUL")
		return r
	}
	tree := r.parse()
	if tree == nil {
		return r
	}
	nodes := 0
	ast.PreOrderVisit(tree, ast.NewExprVisitor(func(ast.Expr) { nodes++ }))
	if nodes > limits.WhereNodes {
		e := errLimit(nil, "nodes of where", nodes, limits.WhereNodes)
		e.Hint += "; a long list fits into filters, as {\"in\": [...]}"
		r.errs = append(r.errs, e)
		return r
	}
	if f := r.cond(tree); len(r.errs) == 0 {
		r.filter = f
	}
	return r
}

// parse returns the syntax tree, nil after a mistake.
func (r *whereReader) parse() ast.Expr {
	tree, wrong, err := schema.ParseExpression(r.text)
	switch {
	case err != nil:
		r.fail(0, "the expression cannot be read").Cause = err
		return nil
	case wrong != nil:
		r.syntax(wrong)
		return nil
	}
	r.info = tree.SourceInfo()
	return tree.Expr()
}

// syntax reports the parser's first mistake; those after it mostly follow from
// it.
func (r *whereReader) syntax(err *common.Error) {
	if strings.Contains(err.Message, "recursion limit") {
		r.errs = append(r.errs, &graph.Error{
			Code:    graph.LimitExceeded,
			Message: fmt.Sprintf("the expression nests deeper than %d levels", schema.ExpressionDepth),
		})
		return
	}
	at := r.offset(err.Location)
	rest := string(r.runes[at:])
	word, reserved := strings.CutPrefix(err.Message, "reserved identifier: ")
	switch {
	case reserved:
		e := r.fail(at, quote(word)+" is a reserved word of CEL and cannot be a name here")
		if r.env.lookup(word) != nil {
			e.Hint = "the property can be used in filters"
		}
		return
	case strings.TrimSpace(rest) == "":
		r.fail(at, "the expression ends where more is expected").Hint = whereSubset
	case strings.Contains(err.Message, "unterminated"):
		r.fail(at, "a text has no closing quote").Hint = whereSubset
	case strings.Contains(err.Message, "literal"), strings.Contains(err.Message, "unescape"):
		r.fail(at, strings.TrimPrefix(err.Message, "Syntax error: ")).Hint = whereSubset
	default:
		r.fail(at, "unexpected "+quote(whereToken(rest))).Hint = whereSubset
	}
	r.respell(r.errs[len(r.errs)-1])
}

// offset is a location's place in runes.
func (r *whereReader) offset(l common.Location) int {
	at, line := 0, 1
	for line < l.Line() && at < len(r.runes) {
		if r.runes[at] == '\n' {
			line++
		}
		at++
	}
	return min(max(at+l.Column(), 0), len(r.runes))
}

// fail reports a mistake at a place in runes.
func (r *whereReader) fail(at int, message string) *graph.Error {
	line, column := 1, 1
	for _, c := range r.runes[:at] {
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	e := &graph.Error{Code: graph.InvalidExpression, Message: fmt.Sprintf("%d:%d: %s", line, column, message)}
	r.errs = append(r.errs, e)
	return e
}

// span is where an expression's own token stands: a name, a literal's first
// token, an operator, or a call's opening parenthesis.
func (r *whereReader) span(e ast.Expr) (start, end int) {
	o, _ := r.info.GetOffsetRange(e.ID())
	start = min(max(int(o.Start), 0), len(r.runes))
	return start, min(max(int(o.Stop), start), len(r.runes))
}

// start is where a mistake about an expression is reported: at the name of a
// function, and otherwise at the expression's own token.
func (r *whereReader) start(e ast.Expr) int {
	at, _ := r.span(e)
	if e.Kind() == ast.CallKind {
		if name, _, ok := r.functionName(e); ok {
			return name
		}
	}
	return at
}

// functionName is where the name of a called function stands.
func (r *whereReader) functionName(e ast.Expr) (start, end int, ok bool) {
	name := []rune(e.AsCall().FunctionName())
	end, _ = r.span(e)
	for end > 0 && whereSpace(r.runes[end-1]) {
		end--
	}
	start = end - len(name)
	if start < 0 || !slices.Equal(r.runes[start:end], name) {
		return 0, 0, false // an operator
	}
	return start, end, true
}

// literalEnd is where a literal ends; a negative number is two tokens.
func (r *whereReader) literalEnd(e ast.Expr) int {
	at, end := r.span(e)
	if at >= len(r.runes) || r.runes[at] != '-' {
		return end
	}
	for end < len(r.runes) && whereSpace(r.runes[end]) {
		end++
	}
	hex := end+1 < len(r.runes) && r.runes[end+1]|0x20 == 'x'
	for ; end < len(r.runes); end++ {
		c := r.runes[end]
		sign := (c == '-' || c == '+') && !hex && r.runes[end-1]|0x20 == 'e'
		if !sign && c != '.' && !whereWord(c) {
			break
		}
	}
	return end
}

func whereSpace(c rune) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}

func whereWord(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// whereToken is the word or character that a text starts with.
func whereToken(text string) string {
	end := strings.IndexFunc(text, func(c rune) bool { return !whereWord(c) })
	switch {
	case end < 0:
		end = len(text)
	case end == 0:
		_, end = utf8.DecodeRuneInString(text)
	}
	if end > 40 {
		return text[:40] + "…"
	}
	return text[:end]
}

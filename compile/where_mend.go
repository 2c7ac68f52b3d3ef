package compile

import (
	"cmp"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/trellisgraph/trellis/graph"
)

// A whereEdit replaces a part of the expression, counted in runes, to mend a
// mistake.
type whereEdit struct {
	err        *graph.Error
	start, end int
	text       string
}

func (r *whereReader) edit(err *graph.Error, start, end int, text string) {
	r.edits = append(r.edits, whereEdit{err, start, end, text})
}

// edited returns the expression with all edits made.
func (r *whereReader) edited() string {
	edits := slices.Clone(r.edits)
	slices.SortStableFunc(edits, func(a, b whereEdit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, d := range edits {
		if d.start < at {
			continue // within another edit
		}
		b.WriteString(string(r.runes[at:d.start]))
		b.WriteString(d.text)
		at = d.end
	}
	b.WriteString(string(r.runes[at:]))
	return b.String()
}

// mend gives every mistake that has an edit a fix: the text with all edits
// made, so that applying any one of the fixes mends all it can. Since a mended
// name can bring a mistake about its value to light, the mended text is read
// and mended again, and a fix that does not lessen the mistakes is none.
func (r *whereReader) mend() {
	const rounds = 3
	mended := r
	for range rounds {
		if len(mended.edits) == 0 {
			break
		}
		mended = readWhere(r.env, mended.edited(), r.limits)
	}
	if mended == r || len(mended.errs) >= len(r.errs) {
		return
	}
	for _, d := range r.edits {
		d.err.Fix = replace("", mended.text)
	}
}

// refuse reports something that is CEL but has no place in a where, by its
// name.
func (r *whereReader) refuse(e ast.Expr) {
	at := r.start(e)
	what := ""
	switch e.Kind() {
	case ast.CallKind:
		r.refuseCall(e, at)
		return
	case ast.SelectKind:
		r.refuseSelect(e, at)
		return
	case ast.LiteralKind:
		what = "a literal is no condition by itself"
	case ast.ListKind:
		what = "a list stands only on the right of in"
	case ast.MapKind:
		what = "maps are not supported"
	case ast.StructKind:
		what = "messages are not supported"
	default:
		what = "this expression is not supported"
	}
	r.fail(at, what).Hint = whereSubset
}

func (r *whereReader) refuseCall(e ast.Expr, at int) {
	name := e.AsCall().FunctionName()
	switch name {
	case operators.Conditional:
		r.fail(at, "the conditional ? : is not supported").Hint = whereSubset
		return
	case operators.Index:
		r.fail(at, "indexing [ ] is not supported").Hint = whereSubset
		return
	case operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate:
		r.fail(at, "arithmetic ("+strings.Trim(name, "_")+") is not supported").Hint = whereSubset
		return
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.In:
		r.fail(at, strings.Trim(name, "_@")+" gives a condition, not a value to compare").Hint = whereSubset
		return
	}
	if _, ok := whereOps[name]; ok {
		r.fail(at, strings.Trim(name, "_")+" gives a condition, not a value to compare").Hint = "comparisons are joined with && and ||"
		return
	}
	shown := name
	if len(shown) > 40 {
		shown = shown[:40] + "…"
	}
	err := r.fail(at, "the function "+shown+" is not supported")
	err.Hint = whereSubset
	if _, ok := wherePatterns[name]; ok && !e.AsCall().IsMemberFunction() {
		err.Hint = `write property.` + name + `("text")`
		return
	}
	if name == "has" {
		err.Hint = "write property != null"
	}
	plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if plain == "includes" {
		plain = "contains"
	}
	for right := range wherePatterns {
		if plain == strings.ToLower(right) && e.AsCall().IsMemberFunction() {
			err.DidYouMean = []string{right}
			if from, to, ok := r.functionName(e); ok {
				r.edit(err, from, to, right)
			}
		}
	}
}

// refuseSelect reports a name with a prefix, such as issue.state. Where the
// name is a property's, the prefix is all that is wrong.
func (r *whereReader) refuseSelect(e ast.Expr, at int) {
	field := e.AsSelect().FieldName()
	err := r.fail(at, "field selection (."+whereToken(field)+") is not supported")
	err.Hint = whereSubset
	operand := e.AsSelect().Operand()
	if operand.Kind() != ast.IdentKind || r.env.lookup(field) == nil || r.env.lookup(operand.AsIdent()) != nil {
		return
	}
	_, end := r.span(e)
	name := []rune(field)
	start, _ := r.span(operand)
	if end+len(name) <= len(r.runes) && slices.Equal(r.runes[end:end+len(name)], name) {
		err.Hint = "properties stand alone: write " + field
		r.edit(err, start, end+len(name), field)
	}
}

// whereWords are what SQL and programming languages call CEL's operators.
var whereWords = map[string]string{
	"and": "&&", "or": "||", "not": "!", "in": "in", "null": "null", "true": "true", "false": "false",
	"=": "==", "===": "==", "<>": "!=", "!==": "!=",
}

// respell mends an expression that is SQL rather than CEL, if that makes it one.
func (r *whereReader) respell(err *graph.Error) {
	var b strings.Builder
	closing := 0 // depth at which the parenthesis of an in list closes
	depth := 0
	before := "" // the token before
	for i := 0; i < len(r.runes); {
		end := whereTokenEnd(r.runes, i)
		tok := string(r.runes[i:end])
		i = end
		if strings.TrimSpace(tok) == "" {
			b.WriteString(tok)
			continue
		}
		out := tok
		word := strings.ToLower(tok)
		if w, ok := whereWords[word]; ok {
			out = w
		}
		switch {
		case word == "is":
			out = "=="
		case word == "not" && before == "is":
			text := strings.TrimRight(b.String(), " \t\n")
			b.Reset()
			b.WriteString(strings.TrimSuffix(text, "==") + "!=")
			out = ""
		case tok == "(":
			depth++
			if before == "in" && closing == 0 {
				closing, out = depth, "["
			}
		case tok == ")":
			if depth == closing {
				closing, out = 0, "]"
			}
			depth--
		}
		b.WriteString(out)
		before = word
	}
	if text := b.String(); text != r.text {
		r.edit(err, 0, len(r.runes), text)
	}
}

// whereTokenEnd is where the token that starts at i ends: a text in quotes, a
// word, a run of comparison signs, white space, or one character.
func whereTokenEnd(runes []rune, i int) int {
	c := runes[i]
	run := func(in func(rune) bool) int {
		j := i
		for j < len(runes) && in(runes[j]) {
			j++
		}
		return j
	}
	switch {
	case c == '"' || c == '\'':
		for j := i + 1; j < len(runes); j++ {
			switch runes[j] {
			case '\\':
				j++
			case c:
				return j + 1
			}
		}
		return len(runes)
	case whereSpace(c):
		return run(whereSpace)
	case whereWord(c):
		return run(whereWord)
	case strings.ContainsRune("=<>!", c):
		return run(func(c rune) bool { return strings.ContainsRune("=<>!", c) })
	}
	return i + 1
}

package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/trellisgraph/trellis/graph"
)

// The limits of one policy.
const (
	maxPolicy      = 4096 // bytes
	maxPolicyNodes = 500  // of the syntax tree
	maxPolicyHops  = 3
)

// policySubset is the hint for whatever is not part of the language.
const policySubset = "a policy compares by == != < <= > >= and in, tests text with contains startsWith endsWith, asks with has and exists, " +
	"walks with outgoing and incoming, and joins with && || ! and parentheses"

// A policyReader reads one policy. Like the reader of a `where`, it takes the
// syntax tree of CEL's own parser and does the typing itself, since CEL knows
// none of a graph's types.
type policyReader struct {
	b    *builder
	path string // where the policy stands in the document
	text []rune // CEL counts offsets in code points
	info *ast.SourceInfo

	subject   *subject
	variables []variable // of lists; the caller is the first
	walks     []*walk
	negated   bool // an odd number of ! stand around what is read
	failed    bool
}

// A subject is what a condition is about, and its properties: a node, a
// relationship, or nothing where only the caller counts.
type subject struct {
	name  string
	owner string // for people
	label *Label // nil if nothing can be walked from there
	props []*Property
}

// A variable stands for claims.
type variable struct {
	name   string
	claims *claimTree
}

// read reads a policy about a subject; nil after a mistake. What it asks of
// the caller is noted in claims.
func (b *builder) read(path, text string, about subject, claims *claimTree) *policy {
	r := &policyReader{b: b, path: path, subject: &about, variables: []variable{{"caller", claims}}}
	switch {
	case !utf8.ValidString(text) || len(text) > maxPolicy:
		b.report(path, "the expression is longer than %d bytes or is not UTF-8", maxPolicy)
		return nil
	case strings.IndexByte(text, 0) >= 0:
		b.report(path, "the expression holds the character NUL")
		return nil
	}
	r.text = []rune(text)
	tree := r.parse(text)
	if tree == nil {
		return nil
	}
	nodes := 0
	ast.PreOrderVisit(tree, ast.NewExprVisitor(func(ast.Expr) { nodes++ }))
	if nodes > maxPolicyNodes {
		b.report(path, "the expression has %d parts, and %d are the most", nodes, maxPolicyNodes)
		return nil
	}
	root := r.cond(tree)
	if len(r.walks) > maxPolicyHops {
		r.fail(r.walks[maxPolicyHops].at, "a policy walks at most %d hops", maxPolicyHops)
	}
	if r.failed {
		return nil
	}
	return &policy{root, r.walks, r}
}

// parse returns the syntax tree, nil after a mistake.
func (r *policyReader) parse(text string) ast.Expr {
	tree, wrong, err := ParseExpression(text)
	switch {
	case err != nil:
		r.fail(0, "the expression cannot be read: %v", err)
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
func (r *policyReader) syntax(err *common.Error) {
	if strings.Contains(err.Message, "recursion limit") {
		r.fail(0, "the expression nests deeper than %d levels", ExpressionDepth)
		return
	}
	at, line := 0, 1
	for ; line < err.Location.Line() && at < len(r.text); at++ {
		if r.text[at] == '\n' {
			line++
		}
	}
	at = min(max(at+err.Location.Column(), 0), len(r.text))
	if strings.TrimSpace(string(r.text[at:])) == "" {
		r.fail(at, "the expression ends where more is expected")
		return
	}
	message, _, _ := strings.Cut(err.Message, "\n")
	r.fail(at, "%s", short(strings.TrimPrefix(message, "Syntax error: ")))
}

// fail reports a mistake at a place in the text. The pointer is good until the
// next one.
func (r *policyReader) fail(at int, format string, args ...any) *Problem {
	r.failed = true
	line, column := 1, 1
	for _, c := range r.text[:min(max(at, 0), len(r.text))] {
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return r.b.report(r.path, "at %d:%d of the expression: %s", line, column, fmt.Sprintf(format, args...))
}

// refuse reports what the language does not have.
func (r *policyReader) refuse(e ast.Expr) {
	what := "this"
	switch e.Kind() {
	case ast.CallKind:
		what = e.AsCall().FunctionName()
		if sign, ok := operators.FindReverse(what); ok && sign != "" {
			what = sign
		}
		switch what {
		case operators.Conditional:
			what = "?:"
		case operators.Index:
			what = "[ ]"
		}
		what = fmt.Sprintf("%q", short(what))
	case ast.ListKind:
		what = "a list"
	case ast.MapKind, ast.StructKind:
		what = "a map"
	case ast.LiteralKind:
		what = "a literal"
	}
	r.fail(r.start(e), "%s has no place here", what).Hint = policySubset
}

// start is where a mistake about an expression is reported: where it begins,
// and for an operator the operator.
func (r *policyReader) start(e ast.Expr) int {
	switch e.Kind() {
	case ast.SelectKind:
		return r.start(e.AsSelect().Operand())
	case ast.CallKind:
		if c := e.AsCall(); c.IsMemberFunction() {
			return r.start(c.Target())
		} else if name := []rune(c.FunctionName()); len(name) > 0 {
			end := r.offset(e)
			for end > 0 && strings.ContainsRune(" \t\r\n\f", r.text[end-1]) {
				end--
			}
			if at := end - len(name); at >= 0 && slices.Equal(r.text[at:end], name) {
				return at
			}
		}
	}
	return r.offset(e)
}

// offset is where an expression's own token begins.
func (r *policyReader) offset(e ast.Expr) int {
	o, _ := r.info.GetOffsetRange(e.ID())
	return min(max(int(o.Start), 0), len(r.text))
}

// nothing stands in for what could not be read.
var nothing = &rule{kind: ruleConst}

// cond reads an expression as a condition. After a mistake it goes on
// elsewhere, so that the next one is found too.
func (r *policyReader) cond(e ast.Expr) *rule {
	switch e.Kind() {
	case ast.LiteralKind:
		if holds, ok := e.AsLiteral().Value().(bool); ok {
			return &rule{kind: ruleConst, holds: holds}
		}
	case ast.IdentKind, ast.SelectKind:
		return r.truth(e)
	case ast.CallKind:
		return r.call(e, e.AsCall())
	}
	r.refuse(e)
	return nothing
}

// truth reads a property or a claim that is a condition by itself.
func (r *policyReader) truth(e ast.Expr) *rule {
	o, ok := r.operand(e)
	switch {
	case !ok:
		return nothing
	case o.isClaim():
		return &rule{kind: ruleTrue, a: o}
	case o.prop.Type != Bool && o.prop.Type != 0:
		r.fail(r.start(e), "%q is of type %s, which is no condition by itself; compare it", o.prop.Name, o.prop.Type)
		return nothing
	}
	return &rule{kind: ruleCompare, op: graph.Eq, a: o, b: operand{variable: -1, literal: graph.Bool(true)}}
}

// policyOps are CEL's operators, as filters call them.
var policyOps = map[string]graph.Op{
	operators.Equals:        graph.Eq,
	operators.NotEquals:     graph.Ne,
	operators.Less:          graph.Lt,
	operators.LessEquals:    graph.Lte,
	operators.Greater:       graph.Gt,
	operators.GreaterEquals: graph.Gte,
}

// policyPatterns are CEL's functions of texts, as filters call them.
var policyPatterns = map[string]graph.Op{
	"contains":   graph.Contains,
	"startsWith": graph.StartsWith,
	"endsWith":   graph.EndsWith,
}

// call reads an operator or a function.
func (r *policyReader) call(e ast.Expr, c ast.CallExpr) *rule {
	name, args := c.FunctionName(), c.Args()
	if c.IsMemberFunction() {
		op, pattern := policyPatterns[name]
		switch {
		case pattern && len(args) == 1:
			return r.compare(e, op, c.Target(), args[0])
		case pattern:
			r.fail(r.start(e), "%s takes one text", name)
			return nothing
		case name == "exists":
			return r.exists(e, c)
		}
		r.refuse(e)
		return nothing
	}
	switch name {
	case operators.LogicalAnd:
		return &rule{kind: ruleAnd, rules: r.conds(args)}
	case operators.LogicalOr:
		return &rule{kind: ruleOr, rules: r.conds(args)}
	case operators.LogicalNot:
		r.negated = !r.negated
		out := &rule{kind: ruleNot, rules: r.conds(args)}
		r.negated = !r.negated
		return out
	case operators.In:
		return r.in(e, args[0], args[1])
	case "has":
		return r.has(e, args)
	}
	if op, ok := policyOps[name]; ok {
		return r.compare(e, op, args[0], args[1])
	}
	r.refuse(e)
	return nothing
}

func (r *policyReader) conds(list []ast.Expr) []*rule {
	out := make([]*rule, len(list))
	for i, e := range list {
		out[i] = r.cond(e)
	}
	return out
}

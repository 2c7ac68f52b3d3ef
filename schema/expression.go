package schema

import (
	"sync"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/parser"
)

// ExpressionDepth is how deep parentheses, lists and calls may nest in an
// expression. It bounds the recursion of the parser, and of whoever reads a tree.
const ExpressionDepth = 64

// expressions is CEL's own parser, with macros switched off: no expression grows
// beyond what was written. It is bounded, and has no state that parses share.
var expressions = sync.OnceValues(func() (*parser.Parser, error) {
	return parser.NewParser(
		parser.EnablePrattParser(true),
		parser.MaxRecursionDepth(ExpressionDepth),
		parser.EnableVariadicOperatorASTs(true),
		parser.EnableIdentEscapeSyntax(false),
		parser.ErrorReportingLimit(1),
		parser.ErrorRecoveryLimit(1),
	)
})

// ParseExpression makes the syntax tree of a CEL expression, as policies and a
// where are read. After a mistake the tree is nil and wrong is the first; those
// after it mostly follow from it. The error is that of the parser itself, which
// then reads nothing.
func ParseExpression(text string) (tree *ast.AST, wrong *common.Error, err error) {
	p, err := expressions()
	if err != nil {
		return nil, nil, err
	}
	tree, mistakes := p.Parse(common.NewTextSource(text))
	if list := mistakes.GetErrors(); len(list) > 0 {
		return nil, list[0], nil
	}
	return tree, nil, nil
}

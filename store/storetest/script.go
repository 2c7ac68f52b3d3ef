package storetest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A testCase is one call of a script and what must come of it.
type testCase struct {
	file    string
	line    int // of the call, or of the row of a table
	fixture string
	limits  graph.Limits
	scope   *graph.Scope
	tool    string
	args    string
	pages   int // the size of a page to read the answer by as well; 0 for none
	// brief says that want is the one line of a table's row.
	brief bool
	// except are the stores that the case is not about, and why.
	except   map[string]string
	want     []string
	sections []section
}

func (c *testCase) where() string { return fmt.Sprintf("%s:%d", c.file, c.line) }

// A section is a plan or a statement that a case expects beside its answer.
type section struct {
	name       string // "plan", or "sql" and a dialect
	first, end int    // its lines in the file, from 0, end exclusive
	text       []string
}

const (
	rule        = "----"
	placeholder = "VALUE"
)

// parse reads a script; doc.go has the grammar. All lines are accounted for:
// what is not understood is an error with its line.
func parse(file, text string) ([]*testCase, error) {
	p := parser{file: file, lines: strings.Split(text, "\n")}
	for p.at < len(p.lines) {
		if err := p.directive(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, p.at+1, err)
		}
	}
	if p.except != nil {
		return nil, fmt.Errorf("%s: the last except is about no call", file)
	}
	return p.cases, nil
}

type parser struct {
	file    string
	lines   []string
	at      int
	fixture string
	limits  graph.Limits
	scope   *graph.Scope
	except  map[string]string // of the next call or table
	cases   []*testCase
}

func (p *parser) directive() error {
	line := p.lines[p.at]
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
		p.at++
		return nil
	case word == "graph":
		p.fixture, p.limits, p.scope = rest, graph.Limits{}, nil
		p.at++
		return nil
	case word == "limits":
		limits, err := parseLimits(rest)
		if err != nil {
			return err
		}
		p.limits = limits
		p.at++
		return nil
	case word == "scope":
		scope, err := parseScope(rest)
		if err != nil {
			return err
		}
		p.scope = scope
		p.at++
		return nil
	case p.fixture == "":
		return fmt.Errorf("a graph must be named first")
	case word == "except":
		stores, reason, ok := strings.Cut(rest, ": ")
		if !ok || p.except != nil {
			return fmt.Errorf("stores are excepted once, with a reason")
		}
		p.except = map[string]string{}
		for _, store := range strings.Fields(stores) {
			p.except[store] = reason
		}
		p.at++
		return nil
	case word == "call" || word == "table":
		first := len(p.cases)
		err := map[string]func(string) error{"call": p.call, "table": p.table}[word](rest)
		for _, c := range p.cases[first:] {
			c.except = p.except
		}
		p.except = nil
		return err
	case word == "plan" || word == "sql":
		return p.section(line)
	}
	return fmt.Errorf("%q is no directive", line)
}

func (p *parser) call(tool string) error {
	c := &testCase{file: p.file, line: p.at + 1, fixture: p.fixture, limits: p.limits, scope: p.scope, tool: tool}
	p.at++
	var err error
	if c.args, c.pages, err = p.arguments(); err != nil {
		return err
	}
	c.want = p.expected()
	if len(c.want) == 0 {
		return fmt.Errorf("the call in line %d expects nothing; an empty answer is written %q", c.line, nothing)
	}
	p.cases = append(p.cases, c)
	return nil
}

func (p *parser) table(tool string) error {
	p.at++
	template, pages, err := p.arguments()
	if err != nil {
		return err
	}
	if !strings.Contains(tool+template, placeholder) || pages != 0 {
		return fmt.Errorf("a table's arguments hold %s, and no pages", placeholder)
	}
	rows := 0
	for ; p.at < len(p.lines) && p.lines[p.at] != ""; p.at++ {
		row := p.lines[p.at]
		if strings.HasPrefix(row, "#") {
			continue
		}
		value, want, ok := cutLast(row, " => ")
		if !ok {
			return fmt.Errorf("a row is written VALUE => EXPECTED")
		}
		rows++
		p.cases = append(p.cases, &testCase{
			file: p.file, line: p.at + 1, fixture: p.fixture, limits: p.limits, scope: p.scope, tool: fill(tool, strings.TrimSpace(value)), brief: true,
			args: fill(template, strings.TrimSpace(value)),
			want: strings.Split(strings.TrimSpace(want), " && "),
		})
	}
	if rows == 0 {
		return fmt.Errorf("the table has no rows")
	}
	return nil
}

// fill puts a row's value into a table's template: in the place of VALUE, or
// its parts, separated by " | ", in the places of VALUE1 and VALUE2.
func fill(template, value string) string {
	if first, second, ok := strings.Cut(value, " | "); ok && (strings.Contains(template, placeholder+"1") || strings.Contains(template, placeholder+"2")) {
		template = strings.ReplaceAll(template, placeholder+"1", strings.TrimSpace(first))
		return strings.ReplaceAll(template, placeholder+"2", strings.TrimSpace(second))
	}
	return strings.ReplaceAll(template, placeholder, value)
}

// arguments reads up to the rule and past it.
func (p *parser) arguments() (args string, pages int, err error) {
	var lines []string
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if line == rule {
			p.at++
			return strings.Join(lines, "\n"), pages, nil
		}
		if size, ok := strings.CutPrefix(line, "pages "); ok {
			if pages, err = strconv.Atoi(size); err != nil || pages < 1 {
				return "", 0, fmt.Errorf("%q is no size of a page", size)
			}
			continue
		}
		lines = append(lines, line)
	}
	return "", 0, fmt.Errorf("the arguments are not followed by %s", rule)
}

// expected reads up to an empty line, without comments.
func (p *parser) expected() []string {
	var lines []string
	for ; p.at < len(p.lines) && p.lines[p.at] != ""; p.at++ {
		if !strings.HasPrefix(p.lines[p.at], "#") {
			lines = append(lines, p.lines[p.at])
		}
	}
	return lines
}

func (p *parser) section(name string) error {
	if len(p.cases) == 0 || p.cases[len(p.cases)-1].brief {
		return fmt.Errorf("%q belongs to no call", name)
	}
	if p.at++; p.at == len(p.lines) || p.lines[p.at] != rule {
		return fmt.Errorf("%q is not followed by %s", name, rule)
	}
	p.at++
	s := section{name: name, first: p.at}
	for p.at < len(p.lines) && p.lines[p.at] != "" {
		p.at++
	}
	s.end, s.text = p.at, p.lines[s.first:p.at]
	last := p.cases[len(p.cases)-1]
	last.sections = append(last.sections, s)
	return nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// parseLimits reads "rows=5 step_hops=2", with the names that Limits has in JSON.
func parseLimits(text string) (graph.Limits, error) {
	var limits graph.Limits
	fields := reflect.ValueOf(&limits).Elem()
next:
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return limits, fmt.Errorf("%q is no limit", word)
		}
		for i := range fields.NumField() {
			f := fields.Type().Field(i)
			if f.Tag.Get("json") == name {
				fields.Field(i).SetInt(int64(n))
				continue next
			}
		}
		return limits, fmt.Errorf("there is no limit %q", name)
	}
	return limits, nil
}

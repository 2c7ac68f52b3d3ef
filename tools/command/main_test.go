package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	forgeDir    = "../testdata/forge"
	forgeSchema = "../testdata/forge/schema.yaml"
)

// An outcome is what a run of the program leaves behind.
type outcome struct {
	code     int
	out, err string
}

func trellis(t *testing.T, stdin string, args ...string) outcome {
	var out, err bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(stdin), out: &out, err: &err})
	return outcome{code, out.String(), err.String()}
}

// document checks that the whole of standard output is one JSON document and
// returns it.
func (o outcome) document(t *testing.T) map[string]any {
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(o.out), &doc), o.out)
	return doc
}

// errorCodes returns the codes and places of an error document.
func (o outcome) errorCodes(t *testing.T) (codes []string) {
	doc := o.document(t)
	require.Equal(t, "knowledge_graph.error.v1", doc["format"])
	for _, e := range doc["errors"].([]any) {
		e := e.(map[string]any)
		codes = append(codes, strings.TrimSpace(e["code"].(string)+" "+e["path"].(string)))
	}
	return codes
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		o := trellis(t, "", args...)
		require.Equal(t, 0, o.code)
		require.Empty(t, o.err)
		for _, c := range commands() {
			require.Contains(t, o.out, c.summary)
		}
	}
	for _, c := range commands() {
		for _, args := range [][]string{{"help", c.name}, {c.name, "--help"}, {c.name, "-h"}} {
			o := trellis(t, "", args...)
			require.Equal(t, 0, o.code, args)
			require.Contains(t, o.out, "\n    trellis "+c.name, "an example")
			require.Contains(t, o.out, "Flags:\n  --")
		}
	}
}

// Only what works is offered.
func TestCommands(t *testing.T) {
	require.Equal(t, "call, compile, explain, tools, lint, bundle, introspect, load, verify, snapshot, serve, bench, shell, completion", names(commands()))
}

func TestWrongUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string // on standard error
	}{
		"nothing":              {nil, "Commands:"},
		"unknown command":      {[]string{"answer"}, `there is no command "answer"; the commands are call, compile`},
		"unknown flag":         {[]string{"call", "--grph", forgeDir}, "flag provided but not defined: -grph"},
		"flag without value":   {[]string{"lint", "--schema"}, "flag needs an argument"},
		"no tool":              {[]string{"call", "--graph", forgeDir}, "there are 0 arguments"},
		"no arguments":         {[]string{"call", "find_nodes", "--graph", forgeDir}, "there are 1 arguments"},
		"too many arguments":   {[]string{"call", "find_nodes", "{}", "{}", "--graph", forgeDir}, "there are 3 arguments"},
		"no graph":             {[]string{"call", "find_nodes", "{}"}, "which graph?"},
		"schema alone":         {[]string{"call", "find_nodes", "{}", "--schema", forgeSchema}, "--schema needs --dsn"},
		"dsn alone":            {[]string{"call", "find_nodes", "{}", "--dsn", "mysql://h/d"}, "--dsn needs --schema"},
		"graph and schema":     {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--schema", forgeSchema}, "--graph stands alone"},
		"read-only files":      {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--require-read-only"}, "--require-read-only is about"},
		"serve where":          {[]string{"serve", "--graph", forgeDir}, "either --stdio or --http ADDR"},
		"serve twice":          {[]string{"serve", "--stdio", "--http", "localhost:0", "--graph", forgeDir}, "either --stdio or --http ADDR"},
		"serve an argument":    {[]string{"serve", "--stdio", "x", "--graph", forgeDir}, "flags only"},
		"unknown store":        {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--store", "disk"}, `there is no store "disk"`},
		"unknown format":       {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--format", "xml"}, `there is no format "xml"`},
		"negative limit":       {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--max-rows", "-1"}, "must be over 0"},
		"no rows":              {[]string{"tools", "--schema", forgeSchema, "--max-rows", "0"}, "must be over 0"},
		"no time":              {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--timeout", "0s"}, "must be over 0"},
		"time is no duration":  {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--timeout", "5"}, `invalid value "5"`},
		"limit is no number":   {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--max-hops", "many"}, `invalid value "many"`},
		"scope is no JSON":     {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--scope", "acme"}, "--scope is not a scope"},
		"scope is null":        {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--scope", "null"}, "--scope is not a scope"},
		"scope, unknown field": {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--scope", `{"tenat": "acme"}`}, "tenat"},
		"batch and arguments":  {[]string{"call", "find_nodes", "{}", "--graph", forgeDir, "--batch", "-"}, "--batch brings its own calls"},
		"compile: no schema":   {[]string{"compile", "find_nodes", "{}", "--dialect", "mysql"}, "which schema?"},
		"compile: no dialect":  {[]string{"compile", "find_nodes", "{}", "--schema", forgeSchema}, "which dialect?"},
		"compile: unknown":     {[]string{"compile", "find_nodes", "{}", "--schema", forgeSchema, "--dialect", "oracle"}, `there is no dialect "oracle"; the dialects are mysql, mariadb`},
		"tools: no schema":     {[]string{"tools"}, "which schema?"},
		"tools: argument":      {[]string{"tools", forgeSchema}, "tools takes flags only"},
		"tools: format":        {[]string{"tools", "--schema", forgeSchema, "--format", "yaml"}, "the formats are json, openai, anthropic, markdown, prompt"},
		"lint: nothing":        {[]string{"lint"}, "lint takes one schema file"},
		"load: nothing":        {[]string{"load"}, "Give --graph DIR"},
		"load: no dsn":         {[]string{"load", "--graph", forgeDir}, "Give --dsn URL"},
		"load: no role":        {[]string{"load", "--graph", forgeDir, "--dsn", "sqlite:x", "--role-password-env", "X"}, "is the password of a --role"},
		"load: no password":    {[]string{"load", "--graph", forgeDir, "--dsn", "sqlite:x", "--role", "r", "--role-password-env", "TRELLIS_NO_SUCH"}, "TRELLIS_NO_SUCH of --role-password-env is empty"},
		"load: argument":       {[]string{"load", forgeDir}, "load takes flags only"},
		"verify: nothing":      {[]string{"verify"}, "Give --graph DIR"},
		"verify: no dsn":       {[]string{"verify", "--graph", forgeDir}, "there are 0"},
		"verify: three":        {[]string{"verify", "--graph", forgeDir, "--dsn", "sqlite:a", "--dsn", "sqlite:b", "--dsn", "sqlite:c"}, "there are 3"},
		"verify: no calls":     {[]string{"verify", "--graph", forgeDir, "--dsn", "sqlite:a", "--calls", "0"}, "must be over 0"},
		"bench: argument":      {[]string{"bench", "q1"}, "bench takes flags only"},
		"bench: two graphs":    {[]string{"bench", "--graph", forgeDir, "--persons", "9"}, "--graph stands alone"},
		"bench: format":        {[]string{"bench", "--format", "csv"}, "the formats are table, json, markdown"},
		"bench: chart":         {[]string{"bench", "--chart", "bench.png"}, "ends in .svg or .html"},
		"bench: store":         {[]string{"bench", "--store", "disk"}, `there is no store "disk"`},
		"bench: question":      {[]string{"bench", "--queries", "q1,q11"}, `there is no question "q11"; the questions are q1, q2`},
		"bench: no persons":    {[]string{"bench", "--persons", "0"}, "must be over 0"},
		"unknown scheme":       {[]string{"load", "--graph", forgeDir, "--dsn", "oracle://h/d"}, "starts with mysql://, postgres:// or sqlite:"},
	} {
		t.Run(name, func(t *testing.T) {
			o := trellis(t, "", tc.args...)
			require.Equal(t, 2, o.code)
			require.Empty(t, o.out, "standard output is for answers")
			require.Contains(t, o.err, tc.want)
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, args := range [][]string{
		{"call", "find_nodes", "{}", "--graph", "testdata/nowhere"},
		{"call", "find_nodes", "{}", "--schema", "testdata/nowhere.yaml", "--dsn", "mysql://h/d"},
		{"call", "--batch", "testdata/nowhere.jsonl", "--graph", forgeDir},
		{"compile", "find_nodes", "{}", "--schema", "testdata/nowhere.yaml", "--dialect", "postgres"},
		{"tools", "--schema", "testdata/nowhere.yaml"},
		{"lint", "testdata/nowhere.yaml"},
		{"load", "--graph", "testdata/nowhere", "--dsn", "mysql://h/d"},
	} {
		o := trellis(t, "", args...)
		require.Equal(t, 3, o.code, "%v: %s", args, o.err)
		require.Contains(t, o.err, "no such file or directory")
		require.Empty(t, o.out)
	}
}

func TestFlagsMayStandAnywhere(t *testing.T) {
	args := `{"node_label": "gl_user"}`
	want := trellis(t, "", "compile", "find_nodes", args, "--schema", forgeSchema, "--dialect", "postgres")
	require.Equal(t, 0, want.code, want.err)
	for _, line := range [][]string{
		{"compile", "--schema", forgeSchema, "--dialect", "postgres", "find_nodes", args},
		{"compile", "--schema=" + forgeSchema, "find_nodes", "-dialect", "postgres", args},
		{"compile", "--schema", forgeSchema, "--dialect", "postgres", "--", "find_nodes", args},
		{"compile", "find_nodes", "--schema", forgeSchema, "--dialect", "postgres", "--", args},
	} {
		require.Equal(t, want, trellis(t, "", line...))
	}
	after := trellis(t, "", "compile", "find_nodes", "--schema", forgeSchema, "--dialect", "postgres", "--", "--help")
	require.Equal(t, 1, after.code, "nothing after -- is a flag")
}

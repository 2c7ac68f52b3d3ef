package tools

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// read reads a JSON text as the decoder would a value that it skips, and a
// string as one that it takes.
func read(text string) (fault string, failed *graph.Error) {
	r := reader{src: text, maxDepth: 32}
	if r.peek() == '"' {
		_, fault = r.quoted()
	} else {
		r.skip()
	}
	r.end()
	return fault, r.failed
}

// valid are texts that are JSON and that Trellis reads.
var valid = []string{
	// literals and white space
	`null`, `true`, `false`, ` null`, "null\n", "\t\r\n null \t\r\n", `[]`, `[ ]`, "[\n]", `{}`, `{ }`, "{\t}",
	// numbers
	`0`, `-0`, `1`, `-1`, `10`, `1234567890`, `0.0`, `0.1`, `-0.5`, `1.25`, `1e1`, `1E1`, `1e+1`, `1e-1`, `0e0`, `0e+1`, `0E-1`,
	`1.5e300`, `1e400`, `-1e400`, `1e-400`, `9007199254740993`, `18446744073709551616`, `-9223372036854775809`, `123456789012345678901234567890.123456789`,
	// strings
	`""`, `"a"`, `" "`, `"\""`, `"\\"`, `"\/"`, `"/"`, `"\b\f\n\r\t"`, `"\u0041"`, `"\u00e9"`, `"\uABCD"`, `"\uabcd"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`,
	`"\udbff\udfff"`, `"\uFFFF"`, `"\u2028"`, `"é"`, `"日本"`, `"😀"`, "\"\u2028\u2029\"", "\"\x7f\"", "\"\uFFFD\"", `"\ufffd"`, `"\\u0000"`, `"\uFDD0"`, "\"\U0010FFFF\"", `"\ue000"`,
	// lists and objects
	`[1]`, `[1,2,3]`, `[ 1 , 2 ]`, `[[]]`, `[[[1]],[]]`, `[null,true,"x",{}]`, `{"a":1}`, `{"a":1,"b":[]}`, `{ "a" : 1 , "b" : 2 }`, `{"":0}`, `{"a":{"b":{"c":{}}}}`,
	`{"\u0061":1}`, `{"a b":"c d"}`, `[{"a":[{"b":[]}]}]`, `{"é":1}`, "{\n\"a\"\n:\n1\n}", `["a","b",{"c":"d"}]`,
}

// invalid are texts that are not JSON.
var invalid = []string{
	// nothing, too little, too much
	``, ` `, "\n", `,`, `:`, `]`, `}`, `[`, `{`, `[[`, `{"a":{`, `null null`, `{}{}`, `[] []`, `1 2`, `"a" "b"`, `{},`, `[]]`, `{}}`, `nullx`, `[1]x`, `{"a":1}#`, "{}\x00", "\x00", "null\x00", "{}\u00a0", "\u00a0{}", "\u2003{}", "{}\x0b", "\x0c{}",
	// a byte order mark, other encodings, comments
	"\uFEFF{}", "\xff\xfe{\x00}\x00", "\x00{\x00}", "\uFEFF", `// x`, `{} // x`, `/* x */ {}`, `{/* x */}`, `# x`, `{} # x`, `<!-- -->`, "[1, \xff]", "{\"a\":\xc3}", "\xc3\xa9",
	// literals
	`nul`, `tru`, `fals`, `True`, `TRUE`, `NULL`, `None`, `nil`, `undefined`, `NaN`, `-NaN`, `nan`, `Infinity`, `-Infinity`, `+Infinity`, `inf`, `n`, `t`, `f`, `trueX`, `truefalse`,
	// numbers
	`+1`, `-`, `- 1`, `--1`, `+`, `01`, `-01`, `00`, `0001`, `.5`, `-.5`, `1.`, `-1.`, `0.`, `1.e1`, `1e`, `1e+`, `1e-`, `1E`, `0e`, `1.5e`, `1e1.5`, `1ee1`, `1e+-1`, `0x10`, `0b1`, `0o7`, `1_000`, `1,5`, `1 000`, `1a`, `1.2.3`, `１`, `٣`, `1-1`, `.`, `e1`, `$1`, `1f`, `1L`, `[-]`, `[1.]`, `[.1]`, `[01]`,
	// strings
	`"`, `"a`, `'a'`, `a`, `"a'`, "\"\n\"", "\"\t\"", "\"\r\"", "\"\x00\"", "\"\x1f\"", "\"a\x01b\"", `"\`, `"\"`, `"\x41"`, `"\a"`, `"\0"`, `"\v"`, `"\'"`, `"\e"`, `"\u"`, `"\u1"`, `"\u12"`, `"\u123"`, `"\u123g"`, `"\uXYZW"`, `"\U0041"`, `"\u 041"`, `"\u+041"`, `"\u{41}"`, `"\ud83d\u"`, `"\ud83d\ude0"`, "\"\\\n\"", "\"\\\u00e9\"", "\"\\\x00\"", "“a”", "`a`",
	// lists
	`[1`, `[1,`, `[,]`, `[,1]`, `[1,]`, `[1,,2]`, `[1 2]`, `[1;2]`, `[1:2]`, `[1}`, `[}`, `[[]`, `["a"`, `["a",`, `["a" "b"]`, `[1,2,]`, `(1)`, `[...]`, `[x]`, `[*]`, `[1]]`,
	// objects
	`{]`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{,"a":1}`, `{"a":1,,"b":2}`, `{"a" 1}`, `{"a",1}`, `{"a"::1}`, `{"a"=1}`, `{"a":1;"b":2}`, `{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{null:1}`, `{true:1}`, `{[]:1}`, `{{}:1}`, `{"a"}`, `{"a":}`, `{:1}`, `{"a":1]`, `{"a":[}`, `{"a":1}}`, `{"a\u00":1}`, "{\"a\n\":1}", `{"a":'b'}`, `{"a":b}`, `{""}`, `{"a":1,"b"}`, `{"a":1,"b":}`, `{"a":1,b:2}`,
}

func TestT17Syntax(t *testing.T) {
	require.GreaterOrEqual(t, len(valid), 60)
	require.GreaterOrEqual(t, len(invalid), 120)
	for _, text := range valid {
		require.True(t, json.Valid([]byte(text)), "%q", text)
		fault, failed := read(text)
		require.Nil(t, failed, "%q", text)
		require.Empty(t, fault, "%q", text)
	}
	for _, text := range invalid {
		require.False(t, json.Valid([]byte(text)), "%q", text)
		_, failed := read(text)
		require.NotNil(t, failed, "%q", text)
		require.Equal(t, graph.Syntax, failed.Code, "%q", text)
		require.Empty(t, failed.Path)
		// Inside a call too, wherever the value stands.
		_, errs := decode(graph.ToolFindNodes, []byte(`{"node_label":"book","filters":{"x":`+text+`}}`), &graph.Limits{ArgumentBytes: 1 << 16, ArgumentDepth: 32}, &conditions{})
		require.NotEmpty(t, errs, "%q", text)
	}
}

// Texts that encoding/json repairs or accepts, and Trellis refuses.
func TestT16Strings(t *testing.T) {
	for text, want := range map[string]string{
		"\"\xff\"":                     faultUTF8,
		"\"\xc3\"":                     faultUTF8,
		"\"\xc0\xaf\"":                 faultUTF8, // an overlong slash
		"\"\xe0\x80\xaf\"":             faultUTF8,
		"\"\xc0\x80\"":                 faultUTF8, // NUL in modified UTF-8
		"\"\xed\xa0\x80\"":             faultUTF8, // a surrogate by itself
		"\"\xed\xa0\xbd\xed\xb8\x80\"": faultUTF8, // CESU-8
		"\"\xf4\x90\x80\x80\"":         faultUTF8, // over U+10FFFF
		"\"\xf8\x88\x80\x80\x80\"":     faultUTF8,
		"\"\\n\xff\"":                  faultUTF8,
		`"\ud800"`:                     faultSurrogate,
		`"\udc00"`:                     faultSurrogate,
		`"\ud800x"`:                    faultSurrogate,
		`"\ud800\n"`:                   faultSurrogate,
		`"\ud800\u0041"`:               faultSurrogate,
		`"\ud800\ud800\udc00"`:         faultSurrogate,
		`"\udc00\ud800"`:               faultSurrogate,
		`"a\uDFFFb"`:                   faultSurrogate,
		`"\u0000"`:                     faultNUL,
		`"a\u0000b"`:                   faultNUL,
	} {
		fault, failed := read(text)
		require.Nil(t, failed, "%q", text)
		require.Equal(t, want, fault, "%q", text)
	}
}

// What is read is what encoding/json reads.
func TestStringsRead(t *testing.T) {
	for _, text := range valid {
		if text[0] != '"' {
			continue
		}
		r := reader{src: text, maxDepth: 1}
		got, _ := r.quoted()
		var want string
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		require.Equal(t, want, got)
	}
}

func TestNumbersKeepTheirText(t *testing.T) {
	for _, text := range valid {
		if isNumber(text[0]) {
			r := reader{src: text + ",", maxDepth: 1}
			require.Equal(t, text, r.number())
			require.Nil(t, r.failed)
		}
	}
}

func TestSyntaxSaysWhere(t *testing.T) {
	_, failed := read("{\n  \"é\": 1,\n  \"é\" 2}")
	require.Equal(t, `line 3, column 7: expected ':', found '2'`, failed.Message)
	_, failed = read(`[1, 2`)
	require.Equal(t, `line 1, column 6: expected ',' or ']', found the end of the text`, failed.Message)
	_, failed = read("[\xff]")
	require.Equal(t, `line 1, column 2: expected a value, found the byte 0xff`, failed.Message)
}

// Depth is counted by brackets: 32 are fine, 33 are not, whatever follows.
func TestT18Depth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		closing := map[string]string{"[": "]", `{"a":`: "}"}[open]
		for depth, ok := range map[int]bool{1: true, 31: true, 32: true, 33: false, 10_000: false, 100_000: false} {
			text := strings.Repeat(open, depth) + "0" + strings.Repeat(closing, depth)
			_, failed := read(text)
			if ok {
				require.Nil(t, failed, depth)
				continue
			}
			require.NotNil(t, failed, depth)
			require.Equal(t, graph.TooDeep, failed.Code)
			_, failed = read(strings.Repeat(open, depth)) // never closed
			require.Equal(t, graph.TooDeep, failed.Code)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range append(valid[:len(valid):len(valid)], invalid...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, failed := read(text)
		if failed == nil || failed.Code != graph.TooDeep {
			require.Equal(t, json.Valid([]byte(text)), failed == nil, strconv.Quote(text))
		}
		if failed == nil && fault == "" && strings.HasPrefix(strings.TrimSpace(text), `"`) {
			var want string
			require.NoError(t, json.Unmarshal([]byte(text), &want))
			r := reader{src: text}
			r.peek()
			got, _ := r.quoted()
			require.Equal(t, want, got)
		}
	})
}

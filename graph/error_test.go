package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func TestErrorsMerge(t *testing.T) {
	mistake := func(code graph.Code, path string) *graph.Error { return &graph.Error{Code: code, Path: path} }
	for name, c := range map[string]struct {
		decoding, checking graph.Errors
		want               []string // CODE and path
	}{
		"both": {
			graph.Errors{mistake(graph.InvalidType, "/limit")}, graph.Errors{mistake(graph.UnknownLabel, "/node_label")},
			[]string{"INVALID_TYPE /limit", "UNKNOWN_LABEL /node_label"},
		},
		"what follows from it is left out": {
			graph.Errors{mistake(graph.InvalidType, "/from")},
			graph.Errors{mistake(graph.MissingField, "/from"), mistake(graph.MissingField, "/from/label"), mistake(graph.MissingField, "/from~1")},
			[]string{"INVALID_TYPE /from", "MISSING_FIELD /from~1"},
		},
		"a name that begins alike is another place": {
			graph.Errors{mistake(graph.InvalidType, "/k")}, graph.Errors{mistake(graph.OutOfRange, "/kk"), mistake(graph.OutOfRange, "/k/0")},
			[]string{"INVALID_TYPE /k", "OUT_OF_RANGE /kk"},
		},
		"the whole": {
			graph.Errors{mistake(graph.Syntax, "")}, graph.Errors{mistake(graph.MissingField, "/node_label"), mistake(graph.MissingField, "")},
			[]string{"SYNTAX "},
		},
		"an unknown field hides nothing": {
			graph.Errors{mistake(graph.UnknownField, "")}, graph.Errors{mistake(graph.MissingField, "/node_label")},
			[]string{"UNKNOWN_FIELD ", "MISSING_FIELD /node_label"},
		},
		"a wrong name is worse than its wrong value": {
			graph.Errors{mistake(graph.InvalidType, "/filters/a"), mistake(graph.InvalidType, "/filters/b")},
			graph.Errors{{Code: graph.UnknownProperty, Path: "/filters/b", Got: "b"}},
			[]string{"INVALID_TYPE /filters/a", "UNKNOWN_PROPERTY /filters/b"},
		},
		"nothing": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := append(graph.Errors(nil), c.decoding...)
			var got []string
			for _, e := range c.decoding.Merge(c.checking) {
				got = append(got, string(e.Code)+" "+e.Path)
			}
			require.Equal(t, c.want, got)
			require.Equal(t, before, c.decoding, "as it was")
		})
	}
}

func TestErrorsAreFoundInEachOther(t *testing.T) {
	cause := &fs.PathError{Op: "open", Path: "secret", Err: fs.ErrNotExist}
	list := graph.Errors{
		{Code: graph.UnknownLabel, Path: "/node_label", Message: `no label "x"`},
		{Code: graph.Internal, Message: "the store could not answer", Cause: cause},
	}
	err := fmt.Errorf("asking: %w", list)
	require.ErrorIs(t, err, graph.UnknownLabel)
	require.ErrorIs(t, err, graph.Internal)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, graph.Timeout)
	var first *graph.Error
	require.ErrorAs(t, err, &first)
	require.Equal(t, "/node_label", first.Path)
	var path *fs.PathError
	require.ErrorAs(t, err, &path)
	require.Equal(t, `UNKNOWN_LABEL /node_label: no label "x"; INTERNAL: the store could not answer`, list.Error())
	require.False(t, errors.Is(first, errors.New("UNKNOWN_LABEL")))
}

func TestErrorDocument(t *testing.T) {
	e := &graph.Error{Code: graph.UnknownProperty, Path: "/filters/stat", Message: `no property "stat"`, DidYouMean: []string{"state"},
		Hint: "a hint", Fix: []graph.Patch{{Op: "move", From: "/filters/stat", Path: "/filters/state"}, {Op: "add", Path: "/a", Value: nil}, {Op: "remove", Path: "/b", Value: 1}},
		Cause: errors.New("secret")}
	e.SetGot("stat")
	e.SetAllowed([]string{"state", "title"})
	document, err := json.Marshal(graph.NewErrorDocument(graph.ToolFindNodes, e))
	require.NoError(t, err)
	require.Equal(t, `{"format":"knowledge_graph.error.v1","tool":"find_nodes","errors":[{"code":"UNKNOWN_PROPERTY","path":"/filters/stat",`+
		`"message":"no property \"stat\"","got":"stat","allowed":["state","title"],"allowed_total":2,"did_you_mean":["state"],"hint":"a hint",`+
		`"fix":[{"op":"move","from":"/filters/stat","path":"/filters/state"},{"op":"add","path":"/a","value":null},{"op":"remove","path":"/b"}],`+
		`"retryable":false}],"errors_total":1}`, string(document))

	foreign := graph.NewErrorDocument("", errors.New("secret"))
	require.Equal(t, graph.Internal, foreign.Errors[0].Code)
	document, err = json.Marshal(foreign)
	require.NoError(t, err)
	require.NotContains(t, string(document), "secret")

	var many graph.Errors
	for range 21 {
		many = append(many, &graph.Error{Code: graph.OutOfRange})
	}
	doc := graph.NewErrorDocument("", many)
	require.Len(t, doc.Errors, 20)
	require.Equal(t, 21, doc.ErrorsTotal)
}

func TestErrorsStayReadable(t *testing.T) {
	var e graph.Error
	e.SetGot(strings.Repeat("a", 80))
	require.Equal(t, strings.Repeat("a", 80), e.Got)
	e.SetGot(strings.Repeat("a", 79) + "é")
	require.Equal(t, strings.Repeat("a", 79)+"…", e.Got, "no half of a character")
	names := strings.Split(strings.Repeat("x,", 25), ",")
	e.SetAllowed(names)
	require.Len(t, e.Allowed, 20)
	require.Equal(t, 26, e.AllowedTotal)
}

func TestPointer(t *testing.T) {
	require.Equal(t, "", graph.Pointer(""))
	require.Equal(t, "/filters/a~1b~0c/0", graph.Pointer("/filters", "a/b~c", "0"))
	require.Equal(t, "/", graph.Pointer("", ""))
}

func TestRefusals(t *testing.T) {
	for _, c := range []graph.Code{graph.Timeout, graph.Canceled, graph.Overloaded, graph.Unavailable, graph.StorageFull, graph.InvalidData, graph.Internal} {
		require.False(t, c.Refusal(), c)
	}
	for _, c := range []graph.Code{graph.Syntax, graph.UnknownLabel, graph.OutOfRange, graph.InvalidCursor, graph.NoScope, graph.Forbidden, graph.QuotaExceeded} {
		require.True(t, c.Refusal(), c)
	}
}

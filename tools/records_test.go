package tools_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// Every refusal has the codes and places that are written down, names its tool's
// arguments alone, and the first fixes make the call answer.
func TestRecordCallsThatAreRefused(t *testing.T) {
	tt := catalogTools(t, engine.Options{})
	for _, c := range badRecords {
		t.Run(c.tool+" "+c.args[:min(len(c.args), 60)], func(t *testing.T) {
			_, err := tt.Result(t.Context(), c.tool, []byte(c.args))
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Equal(t, c.want, summary(errs))
			args := []byte(c.args)
			for _, e := range errs {
				if e.Code != graph.Conflict {
					require.True(t, strings.HasPrefix(e.Message, "[INVALID_INPUT] "), e.Message)
				}
				for _, word := range []string{"node_label", "/related", "order_by", "TAGGED"} {
					if !strings.Contains(c.args, word) {
						doc, _ := json.Marshal(e)
						require.NotContains(t, string(doc), word)
					}
				}
				if e.Fix != nil {
					args, err = graph.ApplyFix(args, e.Fix)
					require.NoError(t, err)
				}
			}
			if c.mended == "" {
				require.Equal(t, c.args, string(args), "it has a fix")
				return
			}
			require.JSONEq(t, c.mended, string(args))
			_, err = tt.Result(t.Context(), c.tool, args)
			require.NoError(t, err)
		})
	}
}

// The message of a limit is what hosts have agreed on, to the letter.
func TestT11RecordLimits(t *testing.T) {
	for rows, message := range map[int]string{0: "[INVALID_INPUT] limit must be between 1 and 500", 20: "[INVALID_INPUT] limit must be between 1 and 20"} {
		tt := catalogTools(t, engine.Options{Limits: graph.Limits{ListRows: rows}})
		_, err := tt.Call(t.Context(), "list_product", []byte(`{"limit":501}`))
		var e *graph.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, graph.OutOfRange, e.Code)
		require.Equal(t, message, e.Message)
		_, err = tt.Call(t.Context(), "list_product", []byte(`{}`))
		require.NoError(t, err, "the default is within the limit")
	}
}

// All mistakes of a call come together.
func TestRecordMistakesComeTogether(t *testing.T) {
	tt := catalogTools(t, engine.Options{})
	_, err := tt.Result(t.Context(), "list_product", []byte(`{"filters":{"colour":1,"strings":"3","tag":{"like":"x"}},"sort":["prize",7],"limit":0,"offset":-1,"foo":1}`))
	var errs graph.Errors
	require.ErrorAs(t, err, &errs)
	require.Equal(t, "UNKNOWN_PROPERTY /filters/colour; INVALID_TYPE /filters/strings; UNKNOWN_OPERATOR /filters/tag/like; "+
		"UNKNOWN_PROPERTY /sort/0; INVALID_TYPE /sort/1; OUT_OF_RANGE /limit; OUT_OF_RANGE /offset; UNKNOWN_FIELD /foo", summary(errs))
	require.Contains(t, errs[0].Message, "the filters are changed, code, grade, maker_id, price, released, see_also, sold, strings, tag, title, weight")
	require.Equal(t, []string{"changed", "code", "grade", "maker_id", "price", "released", "see_also", "sold", "strings", "tag", "title", "weight"}, errs[0].Allowed)
}

func TestRecordAgreement(t *testing.T) {
	j := catalogJudge(t)
	for _, c := range goodRecords {
		require.Empty(t, j.trellis(c.tool, []byte(c.args)), c.args)
		require.Empty(t, j.published(c.tool, []byte(c.args)), c.args)
	}
	for _, c := range badRecords {
		j.agree(t, c.tool, []byte(c.args))
		if c.mended != "" {
			require.Empty(t, j.published(c.tool, []byte(c.mended)), c.mended)
		}
	}
}

// Calls mutated at random are judged alike.
func TestRecordAgreementOnMutations(t *testing.T) {
	j := catalogJudge(t)
	r := rand.New(rand.NewPCG(3, 4))
	accepted, refused := 0, 0
	for range 300 {
		for _, c := range goodRecords {
			var args any
			require.NoError(t, json.Unmarshal([]byte(c.args), &args))
			for range 1 + r.IntN(2) {
				args = mutate(r, args)
			}
			text, err := json.Marshal(args)
			require.NoError(t, err)
			j.agree(t, c.tool, text)
			if len(j.published(c.tool, text)) == 0 {
				accepted++
			} else {
				refused++
			}
		}
	}
	require.Greater(t, accepted, 300)
	require.Greater(t, refused, 300)
}

// FuzzRecords: whatever the bytes, nothing panics; what is accepted is accepted by
// the published schema and answered; every fix fits the arguments.
func FuzzRecords(f *testing.F) {
	for _, c := range goodRecords {
		f.Add(c.tool, []byte(c.args))
	}
	for _, c := range badRecords {
		f.Add(c.tool, []byte(c.args))
	}
	j, tt := catalogJudge(f), catalogTools(f, engine.Options{})
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		if _, ok := j.validators[tool]; !ok || !strings.Contains(tool, "p") || !strings.HasPrefix(tool, "list_") && !strings.HasPrefix(tool, "get_p") {
			return
		}
		res, err := tt.Result(t.Context(), tool, args)
		if err == nil {
			require.Empty(t, j.published(tool, args), "%q", args)
			doc, err := tt.Call(t.Context(), tool, args)
			require.NoError(t, err)
			again, err := res.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, string(again), string(doc))
			require.True(t, json.Valid(doc))
			return
		}
		var errs graph.Errors
		require.ErrorAs(t, err, &errs)
		for _, e := range errs {
			require.NotEqual(t, graph.Internal, e.Code)
			if e.Fix != nil && !hasDuplicate(errs) {
				mended, err := graph.ApplyFix(args, e.Fix)
				require.NoError(t, err, "%q: %v", args, e)
				require.True(t, json.Valid(mended))
			}
		}
	})
}

// T57: a filter that is none, filters that are a text, and what people call a
// thing in the place of its code: refused with what there is, refused with a
// hint, or an empty list that says what was meant. Mended, each answers.
func TestT57RecordFilters(t *testing.T) {
	tt := catalogTools(t, engine.Options{})
	_, err := tt.Call(t.Context(), "list_product", []byte(`{"filters":{"note":"used"}}`))
	var e *graph.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, graph.UnknownProperty, e.Code)
	require.IsIncreasing(t, e.Allowed)
	require.Equal(t, 12, e.AllowedTotal)

	_, err = tt.Call(t.Context(), "list_product", []byte(`{"filters":"{\"grade\":\"stage\"}"}`))
	require.ErrorAs(t, err, &e)
	require.Equal(t, graph.InvalidType, e.Code)
	require.NotEmpty(t, e.Hint)
	require.NotEmpty(t, e.Fix)

	args := []byte(`{"filters":{"maker_id":"Bear & Sons"}}`)
	res, err := tt.Result(t.Context(), "list_product", args)
	require.NoError(t, err)
	require.Zero(t, *res.Total)
	require.Equal(t, graph.NotFound, res.Warnings[0].Code)
	require.Contains(t, res.Warnings[0].Message, `is called so is "bear"`)
	args, err = graph.ApplyFix(args, res.Warnings[0].Fix)
	require.NoError(t, err)
	res, err = tt.Result(t.Context(), "list_product", args)
	require.NoError(t, err)
	require.Equal(t, int64(2), *res.Total)
}

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What each caller gets, and what stays with the others.
func TestTenants(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), "graph", &out))
	sections := strings.Split(out.String(), "\n# ")[1:]
	require.Len(t, sections, len(questions)+1)
	for i, want := range []string{
		`"name":"Mira Solberg","iban":"****7947"`,
		`"iban":"NO9386011117947"`,
		`"name":"Ines Adeyemi","iban":"FR1420041010050500013M02606"`,
		`"rows":[{"count":2}]`,
		`"rows":[{"count":3}]`,
		`{"title":"Salaries of next year"}`,
		`{"title":"How the lamp turns"}`,
		`{"title":"Offer to the harbour"}`,
		`"code":"FORBIDDEN"`,
		`"nodes":[],"returned":0`,
		`"returned":1`,
		`UNKNOWN_PROPERTY`,
		`UNKNOWN_FIELD`,
		`NO_SCOPE`,
	} {
		require.Contains(t, sections[i], want, questions[i].says)
		_, answer, _ := strings.Cut(sections[i], "=> ")
		switch q := questions[i]; q.who {
		case clerk, manager:
			for _, foreign := range []string{"Ines", "Saws", "Sawmill"} {
				require.NotContains(t, answer, foreign, q.says)
			}
		case other:
			for _, foreign := range []string{"Mira", "lamp", "Salaries"} {
				require.NotContains(t, answer, foreign, q.says)
			}
		}
		if questions[i].who == clerk {
			require.NotContains(t, answer, "Salaries")
			require.NotContains(t, answer, "NO9386011117947")
		}
	}
	records := sections[len(questions)]
	require.Equal(t, len(questions), strings.Count(records, `"outcome":`), "one of each call")
	require.Contains(t, records, `"guards":["person: tenant = ?"]`)
	require.NotContains(t, records, "Mira Solberg")
	require.NotContains(t, records, `"tenant_id":"birch"`)
}

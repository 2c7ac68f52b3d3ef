package schema

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSuggest(t *testing.T) {
	labels := []string{"gl_group", "gl_issue", "gl_issue_link", "gl_mr", "gl_note", "gl_project", "gl_user"}
	properties := []string{"creationDate", "firstName", "id", "lastName", "state", "title"}
	for _, c := range []struct {
		got   string
		names []string
		want  []string
	}{
		{"GL_ISSUE", labels, []string{"gl_issue"}},
		{"gl-issue", labels, []string{"gl_issue"}},
		{"GlIssue", labels, []string{"gl_issue"}},
		{"glissue", labels, []string{"gl_issue"}},
		{"gl issues", labels, []string{"gl_issue"}},
		{"issue", labels, []string{"gl_issue", "gl_issue_link"}},
		{"issues", labels, []string{"gl_issue", "gl_issue_link"}},
		{"Projects", labels, []string{"gl_project"}},
		{"gl_user_account", labels, []string{"gl_user"}},
		{"gl_isue", labels, []string{"gl_issue"}},
		{"gl_projcet", labels, []string{"gl_project"}},
		{"first_name", properties, []string{"firstName"}},
		{"name", properties, []string{"firstName", "lastName"}},
		{"stat", properties, []string{"state"}},
		{"creation_dates", properties, []string{"creationDate"}},
		{"titel", properties, []string{"title"}},
		{"st\u0430te", properties, []string{"state"}}, // a Cyrillic а
		{"ID", properties, []string{"id"}},
		{"xyz", properties, nil},
		{"q", properties, nil},
		{"", properties, nil},
		{"--", properties, nil},
		{"companies", []string{"company", "companion"}, []string{"company"}},
		{"boxes", []string{"box"}, []string{"box"}},
		{"addresses", []string{"address"}, []string{"address"}},
		{"statuses", []string{"status"}, []string{"status"}},
		{"branches", []string{"branch"}, []string{"branch"}},
		{"wishes", []string{"wish"}, []string{"wish"}},
		{"ab1", []string{"ab2", "ab3", "ab4", "ab5"}, []string{"ab2", "ab3", "ab4"}},
		{"abcdef", []string{"abcxyf", "abcdeg"}, []string{"abcdeg", "abcxyf"}},
		{"abc", []string{"abc", "abd"}, []string{"abd"}},
		{"twice", []string{"twices", "twices"}, []string{"twices"}},
		{strings.Repeat("a", maxSuggestable+1), []string{strings.Repeat("a", maxSuggestable)}, nil},
		{strings.Repeat("a", maxSuggestable), []string{strings.Repeat("A", maxSuggestable)}, []string{strings.Repeat("A", maxSuggestable)}},
		{"short", []string{strings.Repeat("short", 30)}, nil},
	} {
		require.Equal(t, c.want, Suggest(c.got, c.names), c.got)
	}
}

func TestSuggestionsKnowSynonymsAndHideTheHidden(t *testing.T) {
	d := library()
	d.Nodes[0].Synonyms = []string{"writer", "scribe"}
	d.Nodes = append(d.Nodes, NodeDefinition{Label: "writers_guild", Key: []string{"id"}, Properties: d.Nodes[1].Properties})
	d.Relationships[0].Synonyms = []string{"PENNED"}
	d.Nodes[0].Properties = append(d.Nodes[0].Properties,
		PropertyDefinition{Name: "names", Type: String, Hidden: true, Synonyms: []string{"nom"}},
		PropertyDefinition{Name: "born", Type: Date, Synonyms: []string{"birthday"}})
	s, err := New(d)
	require.NoError(t, err)
	require.Equal(t, []string{"author"}, s.SuggestLabel("writer"))
	require.Equal(t, []string{"author"}, s.SuggestLabel("Writers"))
	require.Equal(t, []string{"author"}, s.SuggestLabel("scribbe"))
	require.Equal(t, []string{"WROTE"}, s.SuggestRelationship("penned"))
	require.Equal(t, []string{"WROTE"}, s.SuggestRelationship("wrote"))
	author, _ := s.Label("author")
	require.Equal(t, []string{"name"}, s.SuggestProperty(author.Properties, "nam"))
	require.Equal(t, []string{"born"}, s.SuggestProperty(author.Properties, "birthday"))
	require.Nil(t, s.SuggestProperty(author.Properties, "nom"))
	require.Equal(t, []string{"name"}, s.SuggestProperty(author.Properties, "names"), "a hidden property is as if it did not exist")
}

// slowDistance is the textbook's optimal string alignment.
func slowDistance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestDistanceIsTheTextbooks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		w := make([]rune, r.IntN(9))
		for i := range w {
			w[i] = 'a' + rune(r.IntN(3))
		}
		return w
	}
	for range 50_000 {
		a, b, most := word(), word(), r.IntN(5)
		require.Equal(t, min(slowDistance(a, b), most+1), distance(a, b, most), "%s %s %d", string(a), string(b), most)
	}
}

func TestSuggestionsAreBounded(t *testing.T) {
	names := make([]string, 5000)
	for i := range names {
		names[i] = strings.Repeat(string(rune('a'+i%3)), 60) + string(rune('a'+i%26))
	}
	start := time.Now()
	for _, got := range []string{strings.Repeat("a", 62), strings.Repeat("ab", 31), strings.Repeat("a_", 64), strings.Repeat("ſ", 64)} {
		require.LessOrEqual(t, len(Suggest(got, names)), maxSuggestions)
	}
	require.Less(t, time.Since(start), 5*time.Second)
}

func BenchmarkSuggest(b *testing.B) {
	names := []string{"gl_group", "gl_issue", "gl_issue_link", "gl_mr", "gl_note", "gl_project", "gl_user"}
	b.ReportAllocs()
	for b.Loop() {
		Suggest("gl_isue", names)
	}
}

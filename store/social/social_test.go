package social_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

func network(t testing.TB, o social.Options) *memory.Graph {
	t.Helper()
	g, err := social.New(o)
	require.NoError(t, err)
	return g
}

// content is all that a graph holds, as text.
func content(g *memory.Graph) []byte {
	var out []byte
	for l := range g.Schema().Labels() {
		for row := range uint32(g.NodeCount(l)) {
			out = append(out, l.Name...)
			for _, p := range l.Properties {
				out = append(g.Value(l, row, p).AppendJSON(append(out, ' ')), ' ')
			}
			out = append(out, '\n')
		}
	}
	for t := range g.Schema().Relationships() {
		for _, pair := range t.Pairs {
			out = append(append(out, t.Name...), '\n')
			for rel := range uint32(g.RelCount(pair)) {
				from, to := g.Ends(pair, rel)
				out = fmt.Appendf(out, "%d %d", from, to)
				for _, p := range pair.Properties {
					out = g.RelValue(pair, rel, p).AppendJSON(append(out, ' '))
				}
				out = append(out, '\n')
			}
		}
	}
	return out
}

// One seed has one graph, whatever machine makes it.
func TestSameBytesEverywhere(t *testing.T) {
	sum := sha256.Sum256(content(network(t, social.Options{Persons: 300, Seed: 1})))
	require.Equal(t, "6508d59bcbde8f3012fb5bcaebdd1e35b802dccb0803b6c62f03e0838679d57e", hex.EncodeToString(sum[:]))
	require.False(t, bytes.Equal(content(network(t, social.Options{Persons: 300, Seed: 1})), content(network(t, social.Options{Persons: 300, Seed: 2}))))
}

// degrees returns how many friends each person has.
func degrees(g *memory.Graph) []int {
	knows, _ := g.Schema().Relationship("KNOWS")
	first := g.Outgoing(knows.Pairs[0]).First
	out := make([]int, len(first)-1)
	for i := range out {
		out[i] = int(first[i+1] - first[i])
	}
	return out
}

// The share of persons with so many friends and more falls as the power -1.5,
// between the mean and the square root of all friendships.
func TestDegreesFollowAPowerLaw(t *testing.T) {
	const persons, mean = 20000, 30
	counts := degrees(network(t, social.Options{Persons: persons, Friends: mean, Posts: 1}))
	require.Len(t, counts, persons)
	sum, most := 0, 0
	over := func(least int) (n int) {
		for _, c := range counts {
			if c >= least {
				n++
			}
		}
		return n
	}
	for _, c := range counts {
		sum, most = sum+c, max(most, c)
	}
	require.InDelta(t, mean, float64(sum)/persons, 0.1)
	slope := math.Log(float64(over(300))/float64(over(30))) / math.Log(10)
	require.InDelta(t, -1.5, slope, 0.15)
	require.Greater(t, most, 500)
	require.Less(t, most, 1000)
	require.Greater(t, over(1), persons*99/100)
}

func TestFriendshipIsMutualAndWithOthers(t *testing.T) {
	g := network(t, social.Options{Persons: 500})
	knows, _ := g.Schema().Relationship("KNOWS")
	pair := knows.Pairs[0]
	date, _ := pair.Property("creationDate")
	since := g.RelColumn(pair, date)
	dates := map[[2]uint32]graph.Value{}
	for rel := range uint32(g.RelCount(pair)) {
		from, to := g.Ends(pair, rel)
		require.NotEqual(t, from, to)
		dates[[2]uint32{from, to}] = since.Value(rel)
	}
	require.Len(t, dates, 500*14/2*2)
	for ends, date := range dates {
		require.Equal(t, date, dates[[2]uint32{ends[1], ends[0]}])
	}
}

func TestSizes(t *testing.T) {
	g := network(t, social.Options{Persons: 100, Friends: 6, Posts: 3})
	count := func(label string) int {
		l, ok := g.Schema().Label(label)
		require.True(t, ok)
		return g.NodeCount(l)
	}
	require.Equal(t, 100, count("person"))
	require.Equal(t, 300, count("post"))
	require.Equal(t, 800, count("tag"))
	require.Equal(t, 24*41+5, count("place"))
	// The names of places and tags are all different.
	for _, label := range []string{"place", "tag"} {
		l, _ := g.Schema().Label(label)
		name, _ := l.Property("name")
		seen := map[string]bool{}
		for row := range uint32(g.NodeCount(l)) {
			seen[g.Value(l, row, name).Text()] = true
		}
		require.Len(t, seen, g.NodeCount(l))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]social.Options{
		"a network has 2 to 10000000 persons, not 1":            {Persons: 1},
		"10 persons have 1 to 9 friends on average, not 10":     {Persons: 10, Friends: 10},
		"a person writes 1 to 1000 posts on average, not -1":    {Posts: -1},
		"a network has 100000000 posts at most, not 1000000000": {Persons: 10_000_000, Posts: 100},
		"10 persons have 1 to 9 friends on average, not -2":     {Persons: 10, Friends: -2},
		"a network has 2 to 10000000 persons, not 10000001":     {Persons: 10_000_001},
		"a person writes 1 to 1000 posts on average, not 1001":  {Posts: 1001},
	} {
		_, err := social.New(o)
		require.EqualError(t, err, want)
	}
	// The smallest there are.
	for persons := 2; persons < 12; persons++ {
		network(t, social.Options{Persons: persons})
	}
}

// The questions are calls that tools take as they are.
func TestQuestionsDecode(t *testing.T) {
	g := network(t, social.Options{Persons: 300})
	p, err := social.Pick(g)
	require.NoError(t, err)
	require.NotEqual(t, p.Person, p.Other)
	r := tools.Graph(g.Schema(), graph.Limits{Rows: social.Rows})
	questions := p.Questions(g.Schema())
	require.Len(t, questions, 10)
	for _, q := range questions {
		_, errs := r.Decode(q.Tool, q.Arguments)
		require.Empty(t, errs, "%s %s", q.Name, q.Arguments)
	}
}

func TestPickNamesWhatIsMissing(t *testing.T) {
	s, err := schema.Parse("s.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person: {key: id, properties: {id: string, firstName: string, lastName: string, gender: string, birthday: date}}
  place: {key: id, properties: {id: int64, name: string}}
  tag: {key: id, properties: {id: int64, name: string}}
relationships:
  KNOWS: {from: person, to: person}
`))
	require.NoError(t, err)
	g, err := memory.NewBuilder(s).Build()
	require.NoError(t, err)
	_, err = social.Pick(g)
	require.EqualError(t, err, "the questions need what the graph does not have: person.browserUsed, a key of type int64 of person, label post, "+
		"HAS_CREATOR from post to person, HAS_TAG from post to tag, IS_LOCATED_IN from person to place, KNOWS.creationDate")
}

// BenchmarkNew makes a network of 2,000 persons.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		network(b, social.Options{})
	}
}

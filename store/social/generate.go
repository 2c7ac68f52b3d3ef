package social

import (
	"iter"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

// New makes a network.
func New(o Options) (*memory.Graph, error) {
	s, err := Schema()
	if err != nil {
		return nil, err
	}
	b := memory.NewBuilder(s)
	if err := Fill(b, o); err != nil {
		return nil, err
	}
	return b.Build()
}

// Fill puts a network into a builder for Schema, row by row.
func Fill(b *memory.Builder, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	n := newNetwork(o)
	for _, part := range []struct {
		add     func(string, []string, iter.Seq2[[]graph.Value, error]) error
		name    string
		columns []string
		rows    func(yield func(...graph.Value) bool)
	}{
		{b.Nodes, "place", []string{"id", "name", "url", "kind"}, n.places},
		{b.Relationships, "IS_PART_OF", []string{"from", "to"}, n.partOf},
		{b.Nodes, "tag", []string{"id", "name", "url"}, n.tags},
		{b.Nodes, "person", []string{"id", "firstName", "lastName", "gender", "birthday", "creationDate", "locationIP", "browserUsed"}, n.persons},
		{b.Relationships, "IS_LOCATED_IN", []string{"from_label", "to_label", "from", "to"}, n.locations},
		{b.Relationships, "HAS_INTEREST", []string{"from", "to"}, n.interests},
		{b.Relationships, "KNOWS", []string{"from", "to", "creationDate"}, n.friendships},
		{b.Nodes, "post", []string{"id", "creationDate", "locationIP", "browserUsed", "language", "length", "content"}, n.posts},
		{b.Relationships, "HAS_CREATOR", []string{"from", "to"}, n.creators},
		{b.Relationships, "HAS_TAG", []string{"from", "to"}, n.postTags},
	} {
		if err := part.add(part.name, part.columns, rows(part.rows)); err != nil {
			return err
		}
	}
	return nil
}

// rows makes a sequence of a function that gives one row after the other.
func rows(of func(yield func(...graph.Value) bool)) iter.Seq2[[]graph.Value, error] {
	return func(yield func([]graph.Value, error) bool) {
		of(func(row ...graph.Value) bool { return yield(row, nil) })
	}
}

// The parts that have a stream of random numbers of their own.
const (
	partCities = iota + 1
	partPersons
	partRanks
	partFriends
	partInterests
	partPosts
	partTags
)

// A network is what the parts share: who is how sociable, who lives where, who
// wrote what.
type network struct {
	Options
	ids       []int64 // of persons, ascending, with gaps
	city      []int32 // of persons
	sociable  []uint64
	authors   []int32 // of posts
	tagCount  int
	tagOf     lottery
	cityOrder []int // the cities of every country, the largest first
}

func newNetwork(o Options) *network {
	n := &network{
		Options: o, ids: make([]int64, o.Persons), city: make([]int32, o.Persons),
		sociable: make([]uint64, o.Persons), authors: make([]int32, o.Persons*o.Posts),
		tagCount: min(maxTags, 8*o.Persons),
	}
	n.tagOf = zipf(n.tagCount, 8)
	n.cityOrder = streamOf(o.Seed, partCities).shuffled(citiesOfCountry)
	ranks := streamOf(o.Seed, partRanks)
	weights := powerLaw(o.Persons, o.Friends)
	for rank, person := range ranks.shuffled(o.Persons) {
		n.sociable[person] = weights[rank]
	}
	byCountry, byCity := zipf(len(countries), 1), zipf(citiesOfCountry, 1)
	for i := range n.ids {
		n.ids[i] = int64(i)*7 + int64(ranks.below(7))
		n.city[i] = int32(byCountry.draw(ranks)*citiesOfCountry + n.cityOrder[byCity.draw(ranks)])
	}
	author := newLottery(n.sociable)
	for i := range n.authors {
		n.authors[i] = int32(author.draw(ranks))
	}
	return n
}

// The ids of places: countries, then cities, then continents.
func cityID(city int32) int64    { return int64(len(countries)) + int64(city) }
func countryID(city int32) int64 { return int64(city) / citiesOfCountry }
func continentID(at int) int64   { return int64(len(countries)*(citiesOfCountry+1) + at) }

func (n *network) places(yield func(...graph.Value) bool) {
	place := func(id int64, name, kind string) bool {
		return yield(graph.Int(id), graph.String(name), graph.String(resource(name)), graph.String(kind))
	}
	for i, name := range countries {
		if !place(int64(i), name, "Country") {
			return
		}
	}
	for i := range int32(len(countries) * citiesOfCountry) {
		if !place(cityID(i), word(int(i)), "City") {
			return
		}
	}
	for i, name := range continents {
		if !place(continentID(i), name, "Continent") {
			return
		}
	}
}

func resource(name string) string { return "http://example.org/resource/" + name }

func (n *network) partOf(yield func(...graph.Value) bool) {
	for i, on := range countryOn {
		if !yield(graph.Int(int64(i)), graph.Int(continentID(on))) {
			return
		}
	}
	for i := range int32(len(countries) * citiesOfCountry) {
		if !yield(graph.Int(cityID(i)), graph.Int(countryID(i))) {
			return
		}
	}
}

func (n *network) tags(yield func(...graph.Value) bool) {
	for i := range n.tagCount {
		name := word(allWords - 1 - i)
		if !yield(graph.Int(int64(i)), graph.String(name), graph.String(resource(name))) {
			return
		}
	}
}

// The years 2010, 2011 and 2012, in microseconds.
const (
	beginning = 1262304000_000000
	duration  = 1096 * 86400_000000
)

// moment returns a random millisecond of the network's three years.
func moment(s *stream) graph.Value {
	return graph.DateTimeFromMicros(beginning + int64(s.below(duration/1000))*1000)
}

func address(s *stream) graph.Value {
	bits := s.next()
	b := make([]byte, 0, 16)
	for i := range 4 {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, bits>>(8*i)&0xff, 10)
	}
	return graph.String(string(b))
}

func pickOf(names []string, at int) graph.Value { return graph.String(names[at]) }

package social

import (
	"embed"
	"fmt"
	"math/bits"

	"github.com/trellisgraph/trellis/schema"
)

// Options say which network to make. The zero value is one of 2,000 persons.
type Options struct {
	// Persons is how many there are, 2 to 10,000,000; 2,000 if it is zero.
	Persons int
	// Friends is how many friends a person has on average. If it is zero, it
	// grows with the network: 7·b²/40, where b is the number of bits of Persons;
	// that is 21 of 2,000 and 50 of 100,000. KNOWS has each friendship twice. A
	// small network can lack friendships of hubs that would be drawn again and
	// again.
	Friends int
	// Posts is how many posts a person writes on average; 10 if it is zero.
	Posts int
	// Seed chooses among all networks of these sizes.
	Seed uint64
}

const (
	maxPersons = 10_000_000
	maxPosts   = 100_000_000
)

// complete puts in the defaults.
func (o Options) complete() (Options, error) {
	if o.Persons == 0 {
		o.Persons = 2000
	}
	if o.Persons < 2 || o.Persons > maxPersons {
		return o, fmt.Errorf("a network has 2 to %d persons, not %d", maxPersons, o.Persons)
	}
	if o.Friends == 0 {
		b := bits.Len(uint(o.Persons))
		o.Friends = max(1, min(7*b*b/40, o.Persons/4))
	}
	if o.Friends < 1 || o.Friends >= o.Persons {
		return o, fmt.Errorf("%d persons have 1 to %d friends on average, not %d", o.Persons, o.Persons-1, o.Friends)
	}
	if o.Posts == 0 {
		o.Posts = 10
	}
	if o.Posts < 1 || o.Posts > 1000 {
		return o, fmt.Errorf("a person writes 1 to 1000 posts on average, not %d", o.Posts)
	}
	if posts := int64(o.Persons) * int64(o.Posts); posts > maxPosts {
		return o, fmt.Errorf("a network has %d posts at most, not %d", maxPosts, posts)
	}
	return o, nil
}

//go:embed schema.yaml
var files embed.FS

// Schema returns the schema of the networks.
func Schema() (*schema.Schema, error) {
	data, err := files.ReadFile("schema.yaml")
	if err != nil {
		return nil, err
	}
	return schema.Parse("schema.yaml", data)
}

package schema

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// T58: a reader sees one schema or another, whole.
func TestT58CatalogSwapsAtomically(t *testing.T) {
	var all []*Schema
	for _, name := range []string{"WROTE", "PENNED", "MADE"} {
		d := library()
		d.Relationships[0].Type = name
		s, err := New(d)
		require.NoError(t, err)
		all = append(all, s)
	}
	c := NewCatalog(all[0])
	require.Same(t, all[0], c.Current())
	require.Same(t, all[0], c.Swap(all[1]))
	require.Same(t, all[1], c.Current())

	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 200 {
				s := c.Current()
				n := 0
				for r := range s.Relationships() {
					found, ok := s.Relationship(r.Name)
					if ok && found == r && len(s.Outgoing(r.Pairs[0].From)) == 1 {
						n++
					}
				}
				if n != 1 {
					t.Errorf("a torn schema with %d types", n)
				}
			}
		})
	}
	for i := range 2000 {
		c.Swap(all[i%3])
	}
	wg.Wait()
}

// Who asked before a swap is told of it, once; who asks after it is not.
func TestCatalogChanged(t *testing.T) {
	c := NewCatalog(nil)
	require.Nil(t, c.Swap(nil), "nobody waits")
	first, same := c.Changed(), c.Changed()
	c.Swap(nil)
	<-first
	<-same
	later := c.Changed()
	select {
	case <-later:
		t.Fatal("there was no swap since")
	default:
	}
	c.Swap(nil)
	<-later
}

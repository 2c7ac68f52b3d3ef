package social

import (
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// posts are in the order of their dates, as their ids are.
func (n *network) posts(yield func(...graph.Value) bool) {
	s := streamOf(n.Seed, partPosts)
	text, starts := chatter(s)
	slot := duration / 1000 / uint64(len(n.authors))
	for i, author := range n.authors {
		at := uint64(i)*(duration/1000)/uint64(len(n.authors)) + s.below(max(slot, 1))
		start := starts[s.below(uint64(len(starts)))]
		content := text[start : start+20+int(s.below(120))]
		content = content[:strings.LastIndexByte(content, ' ')]
		if !yield(graph.Int(int64(i)), graph.DateTimeFromMicros(beginning+int64(at)*1000), address(s),
			pickOf(browsers, browserShare.draw(s)), pickOf(languages, int(countryID(n.city[author]))),
			graph.Int(int64(len(content))), graph.String(content)) {
			return
		}
	}
}

// chatter returns a text of random words, and where in it a post may begin.
// Posts are parts of it: to make a text for each would take most of the time.
func chatter(s *stream) (text string, starts []int) {
	const size = 1 << 16
	var b strings.Builder
	for b.Len() < size {
		if b.Len() < size-256 {
			starts = append(starts, b.Len())
		}
		b.WriteString(vocabulary[s.below(uint64(len(vocabulary)))])
		b.WriteByte(' ')
	}
	return b.String(), starts
}

func (n *network) creators(yield func(...graph.Value) bool) {
	for i, author := range n.authors {
		if !yield(graph.Int(int64(i)), graph.Int(n.ids[author])) {
			return
		}
	}
}

// postTags gives each post none to three tags.
func (n *network) postTags(yield func(...graph.Value) bool) {
	s := streamOf(n.Seed, partTags)
	for i := range n.authors {
		for _, tag := range n.someTags(s, int(s.below(4))) {
			if !yield(graph.Int(int64(i)), graph.Int(int64(tag))) {
				return
			}
		}
	}
}

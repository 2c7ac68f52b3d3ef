package compile

import (
	"sync"
	"sync/atomic"
)

// A keptRoot is what all plans of one root share: their text, cut where
// their values stand, and their shape, since only a root and a plan's guards
// decide about these; and the statistics by which none of them costs much.
type keptRoot struct {
	once   sync.Once
	pieces []textPiece
	end    string

	shapeOnce sync.Once
	shape     string

	light atomic.Pointer[Statistics]
}

// A textPiece is what stands before a slot's value.
type textPiece struct {
	text string
	slot Slot
}

// appendText appends String.
func (p *Plan) appendText(b []byte) []byte {
	if p.shared == nil {
		w := planText{plan: p, values: true, b: b}
		w.root(p.Root)
		w.guards()
		return w.b
	}
	t := p.shared
	t.once.Do(func() {
		w := planText{plan: p, values: true, pieces: &t.pieces}
		w.root(p.Root)
		w.guards()
		t.end = string(w.b)
	})
	for i := range t.pieces {
		b = append(b, t.pieces[i].text...)
		b = p.Params[t.pieces[i].slot].AppendJSON(b)
	}
	return append(b, t.end...)
}

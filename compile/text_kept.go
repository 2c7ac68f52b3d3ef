package compile

import "sync"

// A keptText is the text of all plans of one root, cut where their values
// stand, and their shape: only a root and a plan's guards decide about these.
type keptText struct {
	once   sync.Once
	pieces []textPiece
	end    string

	shapeOnce sync.Once
	shape     string
}

// A textPiece is what stands before a slot's value.
type textPiece struct {
	text string
	slot Slot
}

// appendText appends String.
func (p *Plan) appendText(b []byte) []byte {
	if !p.kept {
		w := planText{plan: p, values: true, b: b}
		w.root(p.Root)
		w.guards()
		return w.b
	}
	t := p.text
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

package compile

import "slices"

// Declared names what a plan's statements take for unique because the schema
// declares it, of the pairs that the call follows. The key of every label is
// beside them.
func (p *Plan) Declared() []string {
	var out []string
	references{
		node: func(NodeRef) {},
		rel: func(r RelRef) {
			pair := r.pair
			from := pair.UniqueFrom && (pair.Holder == nil || pair.HolderIsTo) // else the holder's key says so
			to := pair.UniqueTo && (pair.Holder == nil || !pair.HolderIsTo)
			ends := ""
			switch {
			case from && to:
				ends = "both"
			case from:
				ends = "from"
			case to:
				ends = "to"
			default:
				return
			}
			if text := pairName(pair) + ", unique: " + ends; !slices.Contains(out, text) {
				out = append(out, text)
			}
		},
	}.root(p.Root)
	return out
}

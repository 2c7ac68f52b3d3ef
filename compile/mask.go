package compile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// maskDomain separates the hashes of masks from all else that a host may sign
// with the same key.
const maskDomain = "trellis mask\x00"

// Mask is what the caller sees of a property's value. Stores apply it to every
// value that they write to a node or a relationship. A property that is not
// masked keeps its value, and null stays null whatever the mask; of others
//
//   - null shows null;
//   - hash shows "h:" and 32 hexadecimal digits, which are the same for the same
//     text of the same property name, for callers of one tenant under one key:
//     HMAC-SHA-256, cut;
//   - last4 shows "****" and the last four characters, or "****" alone of a text
//     with no more than four;
//   - members shows a JSON object without those that Property.Without names, and
//     null for what is no object.
//
// A plan of Reading masks nothing.
func (p *Plan) Mask(prop *schema.Property, v graph.Value) graph.Value {
	if prop.Masked == "" || p.unmasked || v.IsNull() {
		return v
	}
	switch prop.Masked {
	case "hash":
		tenant := "" // whose length keeps it apart from what follows
		if p.scope != nil {
			tenant = p.scope.Tenant
		}
		h := hmac.New(sha256.New, p.maskKey)
		h.Write([]byte(maskDomain + strconv.Itoa(len(tenant)) + ":" + tenant + prop.Name + "\x00" + v.Text()))
		return graph.String("h:" + hex.EncodeToString(h.Sum(nil)[:16]))
	case "last4":
		if text := []rune(v.Text()); len(text) > 4 {
			return graph.String("****" + string(text[len(text)-4:]))
		}
		return graph.String("****")
	case schema.MaskMembers:
		return withoutMembers(v, prop.Without)
	}
	return graph.Null() // also for a mask that is not known here
}

// withoutMembers is a JSON object without some of its members. The others stay as
// they are written.
func withoutMembers(v graph.Value, names []string) graph.Value {
	text := v.Text()
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return graph.Null()
	}
	out := []byte{'{'}
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			return graph.Null()
		}
		if slices.Contains(names, name.(string)) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(graph.AppendJSONString(out, name.(string)), ':')
		out = append(out, value...)
	}
	return graph.JSON(string(append(out, '}')))
}

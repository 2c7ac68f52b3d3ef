package compile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/trellisgraph/trellis/graph"
)

// appendScope writes on whose behalf a call is made, so that no two scopes have
// the same bytes: every part has its kind and its length in front. The name of
// the credential is not part of it: who renews theirs in the middle keeps their
// pages.
func appendScope(b []byte, s *graph.Scope) []byte {
	if s == nil {
		return append(b, 0)
	}
	b = appendText(append(b, 1), s.Tenant)
	b = appendText(b, s.View)
	b = appendText(b, s.Principal)
	return appendClaim(b, s.Claims, 0)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// maxClaimDepth is how deep claims are told apart. Policies read no deeper.
const maxClaimDepth = 32

func appendClaim(b []byte, v any, depth int) []byte {
	if depth > maxClaimDepth {
		return append(b, '.')
	}
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case string:
		return appendText(append(b, 's'), v)
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case []any:
		b = binary.AppendUvarint(append(b, 'l'), uint64(len(v)))
		for _, item := range v {
			b = appendClaim(b, item, depth+1)
		}
		return b
	case []string:
		b = binary.AppendUvarint(append(b, 'l'), uint64(len(v)))
		for _, item := range v {
			b = appendClaim(b, item, depth+1)
		}
		return b
	case map[string]any:
		b = binary.AppendUvarint(append(b, 'm'), uint64(len(v)))
		for _, name := range sortedKeys(v) {
			b = appendClaim(appendText(b, name), v[name], depth+1)
		}
		return b
	}
	// Numbers of all kinds, and what else a host may have put in, by its type.
	// What is not JSON either no policy reads.
	text, _ := json.Marshal(v)
	return appendText(appendText(append(b, 'v'), fmt.Sprintf("%T", v)), string(text))
}

package mcpserver

import (
	"encoding/base64"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// page cuts a list to a page. A cursor is the name of the page's last item: it
// holds as long as that item does, whatever is added.
func page[T any](list []T, cursor string, size int, name func(T) string) (items []T, next string, err error) {
	if cursor != "" {
		last, err := base64.RawURLEncoding.DecodeString(cursor)
		i := slices.IndexFunc(list, func(item T) bool { return name(item) == string(last) })
		if err != nil || i < 0 {
			return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this cursor is not of this list as it is now; begin without one"}
		}
		list = list[i+1:]
	}
	if len(list) > size {
		list = list[:size]
		next = base64.RawURLEncoding.EncodeToString([]byte(name(list[size-1])))
	}
	return list, next, nil
}

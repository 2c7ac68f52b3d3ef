package introspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
)

func TestNames(t *testing.T) {
	for stored, want := range map[string]string{
		"users": "users", "lineItem": "lineItem", "LineItem": "line_item", "USERS": "users", "HTTPServer": "http_server", "Order Details": "order_details", "order-line": "order_line",
		"1st": "_1st", "": "unnamed", "---": "unnamed", "Straße": "strasse", "日": "u65e5", "a.b": "a_b", "select": "select", "_x": "_x", "ID": "id", "UserID2": "user_id2", strings.Repeat("x", 70): strings.Repeat("x", 63),
	} {
		require.Equal(t, want, lowerName(stored), stored)
		require.True(t, schema.IsName(lowerName(stored)), stored)
		require.True(t, schema.IsName(upperName(stored)), stored)
	}
	for _, c := range []struct{ columns, refers, want string }{
		{"author_id", "id", "author"}, {"authorId", "id", "author"}, {"AuthorID", "Id", "Author"}, {"fk_author", "id", "author"}, {"id_author", "id", "author"}, {"author", "id", "author"},
		{"customer_number", "number", "customer"}, {"ArtistId", "ArtistId", "Artist"}, {"id", "id", ""}, {"reports_to", "id", "reports_to"}, {"product_sku", "sku", "product"}, {"user_uuid", "id", "user"},
		{"tenant_id,author_id", "tenant_id,id", "author"}, {"cell_sheet,cell_n", "sheet,n", "cell"}, {"area,place_no", "area,no", "place"}, {"a,b", "a,b", ""}, {"x_a,y_b", "p,q", ""},
	} {
		require.Equal(t, c.want, subject(strings.Split(c.columns, ","), strings.Split(c.refers, ",")), c.columns)
	}
	n := namer{}
	require.Equal(t, []string{"a", "B", "A_2", "A_3"}, []string{n.free("a"), n.free("A", "B"), n.free("A"), n.free("b", "A")})
}

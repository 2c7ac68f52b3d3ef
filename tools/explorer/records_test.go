package explorer_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store/memory"
)

// instruments is a graph whose labels have records: see the schema of the fixture.
func instruments(t *testing.T) *memory.Graph {
	g, err := memory.Open(t.Context(), "../../store/storetest/testdata/fixtures/records", memory.Options{})
	require.NoError(t, err)
	return g
}

// The page knows labels with records by the names, titles and parameters of their
// tools, and the key of a label as the first thing that it sorts by.
func TestRecordsAreKnownByTheirTools(t *testing.T) {
	address := serve(t, instruments(t), engine.HideStatements, nobody)
	response, err := http.Get(address + "../tools")
	require.NoError(t, err)
	defer response.Body.Close()
	var offered struct {
		Tools []struct {
			Name, Title, Description string
			Parameters               struct {
				Properties  map[string]map[string]any
				Definitions map[string]struct{ Enum []string }
			}
		}
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&offered))
	keys := map[string]string{"product": "id", "maker": "id", "part": "number"}
	var found []string
	for _, tool := range offered.Tools {
		args := tool.Parameters.Properties
		for label, key := range keys {
			switch tool.Name {
			case "list_" + label, "list_" + label + "_ids":
				title := "List " + label
				if strings.HasSuffix(tool.Name, "_ids") {
					title = "List ids of " + label
				}
				require.Equal(t, title, tool.Title)
				require.Equal(t, key, tool.Parameters.Definitions["sort"].Enum[0], tool.Name)
				first, _ := args["sort"]["anyOf"].([]any)[0].(map[string]any)
				require.Equal(t, "#/definitions/sort", first["$ref"])
				require.EqualValues(t, 50, args["limit"]["default"])
				require.Contains(t, args, "offset")
			case "get_" + label:
				require.Equal(t, "Get "+label, tool.Title)
				require.Contains(t, args, "id")
				require.Contains(t, args, "ids")
			default:
				continue
			}
			require.Contains(t, tool.Description, "\n\n", "what records are stands in a paragraph of its own")
			found = append(found, tool.Name)
		}
	}
	slices.Sort(found)
	require.Equal(t, []string{"get_maker", "get_part", "get_product", "list_maker", "list_maker_ids", "list_part", "list_product", "list_product_ids"}, found)
}

// References lead along outgoing relationships, which are told with both ends; ids
// are texts there, and a record is got by such a text, too.
func TestReferencesOfRecords(t *testing.T) {
	address := serve(t, instruments(t), engine.HideStatements, nobody)
	post := func(tool, args string) string {
		response, err := http.Post(address+"../tools/"+tool, "application/json", strings.NewReader(args))
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, string(body))
		return string(body)
	}
	type end struct{ Label, ID string }
	type neighbours struct {
		Relationships []struct {
			Type     string
			From, To end
		}
	}
	var out, in neighbours
	require.NoError(t, json.Unmarshal([]byte(post("explore_neighbors", `{"start_node": {"label": "product", "node_id": "aria-1"}, "max_hops": 1, "direction": "outgoing"}`)), &out))
	require.NotEmpty(t, out.Relationships)
	for _, r := range out.Relationships {
		require.Equal(t, end{"product", "aria-1"}, r.From)
		if r.Type == "TAGGED" {
			require.Contains(t, post("get_product", `{"id": "aria-1"}`), `"`+r.To.ID+`"`)
		}
	}
	require.NoError(t, json.Unmarshal([]byte(post("explore_neighbors", `{"start_node": {"label": "product", "node_id": "aria-1"}, "max_hops": 1, "direction": "incoming"}`)), &in))
	parts := 0
	for _, r := range in.Relationships {
		require.Equal(t, end{"product", "aria-1"}, r.To)
		if r.From.Label == "part" {
			parts++
			require.Contains(t, post("get_part", `{"id": "`+r.From.ID+`"}`), `"number":`+r.From.ID)
		}
	}
	require.NotZero(t, parts)
	require.Equal(t, "null", strings.TrimSpace(post("get_product", `{"id": "none"}`)))
}

package graph

// DescriptionFormat names the format of a schema description.
const DescriptionFormat = "knowledge_graph.schema.v1"

// A Description is the answer of get_graph_schema: what the caller may ask
// about. It never names tables, columns or the storage.
type Description struct {
	Format            string         `json:"format"`
	Revision          string         `json:"revision"`
	NodeTypes         []NodeTypeInfo `json:"node_types"`
	RelationshipTypes []RelTypeInfo  `json:"relationship_types"`
	Limits            Limits         `json:"limits"`
}

// A NodeTypeInfo describes a label. Only the name is always there.
type NodeTypeInfo struct {
	Name          string             `json:"name"`
	Description   string             `json:"description,omitempty"`
	Properties    *[]PropertyInfo    `json:"properties,omitempty"`
	Relationships *RelationshipSides `json:"relationships,omitempty"`
}

// RelationshipSides lists the relationship types of a label by direction. An
// empty side is left out.
type RelationshipSides struct {
	Outgoing []string `json:"outgoing,omitempty"`
	Incoming []string `json:"incoming,omitempty"`
}

// A RelTypeInfo describes a relationship type: From and To where it has one
// pair of labels, Pairs where it has several.
type RelTypeInfo struct {
	Name        string          `json:"name"`
	From        string          `json:"from,omitempty"`
	To          string          `json:"to,omitempty"`
	Pairs       [][2]string     `json:"pairs,omitempty"`
	Description string          `json:"description,omitempty"`
	Properties  *[]PropertyInfo `json:"properties,omitempty"`
}

// A PropertyInfo describes a property. Nullable and Filterable are shown only
// where they are false.
type PropertyInfo struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Nullable    *bool    `json:"nullable,omitempty"`
	Values      []string `json:"values,omitempty"`
	Description string   `json:"description,omitempty"`
	Filterable  *bool    `json:"filterable,omitempty"`
	// Pairs are the (from, to) pairs that have the property, where not all do.
	Pairs [][2]string `json:"pairs,omitempty"`
}

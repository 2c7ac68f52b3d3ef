package bundle

// Keywords are those of JSON Schema that are read.
func Keywords() []string { return keywordNames() }

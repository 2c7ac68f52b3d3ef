package bundle

// Options say how a bundle is read. The zero value is the default.
type Options struct {
	Limits Limits
}

// Limits bound what a bundle may hold. Zero is the default, in brackets.
type Limits struct {
	BundleBytes int // of all its files together [10,485,760]
	Files       int // in schemas and entities [20,000]
	Types       int // of entities [500]
	EntityBytes int // of one entity, as compact JSON [102,400]
	IDBytes     int // of an id [128]

	SchemaBytes  int // of a file with a schema [65,536]
	SchemaDepth  int // of nesting in a schema [32]
	SubSchemas   int // in a schema, itself included [500]
	Expansion    int // how often one value may be looked at under a schema [10,000]
	PatternBytes int // of a regular expression [512]
}

func (l Limits) filled() Limits {
	fill := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	fill(&l.BundleBytes, 10<<20)
	fill(&l.Files, 20_000)
	fill(&l.Types, 500)
	fill(&l.EntityBytes, 100<<10)
	fill(&l.IDBytes, 128)
	fill(&l.SchemaBytes, 64<<10)
	fill(&l.SchemaDepth, 32)
	fill(&l.SubSchemas, 500)
	fill(&l.Expansion, 10_000)
	fill(&l.PatternBytes, 512)
	return l
}

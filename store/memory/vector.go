package memory

// A Vector is a column as it lies in memory, for executors that read very many
// rows. The slice that its property's type decides has a value for each row,
// also where the row is null; texts that are not in a dictionary, and UUIDs, are
// read with Column.Bytes. Nothing in it may be modified.
type Vector struct {
	// Nulls has bit row%64 of item row/64 set where a row is null. It ends
	// after the last null, and is nil where nothing is null.
	Nulls []uint64
	// Small holds int32 and dates in days; Large int64, datetimes in
	// microseconds, and the bits of floats, which are never those of -0.
	Small []int32
	Large []int64
	// Set has the bits of the rows in which a bool is true, as Nulls has those
	// of null rows.
	Set []uint64
	// Codes are the positions of an enum's values in their declared order, or,
	// with a Dict, of texts, decimals and JSON in it.
	Codes []uint32
	// Dict holds distinct texts in the order of their values: decimals by size.
	Dict []string
	// Unsorted says that Dict is in the order of arrival instead, because
	// batches brought words that it lacked. Codes then tell only whether texts
	// are equal.
	Unsorted bool
}

// Vector returns the column as it lies in memory.
func (c Column) Vector() Vector {
	v := Vector{Nulls: c.nulls}
	switch values := c.values.(type) {
	case numbers[int32]:
		v.Small = values
	case numbers[int64]:
		v.Large = values
	case flags:
		v.Set = values.set
	case codes:
		v.Codes = values
	case words:
		v.Codes, v.Dict, v.Unsorted = values.codes, values.dict, values.late != nil
	}
	return v
}

// Bytes returns a row's text as it is stored: of a string, a decimal or JSON
// the text, of a UUID its 16 bytes. It is undefined where the row is null, and
// empty for other types. Nothing is allocated.
func (c Column) Bytes(row uint32) string {
	switch values := c.values.(type) {
	case texts:
		return values.at(row).text
	case words:
		return values.dict[values.codes[row]]
	case uuids:
		return values.at(row).text
	case grown:
		return values.at(row).text
	}
	return ""
}

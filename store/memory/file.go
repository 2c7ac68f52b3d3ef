package memory

import (
	"fmt"
	"hash/crc32"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A graph file holds a graph as it lies in memory, so that opening it is one
// read and a check. All numbers are little-endian.
//
//	header    64 bytes: magic, version, number of sections, length of the file,
//	          checksum of the table, checksum of the header, hash of the schema
//	table     for each section its length in bytes, its checksum and its form
//	sections  one after the other, each filled up with zeros to 8 bytes
//
// The first section is the schema's document, the second holds the number of
// nodes of each label and of relationships of each pair. The columns of the
// labels follow, then for each pair its relationships and columns, in the order
// of the schema; so no section has a name. Derived from these, and therefore
// not in the file, are the index over keys and the relationships by the node
// at which they arrive.
//
// Checksums are CRC-32C: processors compute it at the speed of memory, and it
// finds every error of up to 32 bits in a row and all but one in four thousand
// million of others. It is there for damage. What somebody may have written on
// purpose is checked for itself: see the functions that read.
const (
	fileMagic   = "\x89TRELLIS"
	fileVersion = 1
	headerBytes = 64
	entryBytes  = 16
)

// castagnoli is the table of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A form says what a section holds.
type form uint32

const (
	formDocument form = iota + 1
	formCounts        // uint64 each
	formNulls         // a bitmap, up to its last bit that is set
	formSmall         // int32 a row
	formLarge         // int64 a row
	formBits          // a bitmap, up to its last bit that is set
	formCodes         // uint32 a row
	formUUIDs         // 16 bytes a row
	formWordEnds      // uint64 a word: where it ends
	formWords
	formTextEnds // uint32 a row: where its text ends within its block
	formTexts
	formPostings // uint32 a row that is not null
	formFirst    // uint32 a row, and one: where its relationships begin
	formEnds     // uint32 a relationship: where it leads
)

var formNames = [...]string{"", "schema", "counts", "nulls", "32-bit values", "64-bit values", "bits", "codes", "uuids",
	"ends of words", "words", "ends of texts", "texts", "postings", "beginnings", "ends"}

func (f form) String() string {
	if int(f) < len(formNames) && f > 0 {
		return formNames[f]
	}
	return fmt.Sprintf("form %d", uint32(f))
}

// A tableEntry is a section's line in the table.
type tableEntry struct {
	offset, length int // without what fills it up
	sum            uint32
	form           form
}

// padded is a length filled up to 8 bytes.
func padded(n int) int { return (n + 7) &^ 7 }

// textual reports whether the values of a type are texts of any length.
func textual(t schema.Type) bool {
	return t == schema.String || t == schema.Decimal || t == schema.JSON
}

// A FileError says why a graph file cannot be opened. It is graph.InvalidData
// to errors.Is.
type FileError struct {
	Path string // "" where the bytes are of no file
	// Section is the part that is wrong, such as "post.content: texts"; "" for
	// the file as a whole.
	Section string
	Reason  string
}

func (e *FileError) Error() string {
	text := "the graph file"
	if e.Path != "" {
		text += " " + e.Path
	}
	if e.Section != "" {
		text += ", " + e.Section
	}
	return text + ": " + e.Reason
}

// Is reports whether target is graph.InvalidData.
func (e *FileError) Is(target error) bool { return target == graph.InvalidData }

func damaged(format string, args ...any) error {
	return &FileError{Reason: fmt.Sprintf(format, args...)}
}

package memory_test

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A part is a section of a file as somebody sees it who knows the format.
type part struct {
	form uint32
	data []byte
}

// parts returns the sections of a file, or nil where its table makes no sense.
func parts(file []byte) []part {
	if len(file) < 64 {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(file[12:]))
	at := 64 + 16*n
	if n > len(file)/16 || at > len(file) {
		return nil
	}
	out := make([]part, n)
	for i := range out {
		line := file[64+16*i:]
		length := binary.LittleEndian.Uint64(line)
		if length > uint64(len(file)-at) {
			return nil
		}
		out[i] = part{binary.LittleEndian.Uint32(line[12:]), file[at : at+int(length)]}
		if at += (int(length) + 7) / 8 * 8; at > len(file) {
			return nil
		}
	}
	return out
}

// assembled is a file of sections with all checksums right.
func assembled(header []byte, sections []part) []byte {
	out := slices.Clone(header[:64])
	size := 64 + 16*len(sections)
	var body []byte
	for _, s := range sections {
		data := append(slices.Clone(s.data), make([]byte, (8-len(s.data)%8)%8)...)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(s.data)))
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(data, castagnoli))
		out = binary.LittleEndian.AppendUint32(out, s.form)
		body = append(body, data...)
		size += len(data)
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(sections)))
	binary.LittleEndian.PutUint64(out[16:], uint64(size))
	binary.LittleEndian.PutUint32(out[24:], crc32.Checksum(out[64:], castagnoli))
	binary.LittleEndian.PutUint32(out[28:], crc32.Checksum(append(slices.Clone(out[:28]), out[32:64]...), castagnoli))
	return append(out, body...)
}

func TestAssembledFilesAreThoseThatWereWritten(t *testing.T) {
	file := bytesOf(t, randomFile(t, parse(t, fileSchema), 4, 4, 40))
	require.Equal(t, file, assembled(file, parts(file)))
}

func isFileError(t testing.TB, err error) *memory.FileError {
	t.Helper()
	var wrong *memory.FileError
	require.ErrorAs(t, err, &wrong)
	require.ErrorIs(t, err, graph.InvalidData)
	return wrong
}

func TestDamagedFilesAreRefused(t *testing.T) {
	s := parse(t, fileSchema)
	file := bytesOf(t, randomFile(t, s, 4, 4, 12))
	r := rand.New(rand.NewPCG(1, 2))
	document := 64 + 16*len(parts(file))
	for at := range file {
		given := s
		if at >= document && at < document+len(parts(file)[0].data)+8 {
			given = nil // the file's own is not read where one is given
		}
		changed := slices.Clone(file)
		changed[at] ^= 1 << r.IntN(8)
		_, err := readBytes(changed, given)
		require.Error(t, err, "byte %d of %d", at, len(file))
		isFileError(t, err)
	}
	for n := range file {
		_, err := readBytes(file[:n], s)
		isFileError(t, err)
		_, err = readBytes(append(slices.Clone(file), make([]byte, n%64+1)...), s)
		isFileError(t, err)
	}
}

func TestFilesOfOthersAreRefused(t *testing.T) {
	s := parse(t, fileSchema)
	file := bytesOf(t, randomFile(t, s, 4, 4, 40))
	_, err := readBytes([]byte("format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: int64}}}\n"), nil)
	require.ErrorContains(t, err, "not a graph file of Trellis")
	_, err = readBytes(nil, nil)
	require.ErrorContains(t, err, "of 0 bytes")

	other := parse(t, "format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: int64}}}")
	_, err = readBytes(file, other)
	require.ErrorContains(t, err, "of another schema")

	newer := slices.Clone(file)
	newer[8] = 2
	_, err = readBytes(newer, nil)
	require.ErrorContains(t, err, "is of version 2 of the format, and this program reads version 1")
}

// Whoever writes a file on purpose gets its checksums right. What it says is
// refused all the same where it is not a graph of the schema.
func TestForgedFilesAreRefused(t *testing.T) {
	const (
		document, counts, nulls, small, large, bits, codes, uuids, wordEnds, words, textEnds, texts, postings, first, ends = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	)
	s := parse(t, fileSchema)
	var file []byte
	isTexts := func(p part) bool { return p.form == texts && len(p.data) > 4 }
	for seed := uint64(9); !slices.ContainsFunc(parts(file), isTexts); seed++ {
		file = bytesOf(t, randomFile(t, s, seed, seed, 3000))
	}
	put32 := func(v uint32) func([]byte) { return func(b []byte) { binary.LittleEndian.PutUint32(b, v) } }
	put64 := func(v uint64) func([]byte) { return func(b []byte) { binary.LittleEndian.PutUint64(b, v) } }
	for name, c := range map[string]struct {
		form   uint32
		nth    int // of the sections of that form that are not empty
		forge  func([]byte)
		reason string
	}{
		"no schema":           {document, 0, put32(0), "does not have the hash"},
		"too many nodes":      {counts, 0, put64(math.MaxUint32), "counts"},
		"other counts":        {counts, 0, put64(1), "bytes"},
		"null beyond the end": {nulls, 0, func(b []byte) { b[len(b)-1] = 0xFF }, "not as it was written"},
		"bitmap with no end":  {nulls, 0, func(b []byte) { clear(b[len(b)-8:]) }, "bitmap"},
		"year 10000":          {small, 1, put32(1 << 30), "date"},
		"datetime":            {large, 3, put64(1 << 62), "datetime"},
		"keys not in order":   {large, 0, put64(1 << 40), "keys are not in order"},
		"a key twice":         {large, 0, func(b []byte) { copy(b[8:], b[:8]) }, "keys are not in order"},
		"NaN":                 {large, 2, put64(math.Float64bits(math.NaN())), "not finite"},
		"infinity":            {large, 2, put64(math.Float64bits(math.Inf(-1))), "not finite"},
		"-0":                  {large, 2, put64(1 << 63), "-0"},
		"enum beyond values":  {codes, 1, put32(3), "a number that none has"},
		"word beyond words":   {codes, 0, put32(1 << 20), "a number that none has"},
		"words not in order":  {words, 0, func(b []byte) { slices.Reverse(b[:2]) }, "not in order"},
		"word not UTF-8":      {words, 0, func(b []byte) { b[0] = 0xFF }, "UTF-8"},
		"word backwards":      {wordEnds, 0, put64(math.MaxUint64), "ends where it cannot"},
		"text NUL":            {texts, 0, func(b []byte) { b[4] = 0 }, "NUL"},
		"text backwards":      {textEnds, 0, put32(math.MaxUint32), "ends where it cannot"},
		"text within a rune":  {textEnds, 0, put32(1), "within a character"},
		"posting of no row":   {postings, 0, put32(1 << 30), "does not have its rows"},
		"posting twice":       {postings, 0, func(b []byte) { copy(b[4:], b[:4]) }, "not in order"},
		"first not zero":      {first, 0, put32(1), "not all relationships leave a node"},
		"first descends":      {first, 0, func(b []byte) { put32(1 << 31)(b[4:]) }, "end before they begin"},
		"end of no node":      {ends, 0, put32(1 << 31), "leads to no node"},
	} {
		t.Run(name, func(t *testing.T) {
			sections, seen := parts(slices.Clone(file)), 0
			for _, section := range sections {
				if section.form == c.form && len(section.data) > 0 {
					if seen == c.nth {
						c.forge(section.data)
					}
					seen++
				}
			}
			require.Greater(t, seen, c.nth)
			_, err := readBytes(assembled(file, sections), nil)
			require.Contains(t, isFileError(t, err).Error(), c.reason)
		})
	}
	sections := parts(file)
	for name, list := range map[string][]part{
		"none":            nil,
		"one missing":     sections[:len(sections)-1],
		"one more":        append(slices.Clone(sections), part{form: texts}),
		"in other order":  append(append(slices.Clone(sections[:2]), sections[3], sections[2]), sections[4:]...),
		"of other form":   append(slices.Clone(sections[:len(sections)-1]), part{form: 99}),
		"of other length": append(slices.Clone(sections[:2]), append([]part{{sections[2].form, make([]byte, 8000)}}, sections[3:]...)...),
	} {
		_, err := readBytes(assembled(file, list), nil)
		require.Error(t, err, name)
		isFileError(t, err)
	}
}

// A file cannot hold what the tables of its schema could not.
func TestFilesOfGraphsThatTablesCannotHoldAreRefused(t *testing.T) {
	text := "format: trellis.schema.v1\nnodes: {a: {key: id, properties: {id: int64, b_id: int64}}}\nrelationships: {R: {from: a, to: a, "
	joined, held := parse(t, text+"table: r}}"), parse(t, text+"foreign_key: ref}}")
	same := parse(t, text+"foreign_key: b_id}}")
	b := memory.NewBuilder(joined)
	for i := range 3 {
		b.Node("a", memory.Values{"id": i})
	}
	b.Relationship("R", graph.ID("a", 0), graph.ID("a", 1), nil)
	g, err := b.Build()
	require.NoError(t, err)
	_, err = readBytes(underSchema(bytesOf(t, g), held), held)
	require.NoError(t, err)
	_, err = readBytes(underSchema(bytesOf(t, g), same), same)
	require.ErrorContains(t, isFileError(t, err), `a "0" leads to a "1", but its b_id is null`)

	b = memory.NewBuilder(joined)
	for i := range 3 {
		b.Node("a", memory.Values{"id": i})
		b.Relationship("R", graph.ID("a", 0), graph.ID("a", i), nil)
	}
	g, err = b.Build()
	require.NoError(t, err)
	_, err = readBytes(underSchema(bytesOf(t, g), held), held)
	require.ErrorContains(t, isFileError(t, err), "its foreign key ref holds one")
}

// underSchema is a file that pretends to be of another schema.
func underSchema(file []byte, s *schema.Schema) []byte {
	out := slices.Clone(file)
	hash, _ := hex.DecodeString(s.Hash())
	copy(out[32:64], hash)
	sections := parts(out)
	sections[0].data = s.Document()
	return assembled(out, sections)
}

// tryFile opens a file that may say anything. What opens must be a graph
// through and through.
func tryFile(t testing.TB, file []byte, s *schema.Schema) {
	g, err := readBytes(file, s)
	if err != nil {
		isFileError(t, err)
		return
	}
	again, err := readBytes(bytesOf(t, g), s)
	require.NoError(t, err)
	sameGraph(t, g, again)
}

func TestRandomForgeries(t *testing.T) {
	s := parse(t, fileSchema)
	opened := 0
	for seed := range uint64(20) {
		file := bytesOf(t, randomFile(t, s, seed, seed, 20))
		r := rand.New(rand.NewPCG(seed, 3))
		for range 100 {
			sections := parts(slices.Clone(file))
			for range 1 + r.IntN(3) {
				if of := sections[1+r.IntN(len(sections)-1)].data; len(of) > 0 {
					of[r.IntN(len(of))] = []byte{0, 1, 0x7F, 0x80, 0xFF, byte(r.Uint32())}[r.IntN(6)]
				}
			}
			forged := assembled(file, sections)
			tryFile(t, forged, s)
			if _, err := readBytes(forged, s); err == nil {
				opened++
			}
		}
	}
	require.NotZero(t, opened, "some forgeries are other graphs, and open")
}

// FuzzReadFrom changes files, four bytes for each change: where, what becomes of
// the byte, and whether it is the table or the sections. Nothing may panic,
// whether the checksums are then put right or not.
func FuzzReadFrom(f *testing.F) {
	s := parse(f, fileSchema)
	var files [][]byte
	for seed := range uint64(8) {
		files = append(files, bytesOf(f, randomFile(f, s, seed, seed, 16)))
		f.Add(byte(seed), []byte{1, 0, 0xFF, 0, 9, 9, 9, 1}, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, which byte, changes []byte, right bool) {
		file := slices.Clone(files[int(which)%len(files)])
		for ; len(changes) >= 4; changes = changes[4:] {
			at, in := int(changes[0])|int(changes[1])<<8, file
			if changes[3]%2 == 1 {
				in = file[64+16*len(parts(files[int(which)%len(files)])):]
			}
			in[at%len(in)] = changes[2]
		}
		if sections := parts(file); right && sections != nil {
			file = assembled(file, sections)
		}
		tryFile(t, file, s)
	})
}

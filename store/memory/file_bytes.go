package memory

import (
	"encoding/binary"
	"unsafe"
)

// fixed are the numbers that lie in files.
type fixed interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// littleEndian says that numbers lie in memory as they do in files, so that
// either can be taken for the other.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns numbers as they lie in files. The bytes share the memory of
// the numbers where they can.
func bytesOf[T fixed](numbers []T) []byte {
	if !littleEndian {
		return encodeNumbers(numbers)
	}
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*int(unsafe.Sizeof(one)))
}

func encodeNumbers[T fixed](numbers []T) []byte {
	var one T
	out := make([]byte, 0, len(numbers)*int(unsafe.Sizeof(one)))
	for _, n := range numbers {
		if unsafe.Sizeof(one) == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(n))
		}
	}
	return out
}

// numbersOf returns the numbers that lie in bytes of a file, whose length is a
// multiple of theirs. They share the memory of the bytes where they can.
func numbersOf[T fixed](b []byte) []T {
	var one T
	size := int(unsafe.Sizeof(one))
	if len(b) == 0 {
		return nil
	}
	if !littleEndian || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(one) != 0 {
		return decodeNumbers[T](b)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

func decodeNumbers[T fixed](b []byte) []T {
	var one T
	size := int(unsafe.Sizeof(one))
	out := make([]T, len(b)/size)
	for i := range out {
		if size == 4 {
			out[i] = T(binary.LittleEndian.Uint32(b[i*4:]))
		} else {
			out[i] = T(binary.LittleEndian.Uint64(b[i*8:]))
		}
	}
	return out
}

// alignedBytes allocates bytes that begin where a 64-bit number may.
func alignedBytes(n int) []byte {
	words := make([]uint64, (n+7)/8)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

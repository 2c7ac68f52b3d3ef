// Package chdb is a ClickHouse server for tests: the engine of chDB, a library,
// behind as much of ClickHouse's HTTP protocol as its Go driver speaks. So tests
// run the driver and the engine that are used elsewhere, without a server's
// installation.
package chdb

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A library is libchdb, loaded. There can be one in a process.
type library struct {
	connect    func(argc int32, argv **byte) *uintptr
	closeConn  func(conn *uintptr)
	setSignals func(enabled int32)
	query      func(conn uintptr, text *byte, length uint, format *byte, formatLength uint, names **byte, nameLengths *uint, values **byte, valueLengths *uint, n uint) uintptr
	buffer     func(result uintptr) unsafe.Pointer
	length     func(result uintptr) uint
	failure    func(result uintptr) string
	destroy    func(result uintptr)
	shutDown   func()
}

// load loads the library from a file.
func load(file string) (*library, error) {
	handle, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &library{}
	for name, f := range map[string]any{
		"chdb_connect": &l.connect, "chdb_close_conn": &l.closeConn, "chdb_set_signal_handlers_enabled": &l.setSignals,
		"chdb_query_with_params_n": &l.query, "chdb_result_buffer": &l.buffer, "chdb_result_length": &l.length,
		"chdb_result_error": &l.failure, "chdb_destroy_query_result": &l.destroy, "chdb_shutdown": &l.shutDown,
	} {
		if _, err := purego.Dlsym(handle, name); err != nil {
			return nil, err
		}
		purego.RegisterLibFunc(f, handle, name)
	}
	l.setSignals(0) // they are Go's
	return l, nil
}

// An engineConn is a connection to the engine. It runs one statement at a time.
type engineConn struct {
	library *library
	handle  *uintptr
	set     map[string]string // settings that it has
}

func (l *library) open(dir string) (*engineConn, error) {
	args := [][]byte{[]byte("clickhouse\x00"), []byte("--path=" + dir + "\x00")}
	argv := []*byte{&args[0][0], &args[1][0]}
	handle := l.connect(int32(len(argv)), &argv[0])
	runtime.KeepAlive(args)
	if handle == nil || *handle == 0 {
		return nil, errors.New("chdb: the engine does not open " + dir)
	}
	return &engineConn{library: l, handle: handle, set: map[string]string{}}, nil
}

func (c *engineConn) close() { c.library.closeConn(c.handle) }

// run runs a statement and returns its rows in the format Native.
func (c *engineConn) run(text string, parameters map[string]string) ([]byte, error) {
	const format = "Native"
	var names, values []*byte
	var nameLengths, valueLengths []uint
	var pins runtime.Pinner
	defer pins.Unpin()
	pinned := func(s string) *byte {
		p := unsafe.StringData(s + "\x00")
		pins.Pin(p)
		return p
	}
	for name, value := range parameters {
		names, nameLengths = append(names, pinned(name)), append(nameLengths, uint(len(name)))
		values, valueLengths = append(values, pinned(value)), append(valueLengths, uint(len(value)))
	}
	result := c.library.query(*c.handle, pinned(text), uint(len(text)), pinned(format), uint(len(format)),
		unsafe.SliceData(names), unsafe.SliceData(nameLengths), unsafe.SliceData(values), unsafe.SliceData(valueLengths), uint(len(names)))
	if result == 0 {
		return nil, exception("Code: 999. DB::Exception: the engine gave no result")
	}
	defer c.library.destroy(result)
	if failure := c.library.failure(result); failure != "" {
		return nil, exception(failure)
	}
	n := c.library.length(result)
	if n == 0 {
		return nil, nil
	}
	out := make([]byte, n)
	copy(out, unsafe.Slice((*byte)(c.library.buffer(result)), n))
	return out, nil
}

// apply gives the connection a setting, unless it has it.
func (c *engineConn) apply(name, value string) error {
	if c.set[name] == value {
		return nil
	}
	statement := "USE " + quote(value, '`')
	if name != database {
		statement = fmt.Sprintf("SET %s = %s", quote(name, '`'), quote(value, '\''))
	}
	_, err := c.run(statement, nil)
	if err == nil {
		c.set[name] = value
	}
	return err
}

// An exception is what a server says where a statement fails, word by word.
type exception string

func (e exception) Error() string { return string(e) }

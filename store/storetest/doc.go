// Package storetest is what every store must do, as tests that any store can
// run:
//
//	func TestMyStore(t *testing.T) {
//		open := func(t testing.TB, g *memory.Graph) store.Store { return mystore.New(g) }
//		storetest.Suite(t, open, storetest.SuiteOptions{})
//	}
//
// Suite runs all of them; each can be run alone as well. A store that passes
// gives the same answers as every other.
//
//   - Run answers the calls of the scripts in testdata/scripts, the whole way
//     from their JSON arguments, and compares the answers with those written
//     down by hand.
//   - Tables answers the calls of the scripts in testdata/tables, about tables that
//     other programs made: native types, loose collations, misfit values.
//   - Averages compares averages and sums with a Reference's, to the last bit.
//   - ShortPaths compares shortest paths between near nodes with a Reference's: of
//     nodes with few neighbours and with many, with themselves, with one another.
//   - Hostile puts hostile text wherever a caller or the data can, and compares
//     with a plain evaluation in Go.
//   - Differential makes random calls of random graphs and compares every page
//     of their answers with those of a Reference, which tries everything.
//   - Metamorphic compares the answers of several random calls with each other,
//     by rules that hold whatever the answers are.
//   - Isolation makes random calls of several tenants under random policies, and
//     compares their answers with those of graphs that physically hold only what
//     the callers may see.
//   - Together makes the same calls from many goroutines.
//   - Faults lets a store's Backend fail, panic, hang, lose its connection and
//     be canceled, at every one of its calls.
//
// Same makes the calls of the scripts on two stores and compares their
// documents byte by byte.
//
// # Random calls
//
// Everything random follows from a seed: Differential names the seed of a graph
// as its subtest. Schemas take every way to keep relationships in tables
// (foreign keys on either side, join tables, tables shared by labels or types,
// polymorphic references, several pairs of a type, keys of several parts, own
// names of columns); graphs have loops, cycles, hubs, parallel relationships,
// nulls, numbers and dates at their limits, and texts that engines tend to
// confuse. Calls are guided by what is in the graph, so that most find
// something.
//
// A wrong answer is made small before it is reported: what is printed is the
// least schema, graph and call that are still answered wrongly in the same way,
// as the files of a graph directory and the block of a script. A store may
// refuse calls as UNSUPPORTED, a few as TOO_COSTLY, and hardly any may take too
// long; the table at the end counts them. SuiteOptions.Complete allows no
// UNSUPPORTED.
//
// # Policies
//
// The graphs of Isolation hold three tenants whose names engines are tempted to
// confuse, with equal keys and values, relationships from one tenant's nodes to
// another's, and policies of every kind: equality, membership, prefixes, levels,
// grants, null tests, negations, walks to what is visible, constant roles; hidden
// properties and masks. Who may see what is decided by CEL's own evaluator over
// the text of the policies, row by row, which shares no code with what turns
// policies into conditions; it knows of nothing but the rows, so that "null" and
// "not there" are the same to it. What remains is a graph without policies, of
// which the Reference is asked the same call.
//
// # Scripts
//
// A script is read line by line. An empty line ends a block; a line that
// begins with # is a comment.
//
//	graph NAME
//
// says which fixture is asked from here on, and
//
//	limits NAME=N ...
//
// the host's limits, with the names that get_graph_schema gives them, and
//
//	scope {"tenant": "TEXT", "principal": "TEXT", "token_id": "TEXT", "claims": {...}}
//
// on whose behalf calls are made; without it they have no scope. The next graph
// ends both.
//
//	except STORE ...: REASON
//
// leaves the next call or table out for stores of these names (Options.Store).
//
//	call TOOL
//	ARGUMENTS
//	pages N
//	----
//	EXPECTED
//
// makes one call. The arguments may take several lines and need not be good
// JSON. "pages N", which may be left out, reads the answer once more in pages
// of N; together they must be the whole. After the rule stands what is
// expected: an answer, a refusal, or, for get_graph_schema, a JSON document in
// which "*" stands for anything and "abc*" for a text that begins with abc.
//
// The tool "find_nodes page 3" is find_nodes with an offset (graph.Page), which
// is no argument. Its answer ends with a line "total N".
//
//	table TOOL
//	ARGUMENTS with VALUE in them
//	----
//	VALUE => EXPECTED
//
// makes a call for each row, with the row's value in the place of VALUE, which
// may be the offset of a page, too. With
// VALUE1 and VALUE2, a row has two values, separated by " | ".
//
// # Answers
//
// Each line is one thing, in the order of the answer:
//
//	LABEL "ID" NAME=JSON ...                       a node
//	DISTANCE LABEL "ID" NAME=JSON ...              a node that was walked to
//	context LABEL "ID" NAME=JSON ...               a node that connects others
//	TYPE LABEL "ID" -> LABEL "ID" NAME=JSON ...    a relationship, as stored
//	path LABEL "ID" -TYPE-> LABEL "ID" ...         a path; <-TYPE- where it is stored the other way
//	columns NAME:TYPE ...                          the columns of an aggregate
//	row JSON ...                                   a row of them
//	nothing                                        no nodes at all
//	total 12                                       of a page by its offset: how many match
//	truncated rows                                 and the other reasons
//	warning CODE POINTER                           a warning
//
// The answer of a tool of records (list_…, get_…) is its document, on one line.
//
// In a table an answer is one line: the ids in order (as JSON where they hold
// a blank), or the rows separated by " | ", or the paths as 1>2>3, or nothing; then, after semicolons,
// total, truncated and warning.
//
// # Refusals
//
//	error CODE POINTER
//	error CODE POINTER: FACET; FACET
//
// Every mistake that is reported has a line, in any order; in a table they are
// separated by " && ". The pointer to the whole is "". A facet is one of
//
//	did_you_mean "A" "B"     exactly these suggestions
//	allowed "A" "B"          exactly these allowed names
//	hint "TEXT"              a hint with this text in it
//	message "TEXT"           a message with this text in it
//	fix                      some fix
//	fix JSON                 exactly this patch
//	no_fix                   none
//
// Wherever a mistake has a fix, the runner applies the first one, again and
// again, and requires that the call answers then.
//
// # Plans and statements
//
// After a call's answer may stand its plan, and its main statement in a dialect
// with its arguments:
//
//	plan
//	----
//	TEXT
//
//	sql DIALECT
//	----
//	TEXT
//	args: JSON ...
//
// These, and nothing else, are what Options.Update rewrites.
//
// Run ends with a table of what the answered calls exercised, and fails if a
// cell of it is empty that must not be (operators, types and nulls; orders;
// directions and mapping forms; functions, groups and buckets).
package storetest

package compile

import (
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Dialect is what a SQL engine does in its own way, as plain data: the
// emitter reads it and never asks which engine it writes for.
type Dialect struct {
	name     string
	executed string
	quote    byte
	// number stands before the number of a placeholder, as in $1, $2, …; where it
	// is 0 placeholders are ? and have none.
	number byte
	// types are those of named placeholders, as in {p1:String}; nil where
	// placeholders have no names.
	types map[schema.Type]string
	// once says that an argument that a statement needs in several places has
	// one number in all of them.
	once bool
	// casts surround a placeholder of a type; the first half may be empty, and #
	// stands for a decimal's scale.
	casts map[schema.Type][2]string
	// collate makes a text byte-exact in comparisons and orders; empty where
	// it is so already.
	collate string
	// looseEqual says that = on texts uses an index but is not exact, so that an exact
	// comparison must stand beside it.
	looseEqual bool
	// collated says that an index serves an equality, too, that names its
	// collation: then every one does, for columns may have another.
	collated bool
	// collations says that what a text is compared with has to name the same
	// collation, where it is a column, too.
	collations bool
	// looseReferences says that foreign keys hold by an equality of texts that may be
	// loose, and so may refer to what is no node.
	looseReferences bool
	// ownEnums says that the engine has enum types, which compare with no text.
	ownEnums bool
	// padded names the type of texts that are filled up with spaces, which equalities
	// and orders do not see, and drivers hand over; empty for none.
	padded string
	// inOrder turns a stored value of a type into a text that is in order, byte
	// by byte, where the stored one is not; inOrderArg does so with an argument.
	inOrder    map[schema.Type]func(p *schema.Property) string
	inOrderArg func(p *schema.Property, v graph.Value) any
	// least and greatest, by type, are the aggregates where MIN and MAX of what
	// is stored are not.
	least, greatest map[schema.Type]func(p *schema.Property) string
	// ranges are of the types whose comparisons are with a range of stored values:
	// the least and the greatest that an argument equals. Where it equals none, as
	// it lies between two, the greatest is below the least.
	ranges map[schema.Type]func(p *schema.Property, v graph.Value) (least, greatest any)
	// micros turns a stored date or instant into its number of microseconds since
	// 1970, in UTC, which comes in place of it; empty where drivers know every year.
	micros string
	// escapedNames says that in names a backslash escapes what it stands before.
	escapedNames bool
	// flat says that tables have no schemas: a name contains that of the schema.
	flat bool
	// nullsLast says that the engine knows NULLS LAST.
	nullsLast bool
	// hints says that joins are only done by lookup where a hint asks for it.
	hints bool
	// uncorrelated says that a subquery must not have columns of the row around it:
	// it would be run anew for every row, or take them for its own.
	uncorrelated bool
	// semiJoins says that the planner has several ways to do IN (SELECT …), and so
	// does better with it than with a join of the distinct rows.
	semiJoins bool
	// gathers says that the nodes of a step of many hops are best found in one
	// union that grows with each hop, and not in one for each length.
	gathers bool
	// setJoins says that IN (SELECT …) takes rows that come many times as they come: to
	// make them distinct before is more work.
	setJoins bool
	// looksNear says that such a union is dearer, where it has a good part of all
	// nodes, than to look at each node for one that is near. The engine computes what
	// is MATERIALIZED once, uses no index for a column behind a +, and keeps the order of a
	// CROSS JOIN.
	looksNear bool
	// writtenLimits says that a statement is planned at each execution where its limit is
	// an argument, so that one stands in the text.
	writtenLimits bool
	// inTurn says that the parts of a UNION ALL come in turn, and those after its LIMIT
	// are not computed, or cost no more than a statement of their own.
	inTurn bool
	// looksUp says that rows are looked for one by one, so that what has many
	// neighbours is dear, and not in passes over whole tables.
	looksUp bool
	// correlated says that the engine does well with subqueries of a row.
	correlated bool
	// fence ends a subquery of a row that the planner must not make a join of;
	// empty where it joins by lookup as it is.
	fence string
	// The templates below hold @ where their operand stands, and # where the
	// argument does.

	// backslash says that a backslash escapes the wildcards of LIKE, as it does
	// where nothing is said: there are engines that lose what is said on the way to
	// their shards. Elsewhere ! escapes them.
	backslash bool
	// fold lowers the letters A to Z of a text, and no others.
	fold string
	// contains, starts and ends compare substrings, where LIKE does not take
	// every text or is not exact; they are empty elsewhere. In ends, ~ stands for
	// the argument's number of characters.
	contains, starts, ends string
	// A list parameter is a JSON array that is read as a table: a head, a column
	// for each part of its items, a tail. The argument stands in head or tail.
	listHead, listTail string
	// listJoin joins a table to a list that it is to be looked up with; empty for
	// JOIN, where the planner knows better than to begin with the table.
	listJoin   string
	listColumn func(p *schema.Property, part, parts int) string
	// listAny and listAnyEnd stand around a subquery of the list's items that a
	// column is compared with, where the engine's planner then knows that an
	// index will do; empty where the list is joined.
	listAny, listAnyEnd string
	// unindexed stands before a column that is compared with a second list, where the
	// engine would else look into an index for each pair of the two lists' items.
	unindexed string
	// wholeLists says that lists of a call's values, too, are one list parameter
	// each: the engine takes long for many placeholders.
	wholeLists bool
	// listText is a text of a list as an index serves it in an equality with a column
	// of any collation; empty where it is so already.
	listText string
	// listHas is a template that such a list has a column's value, which serves
	// within aggregates.
	listHas func(p *schema.Property) string
	// listForm is what stands in place of a column of a type that is compared with
	// the items of such a list, if not the column itself.
	listForm map[schema.Type]string
	// read is what stands in place of a column of a type whose stored value a
	// driver would hand over in another form.
	read map[schema.Type]string
	// listRows says that the keys of a level are compared with the items of a list,
	// side by side where they have several parts, and not joined with it.
	listRows bool
	// text turns a key of any type into a text.
	text string
	// average is the average of a property: unless that is a float, from the
	// exact sum, with more digits than a float can hold.
	average func(p *schema.Property) string
	// sum is the exact sum of a property.
	sum func(p *schema.Property) string
	// inParts says how a sum or an average is put together of several aggregates
	// in a statement around them, where no single one is exact; nil for others.
	inParts func(f graph.Function, p *schema.Property) *parts
	// materialized says that what parts are put together of is computed once only in
	// a table expression that says so.
	materialized bool
	// overflow is what the engine says where a sum is too long for it; empty where it
	// adds on, or says so in the figure.
	overflow string
	// leastBool and greatestBool are the aggregates of booleans.
	leastBool, greatestBool string
	// truncate cuts a date or datetime to a unit.
	truncate map[graph.TimeUnit]string
	// setup puts a connection's session into the state that statements expect,
	// and bounds them to @ seconds.
	setup string
	// own puts a connection that is the store's own into that state for good, and
	// keeps it from writing; empty where setup does.
	own string
	// trailing says that setup ends every statement: there are no sessions that
	// it could be for, nor transactions.
	trailing bool
	// state asks for the statement that undoes setup; empty where setup ends with
	// the transaction.
	state string
	// identify asks for the connection's number at its server and for the server,
	// and kill ends the connection of the number that stands where @ does; both are
	// empty where drivers do so when a statement's context ends.
	identify, kill string
	// export names what a transaction sees, and adopt has another see what is
	// named where @ stands; both are empty where the engine cannot do so.
	export, adopt string
	// inProcess says that the engine runs in this process, so that no server sees
	// to sessions and statements.
	inProcess bool
	// explain in front of a statement asks for the engine's plan of it.
	explain string
	// encode turns a value into what the driver binds.
	encode func(v graph.Value) any
}

// Name is the dialect's name, as the command line takes it.
func (d *Dialect) Name() string { return d.name }

// Executed is what answers say about where they were computed.
func (d *Dialect) Executed() string { return d.executed }

// SessionSetup is the statement that every session begins with: it sets the
// time zone to UTC, the encoding to UTF-8 and what else could change what statements
// mean, and lets the server end those that run longer than so many seconds; 0 is no bound. An engine in the process has neither: there it
// keeps the connection from writing.
func (d *Dialect) SessionSetup(seconds int) string {
	return strings.ReplaceAll(d.setup, "@", strconv.Itoa(seconds))
}

// OwnSetup is the statement with which a connection begins that nobody else uses:
// what SessionSetup does, for all its statements, which then only read. It is ""
// where SessionSetup is that already, or there are no sessions.
func (d *Dialect) OwnSetup(seconds int) string {
	return strings.ReplaceAll(d.own, "@", strconv.Itoa(seconds))
}

// Trailing reports whether SessionSetup is no statement of its own but what
// every statement ends with. The engine has no transactions then: no two
// statements are sure to see the same data.
func (d *Dialect) Trailing() bool { return d.trailing }

// ParameterName is the name by which statements have their nth argument, from
// 1; "" where arguments have places only.
func (d *Dialect) ParameterName(n int) string {
	if d.types == nil {
		return ""
	}
	return "p" + strconv.Itoa(n)
}

// SessionState asks a session for the statement that gives it back what
// SessionSetup takes, for connections that are the host's: one row with one text.
// It is "" where what is set up ends with the transaction.
func (d *Dialect) SessionState() string { return d.state }

// Identify is the statement that asks for the number of a connection and for the
// server that counts it; "" where drivers themselves end statements whose
// contexts have ended.
func (d *Dialect) Identify() string { return d.identify }

// Kill is the statement that ends the connection of that number, and what it
// runs.
func (d *Dialect) Kill(number uint64) string {
	return strings.ReplaceAll(d.kill, "@", strconv.FormatUint(number, 10))
}

// ExportSnapshot is the statement that names what a transaction sees, so that
// others can see the same; "" where the engine cannot do so.
func (d *Dialect) ExportSnapshot() string { return d.export }

// AdoptSnapshot is the statement that a transaction begins with to see what has
// that name; it reports false for what is no name of the engine's.
func (d *Dialect) AdoptSnapshot(name string) (string, bool) {
	return strings.ReplaceAll(d.adopt, "@", name), d.adopt != "" && name != "" && strings.Trim(name, "0123456789ABCDEFabcdef-") == ""
}

// InProcess reports whether the engine runs in this process: to prepare a
// statement is then a part of what it costs to run it.
func (d *Dialect) InProcess() bool { return d.inProcess }

// Overflow is what is a part of the engine's error where a sum, or that of an
// average, has more digits than it can add; "" where there is no such error.
func (d *Dialect) Overflow() string { return d.overflow }

// Padded is the name of the type, as drivers have it, of columns whose texts end in
// spaces that fill them up and are no part of what they say; "" for none.
func (d *Dialect) Padded() string { return d.padded }

// Explain stands in front of a statement to ask for the engine's own plan.
func (d *Dialect) Explain() string { return d.explain }

// Dialects returns every dialect.
func Dialects() []*Dialect {
	return []*Dialect{MySQL(), MariaDB(), Embedded(), Postgres(), SQLite(), DuckDB(), ClickHouse()}
}

// DialectNamed returns the dialect of that name.
func DialectNamed(name string) (*Dialect, bool) {
	for _, d := range Dialects() {
		if d.name == name {
			return d, true
		}
	}
	return nil, false
}

package embedded

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// A database holds tables by name. It knows no views; the engine asks for them
// all the same.
type database struct {
	name   string
	tables map[string]*table
	names  []string
}

func (d *database) Name() string { return d.name }

// add adds a table. Of names that differ in case alone, the first also answers
// to other spellings.
func (d *database) add(t *table) {
	d.names = append(d.names, t.name)
	d.tables[t.name] = t
	if folded := strings.ToLower(t.name); d.tables[folded] == nil {
		d.tables[folded] = t
	}
}

// GetTableInsensitive prefers the exact spelling: a label follows and a type
// FOLLOWS may have tables of their names.
func (d *database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t := d.tables[name]
	if t == nil {
		t = d.tables[strings.ToLower(name)]
	}
	if t == nil {
		return nil, false, nil
	}
	return t, true, nil
}

func (d *database) GetTableNames(*sql.Context) ([]string, error) { return d.names, nil }

func (d *database) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrReadOnly.New()
}

func (d *database) DropView(_ *sql.Context, name string) error {
	return sql.ErrViewDoesNotExist.New(d.name, name)
}

func (d *database) GetViewDefinition(*sql.Context, string) (sql.ViewDefinition, bool, error) {
	return sql.ViewDefinition{}, false, nil
}

func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) { return nil, nil }

// A catalog holds databases by their lower-case names.
type catalog struct {
	databases map[string]*database
	list      []sql.Database
}

func (c *catalog) Database(_ *sql.Context, name string) (sql.Database, error) {
	d, ok := c.databases[strings.ToLower(name)]
	if !ok {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return d, nil
}

func (c *catalog) HasDatabase(_ *sql.Context, name string) bool {
	_, ok := c.databases[strings.ToLower(name)]
	return ok
}

func (c *catalog) AllDatabases(*sql.Context) []sql.Database { return c.list }

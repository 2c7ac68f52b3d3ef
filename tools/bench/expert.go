package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/social"
)

// An expertise is one question as somebody writes it who knows the engine, the
// tables and the data. They may know more than the schema says: that a post has
// one creator, that no two tags have one name.
//
// The texts are about the tables that trellis load makes of a graph directory
// whose schema gives each relationship type a table of its own. {KNOWS} and the
// like are these tables; names stand in double quotes, arguments are $1, $2, …
type expertise struct {
	// texts are for every engine; which is fastest depends on it, and all are
	// tried.
	texts []string
	// only are further texts for some engines, by the dialect's name.
	only map[string][]string
	// kinds are the kinds of its columns: i an integer, t a text, d a date, m an
	// instant; or pathKinds.
	kinds string
	args  func(social.Parameters) []any
}

// pathKinds stands for the columns of a path: its text, or the nodes between its
// ends.
const pathKinds = "path"

// An instant is an argument that each engine takes in its own form.
type instant string

// tablesOf are the tables that texts name.
func tablesOf(s *schema.Schema) (*strings.Replacer, error) {
	var names []string
	for place, of := range map[string][3]string{
		"{KNOWS}": {"KNOWS", "person", "person"}, "{HAS_CREATOR}": {"HAS_CREATOR", "post", "person"},
		"{HAS_TAG}": {"HAS_TAG", "post", "tag"}, "{IS_LOCATED_IN}": {"IS_LOCATED_IN", "person", "place"},
	} {
		t, ok := s.Relationship(of[0])
		if !ok {
			return nil, fmt.Errorf("there is no relationship type %s", of[0])
		}
		i := slices.IndexFunc(t.Pairs, func(p *schema.Pair) bool { return p.From.Name == of[1] && p.To.Name == of[2] })
		if i < 0 {
			return nil, fmt.Errorf("%s does not lead from %s to %s", of[0], of[1], of[2])
		}
		names = append(names, place, `"`+t.Pairs[i].Table.Name+`"`)
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			if !slices.Equal(p.FromColumns, []string{"from_id"}) || !slices.Equal(p.ToColumns, []string{"to_id"}) || len(p.Match) > 0 {
				return nil, fmt.Errorf("the statements written by hand are about relationships in tables of their own, with from_id and to_id, which %s is not in", t.Name)
			}
		}
	}
	return strings.NewReplacer(names...), nil
}

var numbered = regexp.MustCompile(`\$(\d+)`)

// written is a text as a dialect takes it, and the values of its placeholders.
func written(text string, args []any, d *compile.Dialect) asked {
	for i, a := range args {
		if at, ok := a.(instant); ok {
			args[i] = instantFor(at, d)
		}
	}
	switch d.Name() {
	case compile.SQLite().Name():
		return asked{numbered.ReplaceAllString(text, "?$1"), args}
	case compile.MariaDB().Name(), compile.MySQL().Name():
		var each []any
		text = numbered.ReplaceAllStringFunc(text, func(place string) string {
			n, _ := strconv.Atoi(place[1:])
			each = append(each, args[n-1])
			return "?"
		})
		return asked{strings.ReplaceAll(text, `"`, "`"), each}
	}
	return asked{text, args}
}

func instantFor(at instant, d *compile.Dialect) any {
	t, _ := schema.ParseDateTime(string(at))
	if d.Name() == compile.Postgres().Name() {
		return t
	}
	return t.Format(time.DateTime)
}

// inTurn stands between statements of one way to answer: they run one after the
// other until one has rows.
const inTurn = "\n;\n"

// A question in SQL: statements, the values of their placeholders, and the kinds
// of their columns.
type ready struct {
	asked []asked
	// first says that they are asked until one has rows.
	first bool
	// then are asked after them: what they read of what was found.
	then  []asked
	kinds string
}

// experts chooses for each question the way that is fastest on a database, on a
// connection as a store has it.
func experts(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema, p social.Parameters) (map[string]ready, error) {
	tables, err := tablesOf(s)
	if err != nil {
		return nil, err
	}
	out := map[string]ready{}
	for name, e := range expertises(s) {
		var least time.Duration
		for _, way := range slices.Concat(e.texts, e.only[d.Name()]) {
			r := ready{kinds: e.kinds, first: true}
			for text := range strings.SplitSeq(tables.Replace(way), inTurn) {
				r.asked = append(r.asked, written(text, e.args(p), d))
			}
			took, err := fastestOf(ctx, db, d.OwnSetup(0), r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w in %s", name, err, way)
			}
			if least == 0 || took < least {
				out[name], least = r, took
			}
		}
		if e.kinds == pathKinds {
			r := out[name]
			if r.then, err = shown(ctx, db, d, tables, r, p); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out[name] = r
		}
	}
	return out, nil
}

// shown are the statements that read what an answer shows of the nodes of a path
// and of its hops.
func shown(ctx context.Context, db *sql.DB, d *compile.Dialect, tables *strings.Replacer, r ready, p social.Parameters) (_ []asked, err error) {
	c, err := newReplay(ctx, db, d.OwnSetup(0), map[string]ready{"": r})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.free()) }()
	document, err := c.ask(ctx, social.Question{})
	if err != nil {
		return nil, err
	}
	paths, err := pathRows(document, p)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	var places, hops []string
	var ids []any
	for i, text := range strings.Fields(paths[0]["path"]) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		ids, places = append(ids, id), append(places, fmt.Sprintf("$%d", i+1))
		if i > 0 {
			hops = append(hops, fmt.Sprintf("from_id = $%d AND to_id = $%d", i, i+1))
		}
	}
	return []asked{
		written(`SELECT id, "firstName", "lastName" FROM person WHERE id IN (`+strings.Join(places, ", ")+")", ids, d),
		written(tables.Replace(`SELECT from_id, to_id, "creationDate" FROM {KNOWS} WHERE `+strings.Join(hops, " OR ")), ids, d),
	}, nil
}

// fastestOf tries a way to answer a few times.
func fastestOf(ctx context.Context, db *sql.DB, setup string, r ready) (least time.Duration, err error) {
	c, err := newReplay(ctx, db, setup, map[string]ready{"": r})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.free()) }()
	for try := range 8 { // what an engine learns of a statement it learns soon
		start := time.Now()
		if _, err := c.ask(ctx, social.Question{}); err != nil {
			return 0, err
		}
		if took := time.Since(start); try == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

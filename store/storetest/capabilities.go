package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
)

// Capabilities is what a run of scripts has shown that a store can do. As a file
// beside the store's test it is a column of the table of all stores.
type Capabilities struct {
	Store string `json:"store"`
	// Features say "yes", or why not: "no: …" where no call with the feature was
	// answered, "partly: …" where some were not. So do Scripts, by what a script
	// says of itself first.
	Features map[string]string `json:"features"`
	Scripts  map[string]string `json:"scripts"`
}

// A tally counts the answered calls with a feature, and tells why others were not
// made or were refused.
type tally struct {
	answered int
	why      []string
}

func (t *tally) miss(reason string) {
	if !slices.Contains(t.why, reason) {
		t.why = append(t.why, reason)
	}
}

func (t *tally) String() string {
	slices.Sort(t.why)
	switch {
	case len(t.why) == 0:
		return "yes"
	case t.answered == 0:
		return "no: " + strings.Join(t.why, "; ")
	}
	return "partly: " + strings.Join(t.why, "; ")
}

// tallied is the tally of a name.
func tallied(m map[string]*tally, name string) *tally {
	if m[name] == nil {
		m[name] = &tally{}
	}
	return m[name]
}

// note takes what came of a case: "" for an answer, or why there is none.
func (r *runner) note(c *testCase, caller *Caller, why string) {
	all := []*tally{tallied(r.scriptTallies, r.titles[c.file])}
	q, err := caller.Query(c.tool, []byte(c.args))
	if err == nil && !isRefusal(c.want) && !r.scriptsOnly {
		cover := newCoverage()
		cover.add(caller.schema, q)
		for _, name := range featureNames(cover, q, c) {
			all = append(all, tallied(r.features, name))
		}
	}
	for _, t := range all {
		if why == "" {
			t.answered++
		} else {
			t.miss(why)
		}
	}
}

// featureNames are the features of a call, from the cells that it exercises.
func featureNames(cover *coverage, q graph.Query, c *testCase) []string {
	names := map[string]bool{"tool: " + q.Tool(): true}
	paths, ok := q.(*graph.Paths)
	weighted := ok && paths.Weight != ""
	for cell := range cover.cells {
		table, rest, _ := strings.Cut(cell, ": ")
		words := strings.Fields(rest)
		switch table {
		case "operator":
			names["condition: "+words[len(words)-1]] = true
		case "type":
			names["conditions on: "+words[len(words)-1]] = true
		case "where", "search", "having":
			names["condition: "+table] = true
		case "related condition":
			names["condition: related, "+words[0]] = true
		case "walk", "related", "group along":
			names["relationships: "+strings.Join(words[:len(words)-1], " ")] = true
			if table == "group along" {
				names["groups: along relationships"] = true
			}
		case "hops of walk":
			if words[1] != "1" {
				names["steps of several hops"] = true
			}
		case "paths":
			if weighted {
				words[0] = "weighted"
			}
			names["paths: "+words[0]] = true
		case "function":
			names["aggregate: "+words[0]] = true
		case "group":
			names["groups: by "+words[0]] = true
		case "bucket":
			names["groups: by "+words[0]+" of "+words[1]] = true
		case "order":
			names["order by: "+words[1]] = true
		case "key":
			names["key: "+words[0]] = true
		}
	}
	if c.scope != nil {
		names["policies"] = true
	}
	if c.pages > 0 {
		names["pages"] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// capabilities compares what was noted with the file of opts, or renews it, once
// all scripts have run.
func (r *runner) capabilities(t *testing.T) {
	if r.opts.Capabilities == "" || t.Failed() || r.ran < len(r.titles) {
		return
	}
	out := Capabilities{r.opts.Store, map[string]string{}, map[string]string{}}
	for name, tally := range r.features {
		out.Features[name] = tally.String()
	}
	for name, tally := range r.scriptTallies {
		out.Scripts[name] = tally.String()
	}
	text, err := json.MarshalIndent(out, "", "\t")
	require.NoError(t, err)
	text = append(text, '\n')
	if r.opts.Renew {
		require.NoError(t, os.MkdirAll(filepath.Dir(r.opts.Capabilities), 0o777))
		require.NoError(t, os.WriteFile(r.opts.Capabilities, text, 0o666))
		return
	}
	want, err := os.ReadFile(r.opts.Capabilities)
	require.NoError(t, err, "write it with -update")
	require.Equal(t, string(want), string(text), "%s is out of date: renew it with -update", r.opts.Capabilities)
}

// CapabilityTable writes the table of all stores in Markdown, from the files of
// their runs; a store may have several. Every reason stands below, under its
// number.
func CapabilityTable(files []string) (string, error) {
	features, scripts := map[string]map[string]string{}, map[string]map[string]string{}
	stores := map[string]bool{}
	for _, file := range files {
		var c Capabilities
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		stores[c.Store] = true
		add := func(to map[string]map[string]string, from map[string]string) {
			for name, value := range from {
				if to[name] == nil {
					to[name] = map[string]string{}
				}
				if have := to[name][c.Store]; have == "" || have == "yes" {
					to[name][c.Store] = value
				}
			}
		}
		add(features, c.Features)
		add(scripts, c.Scripts)
	}
	names := slices.Sorted(maps.Keys(stores))
	var b strings.Builder
	var reasons []string
	section := func(title string, rows map[string]map[string]string) {
		fmt.Fprintf(&b, "\n| %s | %s |\n|---%s|\n", title, strings.Join(names, " | "), strings.Repeat("|---", len(names)))
		for _, row := range slices.Sorted(maps.Keys(rows)) {
			fmt.Fprintf(&b, "| %s", strings.ReplaceAll(row, "|", "\\|"))
			for _, store := range names {
				value := rows[row][store]
				short, reason, _ := strings.Cut(value, ": ")
				switch {
				case value == "":
					short = "–"
				case reason != "":
					n := slices.Index(reasons, reason)
					if n < 0 {
						n, reasons = len(reasons), append(reasons, reason)
					}
					short += fmt.Sprintf(" [%d]", n+1)
				}
				fmt.Fprintf(&b, " | %s", short)
			}
			b.WriteString(" |\n")
		}
	}
	section("feature", features)
	section("what the scripts say", scripts)
	if len(reasons) > 0 {
		b.WriteString("\n")
		for i, reason := range reasons {
			fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
		}
	}
	return b.String(), nil
}

// refusedByCheck says that a case expects a refusal before the store is asked: to
// leave it out is to have an answer.
func refusedByCheck(want []string) bool {
	r, err := parseRefusal(want[0])
	return isRefusal(want) && err == nil && graph.Code(r.code).Refusal()
}

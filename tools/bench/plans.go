package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Plans compare what SQL engines take for what is written by hand, for what is
// generated, and for Engine.Run. Its JSON form is that of its fields.
type Plans struct {
	Format    string   `json:"format"` // trellis.plans.v1
	Graph     Graph    `json:"graph"`
	Engines   []string `json:"engines"`
	Questions []Plan   `json:"questions"`
}

// A Plan is what one question took, by engine in the order of Plans.Engines.
type Plan struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Rows    int      `json:"rows"`
	Engines []Figure `json:"engines"`
}

// A Figure is what a question took of one engine: the medians of a run, in
// microseconds.
type Figure struct {
	Hand      float64 `json:"by_hand_us"`
	Generated float64 `json:"generated_us"`
	Engine    float64 `json:"engine_us"`
	// Statements is Generated in times of Hand: what the plans are worth.
	Statements float64 `json:"generated_to_by_hand"`
	// Way is Engine in times of Generated: what is around the statements.
	Way float64 `json:"engine_to_generated"`
}

// Plans reads a report of a run whose peers were those of engines, in order.
func (r *Report) Plans() *Plans {
	out := &Plans{Format: "trellis.plans.v1", Graph: r.Graph}
	for _, name := range r.Peers {
		if engine, ok := strings.CutSuffix(name, byHand); ok {
			out.Engines = append(out.Engines, engine)
		}
	}
	for _, q := range r.Questions {
		plan := Plan{Name: q.Name, About: q.About, Rows: q.Rows}
		figures := make([]Figure, len(out.Engines))
		for i, name := range r.Peers {
			for e, engine := range out.Engines {
				switch name {
				case engine + byHand:
					figures[e].Hand = q.Peers[i].Micros
				case engine + generated:
					figures[e].Generated = q.Peers[i].Micros
				case engine + asEngine:
					figures[e].Engine = q.Peers[i].Micros
				}
			}
		}
		for i := range figures {
			f := &figures[i]
			f.Statements, f.Way = f.Generated/f.Hand, f.Engine/f.Generated
		}
		plan.Engines = figures
		out.Questions = append(out.Questions, plan)
	}
	return out
}

// JSON writes the plans as a JSON document.
func (p *Plans) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(p)
}

func (p *Plans) lines() [][]string {
	header := []string{"", "question", "rows"}
	for _, name := range p.Engines {
		header = append(header, name+" by hand µs", "generated µs", "×", "Engine.Run µs", "×")
	}
	out := [][]string{header}
	for _, q := range p.Questions {
		line := []string{q.Name, q.About, fmt.Sprint(q.Rows)}
		for _, f := range q.Engines {
			line = append(line, digits(f.Hand), digits(f.Generated), digits(f.Statements), digits(f.Engine), digits(f.Way))
		}
		out = append(out, line)
	}
	return out
}

// means say how each engine does over all questions.
func (p *Plans) means() []string {
	var out []string
	for e, name := range p.Engines {
		statements, way := 0.0, 0.0
		for _, q := range p.Questions {
			statements, way = statements+math.Log(q.Engines[e].Statements), way+math.Log(q.Engines[e].Way)
		}
		if n := float64(len(p.Questions)); n > 0 {
			out = append(out, fmt.Sprintf("%s: what is generated takes %s times as long as what is written by hand, and Engine.Run %s times as long as that (geometric means)",
				name, digits(math.Exp(statements/n)), digits(math.Exp(way/n))))
		}
	}
	return out
}

// Table writes the plans for a terminal.
func (p *Plans) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", p.Graph.Title())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range p.lines() {
		fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(p.means(), "\n"))
	return err
}

// Markdown writes the plans as a table in Markdown.
func (p *Plans) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", p.Graph.Title())
	for i, line := range p.lines() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|---|---|%s\n", strings.Repeat("--:|", len(line)-2))
		}
	}
	for _, line := range p.means() {
		fmt.Fprintf(&b, "\n%s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

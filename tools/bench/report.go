package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A Report is what a run measured. Its JSON form is that of its fields.
type Report struct {
	Format    string     `json:"format"` // trellis.bench.v1
	Graph     Graph      `json:"graph"`
	Peers     []string   `json:"peers"`
	Clients   int        `json:"clients"`
	Questions []Question `json:"questions"`
}

// A Graph says what the peers were asked about: see About. Run leaves it empty.
type Graph struct {
	Name          string  `json:"name"`
	Nodes         int     `json:"nodes"`
	Relationships int     `json:"relationships"`
	Seconds       float64 `json:"seconds"` // to make or to load it
}

// A Question is what one question took, by peer in the order of Report.Peers.
type Question struct {
	Name  string    `json:"name"`
	About string    `json:"about"`
	Rows  int       `json:"rows"`
	Peers []Measure `json:"peers"`
}

// A Measure is what a call took of one peer.
type Measure struct {
	Micros float64 `json:"median_us"`
	Least  float64 `json:"least_us"`        // of all turns
	Ratio  float64 `json:"ratio,omitempty"` // of the median to the first peer's; not of the first
	// Processor is the processor time of a call, on average, and ProcessorRatio
	// that to the first peer's: what a busy machine changes least. They are 0
	// where the system does not tell, and take in what runs beside the call, as
	// the collector of garbage does.
	Processor      float64 `json:"cpu_us,omitempty"`
	ProcessorRatio float64 `json:"cpu_ratio,omitempty"`

	Allocations float64 `json:"allocations"`
	Allocated   float64 `json:"allocated_bytes"`
	Bytes       int     `json:"answer_bytes"`
	Calls       int     `json:"calls"`
	// Scale is how many times the calls of one client all of them get answered;
	// 0 with one client.
	Scale float64 `json:"scale,omitempty"`
}

// Mean is the geometric mean of a peer's ratios, and of those by processor time,
// which is 0 where one is.
func (r *Report) Mean(peer int) (ratio, processor float64) {
	a, b := 0.0, 0.0
	for _, q := range r.Questions {
		a, b = a+math.Log(q.Peers[peer].Ratio), b+math.Log(q.Peers[peer].ProcessorRatio)
	}
	n := float64(len(r.Questions))
	return math.Exp(a / n), math.Exp(b / n)
}

// JSON writes the report as a JSON document.
func (r *Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// header returns the names of the columns, lines those of the questions.
func (r *Report) header() []string {
	out := []string{"", "question", "rows"}
	for i, name := range r.Peers {
		out = append(out, name+" µs")
		if i > 0 {
			out = append(out, "×", "× CPU")
		}
		out = append(out, "allocs", "bytes")
		if r.Clients > 1 {
			out = append(out, fmt.Sprintf("%d clients", r.Clients))
		}
	}
	return out
}

func (r *Report) lines() [][]string {
	var out [][]string
	for _, q := range r.Questions {
		line := []string{q.Name, q.About, strconv.Itoa(q.Rows)}
		for i, m := range q.Peers {
			line = append(line, digits(m.Micros))
			if i > 0 {
				line = append(line, digits(m.Ratio), digits(m.ProcessorRatio))
			}
			line = append(line, strconv.Itoa(int(math.Round(m.Allocations))), strconv.Itoa(m.Bytes))
			if r.Clients > 1 {
				line = append(line, strconv.FormatFloat(m.Scale, 'f', 2, 64)+"×")
			}
		}
		out = append(out, line)
	}
	return out
}

// digits shows a number with three digits that count.
func digits(f float64) string {
	switch {
	case f >= 100:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// grouped shows a count with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// means say how the peers compare over all questions, one line each.
func (r *Report) means() []string {
	var out []string
	for i := 1; i < len(r.Peers) && len(r.Questions) > 0; i++ {
		ratio, processor := r.Mean(i)
		line := fmt.Sprintf("%s takes %s times as long as %s", r.Peers[i], digits(ratio), r.Peers[0])
		if processor > 0 {
			line += fmt.Sprintf(", and %s times the processor time", digits(processor))
		}
		out = append(out, line+" (geometric means)")
	}
	return out
}

// Table writes the report as a table for a terminal: medians of a call in
// microseconds, × how many times as long as the first peer, × CPU the same of
// processor time, allocations of a call, and the bytes of its answer.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", r.Graph.Title())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range append([][]string{r.header()}, r.lines()...) {
		fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range r.means() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the table as Markdown.
func (r *Report) Markdown(w io.Writer) error {
	header := r.header()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| %s |\n|---|---|%s\n", r.Graph.Title(), strings.Join(header, " | "), strings.Repeat("--:|", len(header)-2))
	for _, line := range r.lines() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
	}
	for _, line := range r.means() {
		fmt.Fprintf(&b, "\n%s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

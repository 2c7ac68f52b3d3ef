package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The measures of the chart, in pixels.
const (
	chartWidth  = 900
	plotLeft    = 300
	plotRight   = 780
	barHeight   = 13
	groupGap    = 12
	plotTop     = 92
	chartBottom = 46
)

// palette are the colours of the peers' bars, told apart by those who see few
// colours, on light and on dark ground.
var palette = []string{"#0f8a6d", "#d9822b", "#6b7fd7", "#b05a9b"}

// SVG writes a chart: of each question a bar for each peer, as long as the
// logarithm of the median time. It needs no other file, and takes the colours
// of its surroundings: dark where the reader prefers dark.
func (r *Report) SVG(w io.Writer) error {
	group := len(r.Peers)*barHeight + groupGap
	height := plotTop + len(r.Questions)*group + chartBottom
	low, high := r.decades()
	at := func(micros float64) float64 {
		return plotLeft + (plotRight-plotLeft)*(math.Log10(micros)-float64(low))/float64(high-low)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">`+"\n", chartWidth, height, chartWidth, height)
	fmt.Fprintf(&b, "<title id=\"title\">Time of a call</title>\n<desc id=\"desc\">%s</desc>\n", escape(strings.Join(r.means(), "; ")))
	b.WriteString(`<style>
.ground{fill:#ffffff}.ink{fill:#1d2430}.soft{fill:#5b6472}.line{stroke:#d8dde5}
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif}.head{font-size:17px;font-weight:600}.mid{text-anchor:middle}
@media (prefers-color-scheme:dark){.ground{fill:#12161d}.ink{fill:#e8ecf2}.soft{fill:#9aa5b4}.line{stroke:#2c3440}}
</style>
`)
	fmt.Fprintf(&b, `<rect class="ground" width="%d" height="%d"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<text class="ink head" x="20" y="30">Time of a call, logarithmic: shorter is faster</text>`+"\n")
	fmt.Fprintf(&b, `<text class="soft" x="20" y="50">%s</text>`+"\n", escape(r.Graph.Title()))
	x := plotLeft
	for i, name := range r.Peers {
		fmt.Fprintf(&b, `<rect x="%d" y="61" width="12" height="12" fill="%s"/><text class="ink" x="%d" y="72">%s</text>`+"\n", x, colour(i), x+18, escape(name))
		x += 40 + 8*len(name)
	}
	bottom := height - chartBottom
	for d := low; d <= high; d++ {
		x := at(math.Pow10(d))
		fmt.Fprintf(&b, `<line class="line" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text class="soft mid" x="%.1f" y="%d">%s</text>`+"\n", x, plotTop-8, x, bottom, x, bottom+18, span(d))
	}
	for n, q := range r.Questions {
		top := plotTop + n*group
		middle := top + len(r.Peers)*barHeight/2 + 4
		fmt.Fprintf(&b, `<text class="ink" x="20" y="%d">%s</text><text class="soft" x="52" y="%d">%s</text>`+"\n", middle, escape(q.Name), middle, escape(q.About))
		for i, m := range q.Peers {
			y := top + i*barHeight
			label := duration(m.Micros)
			if i > 0 {
				label += " · " + digits(m.Ratio) + "×"
			}
			end := max(at(m.Micros), plotLeft+1)
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/><text class="ink" x="%.1f" y="%d">%s</text>`+"\n",
				plotLeft, y, end-plotLeft, barHeight-2, colour(i), end+5, y+barHeight-3, label)
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// HTML writes the chart as a page of its own.
func (r *Report) HTML(w io.Writer) error {
	if _, err := io.WriteString(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Time of a call</title>
<style>body{margin:24px;color-scheme:light dark;background:#fff}svg{max-width:100%;height:auto}@media (prefers-color-scheme:dark){body{background:#12161d}}</style></head><body>
`); err != nil {
		return err
	}
	if err := r.SVG(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</body></html>\n")
	return err
}

// decades are the powers of ten, in microseconds, between which all medians are.
func (r *Report) decades() (low, high int) {
	low, high = math.MaxInt, math.MinInt
	for _, q := range r.Questions {
		for _, m := range q.Peers {
			lg := math.Log10(max(m.Micros, 0.001))
			low, high = min(low, int(math.Floor(lg))), max(high, int(math.Ceil(lg)))
		}
	}
	if low > high {
		return 0, 1
	}
	return low, max(high, low+1)
}

// span names a power of ten of microseconds.
func span(power int) string {
	switch {
	case power < 0:
		return digitsOf(power+3) + " ns"
	case power < 3:
		return digitsOf(power) + " µs"
	case power < 6:
		return digitsOf(power-3) + " ms"
	}
	return digitsOf(power-6) + " s"
}

// duration shows microseconds in the unit that suits them.
func duration(micros float64) string {
	switch {
	case micros < 1:
		return digits(micros*1000) + " ns"
	case micros < 1000:
		return digits(micros) + " µs"
	case micros < 1e6:
		return digits(micros/1000) + " ms"
	}
	return digits(micros/1e6) + " s"
}

func digitsOf(power int) string { return fmt.Sprintf("%.0f", math.Pow10(power)) }

func colour(peer int) string { return palette[peer%len(palette)] }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(text string) string { return escaper.Replace(text) }

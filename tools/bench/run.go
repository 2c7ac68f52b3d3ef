package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/trellisgraph/trellis/store/social"
)

// Options say how to measure. The zero value is a sound default.
type Options struct {
	// Time is how long each peer is asked each question; 300 ms if it is zero.
	Time time.Duration
	// Clients is how many ask at once, beside one alone; nobody does if it is
	// below 2.
	Clients int
	// Progress is told each question when it is done. Nil means nobody.
	Progress func(Question)
}

// The turns of peers: a turn lasts about this long, or one call; and each peer
// has so many at least.
const (
	turn       = 500 * time.Microsecond
	leastTurns = 3
)

// Run asks each question of each peer. The first peer is the one that others
// are compared with: the error is that of a peer, or tells where the rows of
// another differ from the first one's.
func Run(ctx context.Context, questions []social.Question, peers []*Peer, o Options) (_ *Report, err error) {
	if o.Time <= 0 {
		o.Time = 300 * time.Millisecond
	}
	report := &Report{Format: "trellis.bench.v1", Clients: max(o.Clients, 1)}
	askers := make([][]asker, len(peers)) // of each peer, by client
	for i, p := range peers {
		report.Peers = append(report.Peers, p.Name)
		for range report.Clients {
			ask, free, e := p.client(ctx)
			if e != nil {
				return nil, errors.Join(err, fmt.Errorf("%s: %w", p.Name, e))
			}
			defer func() { err = errors.Join(err, free()) }()
			askers[i] = append(askers[i], ask)
		}
	}
	counts := map[string]int{}
	for _, q := range questions {
		if counts[q.Name], err = verify(ctx, q, peers, askers); err != nil {
			return nil, err
		}
	}
	for _, q := range questions {
		line := Question{Name: q.Name, About: q.About, Rows: counts[q.Name]}
		if line.Peers, err = measure(ctx, q, askers, o.Time); err != nil {
			return nil, err
		}
		if o.Clients > 1 {
			if err := together(ctx, q, askers, o.Time, line.Peers); err != nil {
				return nil, err
			}
		}
		for i := 1; i < len(peers); i++ {
			line.Peers[i].Ratio = line.Peers[i].Micros / line.Peers[0].Micros
			if first := line.Peers[0].Processor; first > 0 {
				line.Peers[i].ProcessorRatio = line.Peers[i].Processor / first
			}
		}
		report.Questions = append(report.Questions, line)
		if o.Progress != nil {
			o.Progress(line)
		}
	}
	return report, nil
}

// verify asks a question of all peers and compares their rows. It returns how
// many there are.
func verify(ctx context.Context, q social.Question, peers []*Peer, askers [][]asker) (int, error) {
	var first []row
	for i, p := range peers {
		for _, ask := range askers[i] {
			document, err := ask(ctx, q)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", p.Name, err)
			}
			if p.rows == nil {
				continue
			}
			rows, err := p.rows(q.Name, document)
			if err != nil {
				return 0, fmt.Errorf("%s: %s: the answer: %w", p.Name, q.Name, err)
			}
			if i == 0 {
				first = rows
			} else if text := differ(peers[0].Name, p.Name, first, rows); text != "" {
				return 0, fmt.Errorf("%s is answered differently: %s", q.Name, text)
			}
		}
	}
	return len(first), nil
}

// measure lets the peers take turns with one question.
func measure(ctx context.Context, q social.Question, askers [][]asker, each time.Duration) ([]Measure, error) {
	out := make([]Measure, len(askers))
	calls := make([]int, len(askers)) // of a turn
	for i := range askers {
		once, err := allocations(ctx, q, askers[i][0], &out[i])
		if err != nil {
			return nil, err
		}
		calls[i] = int(max(1, turn/max(once, 1)))
	}
	spent := make([]time.Duration, len(askers))
	turns := make([][]time.Duration, len(askers))
	used := make([]time.Duration, len(askers))
	for done := false; !done; {
		done = true
		for i := range askers {
			if spent[i] >= each && len(turns[i]) >= leastTurns {
				continue
			}
			done = false
			before := processorTime()
			took, err := ask(ctx, q, askers[i][0], calls[i])
			if err != nil {
				return nil, err
			}
			used[i] += processorTime() - before
			spent[i] += took
			turns[i] = append(turns[i], took/time.Duration(calls[i]))
			out[i].Calls += calls[i]
		}
	}
	for i := range out {
		slices.Sort(turns[i])
		out[i].Micros = microseconds(turns[i][len(turns[i])/2])
		out[i].Least = microseconds(turns[i][0])
		out[i].Processor = microseconds(used[i]) / float64(out[i].Calls)
	}
	return out, nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// ask makes so many calls, and returns the time they took.
func ask(ctx context.Context, q social.Question, to asker, calls int) (time.Duration, error) {
	start := time.Now()
	for range calls {
		if _, err := to(ctx, q); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// allocations counts what a call allocates, and returns how long it takes once
// what it needs is warm.
func allocations(ctx context.Context, q social.Question, to asker, m *Measure) (time.Duration, error) {
	document, err := to(ctx, q)
	if err != nil {
		return 0, err
	}
	m.Bytes = len(document)
	once, err := ask(ctx, q, to, 1)
	if err != nil {
		return 0, err
	}
	calls := int(min(200, max(1, turn/max(once, 1))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took, err := ask(ctx, q, to, calls)
	runtime.ReadMemStats(&after)
	if err != nil {
		return 0, err
	}
	m.Allocations = float64(after.Mallocs-before.Mallocs) / float64(calls)
	m.Allocated = float64(after.TotalAlloc-before.TotalAlloc) / float64(calls)
	return took / time.Duration(calls), nil
}

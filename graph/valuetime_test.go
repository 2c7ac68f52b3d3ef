package graph

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Dates and instants are written as package time writes them.
func TestTimesAreWrittenAsTimeDoes(t *testing.T) {
	check := func(micros int64) {
		at := time.UnixMicro(micros).UTC()
		require.Equal(t, at.Format("2006-01-02T15:04:05.999999Z"), string(appendInstant(nil, micros)), micros)
	}
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	for day := int64(firstDay - 400); day < firstDay+800; day++ {
		require.Equal(t, time.Unix(day*secondsOfDay, 0).UTC().Format("2006-01-02"), string(appendDate(nil, day)), day)
		end := lastDay - day + firstDay
		require.Equal(t, time.Unix(end*secondsOfDay, 0).UTC().Format("2006-01-02"), string(appendDate(nil, end)), end)
	}
	for day := first.Unix() / secondsOfDay; day <= last.Unix()/secondsOfDay; day++ {
		if day%7 == 0 || day%1461 < 3 {
			require.Equal(t, time.Unix(day*secondsOfDay, 0).UTC().Format("2006-01-02"), string(appendDate(nil, day)), day)
		}
	}
	for _, micros := range []int64{0, -1, 1, 999_999, -1_000_000, 10, 100_000, first.UnixMicro(), last.UnixMicro(), 1 << 62} {
		check(micros)
	}
	d := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		check(first.UnixMicro() + d.Int64N(last.UnixMicro()-first.UnixMicro()))
	}
}

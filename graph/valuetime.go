package graph

import "time"

const (
	secondsOfDay   = 24 * 60 * 60
	microsOfSecond = 1_000_000
)

// The days after 1970-01-01 that answers can have: of the years 0 to 9999.
const (
	firstDay = -719528
	lastDay  = 2932896
)

// AppendJSONDate appends the day that lies so many days after 1970-01-01, as
// answers show a date.
func AppendJSONDate(b []byte, days int64) []byte {
	return append(appendDate(append(b, '"'), days), '"')
}

// AppendJSONDateTime appends the instant that many microseconds after 1970, as
// answers show a datetime.
func AppendJSONDateTime(b []byte, micros int64) []byte {
	return append(appendInstant(append(b, '"'), micros), '"')
}

// appendDate appends the day that lies so many days after 1970-01-01.
func appendDate(b []byte, days int64) []byte {
	if days < firstDay || days > lastDay { // no date of an answer
		return time.Unix(days*secondsOfDay, 0).UTC().AppendFormat(b, "2006-01-02")
	}
	year, month, day := civil(int32(days))
	return append(b, tens(year/100), digit(year/100), tens(year%100), digit(year),
		'-', tens(month), digit(month), '-', tens(day), digit(day))
}

// appendInstant appends the instant that many microseconds after 1970, with as
// many digits after the second as it needs.
func appendInstant(b []byte, micros int64) []byte {
	days := micros / (secondsOfDay * microsOfSecond)
	rest := micros % (secondsOfDay * microsOfSecond)
	if rest < 0 {
		days, rest = days-1, rest+secondsOfDay*microsOfSecond
	}
	b = appendDate(b, days)
	seconds, part := uint32(rest/microsOfSecond), uint32(rest%microsOfSecond)
	minutes := seconds / 60
	hour, minute, second := minutes/60, minutes%60, seconds%60
	b = append(b, 'T', tens(hour), digit(hour), ':', tens(minute), digit(minute), ':', tens(second), digit(second))
	if part > 0 {
		high, middle, low := part/10_000, part/100%100, part%100
		b = append(b, '.', tens(high), digit(high), tens(middle), digit(middle), tens(low), digit(low))
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z')
}

// tens and digit are the digits of a number below 100.
func tens(n uint32) byte  { return '0' + byte(n/10%10) }
func digit(n uint32) byte { return '0' + byte(n%10) }

// civil is the date of a day after 1970-01-01, in the proleptic Gregorian
// calendar, for years from 0 on. C. Neri, L. Schneider, Euclidean affine
// functions and their application to calendar algorithms, 2023.
func civil(days int32) (year, month, day uint32) {
	fromMarch := uint32(days + 719468 + 146097) // of the year -400
	n := 4*fromMarch + 3
	century, inCentury := n/146097, n%146097/4
	product := 2939745 * uint64(4*inCentury+3)
	inYear := uint32(product) / 2939745 / 4
	n = 2141*inYear + 197913
	year, month, day = 100*century+uint32(product>>32)-400, n>>16, n&0xffff/2141+1
	if inYear >= 306 { // January and February
		year, month = year+1, month-12
	}
	return year, month, day
}

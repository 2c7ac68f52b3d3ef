package graph

import "time"

const (
	secondsOfDay   = 24 * 60 * 60
	microsOfSecond = 1_000_000
)

// appendDate appends the day that lies so many days after 1970-01-01.
func appendDate(b []byte, days int64) []byte {
	year, month, day := civil(days)
	if year < 0 || year > 9999 { // no date of an answer
		return time.Unix(days*secondsOfDay, 0).UTC().AppendFormat(b, "2006-01-02")
	}
	b = appendTwo(b, year/100)
	b = appendTwo(b, year%100)
	b = appendTwo(append(b, '-'), month)
	return appendTwo(append(b, '-'), day)
}

// appendInstant appends the instant that many microseconds after 1970, with as
// many digits after the second as it needs.
func appendInstant(b []byte, micros int64) []byte {
	days := micros / (secondsOfDay * microsOfSecond)
	rest := micros % (secondsOfDay * microsOfSecond)
	if rest < 0 {
		days, rest = days-1, rest+secondsOfDay*microsOfSecond
	}
	b = append(appendDate(b, days), 'T')
	second := rest / microsOfSecond
	b = appendTwo(b, second/3600)
	b = appendTwo(append(b, ':'), second/60%60)
	b = appendTwo(append(b, ':'), second%60)
	if part := rest % microsOfSecond; part > 0 {
		b = append(b, '.')
		b = appendTwo(b, part/10_000)
		b = appendTwo(b, part/100%100)
		b = appendTwo(b, part%100)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z')
}

func appendTwo(b []byte, n int64) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// civil is the date of a day after 1970-01-01, in the proleptic Gregorian
// calendar. H. Hinnant, chrono-Compatible Low-Level Date Algorithms.
func civil(days int64) (year, month, day int64) {
	days += 719468 // from 0000-03-01
	era := days / 146097
	if days < 0 {
		era = (days - 146096) / 146097
	}
	inEra := days - era*146097
	inYears := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	inYear := inEra - (365*inYears + inYears/4 - inYears/100)
	shifted := (5*inYear + 2) / 153 // months from March
	day = inYear - (153*shifted+2)/5 + 1
	month, year = shifted+3, inYears+era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, day
}

package memory

import (
	"time"
)

const (
	minMicros = -62135596800_000_000 // 0001-01-01T00:00:00Z
	maxMicros = 253402300799_999_999 // 9999-12-31T23:59:59.999999Z
	minDays   = -719162
	maxDays   = 2932896
)

const yearRange = " is outside the years 0001 to 9999"

// parseDate reads YYYY-MM-DD.
func parseDate(text []byte) (cell, string) {
	days, ok := readDate(text)
	switch {
	case !ok || len(text) != 10:
		return cell{}, quote(text) + " is not a date: want YYYY-MM-DD"
	case days < minDays:
		return cell{}, quote(text) + yearRange
	}
	return cell{num: days}, ""
}

// parseDateTime reads RFC 3339 with at most six digits of a second. Without an
// offset it is UTC; a space may stand for the T.
func parseDateTime(text []byte) (cell, string) {
	const want = " is not a datetime: want RFC 3339, such as 2006-01-02T15:04:05Z"
	if len(text) < 19 || text[10] != 'T' && text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return cell{}, quote(text) + want
	}
	days, ok := readDate(text[:10])
	hour, ok1 := twoDigits(text[11:], 23)
	minute, ok2 := twoDigits(text[14:], 59)
	second, ok3 := twoDigits(text[17:], 59)
	if !ok || !ok1 || !ok2 || !ok3 {
		return cell{}, quote(text) + want
	}
	micros := (days*86400 + hour*3600 + minute*60 + second) * 1_000_000
	rest := text[19:]
	if len(rest) > 1 && rest[0] == '.' {
		unit := int64(100_000)
		for rest = rest[1:]; len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'; rest = rest[1:] {
			if unit == 0 {
				return cell{}, quote(text) + " has more than six digits of a second"
			}
			micros += int64(rest[0]-'0') * unit
			unit /= 10
		}
		if unit == 100_000 {
			return cell{}, quote(text) + want
		}
	}
	offset, ok := readOffset(rest)
	if !ok {
		return cell{}, quote(text) + want
	}
	micros -= offset * 60_000_000
	if micros < minMicros || micros > maxMicros {
		return cell{}, quote(text) + yearRange
	}
	return cell{num: micros}, ""
}

// readOffset reads a zone's offset in minutes.
func readOffset(text []byte) (minutes int64, ok bool) {
	switch {
	case len(text) == 0, len(text) == 1 && text[0] == 'Z':
		return 0, true
	case len(text) != 6 || text[3] != ':' || text[0] != '+' && text[0] != '-':
		return 0, false
	}
	hour, ok1 := twoDigits(text[1:], 23)
	minute, ok2 := twoDigits(text[4:], 59)
	minutes = hour*60 + minute
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, ok1 && ok2
}

// readDate reads YYYY-MM-DD in days since 1970-01-01. The year 0000 is before
// minDays.
func readDate(text []byte) (days int64, ok bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	century, ok1 := twoDigits(text, 99)
	year, ok2 := twoDigits(text[2:], 99)
	month, ok3 := twoDigits(text[5:], 12)
	day, ok4 := twoDigits(text[8:], 31)
	year += century * 100
	if !ok1 || !ok2 || !ok3 || !ok4 || month == 0 || day == 0 || day > monthDays(year, month) {
		return 0, false
	}
	return daysFromCivil(year, month, day), true
}

func monthDays(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysFromCivil counts days in the proleptic Gregorian calendar, with years
// that start in March: Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms". The year is at least 0.
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	year += 400 // keeps the era of January and February 0000 positive
	era := year / 400
	inEra := year % 400
	inYear := (153*(month-3)+2)/5 + day - 1
	return (era-1)*146097 + inEra*365 + inEra/4 - inEra/100 + inYear - 719468
}

func twoDigits(text []byte, most int64) (int64, bool) {
	a, b := text[0]-'0', text[1]-'0'
	n := int64(a)*10 + int64(b)
	return n, a <= 9 && b <= 9 && n <= most
}

// inYears reports whether t lies in the years 0001 to 9999 of UTC.
func inYears(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1 && year <= 9999
}

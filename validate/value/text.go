package value

import "strconv"

// Text returns the value as it stands in an interpolated string: a string as it is, decimals in the shortest exact form, times as
// RFC 3339 in UTC, durations in the largest whole unit, enums by name, lists, maps, records and json as JSON. Errors:
// memory_limit.
func Text(v Value) (string, error) {
	if v.kind == String {
		return v.Str(), nil
	}
	if v.Size() > MaxSize {
		return "", tooLarge()
	}
	return string(AppendText(nil, v)), nil
}

// AppendText appends what Text returns.
func AppendText(dst []byte, v Value) []byte {
	switch v.kind {
	case String:
		return append(dst, v.Str()...)
	case Duration:
		return appendDuration(dst, v.num)
	case Time:
		return appendTime(dst, v.num)
	case Enum:
		return append(dst, v.EnumName()...)
	}
	return AppendJSON(dst, v)
}

// String returns the value for messages: as Text does, but strings in quotes and long values cut.
func (v Value) String() string {
	const most = 200
	if v.kind == String && v.Len() > most {
		v = OfString(cut(v.Str(), most))
	}
	if v.kind == String {
		return strconv.Quote(v.Str())
	}
	if v.Size() > MaxSize {
		return "a large " + v.Kind().String()
	}
	return cut(string(AppendText(nil, v)), most)
}

// cut shortens a text to so many bytes, at the start of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}

// appendDuration appends a duration in its largest whole unit: 90m, 2d, 0s; a fraction of a second as 0.25s, which JSON takes
// and the language does not.
func appendDuration(dst []byte, us int64) []byte {
	abs := absolute(us)
	if us < 0 {
		dst = append(dst, '-')
	}
	for _, u := range units {
		if us != 0 && abs%uint64(u.micros) == 0 {
			return append(strconv.AppendUint(dst, abs/uint64(u.micros), 10), u.name)
		}
	}
	dst = strconv.AppendUint(dst, abs/second, 10)
	return append(appendFraction(dst, int(abs%second)), 's')
}

// appendFraction appends microseconds as a fraction without zeros at its end, nothing for 0.
func appendFraction(dst []byte, us int) []byte {
	if us == 0 {
		return dst
	}
	dst = append(dst, '.')
	for p := 100_000; us > 0; p /= 10 {
		dst = append(dst, byte('0'+us/p))
		us %= p
	}
	return dst
}

// units from the largest.
var units = [...]struct {
	name   byte
	micros int64
}{{'d', day}, {'h', hour}, {'m', minute}, {'s', second}}

// appendTime appends an instant as RFC 3339 in UTC with as many places of a second as it has.
func appendTime(dst []byte, us int64) []byte {
	days, rest := us/day, us%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	y, m, d := civil(days)
	dst = append(appendPadded(dst, y, 4), '-')
	dst = append(appendPadded(dst, m, 2), '-')
	dst = append(appendPadded(dst, d, 2), 'T')
	dst = append(appendPadded(dst, int(rest/hour), 2), ':')
	dst = append(appendPadded(dst, int(rest/minute%60), 2), ':')
	dst = appendPadded(dst, int(rest/second%60), 2)
	return append(appendFraction(dst, int(rest%second)), 'Z')
}

func appendPadded(dst []byte, n, width int) []byte {
	p := 1
	for ; width > 1; width-- {
		p *= 10
	}
	for ; p > 0; p /= 10 {
		dst = append(dst, byte('0'+n/p%10))
	}
	return dst
}

// civil turns days since 1970-01-01 into year, month and day of the proleptic Gregorian calendar. It counts in eras of 400 years
// that begin with March, so that the leap day is the last of its year.
func civil(days int64) (y, m, d int) {
	z := days + 719468
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	ofEra := z - era*146097
	year := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*year + year/4 - year/100)
	month := (5*ofYear + 2) / 153
	d = int(ofYear - (153*month+2)/5 + 1)
	m = int((month+2)%12 + 1)
	y = int(year + era*400)
	if m <= 2 {
		y++
	}
	return y, m, d
}

// daysOf is the inverse of civil.
func daysOf(y, m, d int) int64 {
	if m <= 2 {
		y--
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	ofEra := y - era*400
	ofYear := (153*((m+9)%12)+2)/5 + d - 1
	return int64(era)*146097 + int64(ofEra*365+ofEra/4-ofEra/100+ofYear) - 719468
}

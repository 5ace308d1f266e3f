package builtin

import (
	"fmt"
	"strings"

	"flowc/validate/value"
)

// A numberPattern is a compiled pattern of format(d, "…"): zeros are digits that are always written, `#` such that are written
// when they are not 0 at the end (after the point), a comma before the last three digits groups thousands.
type numberPattern struct {
	whole    int // digits before the point, at least
	fraction int // digits after it, at least
	most     int // digits after it, at most
	grouped  bool
}

func parseNumberPattern(s string) (numberPattern, error) {
	bad := func() (numberPattern, error) {
		return numberPattern{}, fmt.Errorf("%q is no pattern for a number: write one such as \"0.00\", \"0.##\" or \"#,##0.00\"", s)
	}
	if len(s) > MaxPattern {
		return numberPattern{}, fmt.Errorf("a pattern of more than %d characters", MaxPattern)
	}
	left, right, point := strings.Cut(s, ".")
	var p numberPattern
	if i := strings.LastIndexByte(left, ','); i >= 0 {
		if len(left)-i != 4 || strings.Count(left, ",") > 1 {
			return bad()
		}
		p.grouped, left = true, left[:i]+left[i+1:]
	}
	zeros := strings.TrimLeft(left, "#")
	hashes := strings.TrimLeft(right, "0")
	p.whole, p.fraction, p.most = len(zeros), len(right)-len(hashes), len(right)
	if strings.Trim(zeros, "0") != "" || strings.Trim(hashes, "#") != "" || point && right == "" || left+right == "" {
		return bad()
	}
	return p, nil
}

// format writes a decimal, rounded with halves away from zero.
func (p numberPattern) format(d value.Value) (string, error) {
	rounded, err := value.Round(d, int64(p.most))
	if err != nil {
		return "", err
	}
	number := fmt.Sprintf("%f", rounded.Decimal())
	number, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(number, ".")
	if whole = strings.TrimLeft(whole, "0"); len(whole) < p.whole {
		whole = strings.Repeat("0", p.whole-len(whole)) + whole
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) < p.fraction {
		fraction += strings.Repeat("0", p.fraction-len(fraction))
	}
	if p.grouped {
		whole = group(whole)
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	if whole+fraction == "" {
		whole = "0"
	}
	if negative {
		whole = "-" + whole
	}
	return whole + fraction, nil
}

// group puts commas between thousands.
func group(digits string) string {
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

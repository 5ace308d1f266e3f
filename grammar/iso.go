package grammar

import (
	"math/big"
	"regexp"
	"strings"
)

// isoPattern is a duration of ISO 8601. The small letters that some libraries write are taken only behind `pt`, since `p1d` is as
// well a name.
var isoPattern = regexp.MustCompile(strings.ReplaceAll(
	`^(?:P(?:#W)?(?:#D)?(?:T(?:#H)?(?:#M)?(?:#S)?)?|pt(?:#h)?(?:#m)?(?:#s)?)$`, "#", `(\d{1,6}(?:\.\d{1,6})?)`))

// isoUnits are the seconds of the pattern's groups.
var isoUnits = []int64{7 * 86400, 86400, 3600, 60, 1, 3600, 60, 1}

func isISO(text string) bool {
	_, ok := isoSeconds(text)
	return ok
}

// isoSeconds is the length of a duration of ISO 8601 such as `PT6H` or `P1DT12H`; it reports false for what is none, for years and
// months, which have no fixed length, and for what is no whole number of seconds, or zero.
func isoSeconds(text string) (seconds int64, ok bool) {
	if len(text) < 3 || text[0] != 'P' && text[0] != 'p' {
		return 0, false
	}
	total := new(big.Rat)
	for i, part := range isoPattern.FindStringSubmatch(text) {
		if i == 0 || part == "" {
			continue
		}
		n, valid := new(big.Rat).SetString(part)
		if !valid {
			return 0, false
		}
		total.Add(total, n.Mul(n, big.NewRat(isoUnits[i-1], 1)))
	}
	if !total.IsInt() || total.Sign() == 0 {
		return 0, false
	}
	return total.Num().Int64(), true
}

var isoMonths = regexp.MustCompile(`^P(?:\d{1,6}Y(?:\d{1,6}M)?|\d{1,6}M)(?:\d{1,6}D)?(?:T[\dHMS.]*)?$`)

// HasMonths says whether a text is a duration of ISO 8601 in years or months, such as `P1M`. They differ in length, so the language
// has no unit for them.
func HasMonths(text string) bool { return isoMonths.MatchString(text) }

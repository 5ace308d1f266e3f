package api

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// A Duration is written as in the language: a whole number and one unit, at most 3650d.
type Duration time.Duration

const durationPattern = `^[0-9]+[smhd]$`

var (
	durationRule  = regexp.MustCompile(durationPattern)
	durationUnits = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
)

const maxDuration = 3650 * 24 * time.Hour

// ParseDuration reads a duration as the language writes it.
func ParseDuration(s string) (time.Duration, error) {
	if !durationRule.MatchString(s) {
		return 0, fmt.Errorf("%q is no duration: write a whole number and one unit of s, m, h or d, such as 30s, 10m, 6h or 2d", s)
	}
	unit := durationUnits[s[len(s)-1]]
	n, err := strconv.ParseInt(s[:len(s)-1], 10, 64)
	if err != nil || n > int64(maxDuration/unit) {
		return 0, fmt.Errorf("%s is longer than 3650d, the longest duration", s)
	}
	return time.Duration(n) * unit, nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Schema describes a duration.
func (Duration) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: durationPattern, Description: "A whole number and one unit of s, m, h or d; at most 3650d", Examples: []any{"30s"}}
}

// Go gives the duration as the standard library has it.
func (d Duration) Go() time.Duration { return time.Duration(d) }

// A Page is one page of a list. Next is the cursor of the following page, null on the last one.
type Page[T any] struct {
	Items []T     `json:"items" nullable:"false"`
	Next  *string `json:"next"`
}

func page[T any](items []T, next string) Page[T] {
	p := Page[T]{Items: orEmpty(items)}
	if next != "" {
		p.Next = &next
	}
	return p
}

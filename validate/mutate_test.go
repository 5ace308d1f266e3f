package validate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/validate"
)

// pieces are what mutations put into files: words that mean much, and letters that mean little.
var pieces = strings.Fields(`event timeout self null not always -> every data state final entry run invoke history ) ( } { [ ] , : = == . "x" 1h 0s -5m
	5 x! ?? ? parallel region use as when go wait call try catch fails each in join a.b.c import fragment fn => 99999d`)

// Files with a few words put in, taken out or swapped are checked without a panic and in a short time.
func TestMutatedFilesAreChecked(t *testing.T) {
	rounds := 4
	if *full {
		rounds = 60
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dir := range []string{"run", "validate", "more"} {
		sources := cases(t, dir)
		names := make([]string, 0, len(sources))
		for name := range sources {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			for range rounds {
				src := mutate(rng, sources[name])
				begin := time.Now()
				validate.CheckText(name, src)
				if took := time.Since(begin); took > 20*time.Second {
					t.Fatalf("%s took %v:\n%s", name, took, src)
				}
			}
		}
	}
}

func mutate(rng *rand.Rand, src string) string {
	words := strings.SplitAfter(src, " ")
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(words))
		switch rng.IntN(4) {
		case 0:
			words[i] = ""
		case 1:
			words[i] += pieces[rng.IntN(len(pieces))] + " "
		case 2:
			words[i] = pieces[rng.IntN(len(pieces))] + " "
		case 3:
			j := rng.IntN(len(words))
			words[i], words[j] = words[j], words[i]
		}
	}
	return strings.Join(words, "")
}

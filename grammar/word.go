package grammar

import (
	"fmt"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// wordUnexpected words the fault for a token that participle did not expect
// while it read the construct that begins with the keyword.
func wordUnexpected(lex *lexer.PeekingLexer, keyword string, err *participle.UnexpectedTokenError) error {
	f, _ := missing(lex, expected(err)).(*faultError)
	f.Help = synopsis[keyword]
	return f
}

// expected gives what participle expected, in the words of the language.
func expected(err *participle.UnexpectedTokenError) string {
	_, text, found := strings.Cut(err.Message(), "(expected ")
	if !found {
		return "a value"
	}
	return text
}

// wordUnknown words the fault for something that begins nothing here.
func wordUnknown(lex *lexer.PeekingLexer, what string, words map[string]bool) error {
	t := lex.Peek()
	return faultAt(tokenSpan(t), fmt.Sprintf("`%s` begins no %s", t.Value, what), "")
}

// nearest finds the word that a misspelt one is probably meant as.
func nearest(word string, words map[string]bool) string {
	best, bestAt := "", 3
	names := make([]string, 0, len(words))
	for name := range words {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if d := distance(word, name); d < bestAt && d < max(2, len(name)/2+1) {
			best, bestAt = name, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, change or swap.
func distance(a, b string) int {
	if len(a) > 24 || len(b) > 24 {
		return 99
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

var synopsis = map[string]string{}

package grammar

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lookalikes are letters of other scripts that most fonts draw like one of a-z or A-Z, so that nobody sees the difference.
var lookalikes = func() map[rune]rune {
	table := map[rune]rune{}
	for _, pair := range []struct{ foreign, plain string }{
		{"аеорсухіјѕһԁԛԝ", "aeopcyxijshdqw"},       // Cyrillic
		{"АВЕКМНОРСТХІЈЅ", "ABEKMHOPCTXIJS"},       // Cyrillic
		{"οѵνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovvABEZHIKMNOPTYX"}, // Greek, and the Cyrillic izhitsa
		{"ıſ", "is"}, // Latin
	} {
		plain := []rune(pair.plain)
		for i, r := range []rune(pair.foreign) {
			table[r] = plain[i]
		}
	}
	return table
}()

// plainRune is the letter, digit or point of the language that one of another script certainly means, or the rune itself.
// Superscripts, fractions and Roman numerals mean something else than their digits and stay what they are.
func plainRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case unicode.Is(unicode.Nd, r):
		return plainDigit(r)
	case r >= 'ａ' && r <= 'ｚ':
		return 'a' + r - 'ａ'
	case r >= 'Ａ' && r <= 'Ｚ':
		return 'A' + r - 'Ａ'
	case r >= 0x1D400 && r <= 0x1D6A3: // thirteen alphabets for formulas: bold, italic, …
		return rune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1D400)%52])
	case isPoint(r):
		return '.'
	case r == '＿':
		return '_'
	}
	if plain, ok := lookalikes[r]; ok {
		return plain
	}
	return r
}

// isPoint says whether a rune stands between the digits of a decimal, in ASCII, in full width or in Arabic.
func isPoint(r rune) bool { return r == '.' || r == '．' || r == '٫' }

// plainDigit is a digit of any script as 0 to 9. Unicode keeps the ten digits of a script together and in order, and tables of
// several scripts side by side begin with a zero.
func plainDigit(r rune) rune {
	r16, r32 := unicode.Nd.R16, unicode.Nd.R32
	if i := sort.Search(len(r16), func(i int) bool { return rune(r16[i].Hi) >= r }); i < len(r16) {
		return '0' + (r-rune(r16[i].Lo))%10
	}
	i := sort.Search(len(r32), func(i int) bool { return rune(r32[i].Hi) >= r })
	return '0' + (r-rune(r32[i].Lo))%10
}

// plainText writes a word or a number with the letters and digits of the language where each foreign one certainly means one.
func plainText(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(plainRune, text)
		}
	}
	return text
}

// plainName is the name that a word in foreign letters certainly means, or "".
func plainName(text string) string {
	plain := plainText(text)
	if tokens := Lex([]byte(plain)); plain == text || len(tokens) != 1 || tokens[0].Kind != Ident_ {
		return ""
	}
	return plain
}

// firstForeign is the first letter of a word that the language does not have.
func firstForeign(text string) rune {
	for _, r := range text {
		if r >= utf8.RuneSelf {
			return r
		}
	}
	return utf8.RuneError
}

// wordRune is the size of the letter, mark or digit outside of ASCII at an offset, 0 when there is none.
func (s *scanner) wordRune(at int) int {
	if at >= len(s.src) || s.src[at] < utf8.RuneSelf {
		return 0
	}
	r, size := utf8.DecodeRune(s.src[at:])
	if size > 1 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == '＿') {
		return size
	}
	return 0
}

// pointAt is the size of the decimal point at an offset that has a digit behind it, 0 when there is none.
func (s *scanner) pointAt(at int) int {
	if at >= len(s.src) {
		return 0
	}
	r, size := utf8.DecodeRune(s.src[at:])
	if next, _ := utf8.DecodeRune(s.src[at+size:]); isPoint(r) && unicode.IsDigit(next) {
		return size
	}
	return 0
}

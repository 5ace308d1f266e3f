package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// manyLines writes a file without a finding that has at least so many lines: flows of one sort with their declarations and tests.
func manyLines(lines int) string {
	var b strings.Builder
	for i := 0; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, `const window_%[1]d = 2d

event paid_%[1]d(reference: string, amount: decimal)
event cancelled_%[1]d(reason: string)

task charge_%[1]d(order_id: string, amount: decimal) -> (receipt: string)
  fails "declined" within 30s retry 4 backoff 2s..1m
task mail_%[1]d(to: string, template: string) within 30s retry 3 backoff 5s

// Waits for its payment, is charged, and never waits for ever.
flow order_%[1]d(order_id: string, amount: decimal, email: string) -> (receipt: string?) {
  data {
    receipt: string?
    reference: string = ""
    reminders: int = 0
  }

  timeout 30d
  on timeout -> expired
  on cancel -> cancelled
  initial waiting

  state waiting {
    timeout window_%[1]d
    after 1h {
      dispatch mail_%[1]d(to: email, template: "still-there")
    }
    every 12h for window_%[1]d {
      reminders = reminders + 1
    }
    on paid_%[1]d when event.reference != "" and event.amount >= amount -> charging {
      reference = event.reference
    }
    on cancelled_%[1]d -> cancelled {
      note "cancelled: {event.reason}"
    }
    on timeout -> cancelled
  }

  state charging {
    do charge_%[1]d(order_id: order_id, amount: amount)
    on completed -> done {
      receipt = event.receipt
    }
    on error when event.code == "declined" -> waiting
    on error -> cancelled
    on cancelled_%[1]d {
      refuse "the card is being charged"
    }
  }

  final done
  final cancelled as cancelled
  final expired as failure
}

test "order %[1]d is paid" {
  start order_%[1]d(order_id: "A", amount: 20.0, email: "a@example.org")
  send paid_%[1]d(reference: "r", amount: 20.0)
  complete charge_%[1]d with (receipt: "r-1")
  expect final done
}

`, i)
	}
	return b.String()
}

const benchLines = 2000

// measure reports the median and the slowest hundredth of what a benchmark does.
func measure(b *testing.B, ask func(i int)) {
	took := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	for i := range b.N {
		began := time.Now()
		ask(i)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// typing is a session with a large file, and a place in its middle where letters are typed.
func typing(b *testing.B) (s *Session, offset int, keystroke func(i int)) {
	text := manyLines(benchLines)
	half := len(text) / 2
	offset = half + strings.Index(text[half:], " -> charging") + len(" -> ")
	s = NewSession(Options{})
	s.Open("a.flow", 1, text)
	if found, _ := s.Snapshot().Diagnostics("a.flow"); len(found) > 0 {
		b.Fatalf("the file has findings: %v", found[0])
	}
	at := NewMapper([]byte(text), UTF16).Position(offset)
	version := int32(1)
	return s, offset, func(i int) {
		version++
		change := Change{Range: &Range{at, at}, Text: "x"}
		if i%2 == 1 {
			change = Change{Range: &Range{at, Position{at.Line, at.Character + 1}}}
		}
		if err := s.Change("a.flow", version, UTF16, []Change{change}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDiagnosticsAfterKeystroke is from a typed letter to the findings of a file of 2,000 lines.
func BenchmarkDiagnosticsAfterKeystroke(b *testing.B) {
	s, _, keystroke := typing(b)
	measure(b, func(i int) {
		keystroke(i)
		s.Snapshot().Diagnostics("a.flow")
	})
}

// BenchmarkCompletionAfterKeystroke is from a typed letter to the proposals behind `-> `.
func BenchmarkCompletionAfterKeystroke(b *testing.B) {
	s, offset, keystroke := typing(b)
	measure(b, func(i int) {
		keystroke(i)
		if len(s.Snapshot().Complete("a.flow", offset)) == 0 {
			b.Fatal("nothing is proposed")
		}
	})
}

// BenchmarkMembersAfterKeystroke is from a typed letter to the fields behind `event.`, which need types.
func BenchmarkMembersAfterKeystroke(b *testing.B) {
	s, offset, keystroke := typing(b)
	text := string(s.Snapshot().Document("a.flow").Text)
	offset = strings.LastIndex(text[:offset], "event.amount") + len("event.")
	measure(b, func(i int) {
		keystroke(i)
		if len(s.Snapshot().Complete("a.flow", offset)) == 0 {
			b.Fatal("nothing is proposed")
		}
	})
}

// BenchmarkHoverAfterKeystroke is from a typed letter to what stands under the pointer.
func BenchmarkHoverAfterKeystroke(b *testing.B) {
	s, offset, keystroke := typing(b)
	measure(b, func(i int) {
		keystroke(i)
		s.Snapshot().Hover("a.flow", offset)
	})
}

// BenchmarkHover is hovering over a text that has been checked.
func BenchmarkHover(b *testing.B) {
	s, offset, _ := typing(b)
	measure(b, func(int) {
		if s.Snapshot().Hover("a.flow", offset) == nil {
			b.Fatal("nothing is there")
		}
	})
}

// BenchmarkTokensAfterKeystroke is from a typed letter to the colours of the whole file.
func BenchmarkTokensAfterKeystroke(b *testing.B) {
	s, _, keystroke := typing(b)
	measure(b, func(i int) {
		keystroke(i)
		snap := s.Snapshot()
		EncodeTokens(snap.SemanticTokens("a.flow"), snap.Document("a.flow").Mapper(UTF16))
	})
}

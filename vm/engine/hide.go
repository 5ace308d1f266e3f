package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// What a credential that is limited to flows is shown of its own tokens names those of other flows nowhere: neither by id nor by key.
// That there is one stays, for without it nobody could tell why a token waits or what moved it.

// sees says whether a flow is one of those; nil is all.
func sees(flows []string, flow string) bool { return flows == nil || slices.Contains(flows, flow) }

// addressed is a token named by its key in a line's text, as the engine writes it.
var addressed = regexp.MustCompile(`(\w+)\["(?:[^"\\]|\\.)*"\]`)

// hide takes what is to be hidden out of lines: the sender of what came from another token, and the keys of those that something was
// sent to.
func (e *Engine) hide(ctx context.Context, lines []HistoryLine, flows []string) error {
	if flows == nil {
		return nil
	}
	var senders []string
	for _, l := range lines {
		if l.from != "" && !slices.Contains(senders, l.from) {
			senders = append(senders, l.from)
		}
	}
	of, err := e.store.FlowsOf(ctx, senders)
	if err != nil {
		return readFault(err, Ref{})
	}
	for i := range lines {
		l := &lines[i]
		if flow, there := of[l.from]; l.from != "" && (!there || !sees(flows, flow)) {
			l.Text = strings.ReplaceAll(l.Text, l.from, "another token")
		}
		switch l.Kind {
		case "sent":
			if flow, _, keyed := strings.Cut(strings.TrimPrefix(l.Text, "to "), "["); keyed && !sees(flows, flow) {
				l.Text = "to " + flow + "[…]"
			}
		case "undeliverable", "child-ended", "error", "failed":
			l.Text = HideKeys(l.Text, flows)
		}
	}
	return nil
}

// HideKeys takes the keys of tokens of other flows out of a text of the engine.
func HideKeys(text string, flows []string) string {
	return addressed.ReplaceAllStringFunc(text, func(address string) string {
		flow, _, _ := strings.Cut(address, "[")
		if sees(flows, flow) {
			return address
		}
		return flow + "[…]"
	})
}

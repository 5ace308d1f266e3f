package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"flowc/vm"
	"flowc/vm/store"
)

// inboxRows is how many messages one batch takes at most.
const inboxRows = 4096

// runInbox gives messages to their receivers (R5).
func (e *Engine) runInbox(ctx context.Context, l *loop) error {
	idle := 0
	for ctx.Err() == nil {
		took, err := e.sweep(ctx, "inbox", work{claim: (*store.Tx).ClaimInbox, inbox: true})
		l.rounded(err)
		switch {
		case err != nil:
			sleep(ctx, e.clock, e.poll, nil)
			continue
		case took > 0:
			idle = 0
			continue
		}
		waits, err := e.store.InboxWaits(ctx)
		if err != nil || waits {
			idle++
			sleep(ctx, e.clock, e.backOff(idle), nil)
			continue
		}
		idle = 0
		sleep(ctx, e.clock, e.poll, e.inbox.c)
	}
	return ctx.Err()
}

// sweep runs one claiming batch and says how many tokens it stepped. When the batch cannot be written its tokens are tried in
// halves, until the bad one is alone (R6).
func (e *Engine) sweep(ctx context.Context, kind string, w work) (int, error) {
	r, err := e.round(ctx, w)
	if err == nil {
		return len(r.claimed), nil
	}
	if !store.Blames(err) || r == nil || len(r.claimed) == 0 {
		if !errors.Is(err, context.Canceled) {
			e.log.Warn("a batch was not carried out", "loop", kind, "cause", err)
		}
		return 0, err
	}
	e.runTokens(ctx, kind, r.claimed)
	return len(r.claimed), nil
}

// An envelope is a message in an inbox.
type envelope struct {
	Stimulus vm.Stimulus `json:"stimulus"`
}

// takeInbox gives the waiting messages to the tokens of the batch: all that wait, when the inbox loop runs; for others only to
// tokens whose start waits there.
func (r *round) takeInbox() error {
	var receivers []string
	for _, l := range r.order {
		waits := len(l.row.Snapshot) == 0 && !l.fresh
		if (r.work.inbox || waits) && l.program != nil && r.bad[l.row.ID] == nil && !l.row.Quarantined {
			receivers = append(receivers, l.row.ID)
		}
	}
	rows, err := r.tx.Inbox(receivers, inboxRows)
	if err != nil {
		return err
	}
	boxes := map[string][]store.Inbox{}
	for _, row := range rows {
		boxes[row.Receiver] = append(boxes[row.Receiver], row)
	}
	outcomes := map[*live]int{}
	for id, box := range boxes {
		outcomes[r.live[id]] = len(box)
	}
	if err := r.foresee(outcomes); err != nil {
		return err
	}
	for _, l := range r.order {
		if box := boxes[l.row.ID]; len(box) > 0 {
			r.takeBox(l, box)
		}
	}
	return nil
}

// takeBox gives a token its messages in their order. Outcomes of children that follow each other are one stimulus (R57).
func (r *round) takeBox(l *live, box []store.Inbox) {
	var seqs []int64
	for i := 0; i < len(box); {
		st, err := stimulusOf(box[i])
		if err != nil {
			r.bad[l.row.ID] = err
			return
		}
		n := 1
		for st.Kind == vm.OnChild && i+n < len(box) {
			next, err := stimulusOf(box[i+n])
			if err != nil || next.Kind != vm.OnChild || next.Child == nil {
				break
			}
			st.Children = append(st.Children, *next.Child)
			n++
		}
		if l.tok == nil && st.Kind != vm.OnStart {
			r.bad[l.row.ID] = fmt.Errorf("the first message of a token that has not started is %q", st.Kind)
			return
		}
		r.sentBy(box[i : i+n])
		a := r.apply(l, st)
		if r.bad[l.row.ID] != nil {
			return
		}
		if l.tok == nil {
			r.bad[l.row.ID] = fmt.Errorf("the token cannot be started: %s", a.Reason)
			return
		}
		if a.Outcome == vm.Full { // the rest comes again, in the same order
			r.writes.Postpone = append(r.writes.Postpone, l.row.ID)
			break
		}
		for k := range n {
			seqs = append(seqs, box[i+k].Seq)
		}
		i += n
	}
	l.took = append(l.took, seqs...)
}

func stimulusOf(row store.Inbox) (vm.Stimulus, error) {
	var e envelope
	if err := json.Unmarshal([]byte(row.Stimulus), &e); err != nil {
		return vm.Stimulus{}, fmt.Errorf("read message %d of %s: %w", row.N, row.Sender, err)
	}
	return e.Stimulus, nil
}

package engine_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// In its full size: go test ./vm/engine -run TestR12_EventsAndTimeoutsRace -race.tokens 1000
var raceTokens = flag.Int("race.tokens", 80, "tokens that get events at the moment of their timeout")

// TIM-04, R12, R22: tokens that get an event from each of two servers within 1 ms of their timeout: one of the three wins, and every
// other is told. The events are sent as long before the timeout as they need to arrive, which is learnt as it goes, since it depends
// on what else the machine does: so each side wins about half.
func TestR12_EventsAndTimeoutsRaceAndOneWins(t *testing.T) {
	url := pgtest.Reused(t)
	x := &race{t: t, servers: []*server{serve(t, url, store.Options{}, review), serve(t, url, store.Options{}, "")}}
	for _, s := range x.servers {
		s.longer(time.Duration(*raceTokens) * 200 * time.Millisecond)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range 10 + *raceTokens/50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range next {
				x.one()
			}
		}()
	}
	for i := range *raceTokens {
		next <- i
	}
	close(next)
	wg.Wait()
	slices.Sort(x.distance)
	near := 0
	for _, d := range x.distance {
		if d <= time.Millisecond {
			near++
		}
	}
	t.Logf("of %d tokens %d took an event, %d the timeout; %d events were taken or refused within 1 ms of the timeout, half of all within %s, and were sent %s before",
		*raceTokens, x.events, x.timeouts, near, x.distance[len(x.distance)/2], x.lead.Round(100*time.Microsecond))
	if x.events+x.timeouts != *raceTokens || min(x.events, x.timeouts) < *raceTokens/5 {
		t.Errorf("%d took an event and %d the timeout: that was no race", x.events, x.timeouts)
	}
}

type race struct {
	t       *testing.T
	servers []*server

	sync.Mutex
	lead             time.Duration // how long before the timeout an event is sent
	events, timeouts int
	distance         []time.Duration // between an event's step and the timeout
}

// one lets one token race.
func (x *race) one() {
	v := x.servers[0].start("review", "", `{"order": "o", "limit": "1s"}`)
	due := *v.Timers[0].Due
	x.Lock()
	lead := x.lead
	x.Unlock()
	<-time.After(time.Until(due) - lead + time.Duration(rand.IntN(2000)-1000)*time.Microsecond) // the moment is the test
	told := make(chan engine.Code, len(x.servers))
	for _, s := range x.servers {
		go func() {
			_, err := s.send(v.ID, "approve", `{"by": "ann"}`)
			told <- engine.CodeOf(err)
		}()
	}
	codes := []engine.Code{<-told, <-told}
	s := x.servers[1]
	v = s.await(v.ID, "decided", func(v engine.TokenView) bool { return v.Status == "completed" || v.States[0] == "paying" })
	accepted, refused, fired := 0, 0, 0
	var near time.Duration
	for _, l := range s.history(v.ID) {
		switch l.Kind {
		case "event-accepted":
			accepted++
		case "event-refused":
			refused++
		case "timer-fired":
			fired++
			continue
		default:
			continue
		}
		if d := l.At.Sub(due).Abs(); near == 0 || d < near {
			near = d
		}
	}
	won := slices.Contains(codes, "")
	if !slices.Contains(codes, engine.Refused) || accepted+fired != 1 || accepted+refused != 2 || won != (accepted == 1) || (v.Status == "completed") != (fired == 1) {
		x.t.Errorf("the senders were told %q; %d events were accepted, %d refused, %d timeouts fired, and the token is %s", codes, accepted, refused, fired, v.Status)
	}
	x.Lock()
	defer x.Unlock()
	x.distance = append(x.distance, near)
	step := max(x.lead/20, 200*time.Microsecond)
	if won {
		x.events++
		x.lead = max(x.lead-step, 0)
	} else {
		x.timeouts++
		x.lead += step
	}
}

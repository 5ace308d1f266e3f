package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"
)

// The waits between tries: they double from the first to the most, and each is drawn from its upper half, so that clients that
// were cut off together do not come back together.
const (
	firstWait = 100 * time.Millisecond
	mostWait  = 5 * time.Second
)

// wait is how long to wait after a try that failed: the backoff, and no less than what the server asks for.
func wait(try int, err error) time.Duration {
	d := mostWait
	if try < 7 {
		d = min(firstWait<<(try-1), mostWait)
	}
	d = d/2 + rand.N(d/2)
	var p *Problem
	if errors.As(err, &p) {
		d = max(d, p.RetryAfter)
	}
	return d
}

// pause waits, and says whether the context allowed it. It does not begin what the context's deadline would cut off.
func pause(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// duration writes a duration as the API reads it, rounded up to seconds; "" for none.
func duration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10) + "s"
}

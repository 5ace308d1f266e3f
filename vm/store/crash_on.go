//go:build crashpoints

package store

import (
	"os"
	"sync/atomic"
)

// crashIn counts down the points that are passed until the process dies; 0 or less: it lives.
var crashIn atomic.Int64

// CrashAt lets the process die, as by SIGKILL, at the nth point from now on. There is one before and one after BEGIN, every
// statement and COMMIT of a transaction. 0 disarms. Only in a build with the tag crashpoints, for tests.
func CrashAt(n int64) { crashIn.Store(n) }

// CrashLeft is how many points are left until the process dies.
func CrashLeft() int64 { return crashIn.Load() }

func crashPoint() {
	if crashIn.Load() <= 0 || crashIn.Add(-1) != 0 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		os.Exit(3) // no kill, no test: its parent sees the code
	}
	select {} // until the signal has come
}

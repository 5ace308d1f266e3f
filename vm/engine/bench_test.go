package engine_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// The engine's throughput beside that of the database in the same run, for docs/performance.md:
//
//	go test ./vm/engine -run '^$' -bench . -benchtime 5s
//
// A step of the engine is a read, the machine, a snapshot, a history row and its answer; a raw update is one column of one row
// in a transaction of its own, as pgbench would do it.

const benchCallers, benchTokens = 64, 2000

// concurrently shares out b.N calls over the callers and reports the rate and latencies.
func concurrently(b *testing.B, call func(i int) error) {
	var next atomic.Int64
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	b.ResetTimer()
	for range benchCallers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var mine []time.Duration
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					break
				}
				began := time.Now()
				if err := call(int(i)); err != nil {
					b.Error(err)
					break
				}
				mine = append(mine, time.Since(began))
			}
			mu.Lock()
			all = append(all, mine...)
			mu.Unlock()
		}()
	}
	wg.Wait()
	b.StopTimer()
	slices.Sort(all)
	if n := len(all); n > 0 {
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "steps/s")
		b.ReportMetric(float64(all[n/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(all[n*99/100].Microseconds())/1000, "p99-ms")
	}
}

func BenchmarkRawUpdate(b *testing.B) {
	db, err := sql.Open("postgres", pgtest.New(b)+"&binary_parameters=yes")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	for _, q := range []string{"CREATE TABLE bench (id int PRIMARY KEY, n bigint NOT NULL)",
		fmt.Sprintf("INSERT INTO bench SELECT g, 0 FROM generate_series(0, %d) g", benchTokens-1)} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	concurrently(b, func(i int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE bench SET n = n + 1 WHERE id = $1", i%benchTokens); err != nil {
			return err
		}
		return tx.Commit()
	})
}

func BenchmarkEvents(b *testing.B) {
	run := func(b *testing.B, url string) {
		s := serve(b, url, store.Options{}, counting)
		ids := make([]string, benchTokens)
		var wg sync.WaitGroup
		for w := range benchCallers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := w; i < benchTokens; i += benchCallers {
					ids[i] = s.start("counter", "", `{}`).ID
				}
			}()
		}
		wg.Wait()
		concurrently(b, func(i int) error {
			_, err := s.SendEvent(b.Context(), engine.EventRequest{Token: engine.Ref{ID: ids[i%benchTokens]}, Event: "add",
				Payload: json.RawMessage(`{"n": 1}`)})
			return err
		})
	}
	b.Run("postgres", func(b *testing.B) { run(b, pgtest.New(b)) })
	b.Run("sqlite", func(b *testing.B) { run(b, filepath.Join(b.TempDir(), "flow.db")) })
}

func BenchmarkStarts(b *testing.B) {
	run := func(b *testing.B, url string) {
		s := serve(b, url, store.Options{}, review)
		concurrently(b, func(i int) error {
			_, err := s.StartToken(b.Context(), engine.StartRequest{Flow: "review", Key: fmt.Sprint(b.N, "-", i),
				Input: json.RawMessage(`{"order": "o"}`)})
			return err
		})
	}
	b.Run("postgres", func(b *testing.B) { run(b, pgtest.New(b)) })
	b.Run("sqlite", func(b *testing.B) { run(b, filepath.Join(b.TempDir(), "flow.db")) })
}

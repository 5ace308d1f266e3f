package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
	"flowc/vm/task"
)

// backEnds runs a test on every back end.
func backEnds(t *testing.T, test func(t *testing.T, s store.Store)) {
	t.Run("postgres", func(t *testing.T) { test(t, open(t, pgtest.Reused(t), store.Options{Pool: 2})) })
	t.Run("postgres plain", func(t *testing.T) { test(t, open(t, pgtest.Reused(t), store.Options{Pool: 2, Prepare: "plain"})) })
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, filepath.Join(t.TempDir(), "flow.db"), store.Options{})) })
	t.Run("memory", func(t *testing.T) { test(t, open(t, ":memory:", store.Options{})) })
}

func open(t *testing.T, url string, o store.Options) store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func update(t *testing.T, s store.Store, f func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func token(id string, due int64) store.Token {
	return store.Token{ID: id, Flow: "order", Program: "p1", Status: "running", Version: 1, Lines: 2, NextDue: due,
		States: `["waiting"]`, Snapshot: []byte("\x00snap\xff"), Data: []byte(`{"n": 9007199254740993}`),
		CreatedAt: 10, UpdatedAt: 11}
}

func insert(t *testing.T, s store.Store, w store.Writes) {
	t.Helper()
	update(t, s, func(tx *store.Tx) error { return tx.Write(&w) })
}

func ids(rows []store.Token) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

func TestTokensAreWrittenAndReadWhole(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		want := token("a", 5)
		want.Key = "k'1\"\\"
		insert(t, s, store.Writes{NewTokens: []store.Token{want, token("b", 0)}})
		got, err := s.Token(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if got.Key != want.Key || string(got.Snapshot) != string(want.Snapshot) || string(got.Data) != string(want.Data) ||
			got.NextDue != 5 || got.Lines != 2 || got.States != want.States {
			t.Errorf("got %+v", got)
		}
		if _, err := s.Token(context.Background(), "z"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown token gives %v", err)
		}
	})
}

func TestR83_DataIsRewrittenOnlyWhenItChanged(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 5)}})
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.LockTokens([]string{"a", "none"})
			if err != nil {
				return err
			}
			if len(rows) != 1 {
				t.Fatalf("locked %v", ids(rows))
			}
			r := rows[0]
			r.Version, r.Data, r.NextDue, r.Snapshot = 2, nil, 0, []byte{1}
			return tx.Write(&store.Writes{Tokens: []store.Token{r}})
		})
		got, _ := s.Token(context.Background(), "a")
		if got.Version != 2 || string(got.Data) != `{"n": 9007199254740993}` || got.NextDue != 0 || len(got.Snapshot) != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAVersionThatIsNotTheLoadedOneIsNotWritten(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 5)}})
		r := token("a", 7)
		r.Version, r.Was = 9, 8
		err := s.Update(context.Background(), func(tx *store.Tx) error { return tx.Write(&store.Writes{Tokens: []store.Token{r}}) })
		if !errors.Is(err, store.ErrLost) {
			t.Errorf("got %v", err)
		}
		if got, _ := s.Token(context.Background(), "a"); got.NextDue != 5 {
			t.Errorf("it was written: %+v", got)
		}
	})
}

func TestR11_DueTokensAreClaimedMostOverdueFirstAndNeverMoreThanAsked(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		other := token("other", 1)
		other.Program = "newer"
		insert(t, s, store.Writes{NewTokens: []store.Token{token("c", 30), token("a", 10), token("b", 20), token("never", 0),
			token("far", 1<<60), other}})
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.ClaimDue(2, []string{"newer"})
			if err != nil {
				return err
			}
			if got := ids(rows); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("claimed %v", got)
			}
			now, err := tx.Now()
			if now < 1e15 {
				t.Errorf("the instant is %d", now)
			}
			return err
		})
		due, now, err := s.NextDue(context.Background())
		if err != nil || due != 1 || now < 1e15 {
			t.Errorf("next due %d at %d, %v", due, now, err)
		}
	})
}

func TestR5_MessagesAreUniqueBySenderVersionAndNumberAndComeInOrder(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		m := func(n int) store.Inbox {
			return store.Inbox{Receiver: "a", Sender: "s", SenderVersion: 1, N: n, Stimulus: "{}", At: 1}
		}
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0), token("b", 0)}, Inbox: []store.Inbox{m(1), m(2), m(3)}})
		err := s.Update(context.Background(), func(tx *store.Tx) error { return tx.Write(&store.Writes{Inbox: []store.Inbox{m(2)}}) })
		if err == nil {
			t.Error("the same message was taken twice")
		}
		if waits, err := s.InboxWaits(context.Background()); err != nil || !waits {
			t.Errorf("waits %v, %v", waits, err)
		}
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.ClaimInbox(10, nil)
			if err != nil {
				return err
			}
			if got := ids(rows); !slices.Equal(got, []string{"a"}) {
				t.Errorf("claimed %v", got)
			}
			box, err := tx.Inbox([]string{"a"}, 2)
			if err != nil {
				return err
			}
			if len(box) != 2 || box[0].N != 1 || box[1].N != 2 {
				t.Errorf("inbox %+v", box)
			}
			return tx.Write(&store.Writes{Taken: []int64{box[0].Seq, box[1].Seq}, Postpone: []string{"a"}, At: box[0].At})
		})
		update(t, s, func(tx *store.Tx) error {
			box, err := tx.Inbox([]string{"a"}, 9)
			if len(box) != 1 || box[0].N != 3 {
				t.Errorf("left %+v", box)
			}
			return err
		})
	})
}

func TestKeysAreTakenOnce(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		for _, who := range []string{"first", "second"} {
			update(t, s, func(tx *store.Tx) error {
				keys := []store.Key{{Flow: "f", Key: "k", Token: who, At: 3}, {Flow: "f", Key: who, Token: who, At: 3}}
				if err := tx.ReserveKeys(keys); err != nil {
					return err
				}
				held, err := tx.Keys(keys[:1])
				if len(held) != 1 || held[0].Token != "first" || held[0].PurgedAt != 0 {
					t.Errorf("held %+v", held)
				}
				return err
			})
		}
		k, err := s.Key(context.Background(), "f", "second")
		if err != nil || k.Token != "second" {
			t.Errorf("%+v, %v", k, err)
		}
	})
}

func TestR55_AnswersAreKeptAndForgotten(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		a := store.Answered{Credential: "c", Route: "r", Key: "k", Hash: "h", Status: "ok", Body: `{"x":"\u0000"}`, At: 100}
		insert(t, s, store.Writes{Answered: []store.Answered{a}})
		update(t, s, func(tx *store.Tx) error {
			got, err := tx.Answered([]store.Answered{{Credential: "c", Route: "r", Key: "k"}, {Credential: "x", Route: "r", Key: "k"}})
			if len(got) != 1 || got[0] != a {
				t.Errorf("got %+v", got)
			}
			return err
		})
		update(t, s, func(tx *store.Tx) error {
			_, err := tx.Forget(0, 101, 10)
			return err
		})
		update(t, s, func(tx *store.Tx) error {
			got, err := tx.Answered([]store.Answered{a})
			if len(got) != 0 {
				t.Errorf("still there: %+v", got)
			}
			return err
		})
	})
}

func offer(id, name string, at int64) task.Row {
	return task.New("a", "order", vm.Offer{ID: id, Task: name, Queue: "default", State: "s", Visit: 3, Input: []byte(`{"i":1}`),
		Policy: program.Policy{Retries: 2, Backoff: 1000}, Fails: []string{"declined"}}, at)
}

func TestR40_TasksAreClaimedOldestFirstAndNeverMoreThanAsked(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0)}, NewTasks: []task.Row{
			offer("t3", "x", 30), offer("t1", "x", 10), offer("t2", "x", 20), offer("y1", "y", 5), offer("far", "y", 1<<60)}})
		var claimed []string
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.ClaimTasks([]store.Want{{Task: "x", Max: 2}, {Task: "y", Max: 5}})
			if err != nil {
				return err
			}
			now, err := tx.Now()
			if err != nil {
				return err
			}
			for i, r := range rows {
				claimed = append(claimed, r.ID)
				if rows[i], err = task.Claim(r, "w", "l"+r.ID, 1000, now); err != nil {
					t.Error(err)
				}
			}
			return tx.Write(&store.Writes{Tasks: rows})
		})
		slices.Sort(claimed)
		if !slices.Equal(claimed, []string{"t1", "t2", "y1"}) {
			t.Errorf("claimed %v", claimed)
		}
		got, err := s.Tasks(context.Background(), store.TaskFilter{ID: "t1", Limit: 1})
		if err != nil || len(got) != 1 || got[0].Status != task.Claimed || got[0].Lease != "lt1" || string(got[0].Input) != `{"i":1}` ||
			got[0].Policy.Retries != 2 || !slices.Equal(got[0].Fails, []string{"declined"}) {
			t.Errorf("%+v, %v", got, err)
		}
		at, _, err := s.NextClaimable(context.Background(), []store.Want{{Task: "x"}, {Task: "none"}})
		if err != nil || at != 30 {
			t.Errorf("next claimable %d, %v", at, err)
		}
	})
}

func TestR46_TasksOfAPausedTokenAreHeldAndBackoffsMove(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		back := offer("t2", "x", 20)
		back.Status, back.NextAt = task.Backoff, 50
		insert(t, s, store.Writes{NewTasks: []task.Row{offer("t1", "x", 10), back}})
		insert(t, s, store.Writes{Hold: []store.Shift{{Token: "a", At: 40}}})
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.ClaimTasks([]store.Want{{Task: "x", Max: 2}})
			if len(rows) != 0 {
				t.Errorf("claimed %d", len(rows))
			}
			return err
		})
		insert(t, s, store.Writes{Unhold: []store.Shift{{Token: "a", At: 70}}, Withdraw: []string{"t1"}, At: 99})
		rows, err := s.Tasks(context.Background(), store.TaskFilter{Token: "a", All: true, Limit: 9})
		if err != nil || len(rows) != 2 || rows[0].Status != task.Withdrawn || rows[0].EndedAt != 99 || rows[1].NextAt != 80 || rows[1].HeldAt != 0 {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

func TestR6_AQuarantinedTokenIsSetAsideAndComesBack(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 5)},
			Inbox: []store.Inbox{{Receiver: "a", Sender: "s", SenderVersion: 1, N: 1, Stimulus: "{}"}}})
		update(t, s, func(tx *store.Tx) error { return tx.Quarantine("a", "cannot be read") })
		update(t, s, func(tx *store.Tx) error {
			due, err := tx.ClaimDue(9, nil)
			if err != nil {
				return err
			}
			box, err := tx.ClaimInbox(9, nil)
			if len(due)+len(box) != 0 {
				t.Errorf("claimed %v %v", ids(due), ids(box))
			}
			return err
		})
		q, err := s.Quarantined(context.Background(), 9)
		if err != nil || len(q) != 1 || q[0].Token != "a" || q[0].Due != 5 {
			t.Errorf("%+v, %v", q, err)
		}
		update(t, s, func(tx *store.Tx) error {
			was, err := tx.Unquarantine("a")
			if !was {
				t.Error("it was not set aside")
			}
			return err
		})
		if got, _ := s.Token(context.Background(), "a"); got.Quarantined || got.NextDue != 5 {
			t.Errorf("%+v", got)
		}
	})
}

func TestListsPageByAStableCursor(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		all := []store.Token{token("a", 3), token("b", 2), token("c", 0)}
		all[1].States, all[2].Flow = `["x_y.z"]`, "other"
		insert(t, s, store.Writes{NewTokens: all})
		ctx := context.Background()
		first, more, err := s.List(ctx, store.Filter{Limit: 2})
		if err != nil || !more || !slices.Equal(ids(first), []string{"c", "b"}) {
			t.Fatalf("%v, %v, %v", ids(first), more, err)
		}
		rest, more, err := s.List(ctx, store.Filter{Limit: 2, AfterAt: first[1].CreatedAt, AfterID: first[1].ID})
		if err != nil || more || !slices.Equal(ids(rest), []string{"a"}) {
			t.Errorf("%v, %v, %v", ids(rest), more, err)
		}
		due, _, err := s.List(ctx, store.Filter{Due: true, Limit: 9})
		if err != nil || !slices.Equal(ids(due), []string{"b", "a"}) {
			t.Errorf("%v, %v", ids(due), err)
		}
		state, _, err := s.List(ctx, store.Filter{State: "x_y.z", Flow: "order", Status: "running", Limit: 9})
		if err != nil || !slices.Equal(ids(state), []string{"b"}) {
			t.Errorf("%v, %v", ids(state), err)
		}
		if n, err := s.Count(ctx, store.Filter{Flow: "order"}); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
		marks, err := s.Marks(ctx, []string{"a", "z"})
		if err != nil || len(marks) != 1 || marks["a"].Version != 1 {
			t.Errorf("%v, %v", marks, err)
		}
	})
}

func TestR60_ProgramsAreKeptOnceAndACurrentOneIsChosen(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		p := store.Program{Hash: "h1", Flow: "f", Code: []byte{0, 1}, Source: []byte{2}, Files: "{}", Actor: "me", CreatedAt: 4}
		for i := range 2 {
			update(t, s, func(tx *store.Tx) error {
				fresh, err := tx.InsertProgram(p)
				if err != nil {
					return err
				}
				changed, err := tx.SetCurrent("f", "h1", 5)
				if fresh != (i == 0) || changed != (i == 0) {
					t.Errorf("round %d: new %v, changed %v", i, fresh, changed)
				}
				return err
			})
		}
		got, err := s.Program(context.Background(), "h1")
		if err != nil || string(got.Code) != string(p.Code) || got.Actor != "me" {
			t.Errorf("%+v, %v", got, err)
		}
		f, err := s.Flow(context.Background(), "f")
		if err != nil || f != (store.Flow{Name: "f", Program: "h1", Since: 5, Versions: 1}) {
			t.Errorf("%+v, %v", f, err)
		}
	})
}

func TestR46_AttemptsThatAreOverAreFound(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		r := offer("t1", "x", 10)
		r.Status, r.NextAt = task.Claimed, 20
		later := offer("t2", "x", 10)
		later.Status, later.NextAt = task.Claimed, 1<<60
		insert(t, s, store.Writes{NewTasks: []task.Row{r, later}})
		expired, next, now, err := s.ExpiredTasks(context.Background(), 10)
		if err != nil || len(expired) != 1 || expired["t1"] != "a" || next != 20 || now < 1e15 {
			t.Errorf("%v %d %d %v", expired, next, now, err)
		}
	})
}

func TestCountsCount(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 7)}, NewTasks: []task.Row{offer("t1", "x", 10)}})
		c, err := s.Counts(context.Background())
		if err != nil || c.Tokens["running"] != 1 || c.Tasks["offered"] != 1 || c.OldestOffers["x"] != 10 || c.NextDue != 7 {
			t.Errorf("%+v, %v", c, err)
		}
		if err := s.Writable(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

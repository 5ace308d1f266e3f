//go:build unix

package pgtest

import (
	"bufio"
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sql.DB) int {
	t.Helper()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM seen").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEachDatabaseIsEmpty(t *testing.T) {
	for range 2 {
		db := open(t, New(t))
		mustExec(t, db, "CREATE TABLE seen (id int)")
		if n := count(t, db); n != 0 {
			t.Errorf("a new database has %d rows", n)
		}
	}
}

func TestURLSaysThatThereIsNoTLS(t *testing.T) {
	if url := New(t); !strings.Contains(url, "sslmode=disable") {
		t.Errorf("got %s", url)
	}
}

func TestCommittedRowsOutliveAKilledServer(t *testing.T) {
	s := NewServer(t, Options{})
	url := s.New(t)
	db := open(t, url)
	mustExec(t, db, "CREATE TABLE seen (id int)")
	mustExec(t, db, "INSERT INTO seen VALUES (1), (2)")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if s.Running() || db.Ping() == nil {
		t.Fatal("the server runs after it was killed")
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, open(t, url)); n != 2 {
		t.Errorf("%d rows after the crash, want 2", n)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, open(t, url)); n != 2 {
		t.Errorf("%d rows after the stop, want 2", n)
	}
}

func TestSettings(t *testing.T) {
	s := NewServer(t, Options{NoFsync: true, Settings: map[string]string{"work_mem": "7MB"}})
	var fsync, memory string
	if err := open(t, s.URL()).QueryRow("SELECT current_setting('fsync'), current_setting('work_mem')").Scan(&fsync, &memory); err != nil {
		t.Fatal(err)
	}
	if fsync != "off" || memory != "7MB" {
		t.Errorf("fsync is %s and work_mem %s", fsync, memory)
	}
}

func TestExternalServer(t *testing.T) {
	s := NewServer(t, Options{})
	ext, err := external(strings.TrimSuffix(s.URL(), "?sslmode=disable"))
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, open(t, ext.New(t)), "CREATE TABLE seen (id int)")
	if ext.Kill() == nil || ext.Stop() == nil || ext.Start() == nil {
		t.Error("a test may end a server that is not its own")
	}
	if _, err := external("localhost"); err == nil {
		t.Error("a word was taken for a URL")
	}
}

// TestClusterGoesWithTheProcess kills a process that runs a server and waits
// until nothing of it is left.
func TestClusterGoesWithTheProcess(t *testing.T) {
	if os.Getenv("PGTEST_VICTIM") != "" {
		beVictim(t)
		return
	}
	victim := exec.Command(os.Args[0], "-test.run=^TestClusterGoesWithTheProcess$")
	victim.Env = append(os.Environ(), "PGTEST_VICTIM=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var dir, url string
	for url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "victim "); ok {
			dir, url, _ = strings.Cut(rest, " ")
		}
	}
	if url == "" {
		t.Fatal("the victim did not start a server")
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it was killed
	await(t, "the directory "+dir+" is removed", func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
	if open(t, url).Ping() == nil {
		t.Error("the server still runs")
	}
}

func beVictim(t *testing.T) {
	s := NewServer(t, Options{})
	if _, err := os.Stdout.WriteString("victim " + s.dir + " " + s.URL() + "\n"); err != nil {
		t.Fatal(err)
	}
	select {} // until it is killed
}

// await asks again and again, for nothing tells when another process is done.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	limit := time.After(patience)
	for !done() {
		select {
		case <-limit:
			t.Fatalf("waited in vain until %s", what)
		case <-again.C:
		}
	}
}

package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// The chaos test: tokens whose timeouts are spread over some seconds, on servers of their own processes that are killed (SIGKILL)
// at random and started again. In the end there is exactly one timeout for each token, none early, none twice. Its full size:
//
//	go test ./vm/engine -run TestChaos -timeout 20m -chaos.tokens 10000 -chaos.seconds 60 -chaos.kills 25
var (
	chaosTokens  = flag.Int("chaos.tokens", 500, "tokens of the chaos test")
	chaosSeconds = flag.Int("chaos.seconds", 6, "seconds over which their timeouts are spread")
	chaosKills   = flag.Int("chaos.kills", 5, "kills of each server")
)

const (
	chaosURL  = "FLOWC_CHAOS_URL"
	chaosBase = "FLOWC_CHAOS_BASE" // microseconds: when the first timeout is due
	chaosSize = "FLOWC_CHAOS_SIZE" // tokens
	chaosSpan = "FLOWC_CHAOS_SPAN" // microseconds over which they are spread
)

const chaosFlow = `
flow chaos(due: time) {
  initial waiting
  state waiting {
    timeout at due
    on timeout -> late
  }
  final late
}
`

// chaosServer is one server: it makes the tokens that do not exist yet and runs until it is killed or its parent is gone.
func chaosServer(url string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx := context.Background()
	st, err := store.Open(ctx, url, store.Options{Logger: log})
	if err != nil {
		log.Error("open", "cause", err)
		return 1
	}
	e, err := engine.New(ctx, engine.Options{Store: st, Logger: log})
	if err == nil {
		err = e.Start(ctx)
	}
	if err != nil {
		log.Error("start", "cause", err)
		return 1
	}
	fmt.Println("ready")
	go makeTokens(e, log)
	_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
	return 0
}

func chaosNumber(name string) int64 {
	n, err := strconv.ParseInt(os.Getenv(name), 10, 64)
	if err != nil {
		panic(name + " is not set") // only in the test binary
	}
	return n
}

func chaosDue(base, span, size int64, i int) time.Time {
	return time.UnixMicro(base + int64(i)*span/size).UTC()
}

func makeTokens(e *engine.Engine, log *slog.Logger) {
	base, span, size := chaosNumber(chaosBase), chaosNumber(chaosSpan), chaosNumber(chaosSize)
	if n, err := e.Count(context.Background(), engine.ListRequest{Flow: "chaos"}); err == nil && n == size {
		return
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				for startOne(e, i, chaosDue(base, span, size, i)) != nil {
					time.Sleep(10 * time.Millisecond) // the database is away: the next try
				}
			}
		}()
	}
	for i := range int(size) {
		next <- i
	}
	close(next)
	wg.Wait()
	log.Info("all tokens are there")
}

func startOne(e *engine.Engine, i int, due time.Time) error {
	_, err := e.StartToken(context.Background(), engine.StartRequest{Flow: "chaos", Key: strconv.Itoa(i),
		Input: json.RawMessage(fmt.Sprintf(`{"due": %q}`, due.Format(time.RFC3339Nano))), OnConflict: engine.ReturnOnConflict})
	return err
}

func TestChaosPostgres(t *testing.T) { chaos(t, pgtest.Reused(t), 2) }

func TestChaosSQLite(t *testing.T) { chaos(t, filepath.Join(t.TempDir(), "flow.db"), 1) }

func chaos(t *testing.T, url string, servers int) {
	size, span := int64(*chaosTokens), int64(*chaosSeconds)*1_000_000
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(span)*time.Microsecond+3*time.Minute+time.Duration(size)*10*time.Millisecond)
	defer cancel()
	deployTo(t, ctx, url)
	base := time.Now().Add(2*time.Second + time.Duration(size)*time.Millisecond/2).UnixMicro()
	env := append(os.Environ(), chaosURL+"="+url, fmt.Sprintf("%s=%d", chaosBase, base), fmt.Sprintf("%s=%d", chaosSize, size),
		fmt.Sprintf("%s=%d", chaosSpan, span))
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range servers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			killAndRestart(t, env, span, done)
		}()
	}
	kills := make(chan struct{})
	go func() { wg.Wait(); close(kills) }()
	awaitAll(t, ctx, url, kills, done, size)
	verify(t, ctx, url, base, span, size)
}

func deployTo(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	st, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	e, err := engine.New(ctx, engine.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Deploy(ctx, engine.DeployRequest{Programs: compiled(t, chaosFlow)}); err != nil {
		t.Fatal(err)
	}
}

// child is a server's process.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	log   *strings.Builder
}

func startChild(t *testing.T, env []string) *child {
	cmd := exec.Command(os.Args[0])
	cmd.Env = env
	c := &child{cmd: cmd, log: &strings.Builder{}}
	cmd.Stderr = c.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	c.stdin = in
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		c.kill()
		t.Errorf("the server did not start: %v\n%s", err, c.log)
		return nil
	}
	return c
}

// kill ends the process as a power cut would.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed, which is an error of its own
	_ = c.stdin.Close()
}

// killAndRestart runs one server and kills it at random moments of the span; at the end one runs on until done.
func killAndRestart(t *testing.T, env []string, span int64, done <-chan struct{}) {
	c := startChild(t, env)
	for range *chaosKills {
		if c == nil {
			return
		}
		life := time.Duration(rand.Int64N(2*span/int64(*chaosKills))) * time.Microsecond
		select {
		case <-time.After(life):
		case <-done:
		}
		c.kill()
		c = startChild(t, env)
	}
	if c == nil {
		return
	}
	<-done
	c.kill()
	if strings.Contains(c.log.String(), "set aside") {
		t.Errorf("a token was set aside:\n%s", c.log)
	}
}

// awaitAll waits until every token has ended, and then ends the servers.
func awaitAll(t *testing.T, ctx context.Context, url string, kills <-chan struct{}, done chan struct{}, size int64) {
	t.Helper()
	defer func() {
		close(done)
		<-kills
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	look, err := peek(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	for {
		var n int64
		if err := look.QueryRowContext(ctx, "SELECT count(*) FROM tokens WHERE status = 'completed'").Scan(&n); err == nil && n == size {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("%d of %d tokens have ended in time", n, size)
			return
		case <-tick.C:
		}
	}
}

// verify reads every token's history: one timeout each, not early, not twice.
func verify(t *testing.T, ctx context.Context, url string, base, span, size int64) {
	t.Helper()
	st, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	fired, worst := 0, time.Duration(0)
	for i := range int(size) {
		k, err := st.Key(ctx, "chaos", strconv.Itoa(i))
		if err != nil {
			t.Fatalf("token %d: %v", i, err)
		}
		rows, _, err := st.History(ctx, k.Token, 0, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		mine := 0
		for _, h := range rows {
			var st vm.Stimulus
			if err := json.Unmarshal([]byte(h.Stimulus), &st); err != nil {
				t.Fatal(err)
			}
			if st.Kind != vm.OnTimer {
				continue
			}
			mine++
			late := time.UnixMicro(h.At).Sub(chaosDue(base, span, size, i))
			if late < 0 {
				t.Errorf("token %d fired %s early", i, -late)
			}
			worst = max(worst, late)
		}
		if mine != 1 || len(rows) != 2 {
			t.Errorf("token %d has %d timeouts in %d steps", i, mine, len(rows))
		}
		fired += mine
	}
	n, err := st.Count(ctx, store.Filter{Flow: "chaos"})
	if err != nil || n != size {
		t.Errorf("%d tokens, %v", n, err)
	}
	t.Logf("%d timeouts of %d tokens, at worst %s late, with %d kills of each server", fired, size, worst.Round(time.Millisecond), *chaosKills)
}

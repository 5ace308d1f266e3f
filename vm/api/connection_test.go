package api

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// raw sends bytes as they are over a connection and reads the answer.
func raw(t *testing.T, handler http.Handler, text string, closeWrite bool) (int, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	if closeWrite {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

const half = "POST /v1/tokens/t1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"event\":"

func TestASlowBodyIsGivenUp(t *testing.T) {
	status, body := raw(t, New(newFake(), Options{BodyTime: 50 * time.Millisecond}), half, false)
	if status != http.StatusRequestTimeout || !strings.Contains(body, `"code":"request-timeout"`) {
		t.Errorf("got %d %s", status, body)
	}
}

func TestABodyThatEndsTooEarly(t *testing.T) {
	status, body := raw(t, New(newFake(), Options{}), half, true)
	if status != http.StatusBadRequest || !strings.Contains(body, `"code":"malformed"`) {
		t.Errorf("got %d %s", status, body)
	}
}

// Those who wait for work hold nothing that others need.
func TestManyWaitersStopNobody(t *testing.T) {
	c := newServer(t)
	server := httptest.NewServer(c.api)
	defer server.Close()
	var waiters sync.WaitGroup
	for range 100 {
		waiters.Go(func() {
			res, err := http.Post(server.URL+"/v1/tasks/claim", "application/json",
				strings.NewReader(`{"worker":"w","tasks":[{"name":"charge"}],"wait":"60s"}`))
			if err == nil {
				res.Body.Close()
			}
		})
	}
	for range 20 {
		c.do("POST", "/v1/flows/order/tokens", `{"input":{"n":1}}`)
	}
	c.has(c.do("GET", "/v1/tokens/count", ""), 200, `"count":20`)
	c.api.Close()
	waiters.Wait()
}

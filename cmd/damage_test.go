package cmd_test

import (
	"database/sql"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver of the script's flow.db
)

// damage FLOW:KEY makes a token's snapshot unreadable, as a broken disk might; repair puts it back. The server is stopped.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	onToken(ts, neg, args, "UPDATE tokens SET restart_of = hex(snapshot), snapshot = CAST('{' AS BLOB) WHERE flow = ? AND key = ?")
}

func repair(ts *testscript.TestScript, neg bool, args []string) {
	onToken(ts, neg, args, "UPDATE tokens SET snapshot = unhex(restart_of), restart_of = NULL WHERE flow = ? AND key = ?")
}

func onToken(ts *testscript.TestScript, neg bool, args []string, query string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage|repair flow:key")
	}
	flow, key, _ := strings.Cut(args[0], ":")
	db, err := sql.Open("sqlite", ts.MkAbs("flow.db"))
	ts.Check(err)
	defer db.Close()
	done, err := db.Exec(query, flow, key)
	ts.Check(err)
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		ts.Fatalf("%d tokens changed: %v", n, err)
	}
}

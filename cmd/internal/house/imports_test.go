package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const module = "flowc/"

// rooms in the order in which they may import each other: a room imports only
// rooms that stand before it or beside it. A package belongs to the longest
// name that it begins with.
var rooms = map[string]int{
	"grammar": 0, "validate": 1, "compiler": 2, "vm": 3, "vm/oracle": 3,
	"vm/store": 4, "vm/engine": 4, "vm/api": 4, "vm/sim": 4, "vm/client": 4,
	"lsp": 5, "cmd": 6,
}

// alone are packages that import nothing of the project, so that everyone may
// import them.
var alone = []string{"validate/diag", "validate/value", "vm/oracle"}

// testsUse says which room the tests of another one may use although it stands above: they are a package of their own, x_test,
// which nobody imports.
var testsUse = map[string]string{"vm": "vm/sim"}

// forTests are packages that only tests import.
var forTests = []string{"vm/oracle", "vm/store/lossy", "vm/store/pgtest"}

func roomOf(pkg string) (name string, order int) {
	for room := range rooms {
		if (pkg == room || strings.HasPrefix(pkg, room+"/")) && len(room) > len(name) {
			name = room
		}
	}
	return name, rooms[name]
}

func TestImportsRunOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		from, order := roomOf(f.pkg())
		if from == "" {
			t.Errorf("%s stands in no room", f.name)
			continue
		}
		for _, imported := range f.imports() {
			pkg, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			to, below := roomOf(pkg)
			if f.isTest() && testsUse[from] != "" && testsUse[from] == to && strings.HasSuffix(f.source.Name.Name, "_test") {
				continue
			}
			if slices.Contains(forTests, pkg) && !f.isTest() && !slices.Contains(forTests, f.pkg()) {
				t.Errorf("%s imports %s, which is for tests", f.name, imported)
			}
			if to == "" || below > order {
				t.Errorf("%s imports %s; imports run grammar, validate, compiler, vm, vm/{store,engine,api,sim,client}, lsp, cmd", f.name, imported)
			}
			if slices.Contains(alone, f.pkg()) && pkg != f.pkg() {
				t.Errorf("%s imports %s; %s stands alone", f.name, imported, f.pkg())
			}
		}
	}
}

// TestStepReadsNothingOutside holds the promise that a step is a function of
// the token, the stimulus and the instant (R1).
func TestStepReadsNothingOutside(t *testing.T) {
	forbidden := []string{
		"database/sql", "net", "os", "io/ioutil", "syscall", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand",
		"github.com/lib/pq", "github.com/jmoiron/sqlx", "modernc.org/sqlite", "github.com/google/uuid",
	}
	for _, f := range goFiles(t) {
		if room, _ := roomOf(f.pkg()); room != "vm" || f.isTest() {
			continue
		}
		for _, imported := range f.imports() {
			if slices.Contains(forbidden, imported) || strings.HasPrefix(imported, "net/") || strings.HasPrefix(imported, "os/") {
				t.Errorf("%s imports %s; the step does no I/O", f.name, imported)
			}
		}
		ast.Inspect(f.source, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" && slices.Contains(clockReaders, sel.Sel.Name) {
				t.Errorf("%s reads the clock by time.%s; the instant is given", f.set.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

var clockReaders = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local"}

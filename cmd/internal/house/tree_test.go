package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the top of the checkout, seen from this package.
const root = "../../.."

// goFile is a Go file of the project, tests included.
type goFile struct {
	name   string // from the top, with slashes
	lines  int
	source *ast.File
	set    *token.FileSet
}

func (f goFile) pkg() string  { return path.Dir(f.name) }
func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// imports lists the paths that the file imports.
func (f goFile) imports() []string {
	var found []string
	for _, spec := range f.source.Imports {
		found = append(found, strings.Trim(spec.Path.Value, `"`))
	}
	return found
}

// skipped are folders that hold no code of the project.
var skipped = []string{".git", "bin", "node_modules", "testdata"}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var found []goFile
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skipped, d.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		source, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		found = append(found, goFile{filepath.ToSlash(rel), strings.Count(string(text), "\n"), source, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("found no Go files")
	}
	return found
}

func TestTopLevelNames(t *testing.T) {
	allowed := strings.Fields(`grammar validate compiler vm lsp cmd examples docs
		go.mod go.sum README.md LICENSE CHANGELOG.md Makefile`)
	made := regexp.MustCompile(`^(bin|node_modules|flow\.db.*|.*\.(test|prof|out))$`) // what .gitignore names
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && !made.MatchString(name) && !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong to the top level", name)
		}
	}
}

func TestNoFileIsTooLong(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.lines > 600 {
			t.Errorf("%s has %d lines; 600 is the ceiling, so split it by topic", f.name, f.lines)
		}
	}
}

func TestNoTestIsSkipped(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.isTest() {
			continue
		}
		ast.Inspect(f.source, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				if id, ok := sel.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f"}, id.Name) {
					t.Errorf("%s skips a test; a missing tool is a failure", f.set.Position(sel.Pos()))
				}
			}
			return true
		})
	}
}

func TestNothingIsLeftToDo(t *testing.T) {
	mark := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	for _, f := range goFiles(t) {
		for _, group := range f.source.Comments {
			if mark.MatchString(group.Text()) {
				t.Errorf("%s leaves something to do", f.set.Position(group.Pos()))
			}
		}
	}
}

// Package editors_test builds, checks and packages the extension for VS Code, and runs it and the plugin for Neovim against
// `flowc lsp`; it also holds SARIF logs to their schema. It needs Node 20 with npm, and Neovim; `make deps` installs them.
package editors_test

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/grammar"
	"flowc/validate/builtin"
)

// longest is how long one program may take on a busy machine, the first installation of the packages aside.
const longest = 5 * time.Minute

// need finds a program or says how to get it.
func need(t *testing.T, name, advice string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is missing: %s", name, advice)
	}
	return path
}

// ran runs a program to its end and gives what it printed; it fails the test when the program does.
func ran(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// flowc is the program under test, built once.
var flowc = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "flowc")
	out, err := exec.Command("go", "build", "-o", file, "flowc/cmd/flowc").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build flowc: %w\n%s", err, out)
	}
	return file, nil
})

func program(t *testing.T) string {
	t.Helper()
	file, err := flowc()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// scratch is a folder for what the tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "flowc-editors-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

func TestVSCode(t *testing.T) {
	dir := extension(t)
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	npm := func(script string, env ...string) func(*testing.T) {
		return func(t *testing.T) { ran(t, dir, env, "npm", "run", "--silent", script) }
	}
	// Packaging builds first, so the tests below look at what is in the package.
	packed := t.Run("package", func(t *testing.T) {
		npm("package")(t)
		wantFilesInPackage(t, filepath.Join(dir, "flowc.vsix"))
	})
	if !packed {
		return
	}
	t.Run("types", npm("check"))
	t.Run("grammar", npm("test:grammar"))
	t.Run("units", npm("test:units", "FLOWC_EXAMPLES="+examples))
	t.Run("protocol", npm("test:protocol", "FLOWC="+program(t)))
	t.Run("words", func(t *testing.T) { wantAllWords(t, filepath.Join(dir, "out", "flow.tmLanguage.json")) })
	t.Run("preview", func(t *testing.T) { wantStatesInDrawing(t, filepath.Join(examples, "quickstart.flow")) })
}

// wantFilesInPackage holds the package to exactly what it must have: no sources, no dependencies.
func wantFilesInPackage(t *testing.T, file string) {
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	want := []string{
		"[Content_Types].xml", "extension.vsixmanifest", "extension/LICENSE.txt", "extension/language-configuration.json",
		"extension/out/extension.js", "extension/out/flow.tmLanguage.json", "extension/out/markdown.tmLanguage.json",
		"extension/out/webview.css", "extension/out/webview.js", "extension/package.json", "extension/readme.md",
		"extension/snippets/flow.json",
	}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the package holds\n%s\nnot\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
}

// wantStatesInDrawing holds the drawing to what the preview reads of it: a box that is a leaf, a box or a final, with the
// state's path as its title.
func wantStatesInDrawing(t *testing.T, file string) {
	svg := ran(t, ".", nil, program(t), "graph", "--format", "svg", file)
	for _, want := range []string{
		`<g class="box[^"]*"><title>flow quickstart\b`, `<g class="leaf[^"]*"><title>awaiting_payment\b`, `<g class="final[^"]*"><title>shipped\b`,
	} {
		if !regexp.MustCompile(want).MatchString(svg) {
			t.Errorf("the drawing has no %s", want)
		}
	}
}

// wantAllWords holds a file that colours to every keyword and built-in function of the language.
func wantAllWords(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(grammar.EBNF(), -1) {
		words[m[1]] = true
	}
	if len(words) < 80 {
		t.Fatalf("the grammar has only %d keywords", len(words))
	}
	for _, f := range builtin.All() {
		words[f.Name] = !strings.Contains(f.Name, ".") // `token.id` is no word
	}
	for word, one := range words {
		if one && !regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`s?\b`).Match(text) {
			t.Errorf("%s does not know %q", filepath.Base(file), word)
		}
	}
}

func TestFlowsOfTests(t *testing.T) {
	files := []string{"vscode/test/grammar/language.flow", "vscode/test/grammar/lib.flow"}
	ran(t, ".", nil, program(t), append([]string{"validate", "--strict"}, files...)...)
	ran(t, ".", nil, program(t), append([]string{"fmt", "--check"}, files...)...)
}

func TestLockNamesNoRegistry(t *testing.T) {
	text, err := os.ReadFile("vscode/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`"resolved".*`).Find(text); found != nil {
		t.Errorf("package-lock.json has %s", found)
	}
}

func TestNeovim(t *testing.T) {
	plugin, err := filepath.Abs("nvim")
	if err != nil {
		t.Fatal(err)
	}
	need(t, "nvim", "install Debian's package neovim")
	edit := func(t *testing.T, script, from string, env ...string) {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		file := filepath.Join(home, filepath.Base(from))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		// No settings, no history and no plugins of whoever runs the test.
		for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
			env = append(env, "XDG_"+name+"_HOME="+filepath.Join(home, strings.ToLower(name)))
		}
		ran(t, home, env, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", "set rtp^="+plugin,
			"--cmd", "filetype plugin indent on | syntax on", file, "+luafile "+filepath.Join(plugin, "test", script))
	}
	t.Run("colours", func(t *testing.T) { edit(t, "colours.lua", "vscode/test/grammar/language.flow") })
	t.Run("words", func(t *testing.T) { wantAllWords(t, "nvim/syntax/flow.vim") })
	t.Run("lsp", func(t *testing.T) { edit(t, "lsp.lua", "../../examples/quickstart.flow", "FLOWC="+program(t)) })
}

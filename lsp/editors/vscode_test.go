//go:build vscode

package editors_test

import (
	"path/filepath"
	"testing"
)

// TestEditor does in VS Code itself what an author does, with the extension as it is packaged, in a headless Chromium. The server
// of VS Code and the driver of the browser are 320 MB and stay in the user's cache, so `make vscode` runs this and not `make test`.
func TestEditor(t *testing.T) {
	need(t, "chromium", "install Debian's package chromium")
	need(t, "g++", "install Debian's packages g++ and make: the terminal of VS Code is built here")
	dir := extension(t)
	ran(t, dir, nil, "npm", "run", "--silent", "package")
	packages, err := installed(t, "e2e", "prepare-editor")
	if err != nil {
		t.Fatal(err)
	}
	home := linked(t, "e2e", packages)
	flow, err := filepath.Abs("../../examples/quickstart.flow")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(ran(t, home, []string{"VSIX=" + filepath.Join(dir, "flowc.vsix"), "FLOWC=" + program(t), "FLOW=" + flow, "CHROMIUM=chromium"}, "npm", "test"))
}

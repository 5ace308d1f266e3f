package sim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSCXML runs the counterparts of the W3C's tests of SCXML; docs/scxml.md lists them.
func TestSCXML(t *testing.T) {
	files, err := filepath.Glob("testdata/scxml/test*.flow")
	if err != nil || len(files) < 80 {
		t.Fatalf("the cases are missing: %d, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			if len(runFile(t, name)) == 0 {
				t.Error("it holds no test")
			}
		})
	}
}

// TestSCXMLIsDocumented holds the page to the files: every file is named on the page, says which test it mirrors, and the page
// names no file that is not there.
func TestSCXMLIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/scxml.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`(test[0-9]+[a-z]?)`").FindAllStringSubmatch(string(page), -1) {
		named[m[1]] = true
	}
	files, err := filepath.Glob("testdata/scxml/*.flow")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".flow")
		if !named[name] {
			t.Errorf("docs/scxml.md does not list %s", name)
		}
		delete(named, name)
		if first, _, _ := strings.Cut(string(text), "\n"); !strings.HasPrefix(first, "// Mirrors W3C test") || !strings.Contains(first, strings.TrimPrefix(name, "test")) {
			t.Errorf("%s does not begin with the test that it mirrors: %s", name, first)
		}
	}
	for name := range named {
		t.Errorf("docs/scxml.md lists %s, which is not there", name)
	}
}

package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(files []File) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

func TestCollect(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "b/z.flow", "z")
	write(t, "b/a.flow", "a")
	write(t, "b/.hidden/x.flow", "x")
	write(t, "b/.x.flow", "x")
	write(t, "b/readme.md", "no flow")
	write(t, "b/deep/folder.flow/c.flow", "c")
	write(t, "empty/readme.md", "")
	write(t, "other.txt", "named, so it counts")
	if err := os.Symlink("a.flow", "b/link.flow"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		paths []string
		want  string
		err   string
	}{
		{[]string{"b"}, "b/a.flow b/deep/folder.flow/c.flow b/z.flow", ""},
		{[]string{"b/z.flow", "b", "./b/z.flow"}, "b/z.flow b/a.flow b/deep/folder.flow/c.flow", ""},
		{[]string{"b/link.flow", "b/a.flow"}, "b/link.flow", ""},
		{[]string{"other.txt", "-", "-"}, "other.txt <stdin>", ""},
		{[]string{"empty"}, "", "no .flow file in empty"},
		{[]string{"b/a.flow", "none.flow"}, "b/a.flow", "cannot read none.flow: no such file or directory"},
	}
	for _, test := range tests {
		files, err := Collect(test.paths, strings.NewReader("from stdin"), 100)
		if got := names(files); got != test.want {
			t.Errorf("%v: got %s, want %s", test.paths, got, test.want)
		}
		if (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%v: got error %v, want %q", test.paths, err, test.err)
		}
	}
}

func TestCollectReadsNoMoreThanTheLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.flow", strings.Repeat("x", 50))
	files, err := Collect([]string{"a.flow", "-"}, strings.NewReader(strings.Repeat("y", 50)), 10)
	if err != nil || len(files) != 2 || len(files[0].Text) != 11 || len(files[1].Text) != 11 {
		t.Errorf("got %v, %v", files, err)
	}
}

func TestReplaceKeepsModeAndLink(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "real/a.flow", "old")
	if err := os.Chmod("real/a.flow", 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/a.flow", "a.flow"); err != nil {
		t.Fatal(err)
	}
	if err := Replace("a.flow", []byte("new")); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat("a.flow")
	if err != nil || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", link, err)
	}
	info, err := os.Stat("real/a.flow")
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info, err)
	}
	if text, _ := os.ReadFile("real/a.flow"); string(text) != "new" {
		t.Errorf("the text is %q", text)
	}
	if left, _ := os.ReadDir("real"); len(left) != 1 {
		t.Errorf("something was left behind: %v", left)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Create("a.flow", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if err := Create("a.flow", []byte("other")); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile("a.flow"); string(text) != "mine" {
		t.Errorf("the text is %q", text)
	}
}

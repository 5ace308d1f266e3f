package lsp

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// A Snapshot is the buffers that were open at one moment, over the disk. All queries are its methods; it may be asked by several
// goroutines, and answers that need the same check share it.
type Snapshot struct {
	open    map[string]*Document
	folders []string
	last    memory

	mu     sync.Mutex
	checks map[string]*checked
	trees  map[string]*grammar.File
	disk   map[string]*Document // read from the disk, nil for what cannot be
}

func newSnapshot(open map[string]*Document, folders []string, last memory) *Snapshot {
	return &Snapshot{open: open, folders: folders, last: last, checks: map[string]*checked{}, trees: map[string]*grammar.File{}, disk: map[string]*Document{}}
}

// with is the snapshot with one more open buffer, for a question about a text that nobody has.
func (s *Snapshot) with(docs ...*Document) *Snapshot {
	open := make(map[string]*Document, len(s.open)+len(docs))
	for name, d := range s.open {
		open[name] = d
	}
	for _, d := range docs {
		open[d.Name] = d
	}
	return newSnapshot(open, s.folders, s.last)
}

// A checked is the result of a check, made at the first question.
type checked struct {
	once sync.Once
	done atomic.Bool
	*validate.Result
	index     map[string]int
	last      memory
	soundness soundness
}

// check checks files together.
func (s *Snapshot) check(files ...string) *checked {
	key := strings.Join(files, "\x00")
	s.mu.Lock()
	c := s.checks[key]
	if c == nil {
		c = &checked{last: s.last}
		s.checks[key] = c
	}
	s.mu.Unlock()
	c.once.Do(func() {
		c.Result = validate.Check(validate.Options{Files: files, Loader: s.loader()})
		c.index = map[string]int{}
		for i, src := range c.Sources {
			c.index[src.Name] = i
		}
		c.done.Store(true)
	})
	return c
}

func (s *Snapshot) loader() validate.Loader {
	open := make(map[string][]byte, len(s.open))
	for name, d := range s.open {
		open[name] = d.Text
	}
	return validate.Overlay{Open: open, Below: below{s}}
}

// below loads from the disk, each file once in a snapshot.
type below struct{ s *Snapshot }

func (b below) Load(name string) ([]byte, error) {
	b.s.mu.Lock()
	d, known := b.s.disk[name]
	b.s.mu.Unlock()
	if known && d != nil {
		return d.Text, nil
	}
	text, err := readDisk(name)
	if err == nil {
		d = &Document{Name: name, Text: text}
	}
	b.s.mu.Lock()
	b.s.disk[name] = d
	b.s.mu.Unlock()
	return text, err
}

// Document gives a file as it is open or on the disk, nil when it cannot be read. The version of a file on the disk is 0.
func (s *Snapshot) Document(name string) *Document {
	if d := s.open[name]; d != nil {
		return d
	}
	if _, err := (below{s}).Load(name); err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disk[name]
}

// Open lists the names of the open buffers.
func (s *Snapshot) Open() []string {
	names := make([]string, 0, len(s.open))
	for name := range s.open {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// IsOpen says whether a buffer of that name is open.
func (s *Snapshot) IsOpen(name string) bool { return s.open[name] != nil }

// mappers keeps a document's mappers, one for each encoding.
type mappers struct {
	once [2]sync.Once
	made [2]*Mapper
}

// Mapper gives the mapper of the document's text.
func (d *Document) Mapper(enc Encoding) *Mapper {
	d.mappers.once[enc].Do(func() { d.mappers.made[enc] = NewMapper(d.Text, enc) })
	return d.mappers.made[enc]
}

// tree gives the syntax tree of a file, nil when it cannot be read: that of a check where there is one already.
func (s *Snapshot) tree(name string) *grammar.File {
	d := s.Document(name)
	if d == nil {
		return nil
	}
	s.mu.Lock()
	c, tree := s.checks[name], s.trees[name]
	s.mu.Unlock()
	if c != nil && c.done.Load() {
		if i, ok := c.index[name]; ok {
			return c.Sources[i].AST
		}
	}
	if tree == nil {
		tree = grammar.Parse(name, d.Text)
		s.mu.Lock()
		s.trees[name] = tree
		s.mu.Unlock()
	}
	return tree
}

// next is the snapshot after a change of one open buffer. It keeps the checks and trees that the change cannot touch: those of open
// buffers that read only open buffers, and not this one. What is on the disk is looked at anew, since not every client tells when
// it changes.
func (s *Snapshot) next(changed *Document) *Snapshot {
	last := s.remember()
	out := s.with(changed)
	out.last = last
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.open {
		if c := s.checks[name]; c != nil && c.done.Load() && s.onlyOpen(c, changed.Name) {
			out.checks[name] = c
		}
		if tree := s.trees[name]; tree != nil && name != changed.Name {
			out.trees[name] = tree
		}
	}
	return out
}

// onlyOpen says whether all that a check read was open, and not the given file.
func (s *Snapshot) onlyOpen(c *checked, but string) bool {
	for _, src := range c.Sources {
		if src.Name == but || s.open[src.Name] == nil {
			return false
		}
	}
	return len(c.Sources) > 0 && !slices.ContainsFunc(c.Findings, func(f diag.Finding) bool { return f.ID == diag.ImportNotFound })
}

// A Location is a stretch of a file.
type Location struct {
	File string
	Span grammar.Span
}

func (c *checked) at(file int, span grammar.Span) Location {
	return Location{c.Sources[file].Name, span}
}

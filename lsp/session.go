package lsp

import (
	"fmt"
	"maps"
	"sync"
)

// Options say what a session works on.
type Options struct {
	// Folders are the workspace's folders, for questions about more than one file.
	Folders []string
}

// A Session holds the buffers that an editor has open. It may be used by several goroutines; whoever needs answers takes a
// [Snapshot], which later changes leave as it is.
type Session struct {
	mu      sync.Mutex
	folders []string
	open    map[string]*Document
	current *Snapshot // nil after a change
	last    memory    // what the snapshots before the current one remember
}

// A Document is an open buffer at one version. It is never changed.
type Document struct {
	Name    string
	Version int32
	Text    []byte
	mappers mappers
}

// NewSession starts a session without open buffers.
func NewSession(o Options) *Session {
	return &Session{folders: o.Folders, open: map[string]*Document{}, last: memory{}}
}

// retire gives the current snapshot up, for one that is made when it is asked for, and keeps what it remembers.
func (s *Session) retire() {
	if s.current != nil {
		s.last, s.current = s.current.remember(), nil
	}
}

// SetFolders replaces the workspace's folders.
func (s *Session) SetFolders(folders []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = folders
	s.retire()
}

// Open takes a buffer; from now on its text counts, not the disk's.
func (s *Session) Open(name string, version int32, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = maps.Clone(s.open)
	s.open[name] = &Document{Name: name, Version: version, Text: []byte(text)}
	s.retire()
}

// Change makes the changes to an open buffer. It refuses, and changes nothing, when the buffer is not open or the version is not
// newer than the one it has: such a change has been overtaken, and the text would go out of step with the editor's.
func (s *Session) Change(name string, version int32, enc Encoding, changes []Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.open[name]
	if d == nil {
		return fmt.Errorf("change %s: it is not open", name)
	}
	if version <= d.Version {
		return fmt.Errorf("change %s to version %d: it has version %d already", name, version, d.Version)
	}
	changed := &Document{Name: name, Version: version, Text: Apply(d.Text, enc, changes)}
	if s.current != nil {
		s.current = s.current.next(changed)
	}
	s.open = maps.Clone(s.open)
	s.open[name] = changed
	return nil
}

// Close lets a buffer go; the file on the disk counts again.
func (s *Session) Close(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = maps.Clone(s.open)
	delete(s.open, name)
	s.retire()
	s.last = s.last.forget(name)
}

// Refresh forgets what was read from the disk.
func (s *Session) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire()
}

// Snapshot gives what is open now, over the disk.
func (s *Session) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		s.current = newSnapshot(s.open, s.folders, s.last)
	}
	return s.current
}

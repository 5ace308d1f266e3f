// Package lsp answers an editor's questions about .flow files: what is wrong, what stands here, what could stand here, where
// else it stands. The answers are pure functions of a [Snapshot], so that the command line asks the same ones:
//
//	s := lsp.NewSession(lsp.Options{Folders: []string{"flows"}})
//	s.Open("flows/order.flow", 1, text)
//	hover := s.Snapshot().Hover("flows/order.flow", 120)
//
// A snapshot is the buffers that are open, over the disk; an import finds an unsaved buffer as it finds a file. Queries take
// names of files and byte offsets and never fail: of a file that cannot be read, or a place where nothing stands, the answer
// is empty. They work on files that are being typed, whose syntax is broken.
//
// # Places
//
// Inside, a place is a byte offset into the text of a file. Clients count lines, and in a line what they agreed on; only
// [Mapper] turns one into the other. The wire, with its messages, versions and order, is package wire.
//
// # Limits
//
// A check reads the file and all that it imports anew for every change, which takes milliseconds for thousands of lines.
// Questions about the whole workspace look at *.flow files below its folders, at most [MaxWorkspaceFiles].
package lsp

package store

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// statements reads the named statements of the files: each begins with a line `-- name: NAME`.
func statements(files ...string) (map[string]string, error) {
	all := map[string]string{}
	for _, f := range files {
		text, err := sqlFiles.ReadFile("sql/" + f)
		if err != nil {
			return nil, fmt.Errorf("read the statements of %s: %w", f, err)
		}
		for i, part := range strings.Split(string(text), "-- name: ") {
			if i == 0 {
				continue // the file's comment
			}
			name, body, _ := strings.Cut(part, "\n")
			all[strings.TrimSpace(name)] = strings.TrimSpace(body)
		}
	}
	return all, nil
}

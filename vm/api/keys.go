package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"flowc/vm/engine"
)

// keys are the credentials that count: those of the configuration and those of the database. The database is read again after
// keysFor, so that another server's change is seen soon; while it cannot be read, what was last read goes on to count.
type keys struct {
	access engine.Access
	given  []Credential
	log    *slog.Logger

	mu   sync.Mutex
	at   time.Time // when the database was read
	all  []Credential
	read bool // once at least
}

// keysFor is how long the database's credentials are believed.
const keysFor = 2 * time.Second

// list gives all credentials. An error says that the database's are not known at all.
func (k *keys) list(ctx context.Context) ([]Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read && time.Since(k.at) < keysFor {
		return k.all, nil
	}
	rows, err := k.access.Credentials(ctx)
	switch {
	case err == nil:
		k.all, k.read = merged(k.given, rows), true
	case !k.read:
		return nil, err
	default:
		k.log.WarnContext(ctx, "the credentials could not be read again; those known go on to count", "cause", err)
	}
	k.at = time.Now()
	return k.all, nil
}

// changed makes the next request read them anew.
func (k *keys) changed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at = time.Time{}
}

func merged(given []Credential, rows []engine.Credential) []Credential {
	all := append([]Credential(nil), given...)
	for _, r := range rows {
		all = append(all, Credential{Name: r.Name, Role: Role(r.Role), Hash: r.Hash, Flows: r.Flows, Events: r.Events, Tasks: r.Tasks})
	}
	return all
}

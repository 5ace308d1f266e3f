package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Role says what a credential may do.
type Role string

// The roles. An admin may do everything. The others may read, the worker aside, who sees what it claims.
const (
	Viewer   Role = "viewer"
	Sender   Role = "sender"   // start tokens and send events
	Worker   Role = "worker"   // claim work and report on it
	Operator Role = "operator" // control tokens and tasks, besides what a sender may
	Deployer Role = "deployer"
	Admin    Role = "admin"
)

var roles = []Role{Viewer, Sender, Worker, Operator, Deployer, Admin}

// Who may do what.
var (
	mayRead    = []Role{Viewer, Sender, Operator, Deployer, Admin}
	maySend    = []Role{Sender, Operator, Admin}
	mayWork    = []Role{Worker, Admin}
	mayControl = []Role{Operator, Admin}
	mayAdmin   = []Role{Admin}
	mayDeploy  = []Role{Deployer, Admin}
)

// A Credential is a bearer token, of which only the hash is kept.
type Credential struct {
	Name string // who acts; it stands in the history
	Role Role
	Hash string // hex of the token's SHA-256
	// Tasks are those that a worker may claim, Flows all that the credential knows of, Events what it may send; none means all.
	Tasks  []string
	Flows  []string
	Events []string
}

// An Actor is who sent a request. Without credentials it has no name and may do everything.
type Actor struct {
	Name   string
	Role   Role
	Tasks  []string
	Flows  []string
	Events []string
}

// ParseCredentials reads one credential per line: `NAME ROLE HASH [TASK,TASK…]`. Empty lines and lines that begin with # do not
// count.
func ParseCredentials(text string) ([]Credential, error) {
	var all []Credential
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		c, err := parseCredential(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if slices.ContainsFunc(all, func(other Credential) bool { return other.Name == c.Name }) {
			return nil, fmt.Errorf("line %d: the name %s stands twice", i+1, c.Name)
		}
		all = append(all, c)
	}
	return all, nil
}

func parseCredential(fields []string) (Credential, error) {
	if len(fields) < 3 || len(fields) > 4 {
		return Credential{}, fmt.Errorf("write NAME ROLE HASH, and for a worker the tasks that it may claim")
	}
	c := Credential{Name: fields[0], Role: Role(fields[1]), Hash: strings.ToLower(strings.TrimPrefix(fields[2], "sha256:"))}
	if !slices.Contains(roles, c.Role) {
		return c, fmt.Errorf("the role %q is none of viewer, sender, worker, operator, deployer and admin", fields[1])
	}
	if sum, err := hex.DecodeString(c.Hash); err != nil || len(sum) != sha256.Size {
		return c, fmt.Errorf("the hash of %s is no SHA-256 in hex; make one with: printf %%s TOKEN | sha256sum", c.Name)
	}
	if len(fields) == 4 {
		if c.Role != Worker {
			return c, fmt.Errorf("tasks can be named for workers only, and %s is %s", c.Name, c.Role)
		}
		c.Tasks = strings.Split(fields[3], ",")
	}
	return c, nil
}

// authorize says who sends a request, and refuses those who may not.
func (a *API) authorize(r *http.Request, allow []Role) (Actor, *Problem) {
	known, err := a.keys.list(r.Context())
	if err != nil {
		return Actor{}, a.problemOf(r.Context(), err)
	}
	if len(known) == 0 && !a.opts.Closed {
		return Actor{}, nil
	}
	token := bearerOf(r)
	if token == "" {
		return Actor{}, unauthorized("this server needs a credential: send `Authorization: Bearer TOKEN`")
	}
	c := find(known, token)
	if c == nil {
		return Actor{}, unauthorized("the credential is not known")
	}
	if !slices.Contains(allow, c.Role) {
		return Actor{}, problem(http.StatusForbidden, codeRole, "%s is %s; this needs one of the roles %s", c.Name, c.Role, joinRoles(allow))
	}
	return Actor{Name: c.Name, Role: c.Role, Tasks: c.Tasks, Flows: c.Flows, Events: c.Events}, nil
}

// bearerOf is the bearer token that a request brings, "" for none.
func bearerOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// find compares with all, in a time that does not tell how much of a guess was right.
func find(known []Credential, token string) *Credential {
	sum := sha256.Sum256([]byte(token))
	hash := []byte(hex.EncodeToString(sum[:]))
	var found *Credential
	for i := range known {
		if subtle.ConstantTimeCompare(hash, []byte(known[i].Hash)) == 1 {
			found = &known[i]
		}
	}
	return found
}

func unauthorized(detail string) *Problem {
	p := problem(http.StatusUnauthorized, codeCredential, "%s", detail)
	p.header.Set("WWW-Authenticate", "Bearer")
	return p
}

func joinRoles(all []Role) string {
	words := make([]string, len(all))
	for i, r := range all {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

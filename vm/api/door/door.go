// Package door reads the JSON that clients send, and lets in nothing that could mean two things or that a store cannot keep: no
// duplicate key, no NUL, no lone surrogate, no text that is not UTF-8, no nesting beyond MaxDepth, no unknown field.
//
//	doc, fault := door.Parse(body)           // fault: 400, the text is not such JSON
//	faults := doc.Decode(&request)           // faults: 422, it does not fit the request
//
// Numbers are never turned into floating point: a json.RawMessage field takes the value as it was written.
package door

import (
	"strconv"
	"strings"
)

// MaxDepth is the deepest nesting of arrays and objects.
const MaxDepth = 200

// A Fault is something wrong at a place of the document, named by a JSON Pointer; "" is the whole document.
type Fault struct {
	Pointer string
	Detail  string
}

// kind says what a value is, in words for messages.
type kind string

const (
	null    kind = "null"
	boolean kind = "a boolean"
	number  kind = "a number"
	text    kind = "a string"
	array   kind = "an array"
	object  kind = "an object"
)

// A Document is a value that has passed the door.
type Document struct{ root node }

// A node is a value as it was written, without space around it. What it holds is looked at only where a request has a field for
// it, so that a large payload costs no more than its bytes.
type node struct {
	kind kind
	raw  []byte
}

type member struct {
	name  string
	value node
}

// members gives what an object holds, in its order.
func (n node) members() []member {
	var out []member
	p := parser{data: n.raw}
	_ = p.object(nil, 0, func(name string, value node) { out = append(out, member{name, value}) }) // it has been parsed before
	return out
}

// items gives what an array holds.
func (n node) items() []node {
	var out []node
	p := parser{data: n.raw}
	_ = p.array(nil, 0, func(item node) { out = append(out, item) })
	return out
}

// path is where in a document something stands, as a list that grows at its end.
type path struct {
	up    *path
	name  string
	index int // when name does not count
	named bool
}

func (p *path) member(name string) *path { return &path{up: p, name: name, named: true} }

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// String gives the JSON Pointer (RFC 6901).
func (p *path) String() string {
	if p == nil {
		return ""
	}
	if p.named {
		return p.up.String() + "/" + escapePointer.Replace(p.name)
	}
	return p.up.String() + "/" + strconv.Itoa(p.index)
}

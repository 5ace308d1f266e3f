package door

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct{ pointer, detail string }{
		``:                     {"", "there is no JSON in the body"},
		"  \n":                 {"", "there is no JSON in the body"},
		`{`:                    {"", "the body ends too early"},
		`{"a":1,}`:             {"", "where a key in quotes belongs"},
		`{"a":[1,]}`:           {"/a/1", "where a value belongs"},
		`{"a":1 "b":2}`:        {"", "where `,` or `}` belongs"},
		`{"a" 1}`:              {"/a", "where `:` belongs"},
		`{a:1}`:                {"", "where a key in quotes belongs"},
		`{"a":1} x`:            {"", "after the end of the JSON"},
		`{"a":1}{"a":1}`:       {"", "after the end of the JSON"},
		`{"a":{"b":1,"b":2}}`:  {"/a/b", `the key "b" stands twice`},
		`{"a":1,"\u0061":2}`:   {"/a", `the key "a" stands twice`},
		`{"a":"x\u0000"}`:      {"/a", "NUL"},
		"{\"a\":\"x\x00\"}":    {"/a", "U+0000 stands bare"},
		"{\"a\":\"x\ny\"}":     {"/a", "U+000A stands bare"},
		`{"a":"\ud800"}`:       {"/a", "surrogate"},
		`{"a":"\udc00\ud800"}`: {"/a", "surrogate"},
		`{"a":"\ud800\u0041"}`: {"/a", "surrogate"},
		`{"\ud800":1}`:         {"", "surrogate"},
		"{\"a\":\"\xff\"}":     {"/a", "not UTF-8"},
		`{"a":"\x41"}`:         {"/a", "no escape"},
		`{"a":"\u12g4"}`:       {"/a", "hexadecimal"},
		`{"a":"\u+123"}`:       {"/a", "hexadecimal"},
		`{"a":"open`:           {"/a", "ends within a string"},
		`{"a":"open\`:          {"/a", "ends within a string"},
		`{"a/b":{"c~d":01}}`:   {"/a~1b/c~0d", "does not begin with 0"},
		`[1.]`:                 {"/0", "where a digit belongs"},
		`[1e]`:                 {"/0", "where a digit belongs"},
		`[-]`:                  {"/0", "where a digit belongs"},
		`[+1]`:                 {"/0", "where a value belongs"},
		`[NaN]`:                {"/0", "where a value belongs"},
		`nul`:                  {"", "where a value belongs"},
		"\ufeff{}":             {"", "where a value belongs"},
	}
	for in, want := range tests {
		_, fault := Parse([]byte(in))
		if fault == nil {
			t.Errorf("%q passed", in)
			continue
		}
		if fault.Pointer != want.pointer || !strings.Contains(fault.Detail, want.detail) {
			t.Errorf("%q: got %q: %s, want %q: %s", in, fault.Pointer, fault.Detail, want.pointer, want.detail)
		}
	}
}

func TestParseLetsIn(t *testing.T) {
	for _, in := range []string{
		`{}`, `[]`, `null`, ` "x" `, `-0.5e+10`, `{"a":[],"b":{},"":[{}]}`, `"\ud83d\ude00 \" \\ \/ \b\f\n\r\t"`,
		`123456789012345678901234567890.12345678901234567890`, "\t[ 1 , 2 ]\r\n",
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
	} {
		if _, fault := Parse([]byte(in)); fault != nil {
			t.Errorf("%q: %v", in, fault)
		}
	}
}

func TestParseStopsAtTheDepth(t *testing.T) {
	for _, in := range []string{strings.Repeat("[", 1_000_000), strings.Repeat(`{"a":`, 1_000_000)} {
		if _, fault := Parse([]byte(in)); fault == nil || !strings.Contains(fault.Detail, "nested deeper than 200") {
			t.Errorf("got %v", fault)
		}
	}
}

type request struct {
	Event   string            `json:"event"`
	Payload json.RawMessage   `json:"payload,omitempty"`
	Max     int               `json:"max,omitempty" minimum:"1" maximum:"10"`
	Mode    string            `json:"mode,omitempty" enum:"fail,return" nullable:"true"`
	Due     *time.Time        `json:"due" required:"false" nullable:"true"`
	Items   []inner           `json:"items,omitempty" maxItems:"2"`
	Files   map[string]string `json:"files,omitempty"`
	On      bool              `json:"on,omitempty"`
}

type inner struct {
	Name string `json:"name"`
}

func TestDecode(t *testing.T) {
	var got request
	in := `{"event":"go\n","payload":{"n":12345678901234567890.10, "x":[1]},"max":3,"mode":null,"due":"2026-03-28T22:00:00Z",
		"items":[{"name":"a"}],"files":{"a.flow":"x"},"on":true}`
	doc, fault := Parse([]byte(in))
	if fault != nil {
		t.Fatal(fault)
	}
	if faults := doc.Decode(&got); faults != nil {
		t.Fatal(faults)
	}
	if string(got.Payload) != `{"n":12345678901234567890.10, "x":[1]}` || got.Event != "go\n" || got.Max != 3 || got.Mode != "" ||
		got.Due.Hour() != 22 || got.Items[0].Name != "a" || got.Files["a.flow"] != "x" || !got.On {
		t.Errorf("got %+v", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := map[string]string{
		`[]`:                                 `: must be an object, not an array`,
		`{}`:                                 `/event: is missing`,
		`{"event":null}`:                     `/event: must be a string, not null`,
		`{"event":1}`:                        `/event: must be a string, not a number`,
		`{"Event":"x","event":"x"}`:          `/Event: is unknown; known are event, payload, max, mode, due, items, files, on`,
		`{"event":"x","max":1.5}`:            `/max: must be a whole number`,
		`{"event":"x","max":0}`:              `/max: must be at least 1`,
		`{"event":"x","max":11}`:             `/max: must be at most 10`,
		`{"event":"x","max":1e3}`:            `/max: must be a whole number`,
		`{"event":"x","mode":"x"}`:           `/mode: must be one of fail, return`,
		`{"event":"x","due":"tomorrow"}`:     `/due: must be an instant in RFC 3339, such as 2026-03-28T22:00:00Z`,
		`{"event":"x","due":7}`:              `/due: must be a string, not a number`,
		`{"event":"x","items":[{"n":1}]}`:    `/items/0/name: is missing | /items/0/n: is unknown; known are name`,
		`{"event":"x","items":[{},{},{}]}`:   `/items: must have at most 2 items`,
		`{"event":"x","files":{"a/b":1}}`:    `/files/a~1b: must be a string, not a number`,
		`{"event":"x","on":"true"}`:          `/on: must be a boolean, not a string`,
		`{"event":1,"max":"2","unknown":{}}`: `/event: must be a string, not a number | /max: must be a number, not a string | /unknown: is unknown; known are event, payload, max, mode, due, items, files, on`,
	}
	for in, want := range tests {
		doc, fault := Parse([]byte(in))
		if fault != nil {
			t.Fatal(in, fault)
		}
		var all []string
		for _, f := range doc.Decode(&request{}) {
			all = append(all, f.Pointer+": "+f.Detail)
		}
		if got := strings.Join(all, " | "); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// FuzzParse holds Parse to encoding/json: what passes the door is JSON for everybody.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"\u00e9\ud83d\ude00",null,true]}`, `[[[]]]`, `"\ud800"`, `{"a":1,"a":2}`, `-0`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, fault := Parse(data); fault == nil && !json.Valid(data) {
			t.Errorf("%q passed", data)
		}
	})
}

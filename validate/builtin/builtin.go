// Package builtin is the one table of the language's built-in functions and values (language.md 7): their documentation, how the
// checker types a call, and what a call returns. The checker folds with it and the virtual machine calls it, so that both give the
// same answer.
//
//	f, ok := builtin.Lookup("len")
//	sig, problem := f.Check([]builtin.Arg{{Type: value.TypeString}})
//	n, err := f.Call(nil, []value.Value{value.OfString("abc")}, nil)
//
// Limits: a result takes at most value.MaxSize bytes, or the call ends in memory_limit; range(n) goes up to MaxRange; a pattern has
// at most MaxPattern bytes. What is malformed at run time (a date, a zone, a pattern) is the error out_of_range.
package builtin

import (
	"slices"

	"flowc/validate/value"
)

const (
	// MaxRange is the longest list that range makes.
	MaxRange = 1_000_000
	// MaxPattern is the longest pattern of format, in bytes.
	MaxPattern = 100
)

// An Env is what built-ins may know of the token and the step. Instants are microseconds from 1970-01-01T00:00:00Z.
type Env interface {
	Now() int64
	EnteredAt() int64
	TokenID() string
	TokenKey() (key string, ok bool)
	StartedAt() int64
}

// A Lambda evaluates the lambda of a call for one element.
type Lambda func(value.Value) (value.Value, error)

// An Arg is an argument of a call as the checker sees it.
type Arg struct {
	Type  *value.Type  // nil of a lambda
	Const *value.Value // what it folds to, nil when it does not
	// Lambda is set for `x => expr`: it types the body with the parameter's type and returns the body's. It is called at most
	// once; a body that cannot be typed is Invalid, and its findings are the checker's own.
	Lambda func(param *value.Type) (body *value.Type)
}

// A Sig is the type of a call: of the result, and what each plain argument must be converted to (value.Convert; mostly its own).
type Sig struct {
	Result *value.Type
	Args   []*value.Type
	Param  *value.Type // of the lambda, nil without one
	// Fill are constants that the checker appends to the plain arguments: what Call needs and cannot see, such as the zero that
	// the sum of an empty list is.
	Fill []value.Value
}

// A Problem is what is wrong with a call.
type Problem struct {
	ID      string // of the finding: type-mismatch, missing-argument, unknown-argument, null-not-tested, not-a-time, zone-unknown
	Arg     int    // the argument that it is about, -1 for the call
	Message string
	Fix     string // what to write for a text argument, without its quotes; "" when that is not certain
}

// LambdaUse says whether a call takes a lambda, which stands behind the plain arguments.
type LambdaUse uint8

// The uses of lambdas.
const (
	NoLambda LambdaUse = iota
	MayLambda
	MustLambda
)

// A Func is a built-in function, or a value such as token.id, which is written without parentheses.
type Func struct {
	Name      string
	Signature string // for hover and messages, as in `slice(text, from, to)`
	Doc       string // one or two sentences
	Bare      bool   // written without parentheses
	Foldable  bool   // depends on nothing but its arguments
	Lambda    LambdaUse
	State     bool // `active`: its argument is a state's name, and checker and machine do it themselves

	min, max int // plain arguments as written; max -1: any number
	fill     int // how many Check fills in
	check    func(c *call) *value.Type
	call     func(env Env, args []value.Value, lambda Lambda) (value.Value, error)
	cost     func(args []value.Value) int // nil: what the arguments themselves take
}

// Lookup returns the built-in of that name.
func Lookup(name string) (*Func, bool) {
	f, ok := byName[name]
	return f, ok
}

// All returns every built-in, in the order of their names. The caller must not change it.
func All() []*Func { return all }

// Check types a call. With a Problem the Sig still has the result's type as far as it is known.
func (f *Func) Check(args []Arg) (Sig, *Problem) {
	c := &call{f: f, args: args}
	c.sig.Args = make([]*value.Type, 0, len(args))
	for _, a := range args {
		if a.Lambda == nil {
			c.sig.Args = append(c.sig.Args, a.Type)
		}
	}
	c.arity()
	c.sig.Result = value.TypeInvalid
	if c.problem == nil && f.check != nil {
		if t := f.check(c); t != nil {
			c.sig.Result = t
		}
	}
	return c.sig, c.problem
}

// Takes reports whether Call may be given so many plain arguments, those of Sig.Fill among them, and a lambda or none: for who
// reads programs that were compiled elsewhere.
func (f *Func) Takes(plain int, lambda bool) bool {
	written := plain - f.fill
	return written >= f.min && (f.max < 0 || written <= f.max) && !(lambda && f.Lambda == NoLambda) && (lambda || f.Lambda != MustLambda)
}

// Call evaluates a call whose arguments have the types of its Sig and end with its Fill. env may be nil when the function is Foldable, lambda when the
// call has none. Errors are *value.Error, or what the lambda returned.
func (f *Func) Call(env Env, args []value.Value, lambda Lambda) (value.Value, error) {
	if f.call == nil {
		return value.Value{}, value.Errorf(value.CodeNull, "`%s` has no value", f.Name)
	}
	v, err := f.call(env, args, lambda)
	if err != nil {
		return value.Value{}, err
	}
	return v, v.Check()
}

// Cost returns about how many bytes a call looks at, calls of its lambda aside: what a step's instruction budget should count, since
// one call may go through a large list.
func (f *Func) Cost(args []value.Value) int {
	if f.cost != nil {
		return f.cost(args)
	}
	n := 0
	for _, a := range args {
		n += a.Own()
	}
	return n
}

func nothing([]value.Value) int { return 0 }

func whole(args []value.Value) int {
	n := 0
	for _, a := range args {
		n += a.Size()
	}
	return n
}

var (
	all    = table()
	byName = index(all)
)

func table() []*Func {
	var fs []*Func
	for _, part := range [][]*Func{textFuncs(), listFuncs(), lambdaFuncs(), numberFuncs(), timeFuncs(), tokenFuncs()} {
		fs = append(fs, part...)
	}
	slices.SortFunc(fs, func(a, b *Func) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return fs
}

func index(fs []*Func) map[string]*Func {
	m := make(map[string]*Func, len(fs))
	for _, f := range fs {
		m[f.Name] = f
	}
	return m
}

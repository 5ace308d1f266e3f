// Package house holds the tests that hold the house in order: which room may
// import which, what stands at the top level, which modules the project depends
// on, how long a file may be, and that every flow in the docs, the examples and
// the pages of the findings is what it says it is.
package house

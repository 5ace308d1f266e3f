//go:build !crashpoints

package store

// crashPoint does nothing but in a build with the tag crashpoints.
func crashPoint() {}

package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// The exit codes, which scripts depend on.
const (
	exitFine     = 0
	exitFindings = 1 // findings, or a failed test
	exitUsage    = 2 // bad usage, unreadable input, or anything else that could not be done
	exitServer   = 3 // the server refused or could not be reached
)

// An exitError ends the command with a code. Without an error nothing more is printed: the results say it all.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// errFindings ends a command whose output shows what is wrong.
var errFindings = &exitError{code: exitFindings}

// usageError says that the command line is not understood.
func usageError(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// serverError says that the server refused or could not be reached.
func serverError(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitServer, err: told(err)}
}

// report prints an error for the user and gives its exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitFine
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitUsage, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "flowc: %s\n", strings.TrimRight(err.Error(), "\n"))
	}
	return exit.code
}

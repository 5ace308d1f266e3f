package engine_test

import (
	"os"
	"testing"
)

// TestMain lets the test binary be run again as one server of the chaos test or of a fleet.
func TestMain(m *testing.M) {
	if url := os.Getenv(chaosURL); url != "" {
		os.Exit(chaosServer(url))
	}
	if url := os.Getenv(fleetURL); url != "" {
		os.Exit(fleetServer(url))
	}
	os.Exit(m.Run())
}

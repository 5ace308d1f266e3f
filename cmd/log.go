package cmd

import (
	"log/slog"
)

// newLog logs to standard error: text for a person at a terminal, JSON for everything else.
func newLog(env Env, level slog.Level) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if env.Terminal(env.Stderr) {
		return slog.New(slog.NewTextHandler(env.Stderr, opts))
	}
	return slog.New(slog.NewJSONHandler(env.Stderr, opts))
}

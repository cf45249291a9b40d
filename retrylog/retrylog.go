// Package retrylog writes what the engine does to a structured log (log/slog).
package retrylog

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// Observer tells a logger of an operation's attempts, waits and end. Retries and their waits are at level Info, an end
// without success at Warn, the rest at Debug.
//
// A record holds the operation's id, the attempt, the outcome's kind, cause and status, the planned wait with its
// source, and the reason. It never holds an error's text: that may name a URL with a secret in it.
func Observer(logger *slog.Logger) engine.Observer {
	return func(e *engine.Event) {
		level := levelOf(e)
		ctx := context.Background()
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := []slog.Attr{
			slog.String("operation", strconv.FormatUint(e.Operation, 16)),
			slog.Int("attempt", e.Attempt),
		}
		logger.LogAttrs(ctx, level, message(e), append(attrs, attrsOf(e)...)...)
	}
}

func levelOf(e *engine.Event) slog.Level {
	switch e.Kind {
	case engine.EventWait:
		return slog.LevelInfo
	case engine.EventDone:
		if e.Report.Result != engine.ResultSucceeded {
			return slog.LevelWarn
		}
		return slog.LevelDebug
	case engine.EventStart, engine.EventAttempt, engine.EventOutcome, engine.EventDecision, engine.EventWaitEnd:
		return slog.LevelDebug
	default:
		return slog.LevelDebug
	}
}

func message(e *engine.Event) string {
	switch e.Kind {
	case engine.EventStart:
		return "operation started"
	case engine.EventAttempt:
		return "attempt started"
	case engine.EventOutcome:
		return "attempt answered"
	case engine.EventDecision:
		return "retry decided"
	case engine.EventWait:
		return "waiting to retry"
	case engine.EventWaitEnd:
		return "wait ended"
	case engine.EventDone:
		return "operation ended"
	default:
		return "event"
	}
}

func attrsOf(e *engine.Event) []slog.Attr {
	switch e.Kind {
	case engine.EventOutcome:
		return outcomeAttrs(&e.Outcome)
	case engine.EventDecision:
		return []slog.Attr{slog.String("verdict", e.Decision.Verdict.String()), slog.String("reason", e.Decision.Reason.String())}
	case engine.EventWait:
		return append(outcomeAttrs(&e.Outcome),
			slog.Duration("wait", e.Decision.Wait), slog.String("source", e.Decision.Source.String()))
	case engine.EventWaitEnd:
		return []slog.Attr{slog.Bool("cut", e.Cut)}
	case engine.EventDone:
		r := &e.Report
		return append(outcomeAttrs(&r.Last), slog.String("result", r.Result.String()), slog.String("reason", r.Reason.String()),
			slog.Duration("waited", r.Waited), slog.Duration("elapsed", r.Elapsed))
	case engine.EventStart, engine.EventAttempt:
		return nil
	default:
		return nil
	}
}

func outcomeAttrs(o *engine.Outcome) []slog.Attr {
	out := []slog.Attr{slog.String("kind", o.Kind.String())}
	if o.Cause != engine.CauseNone {
		out = append(out, slog.String("cause", o.Cause.String()))
	}
	if o.Status != 0 {
		out = append(out, slog.Int("status", o.Status))
	}
	return out
}

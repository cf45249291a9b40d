package export

import (
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// JavaStatus is the test of a status in Java and C#, RustStatus in Rust.
func (d *draft) JavaStatus() string { return d.statusTest("&&", "||", "==", "!=", "false") }

// NS is a duration in whole nanoseconds, MS and Whole in whole milliseconds.
func (d *draft) Whole(at time.Duration) string {
	return strconv.FormatInt(int64(at/time.Millisecond), 10)
}

// Reach is the jitter as its reach to both sides of 1.
func (d *draft) Reach() string { return plainFloat(spreadOf(d)) }

var resilienceFormat = Format{
	ID: "resilience4j", Name: "Java, Resilience4j 2", File: "Retries.java", Comment: "//",
	fit: func(d *draft) {
		statuses := d.RetryOn.Statuses
		attempts := d.Attempts
		fitResilience(d)
		d.RetryOn.Statuses = statuses
		d.Attempts = min(attempts, 1_000_000)
		d.because("retry-on", "it tells no two of the other failures apart")
	},
	body: func(d *draft) string {
		return filled(`import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.http.HttpResponse;
import java.time.Duration;

public final class Retries {
  private Retries() {}

  static boolean retried(int status) {
    return {{.JavaStatus}};
  }

  /** Around a call that returns an answer of java.net.http. */
  public static <T> Retry policy() {
    RetryConfig config =
        RetryConfig.<HttpResponse<T>>custom()
            .maxAttempts({{.Attempts}})
            .intervalFunction(
                {{if and (eq .Growth 1.0) .Jitter.Kind}}IntervalFunction.ofRandomized(Duration.ofMillis({{.Whole .Base}}), {{.Reach}})
                {{- else if eq .Growth 1.0}}IntervalFunction.of(Duration.ofMillis({{.Whole .Base}}))
                {{- else if .Jitter.Kind}}IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis({{.Whole .Base}}), {{float .Growth}}, {{.Reach}}{{if not (none .Cap)}}, Duration.ofMillis({{.Whole .Cap}}){{end}})
                {{- else}}IntervalFunction.ofExponentialBackoff(Duration.ofMillis({{.Whole .Base}}), {{float .Growth}}{{if not (none .Cap)}}, Duration.ofMillis({{.Whole .Cap}}){{end}}){{end}})
            .retryOnResult(response -> retried(response.statusCode()))
            .retryOnException(
                e -> {{if and .Errors .Timeouts}}e instanceof java.io.IOException || e instanceof java.util.concurrent.TimeoutException
                {{- else if .Errors}}e instanceof java.io.IOException && !(e instanceof java.net.http.HttpTimeoutException)
                {{- else if .Timeouts}}e instanceof java.net.http.HttpTimeoutException || e instanceof java.util.concurrent.TimeoutException
                {{- else}}false{{end}})
            .build();
    return Retry.of("service", config);
  }
}
`, d)
	},
}

var springFormat = Format{
	ID: "spring", Name: "Java, Spring Retry 2", File: "Retries.java", Comment: "//",
	fit: func(d *draft) {
		d.onlyOwn("methods", "timeout", "attempt-timeout")
		d.most(1_000_000, "Spring counts its attempts")
		d.curves(engine.CurveExponential, engine.CurveConstant)
		if d.Curve == engine.CurveNone {
			d.Curve = engine.CurveConstant
		}
		d.Base = max(d.Base, time.Millisecond)
		whole(&d.Base, time.Millisecond)
		if d.Curve == engine.CurveConstant {
			d.Base, d.Cap, d.Jitter = max(min(d.Base, d.Cap), time.Millisecond), engine.NoCap, engine.Jitter{}
		} else {
			d.Cap = max(min(d.Cap, longestGRPC), d.Base)
			whole(&d.Cap, time.Millisecond)
			if d.Jitter.Kind != engine.JitterNone { // its own is a factor of 1 to the multiplier
				d.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1, Hi: d.Factor}
			}
			d.CapStage = engine.CapBoth
		}
		d.retryAfters(engine.RetryAfterIgnore)
		d.RetryOn.Statuses = engine.StatusSet{}
		switch {
		case d.Errors():
			d.failures("transport,timeout")
		case d.Timeouts():
			d.failures("timeout")
		default:
			d.failures("none")
			d.Attempts = 1
		}
		d.because("retry-on", "it sees exceptions: throw one for a status that may heal")
	},
	body: func(d *draft) string {
		return filled(`import org.springframework.retry.support.RetryTemplate;

public final class Retries {
  private Retries() {}

  public static RetryTemplate policy() {
    return RetryTemplate.builder()
        .maxAttempts({{.Attempts}})
        {{- if eq .Growth 1.0}}
        .fixedBackoff({{.Whole .Base}}L)
        {{- else}}
        .exponentialBackoff({{.Whole .Base}}L, {{float .Growth}}, {{.Whole .Cap}}L{{if .Jitter.Kind}}, true{{end}})
        {{- end}}
        .retryOn({{if .Errors}}java.io.IOException.class{{else}}java.net.SocketTimeoutException.class{{end}})
        .build();
  }
}
`, d)
	},
}

var pollyFormat = Format{
	ID: "polly", Name: "C#, Polly 8", File: "Retries.cs", Comment: "//",
	fit: func(d *draft) {
		d.onlyOwn("methods", "ceiling")
		d.because("budget", "a rate limiter of Polly's is another thing")
		d.curves(engine.CurveExponential, engine.CurveConstant, engine.CurveLinear)
		if d.Curve == engine.CurveExponential {
			d.Factor = 2
		}
		quarter := engine.Jitter{Kind: engine.JitterScale, Lo: 0.75, Hi: 1.25}
		own := d.Jitter.Kind == engine.JitterSmooth || d.Jitter.Kind == engine.JitterDecorrelated
		switch {
		case d.Jitter.Kind == engine.JitterNone || d.Curve == engine.CurveNone:
			d.Jitter = engine.Jitter{}
		case own || d.Curve == engine.CurveExponential:
			d.Curve, d.Factor, d.Jitter = engine.CurveExponential, 2, engine.Jitter{Kind: engine.JitterSmooth}
		default:
			d.Jitter = quarter
		}
		d.CapStage = engine.CapAfter
		d.retryAfters(engine.RetryAfterReplace, engine.RetryAfterIgnore)
		if d.Errors() {
			d.failures("transport,timeout,invalid-response,dns,tls,proxy")
		} else {
			d.failures("none")
		}
	},
	body: func(d *draft) string {
		return filled(`using System;
using System.Net.Http;
using System.Threading.Tasks;
using Polly;
using Polly.Retry;
using Polly.Timeout;

public static class Retries
{
    static bool Retried(int status) => {{.JavaStatus}};
    {{- if .Asks}}

    static TimeSpan Until(DateTimeOffset date, DateTimeOffset? sent)
    {
        var left = date - (sent ?? DateTimeOffset.UtcNow); // by the answer's own Date
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
    {{- end}}

    public static ResiliencePipeline<HttpResponseMessage> Policy() => new ResiliencePipelineBuilder<HttpResponseMessage>()
        {{- if .Timeout}}
        .AddTimeout(TimeSpan.FromMilliseconds({{ms .Timeout}}))
        {{- end}}
        {{- if gt .Attempts 1}}
        .AddRetry(new RetryStrategyOptions<HttpResponseMessage>
        {
            MaxRetryAttempts = {{if .Endless}}int.MaxValue{{else}}{{.Retries}}{{end}},
            Delay = TimeSpan.FromMilliseconds({{ms .Base}}),
            {{- if not (none .Cap)}}
            MaxDelay = TimeSpan.FromMilliseconds({{ms .Cap}}),
            {{- end}}
            BackoffType = DelayBackoffType.{{.PollyCurve}},
            UseJitter = {{if .Jitter.Kind}}true{{else}}false{{end}},
            ShouldHandle = args => ValueTask.FromResult(args.Outcome switch
            {
                {{- if .Errors}}
                { Exception: HttpRequestException or TimeoutRejectedException } => true,
                {{- end}}
                { Result: { } response } => Retried((int)response.StatusCode),
                _ => false,
            }),
            {{- if .Asks}}
            DelayGenerator = args => ValueTask.FromResult<TimeSpan?>(args.Outcome.Result?.Headers.RetryAfter switch
            {
                { Delta: { } delta } => delta,
                { Date: { } date } => Until(date, args.Outcome.Result.Headers.Date),
                _ => null,
            }),
            {{- end}}
        })
        {{- end}}
        {{- if .AttemptTimeout}}
        .AddTimeout(TimeSpan.FromMilliseconds({{ms .AttemptTimeout}}))
        {{- end}}
        .Build();
}
`, d)
	},
}

// PollyCurve is the curve in Polly's words.
func (d *draft) PollyCurve() string {
	switch d.Curve {
	case engine.CurveExponential:
		return "Exponential"
	case engine.CurveLinear:
		return "Linear"
	case engine.CurveNone, engine.CurveConstant, engine.CurveQuadratic, engine.CurveFibonacci:
	}
	return "Constant"
}

var backonFormat = Format{
	ID: "backon", Name: "Rust, backon 1 around reqwest", File: "retry.rs", Comment: "//",
	fit: func(d *draft) {
		d.onlyOwn("methods", "timeout")
		d.curves(engine.CurveExponential, engine.CurveConstant)
		if d.Curve == engine.CurveNone {
			d.Curve = engine.CurveConstant
		}
		if d.Jitter.Kind != engine.JitterNone { // its own is a factor of 1 to 2
			d.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1, Hi: 2}
		}
		d.CapStage = engine.CapBefore
		if d.Curve == engine.CurveConstant {
			d.Cap = engine.NoCap
		}
		d.retryAfters(engine.RetryAfterIgnore)
		if d.Errors() {
			d.failures("transport,timeout,invalid-response,dns,tls,proxy")
		} else {
			d.failures("none")
		}
	},
	body: func(d *draft) string {
		return filled(`use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

fn retried(error: &reqwest::Error) -> bool {
    match error.status().map(|s| s.as_u16()) {
        Some(status) => {{.JavaStatus}},
        None => {{.Errors}},
    }
}

pub async fn get(client: &reqwest::Client, url: &str) -> Result<reqwest::Response, reqwest::Error> {
    let waits = ExponentialBuilder::default()
        .with_min_delay(Duration::from_nanos({{printf "%d" .Base}}))
        {{if none .Cap}}.without_max_delay(){{else}}.with_max_delay(Duration::from_nanos({{printf "%d" .Cap}})){{end}}
        .with_factor({{.RustGrowth}})
        {{- if .Jitter.Kind}}
        .with_jitter()
        {{- end}}
        {{if .Endless}}.without_max_times(){{else}}.with_max_times({{.Retries}}){{end}};
    (|| async { client.get(url){{if .AttemptTimeout}}.timeout(Duration::from_nanos({{printf "%d" .AttemptTimeout}})){{end}}.send().await?.error_for_status() })
        .retry(waits)
        .when(retried)
        .await
}
`, d)
	},
}

// RustGrowth is the factor as a number with a point.
func (d *draft) RustGrowth() string {
	s := plainFloat(d.growth())
	if _, err := strconv.Atoi(s); err == nil {
		s += ".0"
	}
	return s
}

var temporalFormat = Format{
	ID: "temporal", Name: "a Temporal activity, in Go", File: "options.go", Comment: "//",
	fit: func(d *draft) {
		d.onlyOwn("methods")
		d.curves(engine.CurveExponential, engine.CurveConstant)
		if d.Curve == engine.CurveNone || d.Base == 0 { // 0 would be a second
			d.Curve, d.Base = engine.CurveConstant, time.Millisecond
		}
		d.jitters(engine.JitterNone)
		d.Cap = min(d.Cap, longestGRPC) // none would be a hundred times the first
		d.Base = min(d.Base, d.Cap)
		d.retryAfters(engine.RetryAfterIgnore)
		d.because("retry-after", "an activity may set NextRetryDelay")
		if d.Attempts > 1 {
			_ = d.Set("retry-on", "transport,timeout,invalid-response,decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,4xx,5xx")
		}
		d.because("retry-on", "every failure is retried but a non-retryable one: return that for what does not heal")
		if d.Timeout == 0 && d.AttemptTimeout == 0 { // it wants one of them
			d.AttemptTimeout = longestGRPC
		}
	},
	body: func(d *draft) string {
		return goFile(filled(`
// Options are those of an activity, for workflow.WithActivityOptions.
func Options() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		{{- if .Timeout}}
		ScheduleToCloseTimeout: {{go .Timeout}},
		{{- end}}
		{{- if .AttemptTimeout}}
		StartToCloseTimeout: {{go .AttemptTimeout}},
		{{- end}}
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: {{go .Base}},
			BackoffCoefficient: {{float .Growth}},
			MaximumInterval: {{if none .Cap}}{{go .Base}}{{else}}{{go .Cap}}{{end}},
			MaximumAttempts: {{if .Endless}}0{{else}}{{.Attempts}}{{end}},
		},
	}
}
`, d), `"go.temporal.io/sdk/temporal"`, `"go.temporal.io/sdk/workflow"`)
	},
}

// A retry policy for C#, Polly 8, written by retryscope.
// NOT CARRIED: decorrelated jitter: written as smooth jitter
// NOT CARRIED: retry-after=clamp:5s: written as replace
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: ceiling=30s: written as none
// NOT CARRIED: retry-on: written as well: dns,tls,proxy
// NOT CARRIED: methods=GET,POST: written as any
// NOT CARRIED: budget=ratio:20%/10: written as none (a rate limiter of Polly's is another thing)
using System;
using System.Net.Http;
using System.Threading.Tasks;
using Polly;
using Polly.Retry;
using Polly.Timeout;

public static class Retries
{
    static bool Retried(int status) => status == 429 || status >= 500 && status <= 599 && status != 501 && status != 505 && status != 511;

    static TimeSpan Until(DateTimeOffset date, DateTimeOffset? sent)
    {
        var left = date - (sent ?? DateTimeOffset.UtcNow); // by the answer's own Date
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    public static ResiliencePipeline<HttpResponseMessage> Policy() => new ResiliencePipelineBuilder<HttpResponseMessage>()
        .AddTimeout(TimeSpan.FromMilliseconds(30000))
        .AddRetry(new RetryStrategyOptions<HttpResponseMessage>
        {
            MaxRetryAttempts = 5,
            Delay = TimeSpan.FromMilliseconds(100),
            MaxDelay = TimeSpan.FromMilliseconds(5000),
            BackoffType = DelayBackoffType.Exponential,
            UseJitter = true,
            ShouldHandle = args => ValueTask.FromResult(args.Outcome switch
            {
                { Exception: HttpRequestException or TimeoutRejectedException } => true,
                { Result: { } response } => Retried((int)response.StatusCode),
                _ => false,
            }),
            DelayGenerator = args => ValueTask.FromResult<TimeSpan?>(args.Outcome.Result?.Headers.RetryAfter switch
            {
                { Delta: { } delta } => delta,
                { Date: { } date } => Until(date, args.Outcome.Result.Headers.Date),
                _ => null,
            }),
        })
        .AddTimeout(TimeSpan.FromMilliseconds(10000))
        .Build();
}

// A retry policy for C#, Polly 8, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls,proxy
using System;
using System.Net.Http;
using System.Threading.Tasks;
using Polly;
using Polly.Retry;
using Polly.Timeout;

public static class Retries
{
    static bool Retried(int status) => status == 429 || status == 500 || status >= 502 && status <= 504;

    public static ResiliencePipeline<HttpResponseMessage> Policy() => new ResiliencePipelineBuilder<HttpResponseMessage>()
        .AddRetry(new RetryStrategyOptions<HttpResponseMessage>
        {
            MaxRetryAttempts = 4,
            Delay = TimeSpan.FromMilliseconds(1000),
            BackoffType = DelayBackoffType.Exponential,
            UseJitter = false,
            ShouldHandle = args => ValueTask.FromResult(args.Outcome switch
            {
                { Exception: HttpRequestException or TimeoutRejectedException } => true,
                { Result: { } response } => Retried((int)response.StatusCode),
                _ => false,
            }),
        })
        .Build();
}

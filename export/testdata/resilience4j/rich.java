// A retry policy for Java, Resilience4j 2, written by retryscope.
// NOT CARRIED: cap-stage=before: written as after
// NOT CARRIED: jitter=decorrelated: written as scale:0.5..1.5
// NOT CARRIED: retry-after=clamp:5s: written as ignore
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: timeout=30s: written as none
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: not written: invalid-response (it tells no two of the other failures apart)
// NOT CARRIED: methods=GET,POST: written as any
// NOT CARRIED: budget=ratio:20%/10: written as none
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.http.HttpResponse;
import java.time.Duration;

public final class Retries {
  private Retries() {}

  static boolean retried(int status) {
    return status == 429 || status >= 500 && status <= 599 && status != 501 && status != 505 && status != 511;
  }

  /** Around a call that returns an answer of java.net.http. */
  public static <T> Retry policy() {
    RetryConfig config =
        RetryConfig.<HttpResponse<T>>custom()
            .maxAttempts(6)
            .intervalFunction(
                IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis(100), 2, 0.5, Duration.ofMillis(5000)))
            .retryOnResult(response -> retried(response.statusCode()))
            .retryOnException(
                e -> e instanceof java.io.IOException || e instanceof java.util.concurrent.TimeoutException)
            .build();
    return Retry.of("service", config);
  }
}

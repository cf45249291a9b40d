// A retry policy for Java, Resilience4j 2, written by retryscope.
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.http.HttpResponse;
import java.time.Duration;

public final class Retries {
  private Retries() {}

  static boolean retried(int status) {
    return status == 429 || status == 500 || status >= 502 && status <= 504;
  }

  /** Around a call that returns an answer of java.net.http. */
  public static <T> Retry policy() {
    RetryConfig config =
        RetryConfig.<HttpResponse<T>>custom()
            .maxAttempts(5)
            .intervalFunction(
                IntervalFunction.ofExponentialBackoff(Duration.ofMillis(1000), 2))
            .retryOnResult(response -> retried(response.statusCode()))
            .retryOnException(
                e -> e instanceof java.io.IOException || e instanceof java.util.concurrent.TimeoutException)
            .build();
    return Retry.of("service", config);
  }
}

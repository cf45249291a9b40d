// A retry policy for Java, Spring Retry 2, written by retryscope.
// NOT CARRIED: cap=none: written as 24h
// NOT CARRIED: retry-on: not written: 429,500,502-504 (it sees exceptions: throw one for a status that may heal)
import org.springframework.retry.support.RetryTemplate;

public final class Retries {
  private Retries() {}

  public static RetryTemplate policy() {
    return RetryTemplate.builder()
        .maxAttempts(5)
        .exponentialBackoff(1000L, 2, 86400000L)
        .retryOn(java.io.IOException.class)
        .build();
  }
}

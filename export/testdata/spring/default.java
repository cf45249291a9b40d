// A retry policy for Java, Spring Retry 2, written by retryscope.
// NOT CARRIED: cap-stage=before: written as both
// NOT CARRIED: jitter=full: written as scale:1..2
// NOT CARRIED: retry-after=at-least: written as ignore
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: not written: invalid-response,429,500,502-504,506-510,512-599 (it sees exceptions: throw one for a status that may heal)
// NOT CARRIED: methods=idempotent: written as any
import org.springframework.retry.support.RetryTemplate;

public final class Retries {
  private Retries() {}

  public static RetryTemplate policy() {
    return RetryTemplate.builder()
        .maxAttempts(4)
        .exponentialBackoff(200L, 2, 10000L, true)
        .retryOn(java.io.IOException.class)
        .build();
  }
}

// A retry policy for Java, Spring Retry 2, written by retryscope.
// NOT CARRIED: cap-stage=before: written as both
// NOT CARRIED: jitter=decorrelated: written as scale:1..2
// NOT CARRIED: retry-after=clamp:5s: written as ignore
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: timeout=30s: written as none
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: not written: invalid-response,429,500,502-504,506-510,512-599 (it sees exceptions: throw one for a status that may heal)
// NOT CARRIED: methods=GET,POST: written as any
// NOT CARRIED: budget=ratio:20%/10: written as none
import org.springframework.retry.support.RetryTemplate;

public final class Retries {
  private Retries() {}

  public static RetryTemplate policy() {
    return RetryTemplate.builder()
        .maxAttempts(6)
        .exponentialBackoff(100L, 2, 5000L, true)
        .retryOn(java.io.IOException.class)
        .build();
  }
}

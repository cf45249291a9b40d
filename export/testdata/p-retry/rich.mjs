// A retry policy for JavaScript, p-retry 7 around fetch, written by retryscope.
// NOT CARRIED: cap-stage=before: written as after
// NOT CARRIED: jitter=decorrelated: written as scale:1..2
// NOT CARRIED: retry-after=clamp:5s: written as ignore
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: methods=GET,POST: written as any
// NOT CARRIED: budget=ratio:20%/10: written as none
// NOT CARRIED: timeout: p-retry shortens the last wait to fit into it, and does not cut an attempt short
import pRetry, {AbortError} from 'p-retry';

const retried = (status) => status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;

export function send(url, init) {
  return pRetry(async () => {
    let response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      throw error;
    }
    if (retried(response.status)) {
      throw new Error('status ' + response.status);
    }
    return response;
  }, {
    retries: 5,
    minTimeout: 100,
    factor: 2,
    maxTimeout: 5000,
    randomize: true,
    maxRetryTime: 30000,
  });
}

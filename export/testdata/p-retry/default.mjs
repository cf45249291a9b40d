// A retry policy for JavaScript, p-retry 7 around fetch, written by retryscope.
// NOT CARRIED: cap-stage=before: written as after
// NOT CARRIED: jitter=full: written as scale:1..2
// NOT CARRIED: retry-after=at-least: written as ignore
// NOT CARRIED: attempt-timeout=10s: written as none
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: methods=idempotent: written as any
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
    retries: 3,
    minTimeout: 200,
    factor: 2,
    maxTimeout: 10000,
    randomize: true,
    maxRetryTime: Infinity,
  });
}

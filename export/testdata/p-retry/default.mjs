// A retry policy for JavaScript, p-retry 9 around fetch, written by retryscope.
// NOT CARRIED: cap-stage=before: written as after
// NOT CARRIED: jitter=full: written as scale:1..2
// NOT CARRIED: retry-after=at-least: written as ignore
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import pRetry, {AbortError} from 'p-retry';

const retried = (status) => status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;
const safe = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"];

export function send(url, init = {}) {
  return pRetry(async () => {
    let response;
    try {
      const limit = AbortSignal.timeout(10000);
      response = await fetch(url, {...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit});
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
    signal: init.signal,
    shouldRetry: ({retryDelay}) => safe.includes((init.method ?? 'GET').toUpperCase()),
  });
}

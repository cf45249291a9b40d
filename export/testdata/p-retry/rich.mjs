// A retry policy for JavaScript, p-retry 9 around fetch, written by retryscope.
// NOT CARRIED: cap-stage=before: written as after
// NOT CARRIED: jitter=decorrelated: written as scale:1..2
// NOT CARRIED: retry-after=clamp:5s: written as ignore
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: budget=ratio:20%/10: written as none
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import pRetry, {AbortError} from 'p-retry';

const retried = (status) => status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;
const safe = ["GET", "POST"];

export function send(url, init = {}) {
  const end = Date.now() + 30000;
  return pRetry(async () => {
    let response;
    try {
      const limit = AbortSignal.timeout(Math.max(Math.min(10000, end - Date.now()), 1));
      response = await fetch(url, {...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit});
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
    signal: init.signal,
    shouldRetry: ({retryDelay}) => safe.includes((init.method ?? 'GET').toUpperCase()) && Date.now() + retryDelay < end,
  });
}

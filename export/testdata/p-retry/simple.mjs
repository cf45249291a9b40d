// A retry policy for JavaScript, p-retry 9 around fetch, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
import pRetry, {AbortError} from 'p-retry';

const retried = (status) => status === 429 || status === 500 || status >= 502 && status <= 504;

export function send(url, init = {}) {
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
    retries: 4,
    minTimeout: 1000,
    factor: 2,
    maxTimeout: Infinity,
    randomize: false,
    signal: init.signal,
  });
}

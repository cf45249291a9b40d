// A retry policy for JavaScript, axios-retry 4, written by retryscope.
// NOT CARRIED: ceiling=30s: written as 596h31m23.647s (a timer of JavaScript takes no more)
// NOT CARRIED: over-ceiling=defer: written as cut (a longer wait is cut to what a timer takes)
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import axios from 'axios';
import axiosRetry from 'axios-retry';

const retried = (status) => status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;

function wait(retry) {
  let x = Math.min(200 * Math.pow(2, retry - 1), 10000);
  x = x * Math.random();
  return x;
}

// asked is the wait in milliseconds that a server asks for; undefined where it asks for none.
function asked(value) {
  if (/^\d+$/.test(value)) {
    return Number(value) * 1000;
  }
  const at = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value.endsWith(' GMT') ? value : value + ' GMT') : NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

export const client = axios.create({timeout: 10000});

axiosRetry(client, {
  retries: 3,
  shouldResetTimeout: true,
  retryCondition: (error) => ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].includes((error.config?.method ?? 'get').toUpperCase()) &&
    (error.response ? retried(error.response.status) : true),
  retryDelay: (retry, error) => Math.max(wait(retry), Math.min(asked(error.response?.headers['retry-after']) ?? 0, 2147483647)),
});

// A retry policy for a k6 script, written by retryscope.
// NOT CARRIED: retry-on: written as well: unknown,dns,tls (k6 tells of any failure as status 0)
import http from 'k6/http';
import {sleep} from 'k6';

export const options = {vus: 1, iterations: 1};

const retried = (status) => status === 0 || status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;
const safe = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"];

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

// send makes one request under the policy.
export function send(method, url, body, params = {}) {
  const start = Date.now();
  for (let retry = 1; ; retry++) {
    const left = 10000;
    const response = http.request(method, url, body, Object.assign({timeout: left}, params));
    if (retry === 4 || !retried(response.status)) {
      return response;
    }
    if (!safe.includes(method) && !(params.headers || {})['Idempotency-Key']) {
      return response;
    }
    let pause = wait(retry);
    const server = asked(response.headers['Retry-After']);
    if (server !== undefined) {
      if (server > 30000) {
        return response;
      }
      const there = server;
      pause = server > pause ? there : pause;
    }
    sleep(pause / 1000);
  }
}

export default function () {
  send(__ENV.METHOD || 'GET', __ENV.URL);
}

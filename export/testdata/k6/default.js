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

// asked is the wait in milliseconds that a server asks for, by the date of its answer; undefined where it asks for none.
function asked(value, date) {
  if (/^\d+$/.test(value)) {
    return Number(value) * 1000;
  }
  const [at, sent] = [time(value), time(date)];
  return Number.isNaN(at) ? undefined : Math.max(at - (Number.isNaN(sent) ? Date.now() : sent), 0);
}

// time reads a date in one of the three forms of HTTP: Date.parse alone reads nearly anything.
function time(value) {
  if (/^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -](\d\d|\d{4}) \d\d:\d\d:\d\d GMT$/.test(value)) {
    return Date.parse(value);
  }
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value) ? Date.parse(value + ' GMT') : NaN;
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
    const server = asked(response.headers['Retry-After'], response.headers.Date);
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

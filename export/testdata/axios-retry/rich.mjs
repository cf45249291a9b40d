// A retry policy for JavaScript, axios-retry 4, written by retryscope.
// NOT CARRIED: decorrelated jitter: written as full jitter
// NOT CARRIED: retry-after=clamp:5s: written as at-least
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: ceiling=30s: written as 596h31m23.647s (a timer of JavaScript takes no more)
// NOT CARRIED: over-ceiling=defer: written as cut (a longer wait is cut to what a timer takes)
// NOT CARRIED: timeout=30s: written as none
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: budget=ratio:20%/10: written as none
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import axios from 'axios';
import axiosRetry from 'axios-retry';

const retried = (status) => status === 429 || status >= 500 && status <= 599 && status !== 501 && status !== 505 && status !== 511;

function wait(retry) {
  let x = Math.min(100 * Math.pow(2, retry - 1), 5000);
  x = x * Math.random();
  return x;
}

// answered tells an answer from a failure: an error with a good status is an answer that broke off.
const answered = ({response}) => response?.status >= 300;

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

const ask = (response) => asked(response?.headers['retry-after'], response?.headers.date);

export const client = axios.create({timeout: 10000});

axiosRetry(client, {
  retries: 5,
  shouldResetTimeout: true,
  retryCondition: (error) => ["GET", "POST"].includes((error.config?.method ?? 'get').toUpperCase()) &&
    (answered(error) ? retried(error.response.status) : true),
  retryDelay: (retry, error) => Math.max(wait(retry), Math.min(ask(error.response) ?? 0, 2147483647)),
});

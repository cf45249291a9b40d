// A retry policy for JavaScript, got 16, written by retryscope.
// NOT CARRIED: decorrelated jitter: written as full jitter
// NOT CARRIED: retry-after=clamp:5s: written as replace
// NOT CARRIED: hints=retry-after-ms: written as none
// NOT CARRIED: spread=1s: written as 0s
// NOT CARRIED: timeout=30s: written as none
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: budget=ratio:20%/10: written as none
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import got from 'got';

function wait(retry) {
  let x = Math.min(100 * Math.pow(2, retry - 1), 5000);
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

export const client = got.extend({
  timeout: {request: 10000},
  retry: {
    limit: 5,
    methods: ["GET", "POST"],
    statusCodes: [429, 500, 502, 503, 504, 506, 507, 508, 509, 510, 512, 513, 514, 515, 516, 517, 518, 519, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538, 539, 540, 541, 542, 543, 544, 545, 546, 547, 548, 549, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 574, 575, 576, 577, 578, 579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 592, 593, 594, 595, 596, 597, 598, 599],
    enforceRetryRules: false, // its own rules end it where Retry-After is longer than the timeout of an attempt
    calculateDelay: ({attemptCount, retryOptions, error}) => {
      if (attemptCount > retryOptions.limit || !retryOptions.methods.includes(error.options.method)) {
        return 0;
      }
      const fails = ['RequestError', 'ReadError', 'TimeoutError', 'UploadError'].includes(error.name);
      if (error.name === 'HTTPError' ? !retryOptions.statusCodes.includes(error.response.statusCode) : !fails) {
        return 0;
      }
      const server = error.name === 'HTTPError' ? asked(error.response.headers['retry-after'], error.response.headers.date) : undefined;
      if (server !== undefined) {
        if (server > 30000) {
          return 0;
        }
        return Math.max(server, 1);
      }
      return Math.max(wait(attemptCount), 1); // 0 would end it
    },
  },
});

// A retry policy for JavaScript, ky 2, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
// NOT CARRIED: methods=any: written as DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,TRACE
import ky from 'ky';

function wait(retry) {
  let x = 1000 * Math.pow(2, retry - 1);
  return x;
}

export const client = ky.create({
  timeout: false,
  retry: {
    limit: 4,
    methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"].map((m) => m.toLowerCase()),
    statusCodes: [429, 500, 502, 503, 504],
    afterStatusCodes: [],
    retryOnTimeout: true,
    delay: wait,
  },
});

// A retry policy for JavaScript, got 16, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
// NOT CARRIED: methods=any: written as DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,TRACE
import got from 'got';

function wait(retry) {
  let x = 1000 * Math.pow(2, retry - 1);
  return x;
}

export const client = got.extend({
  retry: {
    limit: 4,
    methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"],
    statusCodes: [429, 500, 502, 503, 504],
    enforceRetryRules: false, // its own rules end it where Retry-After is longer than the timeout of an attempt
    calculateDelay: ({attemptCount, retryOptions, error}) => {
      if (attemptCount > retryOptions.limit || !retryOptions.methods.includes(error.options.method)) {
        return 0;
      }
      const fails = ['RequestError', 'ReadError', 'TimeoutError', 'UploadError'].includes(error.name);
      if (error.name === 'HTTPError' ? !retryOptions.statusCodes.includes(error.response.statusCode) : !fails) {
        return 0;
      }
      return Math.max(wait(attemptCount), 1); // 0 would end it
    },
  },
});

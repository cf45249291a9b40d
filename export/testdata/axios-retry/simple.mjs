// A retry policy for JavaScript, axios-retry 4, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
import axios from 'axios';
import axiosRetry from 'axios-retry';

const retried = (status) => status === 429 || status === 500 || status >= 502 && status <= 504;

function wait(retry) {
  let x = 1000 * Math.pow(2, retry - 1);
  return x;
}

export const client = axios.create({});

axiosRetry(client, {
  retries: 4,
  shouldResetTimeout: true,
  retryCondition: (error) => error.response ? retried(error.response.status) : true,
  retryDelay: wait,
});

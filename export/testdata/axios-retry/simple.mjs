// A retry policy for JavaScript, axios-retry 4, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls
import axios from 'axios';
import axiosRetry from 'axios-retry';

const retried = (status) => status === 429 || status === 500 || status >= 502 && status <= 504;

function wait(retry) {
  let x = 1000 * Math.pow(2, retry - 1);
  return x;
}

// answered tells an answer from a failure: an error with a good status is an answer that broke off.
const answered = ({response}) => response?.status >= 300;

export const client = axios.create({});

axiosRetry(client, {
  retries: 4,
  shouldResetTimeout: true,
  retryCondition: (error) => answered(error) ? retried(error.response.status) : true,
  retryDelay: wait,
});

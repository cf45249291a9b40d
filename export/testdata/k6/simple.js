// A retry policy for a k6 script, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,unknown,dns,tls (k6 tells of any failure as status 0)
import http from 'k6/http';
import {sleep} from 'k6';

export const options = {vus: 1, iterations: 1};

const retried = (status) => status === 0 || status === 429 || status === 500 || status >= 502 && status <= 504;

function wait(retry) {
  let x = 1000 * Math.pow(2, retry - 1);
  return x;
}

// send makes one request under the policy.
export function send(method, url, body, params = {}) {
  const start = Date.now();
  for (let retry = 1; ; retry++) {
    const left = 24 * 3600 * 1000;
    const response = http.request(method, url, body, Object.assign({timeout: left}, params));
    if (retry === 5 || !retried(response.status)) {
      return response;
    }
    let pause = wait(retry);
    sleep(pause / 1000);
  }
}

export default function () {
  send(__ENV.METHOD || 'GET', __ENV.URL);
}

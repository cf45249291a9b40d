// A retry policy for JavaScript, ky 2, written by retryscope.
// NOT CARRIED: retry-after=at-least: written as replace
// NOT CARRIED: hints=none: written as ratelimit-reset,x-ratelimit-reset (ky looks for these by itself)
// NOT CARRIED: ceiling=30s: written as 596h31m23.647s (a timer of JavaScript takes no more)
// NOT CARRIED: over-ceiling=defer: written as cut (a longer wait is cut to what a timer takes)
// NOT CARRIED: retry-on: written as well: dns,tls
// NOT CARRIED: retry-after: a date in it is reckoned from the caller's own clock, not from the answer's own Date
// NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
import ky from 'ky';

function wait(retry) {
  let x = Math.min(200 * Math.pow(2, retry - 1), 10000);
  x = x * Math.random();
  return x;
}

export const client = ky.create({
  timeout: 10000,
  retry: {
    limit: 3,
    methods: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].map((m) => m.toLowerCase()),
    statusCodes: [429, 500, 502, 503, 504, 506, 507, 508, 509, 510, 512, 513, 514, 515, 516, 517, 518, 519, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538, 539, 540, 541, 542, 543, 544, 545, 546, 547, 548, 549, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 574, 575, 576, 577, 578, 579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 592, 593, 594, 595, 596, 597, 598, 599],
    afterStatusCodes: [429, 500, 502, 503, 504, 506, 507, 508, 509, 510, 512, 513, 514, 515, 516, 517, 518, 519, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538, 539, 540, 541, 542, 543, 544, 545, 546, 547, 548, 549, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 574, 575, 576, 577, 578, 579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 592, 593, 594, 595, 596, 597, 598, 599],
    retryOnTimeout: true,
    maxRetryAfter: 2147483647,
    delay: wait,
  },
});

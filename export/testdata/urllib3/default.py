# A retry policy for Python, urllib3 2, written by retryscope.
# NOT CARRIED: first=plain: written as immediate
# NOT CARRIED: full jitter: written as no jitter
# NOT CARRIED: retry-after=at-least: written as replace
# NOT CARRIED: reads=seconds,zero,date,old-date: written as seconds,date,old-date
# NOT CARRIED: ceiling=30s: written as 6h
# NOT CARRIED: over-ceiling=defer: written as cut
# NOT CARRIED: attempt-timeout=10s: written as none
# NOT CARRIED: retry-on: written as well: dns,tls,413
# NOT CARRIED: retry-after: a date in it is reckoned from the caller's own clock, not from the answer's own Date
# NOT CARRIED: retry-after: a value that cannot be read raises InvalidHeader, and ends the request
# NOT CARRIED: methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one
from urllib3 import PoolManager
from urllib3.util import Retry

policy = Retry(
    total=3,
    connect=None,
    read=None,
    other=None,
    status_forcelist=[413, 429, 500, 502, 503, 504, 506, 507, 508, 509, 510, 512, 513, 514, 515, 516, 517, 518, 519, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538, 539, 540, 541, 542, 543, 544, 545, 546, 547, 548, 549, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 574, 575, 576, 577, 578, 579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 592, 593, 594, 595, 596, 597, 598, 599],
    allowed_methods=["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"],
    backoff_factor=0.2,
    backoff_max=10,
    respect_retry_after_header=True,
    raise_on_status=False,
)
client = PoolManager(retries=policy)

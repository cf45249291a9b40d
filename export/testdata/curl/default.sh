# A retry policy for curl 8, written by retryscope.
# NOT CARRIED: base=200ms: written as 1s
# NOT CARRIED: cap=10s: written as 10m
# NOT CARRIED: full jitter: written as no jitter
# NOT CARRIED: retry-after=at-least: written as replace
# NOT CARRIED: reads=seconds,zero,date,old-date: written as seconds,date,old-date
# NOT CARRIED: ceiling=30s: written as 6h
# NOT CARRIED: over-ceiling=defer: written as cut
# NOT CARRIED: retry-on: not written: 506-510,512-521,523,525-599; written as well: unknown,dns,tls,proxy,408
# NOT CARRIED: methods=idempotent: written as any
curl --retry 3 --max-time 10 --retry-all-errors "$URL"

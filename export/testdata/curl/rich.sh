# A retry policy for curl 8, written by retryscope.
# NOT CARRIED: base=100ms: written as 1s
# NOT CARRIED: cap=5s: written as 10m
# NOT CARRIED: decorrelated jitter: written as no jitter
# NOT CARRIED: retry-after=clamp:5s: written as replace
# NOT CARRIED: reads=seconds,zero,date,old-date: written as seconds,date,old-date
# NOT CARRIED: hints=retry-after-ms: written as none
# NOT CARRIED: spread=1s: written as 0s
# NOT CARRIED: ceiling=30s: written as 15s
# NOT CARRIED: timeout=30s: written as 23s (curl looks at --retry-max-time before a wait, and its seconds are whole)
# NOT CARRIED: retry-on: not written: 506-510,512-521,523,525-599; written as well: unknown,dns,tls,proxy,408
# NOT CARRIED: methods=GET,POST: written as any
# NOT CARRIED: budget=ratio:20%/10: written as none
# NOT CARRIED: timeout: curl begins no wait that would end after it, but does not cut an attempt short
curl --retry 5 --retry-max-time 15 --max-time 10 --retry-all-errors "$URL"

# A retry policy for curl 8, written by retryscope.
# NOT CARRIED: cap=none: written as 10m
# NOT CARRIED: retry-after=ignore: written as replace
# NOT CARRIED: reads=seconds,zero,date,old-date: written as seconds,date,old-date
# NOT CARRIED: ceiling=30s: written as 6h
# NOT CARRIED: over-ceiling=defer: written as cut
# NOT CARRIED: retry-on: written as well: invalid-response,unknown,dns,tls,proxy,408,522,524
curl --retry 4 --retry-all-errors "$URL"

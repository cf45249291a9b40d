#!/usr/bin/env bash
# The command line's promises, asked of the built binary itself: .ci/headless.sh PATH
# Needs jq and curl. Every case is run; the ones that fail are listed at the end, and the exit status is 1.
set -euo pipefail

rs=$(realpath "${1:?usage: .ci/headless.sh PATH-OF-THE-BINARY}")
tmp=$(mktemp -d)
out=$tmp/out err=$tmp/err
failed=0 passed=0
server=
unset NO_COLOR
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state XDG_DATA_HOME=$tmp/data

# What the events are called in the assertions.
defs='
def ev(n): map(select(.event == n));
def fin: ev("done")[0];
def waits: ev("wait") | map(.wait_ms);
def decided: ev("decision")[0];
def answer: ev("outcome")[0];
def calls: ev("attempt") | length;
def checked: fin.checks | (. == {no_early_retry: true, within_limits: true, cancel_is_not_failure: true, nothing_unreplayable: true});
'

title=
say() { title=$1; }
ok() { passed=$((passed + 1)); }
bad() {
  failed=$((failed + 1))
  printf 'FAIL %s: %s\n' "$title" "$1" >&2
  [ ! -s "$out" ] || head -c 2000 "$out" | sed 's/^/  out| /' >&2
  [ ! -s "$err" ] || head -c 1000 "$err" | sed 's/^/  err| /' >&2
}

# run CODE ARGS… runs the binary and compares its exit status.
run() {
  local want=$1 got=0
  shift
  timeout -k 1 "${patience:-30}" "$rs" "$@" >"$out" 2>"$err" </dev/null || got=$?
  if [ "$got" -eq "$want" ]; then ok; else bad "exit $got, want $want: retryscope $*"; fi
}
# run_in CODE TEXT ARGS… is run with a text on standard input.
run_in() {
  local want=$1 text=$2 got=0
  shift 2
  timeout -k 1 30 "$rs" "$@" >"$out" 2>"$err" <<<"$text" || got=$?
  if [ "$got" -eq "$want" ]; then ok; else bad "exit $got, want $want: retryscope $*"; fi
}
# json CODE ARGS… is run with --json.
json() { local want=$1; shift; run "$want" run --json "$@"; }
# is EXPRESSION asserts something of the events of the last run.
is() {
  if jq -es "$defs $1" "$out" >/dev/null 2>"$tmp/jq"; then ok; else bad "not so: $1 $(head -c 300 "$tmp/jq")"; fi
}
# plain FILE… asserts that a file holds text alone: no control byte but tab and newline, no C1, no text direction.
plain() {
  local f n
  for f in "$@"; do
    n=$(LC_ALL=C tr -d '\n\t -~\200-\377' <"$f" | wc -c)
    if [ "$n" -gt 0 ] || LC_ALL=C grep -q $'\xc2[\x80-\x9f]\|\xe2\x80[\xaa-\xae]' "$f"; then bad "control bytes in $(basename "$f")"; else ok; fi
  done
}
lacks() { # lacks WORD FILE…
  local word=$1
  shift
  if grep -qF -- "$word" "$@"; then bad "$word is seen"; else ok; fi
}
has() { # has WORD FILE
  if grep -qF -- "$1" "$2"; then ok; else bad "$1 is not in $(basename "$2")"; fi
}

# serve SCRIPT starts the scripted server; $url and $served are its address and its log.
serve() {
  served=$tmp/served
  : >"$served"
  "$rs" serve --json --script "$1" >"$served" 2>"$tmp/serve-err" </dev/null &
  server=$!
  local _
  for _ in $(seq "${looks:-400}"); do
    if [ -s "$served" ]; then
      url=$(head -1 "$served" | jq -r 'select(.event == "listening").url')
      [ -z "$url" ] || return 0
    fi
    sleep 0.05
  done
  bad "serve --script '$1' does not listen: $(head -c 300 "$tmp/serve-err")"
  url=http://127.0.0.1:1/
}
unserve() {
  local got=0
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" || got=$?
  server=
  if [ "$got" -eq 143 ]; then ok; else bad "serve ended by TERM: exit $got, want 143"; fi
}

say 'a scripted run'
from=$(date +%s%N)
json 0 --script '503, 429 after=10, 200' --policy server-led --draw 1
took=$((($(date +%s%N) - from) / 1000000))
if [ "$took" -lt 5000 ]; then ok; else bad "took ${took} ms of real time"; fi # 11 s would be waiting
is 'waits == [1000, 10000]'
is 'fin | .result == "succeeded" and .attempts == 3 and .t_ms == 11000 and .status == 200 and .waited_ms == 11000'
is 'checked'
is 'ev("decision") | all(.gates | length == 10)'
is '(ev("wait") | length) == (ev("wait-end") | length)'
is '[ev("wait")[].source] == ["own", "server"]'

say 'what the server asks for'
json 3 --script '429 after=60' --policy server-led
is 'fin | .result == "deferred" and .attempts == 1 and .reason == "over-ceiling"'
is 'decided | .verdict == "defer" and .server_ms == 60000'
is 'waits == []'
json 1 --script '429 after=30' --policy server-led
is 'decided | .verdict == "retry" and .wait_ms == 30000'
is 'calls == 4 and fin.reason == "attempts-exhausted"'
json 3 --script '429 after=99999999999999999999' --policy server-led
is 'fin | .result == "deferred" and .attempts == 1'
for value in -5 1.5; do
  say "Retry-After: $value"
  json 1 --script "429 after=$value" --policy server-led --draw 1
  is 'decided | .verdict == "retry" and .wait_ms == 1000 and .own_ms == 1000'
  is 'ev("wait")[0].source == "own"'
  is "answer | .retry_after == \"$value\" and (.retry_after_unreadable // false) != false"
done

say 'decorrelated waits'
json 1 --script 503 --policy carom --draw 0.5
is 'waits == [200, 350, 575] and fin.attempts == 4'
is 'fin.error | test("503")'

say 'what may be sent twice'
json 1 --script 503 -X POST
is 'calls == 1 and fin.reason == "not-idempotent"'
json 1 --script 503 -X POST --idempotency-key k
is 'calls == 4 and decided.verdict == "retry"'
json 1 --script 503 -X POST --idempotency-key k --body-once -d x
is 'calls == 1 and fin.reason == "not-replayable"'
json 1 --script hang --attempt-timeout 1s -X POST
is 'calls == 1 and answer.ambiguous == true and answer.kind == "timeout" and fin.reason == "not-idempotent"'
json 1 --script refused -X POST
is 'calls == 4 and decided.verdict == "retry"'

say 'cancelled'
at='--script 503 --policy server-led --draw 1' # its first wait lasts from 0 to 1 s
# shellcheck disable=SC2086 # the words of $at are arguments
{
  json 130 $at --cancel-at 0s
  is 'calls == 0 and fin.result == "cancelled" and checked'
  json 130 --script '503 latency=100ms' --policy server-led --draw 1 --cancel-at 50ms
  is 'calls == 1 and waits == [] and fin.result == "cancelled" and checked'
  for when in 500ms 1s; do
    json 130 $at --cancel-at "$when"
    is 'calls == 1 and (ev("wait-end") | length == 1 and .[0].cut == true) and fin.result == "cancelled" and fin.reason == "cancelled" and checked'
  done
  say 'signed out'
  for when in 500ms 1s; do
    json 1 $at --sign-out-at "$when"
    is 'calls == 1 and (ev("wait-end") | length == 1 and .[0].cut == true) and fin.result == "failed" and fin.reason == "stale-generation" and checked'
  done
}

say 'out of time'
json 4 --script 503 --policy server-led --draw 1 --timeout 2500ms
is 'waits == [1000] and calls == 2 and fin.result == "timed-out" and fin.reason == "deadline" and checked'

# step kind cause attempts reason of the first decision
faults='
cut      invalid-response  cut        4
garbage  invalid-response  malformed  4
badjson  decoding          -          1  not-retryable
reset    transport         reset      4
refused  transport         refused    4
dns      transport         dns        1  not-retryable
tls      transport         tls        1  not-retryable
eof      transport         closed     4
hang     timeout           -          4
'
while read -r step kind cause attempts reason; do
  [ -n "$step" ] || continue
  say "the fault $step"
  json 1 --script "$step"
  is "answer | .kind == \"$kind\" and (.cause // \"\") == \"${cause#-}\""
  is "calls == $attempts and (decided.reason // \"\") == \"$reason\" and checked"
  case $step in refused | dns | tls) continue ;; esac
  say "the fault $step on the wire"
  serve "$step"
  case $step in hang) limit=300ms ;; *) limit=20s ;; esac # on a busy machine any answer may take a while
  json 1 "$url" --attempts 2 --base 1ms --jitter none --attempt-timeout "$limit"
  is "answer | .kind == \"$kind\" and (.cause // \"\") == \"${cause#-}\""
  is "calls == $((attempts > 2 ? 2 : attempts)) and (decided.reason // \"\") == \"$reason\" and checked"
  unserve
done <<<"$faults"
say 'refused on the wire'
json 1 http://127.0.0.1:1/ --attempts 2 --base 1ms --jitter none
is 'answer | .kind == "transport" and .cause == "refused"'
is 'calls == 2 and checked'

# Gaps are to agree within 20 ms. A busy machine may disturb a try: each one may be off by twice as much as the one before
# it, and the last by less than any two waits differ.
tries='20 40 80 160 320'
gaps_near() { # gaps_near WANT-JSON MS: the server's gaps from the second request on
  jq -es --argjson want "$1" --argjson off "$2" 'map(select(.event == "request").gap_ms)[1:] as $got
    | ($got | length) == ($want | length) and ([$got, $want] | transpose | all((.[0] - .[1]) as $d | $d >= -$off and $d <= $off))' "$served" >/dev/null
}
counted() { jq -s 'map(select(.event == "request")) | length' "$served"; }

say 'serve and curl'
for off in $tries; do
  serve '503 x2, 200'
  code=$(curl --no-progress-meter --noproxy '*' --retry 3 -o /dev/null -w '%{http_code}' "$url" 2>"$err" || true)
  calls=$(($(grep -c 'Will retry' "$err" || true) + 1))
  : >"$out"
  if [ "$code" = 200 ] && [ "$calls" -eq 3 ] && [ "$(counted)" -eq 3 ]; then ok; else bad "curl got $code after $calls calls, the server counted $(counted)"; fi
  unserve
  if gaps_near '[1000, 2000]' "$off"; then ok; break; fi
  [ "$off" -lt 320 ] || { cp "$served" "$out"; bad 'the gaps are not 1 s and 2 s'; }
done

say 'serve and run'
for off in $tries; do
  serve '503 x2, 200'
  json 0 "$url" --base 500ms --jitter none
  is 'calls == 3 and fin.status == 200 and waits == [500, 1000] and checked'
  is 'ev("outcome") | all(.phases_ms | type == "object")'
  if [ "$(counted)" -eq 3 ]; then ok; else bad "the server counted $(counted), the client 3"; fi
  unserve
  sent=$(jq -s -c "$defs"' ev("attempt") | map(.t_ms) | [.[1:], .[:-1]] | transpose | map(.[0] - .[1])' "$out")
  if gaps_near "$sent" "$off"; then ok; break; fi
  [ "$off" -lt 320 ] || { cp "$served" "$out"; bad "the server's gaps are not the client's $sent"; }
done

say 'a POST is sent to a server once, unless it has a key'
serve '503 x2, 200'
run_in 1 '' run "$url" -X POST --policy 'carom base=1ms' --json
is 'calls == 1 and fin.reason == "not-idempotent"'
has 'sent to a URL once unless --idempotency-key is given' "$err"
if [ "$(counted)" -eq 1 ]; then ok; else bad "the server counted $(counted), and not 1"; fi
run_in 0 '' run "$url" -X POST --policy 'carom base=1ms' --idempotency-key k --json
is 'calls == 2 and fin.result == "succeeded"'
unserve

say 'a curl command is imported, and does the same'
line='--retry 5 --retry-delay 2 --retry-max-time 60'
run_in 0 "curl $line $url" import curl -
policy=$(cat "$out")
has 'not in the policy: the URL' "$err"
# waited_by COMMAND… runs a client at $url on a server that heals, and tells whether its wait was 2 s.
waited_by() {
  serve '503, 200'
  "$@" "$url" >/dev/null 2>"$err" </dev/null || true
  unserve
  gaps_near '[2000]' "$off"
}
for off in $tries; do
  # shellcheck disable=SC2086 # the words of $line are arguments
  if waited_by curl -s --noproxy '*' $line && waited_by "$rs" run --json --policy "$policy"; then ok; break; fi
  [ "$off" -lt 320 ] || { cp "$served" "$out"; bad 'one of the two does not wait 2 s'; }
done

say 'seventy attempts'
json 1 --script 503 --attempts 70 --base 1s --cap 30s --jitter none
is '(waits | length) == 69 and (waits | max) == 30000 and waits == (waits | sort) and checked'

say 'same seed, same bytes'
json 1 --script '70% 503, 30% reset' --seed 7
cp "$out" "$tmp/first"
json 1 --script '70% 503, 30% reset' --seed 7
if cmp -s "$out" "$tmp/first"; then ok; else bad 'two runs differ'; fi

say 'a server that means harm'
evil=$'503 reason="no\x1b[31m\x07\xc2\x9b31m\xe2\x80\xaere" header="X-Request-Id: a\x1b]0;x\x07" body="\x1b[2J"'
for mode in '' --json; do
  # shellcheck disable=SC2086 # an empty mode is no argument
  run 1 run $mode --script "$evil"
  plain "$out" "$err"
  serve "$evil"
  # shellcheck disable=SC2086
  run 1 run $mode "$url" --attempts 2 --base 1ms
  plain "$out" "$err"
  unserve
  plain "$served" "$tmp/serve-err"
done
say 'a redirect loop'
json 1 --script '302 header="Location: /"'
is 'calls == 1 and answer.cause == "redirect-loop" and fin.reason == "not-retryable"'

say 'a distribution'
run 0 dist --json --outage 10s --attempts 10 --base 100ms --deadline 20s
is '.[0] | .draws == 0 and .lanes[0].how == "exact" and (.lanes[0].success.value - 0.910719 | fabs) < 1e-6'
is '.[0].lanes[0] | (.attempts_histogram | map(.share.value) | add - 1 | fabs) < 1e-9'
run 0 dist --json --outage 10s --attempts 10 --base 100ms --jitter decorrelated --seed 7
cp "$out" "$tmp/first"
is '.[0].lanes[0] | .how == "sampled" and (.success.value - 0.49855 | fabs) < 4 * .success.se'
run 0 dist --json --outage 10s --attempts 10 --base 100ms --jitter decorrelated --seed 7
if cmp -s "$out" "$tmp/first"; then ok; else bad 'two distributions of one seed differ'; fi
run 0 dist --json --fail 30% --attempts 3 --against 'attempts=3 jitter=decorrelated' --draws 2000
is '.[0] | .difference.attempts.value == 0 and (.lanes | length == 2) and (.lanes[0].amplification.value - 1.39 | fabs) < 1e-9'
run 0 dist --script '503 x2, 429 after=2, 200' --draws 500
plain "$out"
run 2 dist --fail 2 --outage 1s --draws 0
if [ -s "$out" ] || [ ! -s "$err" ]; then bad 'bad input is answered on stderr alone: dist'; else ok; fi

say 'a fleet'
run 0 fleet --json --policy 'attempts=unlimited base=100ms jitter=none retry-after=ignore attempt-timeout=none'
is '.[0].policies[0] | .sent.mean == 10000 and .verdict == "recovers" and (.buckets | map(.first + .retries) | add) == 10000'
is '.[0].policies[0].time_to_success | map(select(.q == 0.5))[0].ms | . > 32600 and . < 32800'
if [ -s "$err" ]; then bad 'there is nothing to tell on stderr'; else ok; fi
run 0 fleet --json --scenario metastable --seeds 3
is '.[0].policies | map(.verdict) == ["recovers", "stuck", "recovers", "vulnerable"]'
is '.[0].policies | all(.buckets | all(.first + .retries >= 0 and .useful <= .served))'
run 0 fleet sweep --json --scenario metastable --policy 'attempts=3 base=100ms attempt-timeout=1s' --over load=0.1:0.5:0.1
is '.[0] | map(.verdict) | .[0] == "recovers" and .[3] == "stuck" and .[4] == "stuck"'
patience=120
run 0 fleet --clients 1000000 --capacity 200000 --outage 10s --policy aws-full --seed 1 --json
is '.[0].policies[0] | .calls.mean == 1000000 and .seeds == 1 and .unfinished.mean == 0'
cp "$out" "$tmp/first"
run 0 fleet --clients 1000000 --capacity 200000 --outage 10s --policy aws-full --seed 1 --json
if cmp -s "$out" "$tmp/first"; then ok; else bad 'two fleets of one seed differ'; fi
patience=
run 2 fleet --clients 0 --json
if [ -s "$out" ] || [ ! -s "$err" ]; then bad 'bad input is answered on stderr alone: fleet'; else ok; fi
# A scenario comes from anywhere, and what is none is told in words.
head -c 100000 /dev/urandom >"$tmp/any.toml"
head -c 10000000 /dev/zero >"$tmp/long.toml"
mkdir "$tmp/dir.toml"
for file in any long dir nosuch; do
  run 2 fleet --scenario "$tmp/$file.toml"
  plain "$err"
  if [ -s "$out" ] || [ ! -s "$err" ]; then bad "bad input is answered on stderr alone: $file"; else ok; fi
done
mkfifo "$tmp/fifo.toml"
printf '[fleet]\r\nclients = 3\r\n' >"$tmp/fifo.toml" &
run 0 fleet --json --scenario "$tmp/fifo.toml"
is '.[0].fleet.clients == "3"'
# Nobody reads to the end, or nothing can be written.
got=0
("$rs" fleet --clients 1 --horizon 1h --policy 'attempts=unlimited' --outage 1h --json 2>"$err" || echo $? >"$tmp/code") | head -c 1 >/dev/null
plain "$err"
for form in '' --json --csv; do
  got=0
  # shellcheck disable=SC2086
  "$rs" fleet $form >/dev/full 2>"$err" || got=$?
  if [ "$got" -eq 1 ] && [ -s "$err" ]; then ok; else bad "a full disk: exit $got, want 1: fleet $form"; fi
done

say 'secrets'
serve 503
for base in "${url#http://}" 127.0.0.1:1/; do
  for mode in '' --json; do
    # shellcheck disable=SC2086
    run 1 run $mode "http://user:hidden-1@${base}?api_key=hidden-2&token=hidden-3&q=seen" -X PUT -d hidden-4 \
      -H 'Authorization: Bearer hidden-5' -H 'Cookie: s=hidden-6' --attempts 2 --base 1ms
    lacks hidden- "$out" "$err"
  done
done
unserve
lacks hidden- "$served" "$tmp/serve-err"

say 'bad input'
bad_input() {
  run 2 run --json "$@"
  if [ -s "$out" ] || [ ! -s "$err" ]; then bad "bad input is answered on stderr alone: $*"; else ok; fi
}
bad_input --script 503 --attempts 0
has attempts "$err"
bad_input --script 503 --base -1s --cap 0s
has base "$err"
has cap "$err"
bad_input --script ''
bad_input --script '503, 999'
bad_input --script 503 --draw 1.5
bad_input --no-such-flag
bad_input ftp://127.0.0.1/
bad_input http:///path
bad_input --policy no-such-preset --script 503

say 'signals'
# Without job control a shell's children may have been told to ignore them.
signalled() { # signalled SIGNAL CODE ARGS… sends the signal once an attempt has begun, and waits 10 s for the end
  local sig=$1 want=$2 got=0 pid _
  shift 2
  : >"$out"
  env --default-signal=INT,HUP,TERM "$rs" "$@" >"$out" 2>"$err" </dev/null &
  pid=$!
  for _ in $(seq "${looks:-400}"); do
    if grep -qF '"event":"attempt"' "$out" || ! kill -0 "$pid" 2>/dev/null; then break; fi
    sleep 0.05
  done
  kill -s "$sig" "$pid" 2>/dev/null || true
  for _ in $(seq 200); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" || got=$?
  if [ "$got" -eq "$want" ]; then ok; else bad "$sig: exit $got, want $want: retryscope $*"; fi
  plain "$out" "$err"
}
serve hang
for pair in INT:130 TERM:143 HUP:129; do
  signalled "${pair%:*}" "${pair#*:}" run --json --script hang --attempt-timeout none --realtime
  is 'calls == 1 and fin.result == "cancelled"'
  signalled "${pair%:*}" "${pair#*:}" run --json "$url" --attempt-timeout none
  is 'calls == 1 and fin.result == "cancelled"'
done
unserve

say 'a distribution that is stopped'
# It ends at once, with what was drawn so far.
for pair in INT:130 TERM:143 HUP:129; do
  signalled "${pair%:*}" "${pair#*:}" dist --json --outage 10s --policy 'attempts=10 jitter=decorrelated' --draws 100000000 --seed 1
  is '.[0] | .partial and .draws > 0 and .draws < .wanted and .wanted == 100000000 and .lanes[0].success.value > 0'
done

say 'a fleet that is stopped'
# It ends at once, before its first run is done, between runs, and in the middle of ten million calls.
looks=20
for pair in INT:130 TERM:143 HUP:129; do
  signalled "${pair%:*}" "${pair#*:}" fleet --json --clients 10000000 --capacity 1000 --policy aws-full
  is '.[0] | .partial and .policies[0].seeds == 0 and .policies[0].verdict == "unknown"'
  signalled "${pair%:*}" "${pair#*:}" fleet --json --scenario metastable --seeds 10000
  is '.[0] | .partial and .policies[0].seeds < 10000'
done
looks=

say 'no terminal'
for term in xterm-256color dumb; do
  got=0
  TERM=$term timeout -k 1 10 setsid -w "$rs" >"$out" 2>"$err" </dev/null || got=$?
  if [ "$got" -eq 2 ] && [ ! -s "$out" ] && [ -s "$err" ]; then ok; else bad "TERM=$term: exit $got, want 2, and words on stderr alone"; fi
  plain "$err"
done
run 0 run --script 200
plain "$out" "$err"

say 'the other commands'
run 0 presets --json
if jq -e 'map(.id) | contains(["default", "first-principles", "carom", "server-led"])' "$out" >/dev/null; then ok; else bad 'the four presets are not all there'; fi
run 0 presets
run 0 presets carom
has decorrelated "$out"
run 0 version
run 0 help
run 0 completion bash
if bash -n "$out"; then ok; else bad 'bash cannot read its own completion'; fi

say 'what is wrong with a policy'
run 0 lint default
run 1 lint default --fail-on note
run 0 lint 'jitter=none'
run 1 lint 'jitter=none' --fail-on warning
run 1 lint 'attempts=unlimited'
run 0 lint 'attempts=unlimited' --fail-on never
run 2 lint no-such-preset
run 0 lint default --under 'attempts=3' --json
if jq -e 'map(select(.id == "nested"))[0].says | test("up to 12 sends")' "$out" >/dev/null; then ok; else bad 'layers do not multiply'; fi
printf 'attempts = 4\nmethods = "any"\n' >"$tmp/ours.toml"
run 1 lint "$tmp/ours.toml" --json
if jq -e 'any(.policy == "ours" and .id == "non-idempotent" and .severity == "error" and .change != "")' "$out" >/dev/null; then ok; else bad 'a file is not judged'; fi
run 0 lint --explain all

say 'a page for a review, and its worst case'
run 0 explain 'attempts=3 timeout=12s attempt-timeout=5s' --against default
has '| sends begun before the timeout | 3 |' "$out"
has '| with the timeout | 12s |' "$out"
json 4 --policy 'attempts=3 timeout=12s attempt-timeout=5s' --draw 1 --script hang
is 'calls == 3 and fin.t_ms == 12000'
is 'fin.error | test("no answer within the attempt timeout of 5s")'

say 'out and in again'
for format in line toml curl grpc envoy istio resilience4j-yaml; do
  run 0 export "$format" --policy 'attempts=4 base=1s'
  cp "$out" "$tmp/exported"
  run 0 import "$format" "$tmp/exported"
  cp "$out" "$tmp/imported"
  run 0 export "$format" --policy "$(cat "$tmp/imported")"
  cp "$out" "$tmp/exported"
  run 0 import "$format" "$tmp/exported"
  if cmp -s "$out" "$tmp/imported"; then ok; else bad "$format is another policy the second time"; fi
done
head -c 20000 /dev/urandom >"$tmp/junk"
for format in line curl grpc envoy istio resilience4j-yaml toml; do run 2 import "$format" "$tmp/junk"; done
plain "$err"

echo "headless: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

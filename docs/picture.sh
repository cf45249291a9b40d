#!/usr/bin/env bash
# Makes the pictures of docs/ from the real screen: docs/picture.sh BINARY FREEZE [NAME…]
# The program runs in a tmux of its own; what tmux then holds in its cells is drawn by freeze.
set -euo pipefail
export LC_ALL=C.UTF-8

binary=$(realpath "${1:?usage: docs/picture.sh BINARY FREEZE [NAME…]}")
freeze=$(realpath "${2:?usage: docs/picture.sh BINARY FREEZE [NAME…]}")
shift 2
cd "$(dirname "$0")"
command -v tmux >/dev/null || { echo 'picture: tmux is missing' >&2; exit 1; }

tmp=$(mktemp -d)
export TMUX_TMPDIR=$tmp
socket=picture
tm() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null || true; rm -rf "$tmp"' EXIT

# settle WORD waits until the screen holds the word and nothing moves any more, and leaves what it holds in screen.ansi. A
# fleet that is still small has a question mark behind its letter.
settle() {
  local last='' now
  for _ in $(seq 150); do
    sleep 0.2
    now=$(tm capture-pane -e -p)
    if [[ $now == *"$1"* && $now != *simulating* && $now != *[A-E]\?* && $now == "$last" ]]; then
      printf '%s\n' "$now" >"$tmp/screen.ansi"
      return
    fi
    last=$now
  done
  echo "picture: the screen was not drawn within thirty seconds; it holds:" >&2
  printf '%s\n' "$last" >&2
  exit 1
}

# The seed is fixed, so that a picture changes only when the screen does.
# picture NAME COLUMNS ROWS FLAGS WORD [KEY WORD]…: the keys one after the other, each once the word before it is there.
picture() {
  local name=$1 columns=$2 rows=$3 flags=$4 word=$5
  shift 5
  tm kill-server 2>/dev/null || true
  socket=$name # a server of its own: the one before may still be ending
  tm new-session -d -x "$columns" -y "$rows" \
    "env -u NO_COLOR TERM=tmux-256color COLORTERM=truecolor LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp XDG_STATE_HOME=$tmp '$binary' --seed 42 --theme dark $flags"
  tm set-option -g status off
  tm resize-window -x "$columns" -y "$rows"
  settle "$word"
  while (($# > 0)); do
    case $1 in
    text:*) tm send-keys -l "${1#text:}" ;;
    *) tm send-keys "$1" ;;
    esac
    settle "$2"
    shift 2
  done
  "$freeze" "$tmp/screen.ansi" --language ansi --output "$name.svg" --background '#101418' \
    --padding 16 --font.size 13 --line-height 1.2 --border.radius 8
  # The font that freeze embeds has no ↻. The one that a viewer takes instead may be wider: what follows gets its place.
  local row before x
  if row=$(tm capture-pane -p | grep -m1 ↻); then
    before=${row%%↻*}
    x=$(awk -v n="${#before}" 'BEGIN { print 16 + 7.8 * (n + 1) }')
    sed -E -i "s|(<tspan[^>]*)>↻ |\\1>↻</tspan>\\1 x=\"$x\"> |g" "$name.svg"
  fi
  echo "picture: docs/$name.svg, ${columns}x${rows}"
}

wanted() { (($# == 1)) || [[ " ${*:2} " == *" $1 "* ]]; }

# The policy of the timeline is one that shows what there is to see: attempts that were not made, one of them behind the
# timeout.
if wanted screen "$@"; then
  picture screen 100 30 '--attempts 6 --timeout 6s --attempt-timeout 1s' Timeline
fi
for size in '80 24' '120 40'; do
  read -r columns rows <<<"$size"
  if wanted fleet "$@"; then
    picture "fleet-${columns}x$rows" "$columns" "$rows" '--policy first-principles' Timeline 7 stuck s Scenarios text:herd 'a thousand' Enter 'herd: ' Down Fleet
  fi
  if wanted metastable "$@"; then
    picture "metastable-${columns}x$rows" "$columns" "$rows" '' Timeline 7 stuck
  fi
  for scenario in 'outage a service goes down' 'brownout half of all calls' 'rate-limit a rate limit answers' 'nested three layers that'; do
    name=${scenario%% *}
    if wanted "$name" "$@"; then
      picture "$name-${columns}x$rows" "$columns" "$rows" '' Timeline 7 stuck s Scenarios "text:$name" "${scenario#* }" Enter "$name: "
    fi
  done
  if wanted dist "$@"; then
    picture "distribution-${columns}x$rows" "$columns" "$rows" '' Timeline 6 exact a 'Policy B' p Presets text:aws-decorrelated aws-decorrelated Enter 'drawn: 20,000 calls;'
  fi
done

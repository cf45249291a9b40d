#!/usr/bin/env bash
# Makes docs/screen.svg, the picture in the README, from the real screen: docs/picture.sh BINARY FREEZE
# The program runs in a tmux of its own at 100x30; what tmux then holds in its cells is drawn by freeze.
set -euo pipefail
export LC_ALL=C.UTF-8

binary=$(realpath "${1:?usage: docs/picture.sh BINARY FREEZE [COLUMNS ROWS]}")
freeze=$(realpath "${2:?usage: docs/picture.sh BINARY FREEZE [COLUMNS ROWS]}")
columns=${3:-100} rows=${4:-30}
cd "$(dirname "$0")"
command -v tmux >/dev/null || { echo 'picture: tmux is missing' >&2; exit 1; }

tmp=$(mktemp -d)
export TMUX_TMPDIR=$tmp
tm() { tmux -L picture -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null || true; rm -rf "$tmp"' EXIT

# The seed is fixed, so that the picture changes only when the screen does. The policy is one that shows what there is to
# see: attempts that were not made, and one of them behind the timeout.
policy='--attempts 6 --timeout 6s --attempt-timeout 1s'
tm new-session -d -x "$columns" -y "$rows" \
  "env -u NO_COLOR TERM=tmux-256color COLORTERM=truecolor LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp XDG_STATE_HOME=$tmp '$binary' --seed 42 --theme dark $policy"
tm set-option -g status off
tm resize-window -x "$columns" -y "$rows"

last=
for _ in $(seq 100); do
  sleep 0.1
  now=$(tm capture-pane -e -p)
  # Drawn once nothing moves any more.
  if [[ $now == *Timeline* && $now == "$last" ]]; then
    printf '%s\n' "$now" >"$tmp/screen.ansi"
    "$freeze" "$tmp/screen.ansi" --language ansi --output screen.svg --background '#101418' \
      --padding 16 --font.size 13 --line-height 1.2 --border.radius 8
    # The font that freeze embeds has no ↻. The one that a viewer takes instead may be wider: what follows gets its place.
    row=$(tm capture-pane -p | grep -m1 ↻)
    before=${row%%↻*}
    x=$(awk -v n="${#before}" 'BEGIN { print 16 + 7.8 * (n + 1) }')
    sed -E -i "s|(<tspan[^>]*)>↻ |\\1>↻</tspan>\\1 x=\"$x\"> |g" screen.svg
    echo "picture: docs/screen.svg, ${columns}x${rows}"
    exit 0
  fi
  last=$now
done
echo 'picture: the screen was not drawn within ten seconds; it holds:' >&2
printf '%s\n' "$last" >&2
exit 1

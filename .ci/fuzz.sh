#!/usr/bin/env bash
# Runs every fuzz target of the module for some seconds each: .ci/fuzz.sh SECONDS [PACKAGE…]
# A target is what `go test -list` names; a file that says `func Fuzz` in a package where none is named is a fault,
# so that a build tag or a typing error cannot hide one.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: .ci/fuzz.sh SECONDS [PACKAGE...]}
shift
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: $seconds is no whole number of seconds" >&2; exit 2; }

dirs=("$@")
if [ ${#dirs[@]} -eq 0 ]; then
  nested=()
  while IFS= read -r mod; do
    nested+=(-not -path "$(dirname "$mod")/*")
  done < <(find . -mindepth 2 -name go.mod)
  mapfile -t dirs < <(find . -name '*_test.go' -not -path '*/testdata/*' -not -path './bin/*' "${nested[@]}" \
    -exec grep -lE '^func Fuzz' {} + | sed 's|/[^/]*$||' | sort -u)
fi

# fuzz DIR TARGET runs one target. When the time is up while a worker is busy, go test may report "context deadline
# exceeded" as a failure without any failing input. That says nothing of the target, so it is run again;
# whatever names an input or says anything else is a failure.
fuzz() {
  local out try
  out=$(mktemp)
  for try in 1 2 3; do
    if go test -run='^$' -fuzz="^$2\$" -fuzztime="${seconds}s" "$1" 2>&1 | tee "$out"; then
      rm -f "$out"
      return 0
    fi
    if grep -qE 'Failing input|panic|DATA RACE|_test\.go' "$out" || ! grep -q '^    context deadline exceeded$' "$out"; then
      break
    fi
    echo "fuzz: $2: the time ran out in the middle of an input; again (after try $try)"
  done
  rm -f "$out"
  return 1
}

ran=0
for dir in "${dirs[@]}"; do
  mapfile -t targets < <(go test -list '^Fuzz' "$dir" | grep -E '^Fuzz' || true)
  if [ ${#targets[@]} -eq 0 ]; then
    echo "fuzz: $dir says func Fuzz, but go test lists no target there" >&2
    exit 1
  fi
  for target in "${targets[@]}"; do
    echo "fuzz: $dir $target for ${seconds}s"
    fuzz "$dir" "$target"
    ran=$((ran + 1))
  done
done
if [ "$ran" -eq 0 ]; then
  echo "fuzz: no fuzz target found" >&2
  exit 1
fi
echo "fuzz: $ran targets clean"

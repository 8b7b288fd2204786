#!/bin/sh
# Builds the peer once for each state of its sources, outside the tree, and prints the path of the binary.
# The first build fetches its Go modules and takes about five minutes on two cores.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if ! command -v go >/dev/null 2>&1; then
  echo "the peer needs Go (https://go.dev/dl), which is not installed" >&2
  exit 3
fi
hash=$(cd "$here" && cat ./*.go go.mod go.sum | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/outrigger
binary=$cache/peer-$hash
if [ ! -x "$binary" ]; then
  mkdir -p "$cache"
  echo "building the peer (once for these sources) …" >&2
  # Under another name first: a build that was cut short leaves nothing that looks finished.
  (cd "$here" && nice -n 19 go build -o "$binary.$$" . >&2) && mv "$binary.$$" "$binary"
fi
echo "$binary"

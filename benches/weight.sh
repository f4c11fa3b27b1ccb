#!/usr/bin/env bash
# What the program weighs: seconds of a clean release build, bytes of the binary, crates, and private memory of a
# question with 200 events; for the whole program and for the search tool alone. Compare figures of one run only.
#   benches/weight.sh [FOLDER OF ANOTHER CHECKOUT]     that checkout is measured first, whole
# Memory needs strace and python3, and is left out where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT

crates() {
    cargo tree --locked --edges normal,build --prefix none --no-dedupe "$@" | sed 's/ (.*//' | sort -u | wc -l
}

measure() {
    local name=$1 folder=$2
    shift 2
    local start=$SECONDS
    (cd "$folder" && CARGO_TARGET_DIR=$target/$name cargo build --locked --release --quiet "$@")
    local seconds=$((SECONDS - start)) binary=$target/$name/release/pplx
    printf '%-6s %5d s  %9d bytes  %4d crates' "$name" "$seconds" "$(stat -c %s "$binary")" "$(cd "$folder" && crates "$@")"
    if command -v strace python3 >/dev/null; then
        printf '  %5s kB private memory' "$(python3 benches/memory.py "$binary")"
    fi
    printf '\n'
}

cargo fetch --locked --quiet
[ $# -eq 0 ] || measure other "$1"
measure whole .
measure slim . --no-default-features

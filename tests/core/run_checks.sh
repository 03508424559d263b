#!/bin/sh
# tools/check-core on a small made trace: all it checks but the host instructions.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$source/tests/cli/make_trace.py" 60000 1 >"$work/made.champsim"
"$source/tools/check-core" --build "$build" --only oracle,monotone,flat,memory -w 20k -i 40k \
    "$work/made.champsim"

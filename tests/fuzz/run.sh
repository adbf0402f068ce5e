#!/usr/bin/env bash
# Random damage to streams, scenes, matrices and command lines against every tool; build the tools with sanitizers first (make fuzz).
#   usage: tests/fuzz/run.sh BIN_DIRECTORY [--seconds N] [--seed S] [--keep DIRECTORY]
# The same seed gives the same cases. Exit 1 when a case failed; what failed is kept and its command printed.
set -eu
bin=$(cd "$1" && pwd)
shift
exec python3 "$(dirname "$0")/fuzz.py" "$bin" "$@"

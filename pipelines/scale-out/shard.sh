#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One shard through the stages of $STAGES: shard.sh SHARD OUT. OUT is there whole or not at all: the last filter of the pipe refuses a stream
# without its end. With --is-whole SHARD OUT: is OUT complete, and of this shard?
set -euo pipefail
cell() { cd-view -q -j --type shard "$1" 2>/dev/null | grep -o '"type":"shard","index":[0-9]*'; }
if [ "$1" = --is-whole ]; then
    of=$(cell "$2") && is=$(cell "$3") && [ "$of" = "$is" ] # read to the end: a cut stream fails
    exit
fi
"$0" --is-whole "$1" "$2" && exit
bash -o pipefail -c "$STAGES" <"$1" | cd-view -q -b -o "$2"

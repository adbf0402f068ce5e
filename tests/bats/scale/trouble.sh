#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A stage that passes a stream on, but fails once for two shards: trouble.sh MARKS. The job of shard 1 is killed, that of shard 2 writes to a full device.
here=$(mktemp)
trap 'rm -f "$here"' EXIT
cat >"$here"
cell=$(cd-view -j --type shard "$here" | grep -o '"type":"shard","index":[0-9]*')
if [ "${cell##*:}" = 1 ] && mkdir "$1/killed" 2>/dev/null; then
    kill -9 $PPID
    exit 1
elif [ "${cell##*:}" = 2 ] && mkdir "$1/full" 2>/dev/null; then
    cat "$here" >/dev/full
    exit 1
fi
cat "$here"

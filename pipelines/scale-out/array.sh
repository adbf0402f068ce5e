#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An element of the job array: the shard of its number.
shards=("$1"/shards/*)
shard=${shards[$SLURM_ARRAY_TASK_ID]}
exec "$SHARD" "$shard" "$1/done/${shard##*/}"

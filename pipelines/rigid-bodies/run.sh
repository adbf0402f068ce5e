#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Scenes of "Intersection-free Rigid Body Dynamics" (2021) at steps of 1 to 100 ms: does anything overlap, is the motion right, what does a step cost?
# README.md has what was found.
#
#   usage: run.sh [--scenes LIST] [--steps LIST] [--variants LIST] [--limit S] [--pictures LIST] [--out DIR]
#     --scenes     names that scenes.py --list has                               [all]
#     --steps      step sizes in ms                                              [1,10,50,100]
#     --variants   'NAME=PIPELINE; NAME=PIPELINE': what cd-loop runs, such as
#                  a step of an engine; the first is held to what is right       [ours, the default pipeline]
#     --limit      a run that takes longer is given up, in s                     [600]
#     --pictures   step sizes of which the last bodies are drawn                 [10]
#     --out        folder for results                                            [out/rigid-bodies]
#   leaves runs.tsv, the runs, and pictures; exits 1 when something of the first variant overlaps, is wrong or fails
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../options.sh"
scenes='' steps=1,10,50,100 variants=ours limit=600 pictures=10 out=out/rigid-bodies
read_options "scenes steps variants limit pictures out" "$@"
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/rigid.py" --scenes "$scenes" --steps "$steps" --variants "$variants" --limit "$limit" --pictures "$pictures" --out "$out"

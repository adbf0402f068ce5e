#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pipelines/scale-out: each engine notices a job that was killed, a full disk, an output that was cut, is missing or another shard's; started again
# it ends with the content of the run that was never split.
# shellcheck shell=bash
load ../helper

RUN=$BATS_TEST_DIRNAME/../../../pipelines/scale-out

digest() { cd-view --type head,shape,body,bounds,pair,contact,note "$1" | cd-view --digest; }

# told TEXT: by cd-merge, of what stands in out/done
told() {
    run -3 --separate-stderr cd-merge -o no.cdb out/done/*
    [[ "$stderr" == *"$1"* ]]
    [ ! -e no.cdb ]
}

# goes_on ENGINE [COMMAND...]: two jobs fail, the run is started again; then three results are spoilt, and again
goes_on() {
    local engine=$1 one=out/done/shard-0000
    shift
    python3 "$TESTS/bats/scale/sets.py" 3 7 100 | cd-view -b -o s.cdb
    cd-broad s.cdb | cd-narrow -q -o whole.cdb
    mkdir marks
    export PATH=$TESTS/bats/scale:$PATH
    again() { "$@" "$RUN/run.sh" --file s.cdb --engine "$engine" --grid 2x2x1 --out out --stages "cd-broad -t 1 | cd-shard --own | trouble.sh $PWD/marks | cd-narrow -q -t 1"; }
    run -1 --separate-stderr again "$@"
    [[ "$stderr" == *"not all shards are done: start it again"* ]]
    [ -d marks/killed ]
    [ -d marks/full ]
    [ ! -e out/merged.cdb ]
    # what is done stays as it is
    local before
    before=$(stat -c %Y.%i ${one}0.cdb)
    again "$@"
    [ "$(digest out/merged.cdb)" = "$(digest whole.cdb)" ]
    [ "$(stat -c %Y.%i ${one}0.cdb)" = "$before" ]

    rm out/merged.cdb
    mv ${one}1.cdb keep && told 'shard 1 of 4 is missing'
    cp ${one}3.cdb ${one}1.cdb && told "shard 3 is there twice: ${one}1.cdb and ${one}3.cdb"
    mv keep ${one}1.cdb
    truncate -s -100 ${one}0.cdb && told "shard-00000.cdb"
    cp ${one}3.cdb ${one}1.cdb
    rm ${one}2.cdb
    run -0 --separate-stderr again "$@"
    [[ "$stderr" == *"shard-00000.cdb: not whole"* && "$stderr" == *"shard-00001.cdb: not whole"* ]]
    [ "$(digest out/merged.cdb)" = "$(digest whole.cdb)" ]
}

@test "scale-out: one after another" { goes_on shell; }

@test "scale-out: GNU parallel" {
    parallel --version 2>/dev/null | found '^GNU' || skip "GNU parallel is not installed"
    goes_on parallel
}

@test "scale-out: a Slurm job array" {
    command -v slurmctld slurmd sbatch >/dev/null || skip "Slurm is not installed"
    [ "$(id -u)" -eq 0 ] || skip "a Slurm of one's own is started as root"
    "$RUN/slurm-here.sh" "$PWD/trial" true || skip "Slurm does not start here"
    goes_on slurm "$RUN/slurm-here.sh" "$PWD/slurm"
}

@test "scale-out: Snakemake" {
    command -v snakemake >/dev/null || skip "Snakemake is not installed"
    goes_on snakemake
}

@test "scale-out: Dask" {
    python3 -c 'import distributed' 2>/dev/null || /usr/bin/python3 -c 'import distributed' 2>/dev/null || skip "python3-distributed is not installed"
    goes_on dask
}

@test "scale-out: usage" {
    run -0 "$RUN/run.sh" --help
    [[ "$output" == "usage: run.sh --file FILE"* ]]
    run -2 "$RUN/run.sh"
    run -2 "$RUN/run.sh" --file s --engine none
}

@test "scale-out: measure.sh tells of every stage, and the digest is that of the frame that was never cut" {
    run -0 --separate-stderr "$RUN/measure.sh" --count 3000 --grid 2x1x2 --out out
    [ "$(sed '1d;/^shards/,$d' <<<"$output" | tr -s ' ' | cut -d' ' -f1,2 | paste -sd,)" = "broad 4,digest 1,merge 1,narrow 4,own 4,scene 1,shard 1" ]
    [[ "$output" == *"halo "[1-9]*" %"*"the digest of the frame that was never cut" ]]
    [ "$(ls out/shards | wc -l)" -eq 0 ]
    run -0 "$RUN/measure.sh" --count 3000 --stages broad --whole no --out out
    [[ "$output" != *"never cut"* && "$output" != *narrow* ]]
    run -2 "$RUN/measure.sh" --stages none
    run -3 --separate-stderr "$RUN/measure.sh" --count 0 --out out
    [[ "$stderr" == *"count: must be in 1"* ]]
}

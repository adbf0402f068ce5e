#!/usr/bin/env bats
# The stream as a contract between processes: cuts, kills, damage, order, stale tables, files, terminals, limits.
# shellcheck shell=bash disable=SC2154
load helper

trial() { python3 "$BATS_TEST_DIRNAME/programs/stream_trial.py" "$1"; }

# A stream with every table of the plane's stages, two frames long.
full_stream() {
    { small_stream | sed '$d'; small_stream | sed -n '4,7p' | sed 's/"index":0,"time":0/"index":1,"time":0.01/'; echo '{"type":"end"}'; } |
        cd-broad | cd-narrow | cd-peg-assemble --condition | cd-lcp | cd-step | cd-overlap-metric --per-pair
}

types() { # the record types of a stream, in order, each once a run
    sed 's/{"type":"\([^"]*\)".*/\1/' | uniq | paste -sd' '
}

refused() { # refused CODE SENTENCE COMMAND...: one line with SENTENCE, no end written
    local code=$1 sentence=$2
    shift 2
    run "-$code" --separate-stderr "$@"
    [[ "$stderr" == *"$sentence"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    if grep -q '"type":"end"' <<<"$output"; then false; fi
}

@test "a cut at any byte is noticed" { trial cut-view; }
@test "a cut of any stage's output is noticed by the next" { trial cut-stages; }
@test "a cut in front of a pipeline is noticed by its last stage" { trial cut-pipeline; }
@test "the death of any stage is noticed by the last" { trial kill; }
@test "flipped bits of every record type are noticed, decoded or passed on" { trial flips; }
@test "removed, doubled and exchanged blocks are noticed" { trial sequence; }
@test "foreign blocks: private ones pass, critical ones are refused, unsafe ones do not outlive a rerun" { trial foreign; }
@test "announced sizes allocate nothing" { trial announced; }
@test "each frame is out before the next is in" { trial flush; }
@test "binary to a terminal is refused" { need_terminal; trial terminal; }
@test "-o writes a file whole or not at all" { trial whole-or-nothing; }
@test "a closed pipe ends a tool silently" { trial silent-pipe; }

@test "the last stage tells of a failed one without pipefail" {
    small_stream | sed '$d' >cut.jsonl
    run -3 --separate-stderr bash -c 'cd-broad cut.jsonl 2>/dev/null | cd-narrow 2>/dev/null | cd-view'
    run -3 --separate-stderr bash -c 'cd-view nowhere.jsonl 2>/dev/null | cd-view'
}

# ---- JSON-lines ----

@test "counts of lines are written on demand and checked" {
    small_stream | cd-view --counts --no-prog >counted.jsonl
    grep -qF '{"type":"fend","rows":{"body":2}}' counted.jsonl
    grep -qF '{"type":"end","frames":1,"records":7}' counted.jsonl
    cd-view counted.jsonl
    sed 's/"body":2/"body":3/' counted.jsonl >wrong.jsonl
    refused 3 'fend: rows: body: 3 announced, 2 arrived' cd-view wrong.jsonl
    sed 's/"frames":1/"frames":2/' counted.jsonl >wrong.jsonl
    refused 3 'end: frames: 2 announced, 1 arrived' cd-view wrong.jsonl
    sed 's/"records":7/"records":8/' counted.jsonl >wrong.jsonl
    refused 3 'end: records: 8 announced, 7 arrived' cd-view wrong.jsonl
    sed 5d counted.jsonl >wrong.jsonl
    refused 3 'body: 2 announced, 1 arrived' cd-view wrong.jsonl
}

@test "lines that jq adds or drops are fine without counts" {
    small_stream | grep -v '"id":2,"shape":2' | cd-view -j --no-prog >less.jsonl
    [ "$(grep -c '"type":"body"' less.jsonl)" -eq 1 ]
}

@test "records out of order are refused, each with its line" {
    small_stream >s.jsonl
    sed 1p s.jsonl >t.jsonl
    refused 3 't.jsonl:2: head: a stream has exactly one head' cd-broad t.jsonl
    sed 1d s.jsonl >t.jsonl
    refused 3 't.jsonl:1: shape: the first record must be head' cd-broad t.jsonl
    sed 4p s.jsonl >t.jsonl
    refused 3 't.jsonl:5: frame: the frame before has no fend' cd-broad t.jsonl
    sed 7d s.jsonl >t.jsonl
    refused 3 't.jsonl:7: end: the last frame has no fend' cd-broad t.jsonl
    { sed -n 1,5p s.jsonl; sed -n 2p s.jsonl; sed -n '6,$p' s.jsonl; } >t.jsonl
    refused 3 't.jsonl:6: shape: belongs before the first frame' cd-broad t.jsonl
    { sed -n 1p s.jsonl; sed -n 5p s.jsonl; sed -n '2,$p' s.jsonl; } >t.jsonl
    refused 3 't.jsonl:2: body: belongs inside a frame' cd-broad t.jsonl
    { cat s.jsonl; sed -n 5p s.jsonl; } >t.jsonl
    run -3 --separate-stderr cd-broad t.jsonl
    [[ "$stderr" == "cd-broad: t.jsonl: there are bytes behind the end record" ]]
    sed 7p s.jsonl >t.jsonl
    refused 3 't.jsonl:8: fend: closes exactly one open frame' cd-broad t.jsonl
}

@test "no input worth the name" {
    : >empty
    refused 3 'empty: empty input' cd-broad empty
    printf ' \n \n' >blank
    refused 3 'blank: neither JSON-lines nor a binary' cd-broad blank
    refused 4 'Is a directory' cd-broad .
    refused 4 'cd-broad: /: read: Is a directory' cd-broad /
    mkdir -p one && cp empty one/ # two streams of one name in two folders are told apart
    refused 3 'one/empty: empty input' cd-broad one/empty
    refused 4 'xxx ... xxx' cd-broad "$(printf 'x%.0s' {1..5000})"
    [[ "$stderr" == *': File name too long' ]]
    refused 4 'Is a directory' bash -c 'cd-broad <. || exit'
    refused 4 'nowhere: No such file' cd-broad nowhere
    refused 2 'cd-broad: operand 1 is empty' cd-broad ""
    refused 2 'cd-diff: operand 2 is empty' cd-diff empty ""
    refused 2 'cd-loop: operand 2 is empty' cd-loop --frames 2 empty -- ''
    refused 2 'cd-broad: -o: the name is empty' cd-broad -o "" empty
    printf '\x1f\x8b' >gz
    refused 3 'gz: gzip data stop early' cd-broad gz
    printf '\x89CDS' >magic
    refused 3 'magic: stops inside the first 8 bytes' cd-broad magic
}

@test "closed standard streams" {
    small_stream >s.jsonl
    refused 4 'stdin: read: Bad file descriptor' bash -c 'cd-broad <&- || exit'
    refused 4 'stdout: write: Bad file descriptor' bash -c 'cd-broad s.jsonl >&- || exit'
    refused 4 'stdout: write: Bad file descriptor' bash -c 'cd-broad --help >&- || exit'
    # Nothing that is said may land in a file that took the place of stderr.
    head -n 4 s.jsonl >cut.jsonl
    run -3 bash -c 'cd-view -o out.jsonl cut.jsonl 2>&-'
    [ ! -e out.jsonl ]
    bash -c 'cd-view --no-prog -o out.jsonl s.jsonl 2>&-'
    cmp out.jsonl s.jsonl
    bash -c 'cd-view --no-prog -o out.jsonl s.jsonl <&- >&- 2>&-'
    cmp out.jsonl s.jsonl
}

@test "a full device is told, whichever way it is reached" {
    small_stream >s.jsonl
    refused 4 'stdout: write: No space left on device' bash -c 'cd-view s.jsonl >/dev/full || exit'
    refused 4 '/dev/full: write: No space left on device' cd-view -o /dev/full s.jsonl
    refused 4 'stdout: write: No space left on device' bash -c 'cd-view --help >/dev/full || exit'
}

@test "-o: existing files, links, modes, directories, standard output" {
    small_stream >s.jsonl
    echo old >target
    chmod 640 target
    ln -s target link
    cd-view --no-prog -o link s.jsonl
    [ -L link ]
    cmp target s.jsonl
    [ "$(stat -c %a target)" = 640 ]
    cd-view --no-prog -b -o s.jsonl s.jsonl # the input itself
    [ "$(cd-view --digest s.jsonl)" = "$(cd-view --digest target)" ]
    refused 4 '.: Is a directory' cd-view -o . target
    refused 4 'missing/x: No such file' cd-view -o missing/x target
    refused 2 'the name is empty' cd-view -o '' target
    ls -l /dev/stdout >before
    cd-view --no-prog -o /dev/stdout target >copy
    cmp copy target
    cd-view --no-prog -o /dev/stdout target >>copy
    [ "$(wc -l <copy)" -eq 16 ]
    cd-view --no-prog -o - target | cmp - target
    cd-view --no-prog -o /dev/stdout target | cmp - target
    ls -l /dev/stdout | cmp - before
    mkfifo fifo
    cat fifo >copy &
    cd-view --no-prog -o fifo target
    wait
    cmp copy target
    [ "$(ls -A | grep -c part)" -eq 0 ]
}

# ---- gzip and limits ----

@test "gzip: members, rubbish behind, damage" {
    small_stream >s.jsonl
    { head -n 3 s.jsonl | gzip -c; tail -n +4 s.jsonl | gzip -c; } >two.gz
    cd-view --no-prog two.gz | cmp - s.jsonl
    { cat two.gz; printf rubbish; } >more.gz
    refused 3 'gzip' cd-view --digest more.gz
    head -c -1 two.gz >less.gz
    refused 3 'gzip data stop early' cd-view --digest less.gz
    cd-view -b s.jsonl | gzip -c >b.gz
    [ "$(cd-view --digest b.gz)" = "$(cd-view --digest s.jsonl)" ]
}

@test "limits" {
    small_stream >s.jsonl
    sed '5s/"mass"/"note":"'"$(printf '%2000s' '' | tr ' ' x)"'","mass"/' s.jsonl >long.jsonl
    cd-view long.jsonl
    refused 3 'long.jsonl:5: line longer than 1024 bytes (--max-line raises the limit)' cd-broad --max-line=1024 long.jsonl
    refused 3 'shape: more than 1 rows (--max-rows raises the limit)' cd-broad --max-rows=1 s.jsonl
    cd-view -b -l0 long.jsonl >long.cdb
    refused 3 'the limit is 1024' cd-broad --max-block=1024 long.cdb
}

# ---- what a stranger adds ----

@test "unknown records, members and columns survive JSON to binary to JSON" {
    # every type of records is among them
    cd-view --fields | sed -nE 's/^([a-z_]+) .*/\1/p' | sort -u >types
    [ -s types ]
    diff types <(jq -r .type "$CASES/stream/all-records.jsonl" | sort -u | grep -vx note)
    cd-view -b -l0 --no-prog "$CASES/stream/all-records.jsonl" >a.cdb
    cd-view -b -l9 --no-prog a.cdb >b.cdb
    for file in a.cdb b.cdb; do
        cd-view -j --no-prog "$file" | cmp - "$CASES/stream/all-records.jsonl"
    done
    cd-view -b -l0 --no-prog <(cd-view -j --no-prog b.cdb) >c.cdb
    cmp c.cdb a.cdb
}

@test "unknown records and members survive every stage" {
    small_stream | sed -e '5s/"mass"/"colour":[255,0,0],"mass"/' -e '3a {"type":"note","where":"head"}' -e '6a {"type":"note","where":"frame"}' >s.jsonl
    for binary in '' -b; do
        # shellcheck disable=SC2086
        cd-broad $binary s.jsonl | cd-narrow | cd-peg-assemble | cd-lcp | cd-step | cd-overlap-metric | cd-view -j >out.jsonl
        grep -qF '"colour":[255,0,0]' out.jsonl
        grep -qF '{"type":"note","where":"head"}' out.jsonl
        grep -qF '{"type":"note","where":"frame"}' out.jsonl
    done
}

@test "a foreign record in front of the provenance does not give two tools one number" {
    small_stream | cd-broad | sed '1a {"type":"note"}' | cd-narrow | cd-view -j | cd-view --check
}

# ---- what goes stale ----

@test "a failure names the frame by its index, and the round and part of one that repeats" {
    frames() {
        small_stream | sed -n '1,/"id":2,"shape"/p' | sed '/"type":"frame"/d; /"type":"body"/d'
        for frame in "$@"; do
            printf '{"type":"frame","index":%s,"time":0,"step":0.01}\n' "$frame"
            small_stream | grep -E '"type":"(body|fend)"'
        done
        printf '{"type":"end"}\n'
    }
    # the last of the frames has a body without a position
    broken() { frames "$@" | tac | sed '0,/"position":\[0,-0.2\],/s///' | tac >in.jsonl; }
    for tool in cd-broad cd-narrow cd-peg-assemble 'cd-step --rounds 1' 'cd-step --advance' cd-overlap-metric; do
        broken 7
        run -3 --separate-stderr $tool in.jsonl
        [[ "$stderr" == "${tool%% *}: frame 7: body 2: position: "* ]]
        broken 7 '7,"round":1' '7,"round":2'
        run -3 --separate-stderr $tool in.jsonl
        [[ "$stderr" == "${tool%% *}: frame 7 (round 2): body 2: position: "* ]]
        broken 7 '8,"substep":1,"round":0'
        run -3 --separate-stderr $tool in.jsonl
        [[ "$stderr" == "${tool%% *}: frame 8 (round 0, substep 1): body 2: position: "* ]]
    done
}

@test "a stage run again gives the same content" {
    full_stream >full.jsonl
    whole=$(cd-view --digest full.jsonl)
    for k in 1 2 3 4 5 6; do
        chain=(cd-broad cd-narrow "cd-peg-assemble --condition" cd-lcp cd-step "cd-overlap-metric --per-pair")
        cp full.jsonl again.jsonl
        for stage in "${chain[@]:k-1}"; do # this one and all behind it
            $stage again.jsonl >next.jsonl
            mv next.jsonl again.jsonl
        done
        [ "$(cd-view --digest again.jsonl)" = "$whole" ]
    done
}

@test "a stage run again removes what is stale and nothing else" {
    full_stream >full.jsonl
    after() { "$@" --no-prog full.jsonl | sed -n '/"frame"/,/"fend"/p' | types; }
    tools_of_metrics() { "$@" full.jsonl | sed -n 's/.*"type":"metric","tool":"\([^"]*\)".*/\1/p' | sort -u | paste -sd' '; }
    [ "$(after cd-view)" = "frame body bounds pair contact constraint row entry solution value force next verdict metric fend frame body bounds pair contact constraint row entry solution value force next verdict metric fend" ]
    for stage_left in "cd-broad:body bounds pair" "cd-narrow:body bounds pair contact" "cd-lcp:body bounds pair contact constraint row entry solution value"; do
        left=$(after "${stage_left%%:*}" | sed 's/ fend.*//; s/^frame //; s/ metric//')
        [ "$left" = "${stage_left#*:}" ]
    done
    [ "$(tools_of_metrics cd-view)" = "cd-narrow cd-overlap-metric cd-peg-assemble cd-step" ]
    [ "$(tools_of_metrics cd-broad)" = "" ]
    [ "$(tools_of_metrics cd-narrow)" = "cd-narrow" ]
    [ "$(tools_of_metrics cd-peg-assemble)" = "cd-narrow cd-peg-assemble" ]
    [ "$(tools_of_metrics cd-lcp)" = "cd-narrow cd-peg-assemble" ]
    [ "$(tools_of_metrics cd-step)" = "cd-narrow cd-peg-assemble cd-step" ]
    [ "$(tools_of_metrics cd-overlap-metric)" = "cd-narrow cd-overlap-metric cd-peg-assemble cd-step" ]
    # and each once: a metric that was made again does not stand beside its old self
    cd-peg-assemble full.jsonl >again.jsonl
    [ "$(grep -c '"name":"traps"' again.jsonl)" -eq 2 ]
}

@test "metrics of strangers stay until what they may come from is made again" {
    full_stream | sed '/"fend"/i {"type":"metric","tool":"stranger","name":"x","value":1}' >full.jsonl
    count() { "$@" | grep -c '"tool":"stranger"' || true; }
    [ "$(count cd-view full.jsonl)" -eq 2 ]
    [ "$(count cd-overlap-metric full.jsonl)" -eq 2 ]
    [ "$(count cd-lcp full.jsonl)" -eq 0 ]
    small_stream | cd-broad | sed '/"fend"/i {"type":"metric","tool":"stranger","name":"x","value":1}' >part.jsonl
    [ "$(count cd-narrow part.jsonl)" -eq 1 ]
    [ "$(count cd-broad part.jsonl)" -eq 0 ]
}

# ---- nothing to work on ----

@test "a stage that finds nothing to work on in the whole stream names the one that is missing" {
    for missing in "cd-narrow:pair:cd-broad" "cd-spars:contact:cd-narrow" "cd-peg-assemble:contact:cd-narrow" "cd-lcp:row:cd-peg-assemble"; do
        IFS=: read -r tool table maker <<<"$missing"
        small_stream >in.jsonl
        for encoding in -j -b; do # also behind tools that make no such table
            cd-view $encoding in.jsonl >in
            run -3 --separate-stderr "$tool" -j in
            [ "$stderr" = "$tool: no $table in any frame: is $maker missing?" ]
            [[ "$output" != *'"type":"end"'* ]]
        done
        # a program outside the project may have made it; so may the stage itself, whose table is empty then
        for program in by-hand "$maker"; do
            sed '1a {"type":"prog","id":1,"prev":[0],"tool":"'"$program"'"}' in.jsonl | $tool | cd-view --check
        done
        # no frames: nothing is missing
        printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"end"}' | $tool | cd-view --check
    done
    # tables without provenance are tables
    small_stream | cd-broad --no-prog | cd-narrow --no-prog | cd-peg-assemble --no-prog | cd-lcp --no-prog | cd-view --check
}

@test "a line that a stage only passes on must be JSON: it is named with its place, in tables of ours and of strangers" {
    full_stream | sed '/"fend"/i {"type":"note","where":"frame"}' >full.jsonl
    for broken in 's/"type":"bounds","a":/"type":"bounds","a"/' 's/"type":"pair","a":\[/"type":"pair","a":[,/' 's/"where":"frame"/"where":frame/'; do
        sed "$broken" full.jsonl >bad.jsonl
        line=$({ diff full.jsonl bad.jsonl || [ $? -eq 1 ]; } | sed -n '1s/^\([0-9]*\).*/\1/p')
        [ "$line" -gt 1 ]
        for tool in cd-lcp cd-overlap-metric; do
            run -3 --separate-stderr $tool bad.jsonl
            [[ "$stderr" == "$tool: bad.jsonl:$line: "* && "$stderr" != *$'\n'* ]]
            [[ "$output" != *'"type":"end"'* ]]
        done
    done
}

@test "a number beyond doubles is refused with its place, whether a stage reads the member, passes it on or drops it" {
    full_stream | sed '/"fend"/i {"type":"note","value":1}' >full.jsonl
    for change in 's/"type":"bounds",.*"min":\[/&NUMBER,/' 's/"type":"pair".*\(}\)/&@"mine":NUMBER}/;s/}@/,/' 's/"note","value":/&NUMBER/' 's/\("type":"body",.*"position":\[\)[^,]*/\1NUMBER/'; do
        for number in 1e400 -1e400 1e+999; do
            sed "${change//NUMBER/$number}" full.jsonl >bad.jsonl
            line=$(grep -n -m1 -e "$number" bad.jsonl | cut -d: -f1)
            for tool in "cd-view -j" "cd-view -b" cd-broad cd-lcp cd-overlap-metric; do
                run -3 --separate-stderr bash -c "$tool bad.jsonl | tail -c 16 | tr -d '\\0'; exit \${PIPESTATUS[0]}"
                [[ "$stderr" == "${tool%% *}: bad.jsonl:$line: "*": a number too large for a double" && "$stderr" != *$'\n'* ]]
                [[ "$output" != *'"type":"end"'* ]]
            done
        done
    done
    # a number below the least double is 0, passed on as it stands
    sed 's/"note","value":1/"note","value":1e-400/' full.jsonl | cd-lcp | found '"note","value":1e-400'
}

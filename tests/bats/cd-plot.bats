#!/usr/bin/env bats
# What a picture shows is judged from SVG paths in px: colours are those of plot_scene.c and plot_paint.c.
load helper

# Frames with every table that a picture shows; time 0, 0.1, 0.2.
full_stream() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-9.8],"length":0.1,"epsilon":1e-6}
{"type":"shape","id":1,"kind":"halfspace","normal":[0,1],"offset":0}
{"type":"shape","id":2,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":3,"kind":"sphere","radius":0.5}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":2,"position":[0,0],"rotation":0},{"shape":3,"position":[0,1],"rotation":0}]}
{"type":"shape","id":5,"kind":"ellipsoid","semiaxes":[0.6,0.3]}
JSONL
    for k in 0 1 2; do
        cat <<JSONL
{"type":"frame","index":$k,"time":0.$k,"step":0.1}
{"type":"body","id":1,"shape":1,"position":[0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":[$k,0.5],"velocity":[10,0],"mass":1,"inertia":1}
{"type":"body","id":3,"shape":4,"position":[5,0.5],"mass":1,"inertia":1}
{"type":"body","id":4,"shape":5,"position":[4,3],"motion":"prescribed"}
{"type":"body","id":5,"shape":3,"position":[0,4],"release":9,"mass":1,"inertia":1}
{"type":"bounds","a":[1,0],"min":["-Infinity","-Infinity"],"max":["Infinity",0]}
{"type":"bounds","a":[2,0],"min":[-0.5,0],"max":[0.5,1]}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"distance","point":[$k,0],"normal":[0,1],"gap":-0.01}
{"type":"next","body":2,"position":[1.1,0.5],"rotation":0,"velocity":[10,0],"spin":0}
{"type":"metric","tool":"one","name":"m","value":$k}
{"type":"metric","tool":"one","name":"low","value":$k}
{"type":"metric","tool":"one","name":"high","value":1$k}
{"type":"metric","tool":"two","name":"twice","value":1e-$k}
{"type":"metric","tool":"one","name":"twice","value":-$k}
{"type":"metric","tool":"one","name":"of-a-pair","value":1,"a":2,"b":3}
{"type":"fend"}
JSONL
    done
    echo '{"type":"end"}'
}

is_svg() {
    head -c 200 "$1" | found '<svg ' && tail -c 10 "$1" | found '</svg>' && python3 -c 'import sys, xml.parsers.expat as x; x.ParserCreate().ParseFile(open(sys.argv[1], "rb"))' "$1"
}
is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]; }
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print 16777216*$1+65536*$2+256*$3+$4 "x" 16777216*$5+65536*$6+256*$7+$8 }'; }
# has FILE HEX: something in the SVG is drawn in this colour
has() {
    grep -oE 'rgb\([^)]*\)|#[0-9a-fA-F]{6}' "$1" | sort -u | awk -v want="$2" '
        function hex(two) { two = tolower(two); return 16 * (index(digits, substr(two, 1, 1)) - 1) + index(digits, substr(two, 2, 1)) - 1 }
        BEGIN { digits = "0123456789abcdef"; for (k = 1; k <= 3; k++) wanted[k] = hex(substr(want, 2 * k - 1, 2)) }
        { far = 0; n = split(substr($0, 5), part, ",")
          for (k = 1; k <= 3; k++) {
              x = /^#/ ? hex(substr($0, 2 * k, 2)) : part[k] ~ /%/ ? 2.55 * part[k] : part[k] + 0
              far = far || x - wanted[k] > 1.5 || wanted[k] - x > 1.5
          }
          found = found || !far }
        END { exit !found }'
}
# A head and shapes of every kind of space.
space_shapes() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-9.8],"length":0.5,"epsilon":1e-6}
{"type":"shape","id":1,"kind":"halfspace","normal":[0,0,1],"offset":0}
{"type":"shape","id":2,"kind":"box","halfsizes":[0.5,0.3,0.2]}
{"type":"shape","id":3,"kind":"sphere","radius":0.3}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":2,"position":[0,0,0],"rotation":[1,0,0,0]},{"shape":3,"position":[0,0,0.5],"rotation":[1,0,0,0]}]}
{"type":"shape","id":5,"kind":"ellipsoid","semiaxes":[0.4,0.2,0.1]}
{"type":"shape","id":6,"kind":"facets","vertices":[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0.5,0.5,0.6]],"triangles":[[0,1,4],[1,2,4],[2,3,4],[3,0,4]],"thickness":0.01}
{"type":"shape","id":7,"kind":"polyhedron","vertices":[[-0.2,-0.2,0],[0.3,-0.2,0],[-0.2,0.3,0],[0,0,0.5]],"faces":[[0,2,1],[0,1,3],[1,2,3],[2,0,3]],"surfaces":[-1,4,5,6]}
JSONL
}
# Bodies of all kinds in space: a floor, two bricks that overlap by 0.02 m, a pyramid of facets, a ball, an ellipsoid.
space_stream() {
    space_shapes
    for k in 0 1; do
        cat <<JSONL
{"type":"frame","index":$k,"time":0.$k,"step":0.1}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":[0,0,0.2],"rotation":[1,0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":3,"shape":4,"position":[0.3,$k,0.58],"rotation":[1,0,0,0],"velocity":[0,10,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":4,"shape":5,"position":[2,0,0.5],"rotation":[0.8,0.6,0,0],"motion":"prescribed"}
{"type":"body","id":5,"shape":6,"position":[1.5,1,0],"rotation":[1,0,0,0],"motion":"fixed"}
{"type":"body","id":6,"shape":7,"position":[-1,1,0],"rotation":[1,0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":7,"shape":3,"position":[-1,-1,2],"release":9,"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"bounds","a":[1,0],"min":["-Infinity","-Infinity","-Infinity"],"max":["Infinity","Infinity",0]}
{"type":"bounds","a":[2,0],"min":[-0.5,-0.3,0],"max":[0.5,0.3,0.4]}
{"type":"bounds","a":[3,0],"min":[-0.2,-0.3,0.38],"max":[0.8,0.3,0.78]}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"pair","a":[2,0],"b":[3,0]}
{"type":"contact","id":0,"a":[2,0],"b":[3,0],"kind":"volume","point":[0.15,0,0.39],"normal":[0,0,1],"gap":-0.02,"area":0.42,"status":"penetrating"}
{"type":"contact","id":1,"a":[2,0],"b":[3,0],"kind":"distance","point":[-0.1,-0.2,0.39],"normal":[0,0,1],"gap":-0.02,"status":"deleted"}
{"type":"contact","id":2,"a":[2,0],"b":[3,0],"kind":"separating","point":[0.1,-0.2,0.39],"normal":[0,0,1],"gap":0.001,"facet":["f5"],"side":"a","status":"candidate"}
{"type":"next","body":3,"position":[0.3,0.5,0.6],"rotation":[1,0,0,0],"velocity":[0,10,0],"spin":[0,0,0]}
{"type":"metric","tool":"one","name":"m","value":$k}
{"type":"fend"}
JSONL
    done
    echo '{"type":"end"}'
}

intersection=e34a33 facet=80cbc4 deleted=9e9e9e above=0072b2
dynamic=bfd8ec fixed=d6d6d6 prescribed=f6dfab unreleased=9db3c6 bounds=009e73 pair=e69f00 below=d55e00 next=7b2d8b velocity=6a51a3
one_line() { [ -z "$output" ] && [ "$(wc -l <<<"$stderr")" -eq 1 ] && [[ "$stderr" == cd-plot:* ]]; }

@test "cd-plot: help, version, unknown option" {
    check_help cd-plot
    check_version cd-plot
    check_unknown_option cd-plot
}

@test "cd-plot draws what there is" {
    full_stream >in.jsonl
    cd-plot in.jsonl >out.svg
    is_svg out.svg
    for colour in $dynamic $fixed $prescribed $bounds $pair $below $next; do has out.svg $colour; done
    for colour in $unreleased $velocity; do run ! has out.svg $colour; done
    cd-plot --show +unreleased,+velocities,-bounds in.jsonl >out.svg
    has out.svg $unreleased
    has out.svg $velocity
    has out.svg $pair
    run ! has out.svg $bounds
    cd-plot --show contacts in.jsonl >out.svg
    has out.svg $below
    run ! has out.svg $dynamic
    cd-plot --show bodies --bodies 4 in.jsonl >out.svg
    has out.svg $prescribed
    run ! has out.svg $dynamic
}

@test "cd-plot: a face that stands in several contacts is drawn once: more would hide what lies on it" {
    space_stream >in.jsonl
    jq -c '., if .id == 2 and .type == "contact" then .id = 3 else empty end' in.jsonl >twice.jsonl
    cd-plot --frames 0 --show facets in.jsonl >once.svg
    has once.svg $facet
    cd-plot --frames 0 --show facets twice.jsonl | cmp - once.svg
}

# Three balls in a row on a floor, with speeds 0, 1 and 3, a force of 2 N between the first two and 4 N on the third.
coloured_stream() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"epsilon":1e-6}
{"type":"shape","id":1,"kind":"sphere","radius":0.5}
{"type":"shape","id":2,"kind":"halfspace","normal":[0,1],"offset":-0.5}
{"type":"frame","index":0,"time":0,"step":0.1}
{"type":"body","id":1,"shape":1,"position":[0,0],"mass":1,"inertia":1}
{"type":"body","id":2,"shape":1,"position":[1,0],"velocity":[1,0],"mass":1,"inertia":1}
{"type":"body","id":3,"shape":1,"position":[3,0],"velocity":[0,3],"mass":2,"inertia":1}
{"type":"body","id":4,"shape":2,"position":[0,0],"motion":"fixed"}
{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"distance","point":[0.5,0],"normal":[1,0],"gap":-0.01}
{"type":"contact","id":1,"a":[4,0],"b":[3,0],"kind":"distance","point":[3,-0.5],"normal":[0,1],"gap":0.02}
{"type":"force","contact":0,"vector":[2,0]}
{"type":"force","contact":1,"vector":[0,4]}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-plot --color: bodies by a number from light to dark, by a name in turn; forces as arrows" {
    coloured_stream >in.jsonl
    local least=fff7ec most=7f0000 by
    # by: the fills of bodies 1, 2 and 3. A third of 3 m/s lies between the first two colours of the scale.
    for by in "speed fff7ec fdb08a 7f0000" "spin fff7ec" "force fff7ec 7f0000" "gap 7f0000 fff7ec" "overlap 7f0000 fff7ec" "mass fff7ec 7f0000"; do
        set -- $by
        cd-plot --color "$1" --show bodies -o out.svg in.jsonl
        is_svg out.svg
        says_no has out.svg bfd8ec # none tells motion
        has out.svg d6d6d6 # the floor does
        local by=$1
        shift
        for colour; do has out.svg "$colour" || { echo "$by: no $colour"; return 1; }; done
        cd-plot --color "$by" --show bodies -o again.svg <(cd-view -b in.jsonl)
        cmp out.svg again.svg
    done
    # balls 1 and 2 are an island; ball 3 is one of its own, a floor joins nothing
    fills() { grep -oE 'fill:rgb\([^)]*\)|fill="rgb\([^)]*\)' "$1" | sort | uniq -c | sort -rn; }
    cd-plot --color island --show bodies -o island.svg in.jsonl
    cd-plot --color id --show bodies -o id.svg in.jsonl
    [ "$(fills id.svg | wc -l)" -eq $(($(fills island.svg | wc -l) + 1)) ]
    # an arrow is drawn when there is a force, and only when it was asked for
    cd-plot -o out.svg in.jsonl
    says_no has out.svg c2185b
    cd-plot --show +forces -o out.svg in.jsonl
    has out.svg c2185b
    grep -v '"force"' in.jsonl | cd-plot --show +forces -o out.svg
    says_no has out.svg c2185b
    grep -v '"contact"' in.jsonl | grep -v '"force"' | cd-plot --color gap --show bodies -o out.svg
    has out.svg ffffff
    run -2 cd-plot --color speed --trail -o out.svg in.jsonl
    run -2 cd-plot --color nothing -o out.svg in.jsonl
}

# heap COUNT: so many boxes in a square, each 0.9 of its place, in a stream with all that stages find.
heap() {
    local side
    side=$(python3 -c "print(round($1 ** 0.5))")
    printf 'dim: 2\nstep: 0.01\nreach: 0.2\ngenerate:\n- {generator: grid, count: [%s, %s], spacing: [1, 1], body: {mass: 1, inertia: 1, shape: {box: [0.45, 0.45]}}}\n' "$side" "$side" |
        cd-scene -q -b | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step
}

@test "cd-plot: the more bodies the less is drawn by default; of tens of thousands some MB" {
    local end=7b2d8b normal=111111 bounds=009e73 contact=0072b2
    heap 25 >few.cdb
    cd-plot -o few.svg few.cdb
    for colour in $end $normal $bounds $contact; do has few.svg $colour; done
    heap 64 >more.cdb
    cd-plot -o more.svg more.cdb
    says_no has more.svg $end
    for colour in $normal $bounds $contact; do has more.svg $colour; done
    cd-plot --show +next -o more.svg more.cdb
    has more.svg $end
    heap 144 >many.cdb
    cd-plot -o many.svg many.cdb
    says_no has many.svg $bounds
    has many.svg $contact
    heap 40000 >most.cdb
    cd-plot -o most.svg most.cdb
    is_svg most.svg
    says_no has most.svg $contact
    [ "$(wc -c <most.svg)" -lt 4000000 ]
    [ "$(grep -c . most.svg)" -lt 1000 ] # one path of all
    cd-plot --color id -o coloured.svg most.cdb
    [ "$(grep -oE 'fill:rgb\([^)]*\)|fill="rgb\([^)]*\)' coloured.svg | sort -u | wc -l)" -ge 7 ]
}

@test "cd-plot -o f%04d.png: a picture a frame, all with one view and one scale, the same for any threads" {
    full_stream >in.jsonl
    cd-plot --color speed --show bodies -o f%03d.svg in.jsonl
    [ "$(echo f*)" = "f000.svg f001.svg f002.svg" ]
    for k in 0 1 2; do is_svg f00$k.svg; done
    # body 2 moves by 1 m a frame: the axes stay
    axes() { grep -oE 'M [0-9.]+ [0-9.]+ L [0-9.]+ [0-9.]+ M|<use [^>]*>' "$1" | md5sum; }
    size() { grep -oE 'viewBox="[^"]*"' "$1"; }
    [ "$(for k in 0 1 2; do size f00$k.svg; done | uniq | wc -l)" -eq 1 ]
    [ "$(md5sum f*.svg | cut -d' ' -f1 | sort -u | wc -l)" -eq 3 ]
    cd-plot -t 3 --stats --color speed --show bodies -o t%03d.svg in.jsonl 2>stats
    threads_ran stats
    for k in 0 1 2; do cmp f00$k.svg t00$k.svg; done
    cd-plot --frames 0:2:2 -o p%d.png in.jsonl
    [ "$(echo p*)" = "p0.png p1.png" ]
    for k in 0 1; do is_png p$k.png; done
    [ "$(png_size p0.png)" = "$(png_size p1.png)" ]
    # bodies of space are solid in the second reading too
    space_stream >space.jsonl
    cd-plot --show bodies --frames 1 -o s%d.png space.jsonl
    cd-plot --show bodies --frames 1 -o s.png space.jsonl
    cmp s0.png s.png
    # a name with another % is a name
    cd-plot -o 'a%db%d.svg' in.jsonl
    is_svg 'a%db%d.svg'
    run -2 --separate-stderr cd-plot -o x%d.svg <in.jsonl
    [[ "$stderr" == *"read twice"* ]]
    for wrong in "--trail" "--metric m" "--frames last" "--frames 7" "--rate 10" "--format svg,png"; do
        # shellcheck disable=SC2086
        run -2 cd-plot $wrong -o x%d.svg in.jsonl
    done
    run -2 cd-plot -o x%d.svg in.jsonl in.jsonl
    run -4 cd-plot -o nowhere/x%d.svg in.jsonl
    head -c 3000 in.jsonl >cut.jsonl
    run -3 cd-plot -o x%d.svg cut.jsonl
    [ -z "$(ls | grep ^x)" ]
}

@test "cd-plot -o film.gif, film.webm: by ffmpeg, or not at all" {
    full_stream >in.jsonl
    mkdir bin
    ln -s "$(command -v cd-plot)" bin/
    ln -s "$(command -v mktemp)" "$(command -v rm)" "$(command -v cat)" bin/
    PATH=$PWD/bin run -6 --separate-stderr cd-plot -o film.gif in.jsonl
    [[ "$stderr" == *"ffmpeg"*"not on the PATH"* ]]
    printf '#!/bin/sh\nexit 3\n' >bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH=$PWD/bin run -4 --separate-stderr cd-plot -o film.gif in.jsonl
    [[ "$stderr" == *"exit status 3"* ]]
    [ ! -e film.gif ]
    command -v ffmpeg >/dev/null || skip "no ffmpeg here"
    for kind in gif webm; do
        cd-plot --rate 10 -o film.$kind in.jsonl
        [ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=r_frame_rate,nb_read_frames -of csv=p=0 film.$kind)" = "10/1,3" ]
    done
}

@test "cd-plot writes the same bytes for the same input, from either encoding and any order of bodies" {
    full_stream >in.jsonl
    cd-plot in.jsonl >one.svg
    cd-plot <in.jsonl >two.svg
    cmp one.svg two.svg
    cd-view -b in.jsonl >in.cdb
    cd-plot in.cdb >two.svg
    cmp one.svg two.svg
    python3 -c '
import sys
lines = sys.stdin.read().splitlines()
at = [i for i, line in enumerate(lines) if "\"body\",\"id\"" in line]
for k in range(0, len(at), 5):
    for i, line in zip(at[k:k + 5], [lines[j] for j in reversed(at[k:k + 5])]): lines[i] = line
print("\n".join(lines))' <in.jsonl >shuffled.jsonl
    cd-plot shuffled.jsonl >two.svg
    cmp one.svg two.svg
    cd-plot -o one.png in.jsonl
    cd-plot -o two.png in.jsonl
    cmp one.png two.png
}

@test "cd-plot: formats by suffix and by --format, sizes" {
    full_stream >in.jsonl
    cd-plot -o a.svg in.jsonl
    is_svg a.svg
    cd-plot -o a.png --size 640x500 in.jsonl
    is_png a.png
    [ "$(png_size a.png)" = 640x500 ]
    cd-plot -o a.png --size 640x500 --scale 2 in.jsonl
    [ "$(png_size a.png)" = 1280x1000 ]
    cd-plot --format png in.jsonl >b.png
    is_png b.png
    cd-plot --format svg,png -o c.svg in.jsonl
    is_svg c.svg
    is_png c.png
    cd-plot --format svg,png -o d in.jsonl
    is_svg d.svg
    is_png d.png
    run -2 --separate-stderr cd-plot --format svg,png in.jsonl
    one_line
    run -2 --separate-stderr cd-plot -o a.pdf in.jsonl
    one_line
    [ ! -e a.pdf ]
    run -2 --separate-stderr cd-plot -j in.jsonl
    one_line
}

@test "cd-plot refuses to write a PNG to a terminal" {
    need_terminal
    full_stream >in.jsonl
    run script -qec 'cd-plot --format png in.jsonl' /dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"not written to a terminal"* ]]
}

@test "cd-plot: a view shows its scale: a metre is as long across as up" {
    full_stream >in.jsonl
    # A single unit square in a view of 4 m x 4 m, 400 px of panel or so: its outline has sides of a quarter of the frame's.
    cd-plot --show bodies --bodies 3 --view 3,-1,7,3 in.jsonl >out.svg
    python3 - out.svg <<'PY'
import re, sys
boxes = []
for d in re.findall(r' d="([^"]*)"', open(sys.argv[1]).read()):
    points = [tuple(map(float, p)) for p in re.findall(r'[ML] (-?[\d.]+) (-?[\d.]+)', d)]
    if len(points) >= 4 and 'C' not in d:
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        boxes.append((max(xs) - min(xs), max(ys) - min(ys)))
frame = max(boxes)
assert abs(frame[0] - frame[1]) < 0.02, frame
assert any(abs(w - frame[0] / 4) < 0.02 and abs(h - frame[0] / 4) < 0.02 for w, h in boxes), boxes
PY
}

@test "cd-plot: frames by index, side by side; several streams" {
    full_stream >in.jsonl
    cd-plot --frames 2 in.jsonl >two.svg
    cd-plot in.jsonl >last.svg
    cmp two.svg last.svg
    cd-plot --frames 0 in.jsonl >zero.svg
    run ! cmp -s zero.svg last.svg
    cd-plot --frames 0:2 in.jsonl >grid.svg
    is_svg grid.svg
    cd-plot --frames 0,1,last in.jsonl >grid2.svg
    cmp grid.svg grid2.svg
    cd-plot --frames 0:2:2 --label "a b",c in.jsonl in.jsonl >rows.svg
    is_svg rows.svg
    run -2 --separate-stderr cd-plot --frames 7 in.jsonl
    one_line
    for wrong in 2:1 a 1:2:0 -1 1:2:3:4 '' 0,,1; do
        run -2 --separate-stderr cd-plot "--frames=$wrong" in.jsonl
        one_line
    done
}

@test "cd-plot --trail: fading outlines, a colour a stream" {
    full_stream >in.jsonl
    cd-plot --trail in.jsonl >one.svg
    is_svg one.svg
    has one.svg 0072b2
    run ! has one.svg d55e00
    cd-plot --trail --label a,b in.jsonl in.jsonl >two.svg
    has two.svg 0072b2
    has two.svg d55e00
    # body 3 rests: one outline whatever is asked; body 2 moves
    cd-plot --trail --bodies 3 --outlines 1 in.jsonl >a.svg
    cd-plot --trail --bodies 3 --outlines 3 in.jsonl >b.svg
    cmp a.svg b.svg
    cd-plot --trail --bodies 2 --outlines 1 in.jsonl >a.svg
    cd-plot --trail --bodies 2 --outlines 3 in.jsonl >b.svg
    run ! cmp -s a.svg b.svg
}

@test "cd-plot --metric: lines, bands, logarithmic scale" {
    full_stream >in.jsonl
    cd-plot --metric m in.jsonl >out.svg
    is_svg out.svg
    cd-plot --metric one:m in.jsonl >same.svg
    cd-plot --metric m --band low,high --label x --y-label 'm [s^{2}]' --title T in.jsonl >out.svg
    is_svg out.svg
    cd-plot --metric m --log-y in.jsonl >log.svg
    is_svg log.svg
    cd-plot --metric m,high --log-y --label a,b in.jsonl in.jsonl >out.svg
    has out.svg 0072b2
    has out.svg d55e00
    cd-plot --metric two:twice in.jsonl >out.svg
    is_svg out.svg
}

@test "cd-plot --metric: names that are not there, or there twice" {
    full_stream >in.jsonl
    run -2 --separate-stderr cd-plot --metric nothing in.jsonl
    one_line
    [[ "$stderr" == *"one:m, one:low, one:high, two:twice, one:twice"* ]]
    [[ "$stderr" != *of-a-pair* ]]
    run -2 --separate-stderr cd-plot --metric twice in.jsonl
    one_line
    [[ "$stderr" == *"one:twice"* ]]
    run -2 --separate-stderr cd-plot --metric m --band low,none in.jsonl
    one_line
    run -2 --separate-stderr cd-plot --metric m --frames 1 in.jsonl
    one_line
    run -2 --separate-stderr cd-plot --log-y in.jsonl
    one_line
    # one stream of two has it: drawn, and said
    full_stream | grep -v '"name":"m"' >without.jsonl
    cd-plot --metric m in.jsonl without.jsonl >out.svg 2>warning
    [ "$(cat warning)" = "cd-plot: without: has no metric m" ]
}

@test "cd-plot: a repeated frame's values replace those before" {
    full_stream >in.jsonl
    python3 -c '
import sys
text = sys.stdin.read()
start = text.index("{\"type\":\"frame\",\"index\":1"); end = text.index("{\"type\":\"frame\",\"index\":2")
rejected = text[start:end].replace("\"name\":\"m\",\"value\":1", "\"name\":\"m\",\"value\":500")
sys.stdout.write(text[:start] + rejected + text[start:end].replace("\"step\":0.1", "\"step\":0.1,\"round\":1") + text[end:])' <in.jsonl >trials.jsonl
    grep -q 500 trials.jsonl
    cd-plot --metric m in.jsonl >a.svg
    cd-plot --metric m trials.jsonl >b.svg
    cmp a.svg b.svg
}

# held FILE MOST BINS: what the bins of a histogram hold, read from its outlines (a line each), where the fullest of all holds MOST. The axis ends 4 % above it.
held() { python3 - "$@" <<'PY'
import re, sys
text, most, bins = open(sys.argv[1]).read(), int(sys.argv[2]), int(sys.argv[3])
path = lambda style: [[tuple(map(float, p)) for p in re.findall(r'[ML] (-?[\d.]+) (-?[\d.]+)', re.search(r' d="([^"]*)"', e)[1])]
                      for e in re.findall(r'<path [^>]*>', text) if re.search(style, e)]
frame = max(path('stroke:rgb.13.3.* Z '), key=lambda p: p[1][0] - p[0][0])
bottom, height = frame[2][1], frame[2][1] - frame[0][1]
for outline in path('stroke-width:1.4;.* L '):
    low, high = outline[0][0], outline[-1][0]
    middles = [low + (k + 0.5) / bins * (high - low) for k in range(bins)]
    tops = [next(a[1] for a, b in zip(outline, outline[1:]) if a[0] < x < b[0]) for x in middles]
    print(*(round((bottom - y) / height * 1.04 * most) for y in tops))
PY
}

# agrees WANTED OPTION...: a histogram of run.cdb holds the counts of the array in the file WANTED
agrees() {
    cd-plot -o out.svg "${@:2}" run.cdb
    local wanted most sum bins
    wanted=$(tr -d '[]' <"$1" | tr , ' ')
    read -r most sum bins < <(tr ' ' '\n' <<<"$wanted" | awk '{ most = $1 > most ? $1 : most; sum += $1 } END { print most, sum, NR }')
    [ "$sum" -ge 20 ]
    held out.svg "$most" "$bins" >drawn
    [ "$(cat drawn)" = "$wanted" ] || { echo "${*:2}: $(cat drawn)"; cat "$1"; return 1; }
}

@test "cd-plot --histogram: bins hold as many values as jq counts" {
    cd-loop -q -b --frames 100 --model standard "$SCENES/pile.yaml" >whole.cdb
    cd-view -j --frames 70: whole.cdb | grep -E '^{"type":"(head|material|shape|frame|body|contact|force|metric|fend|end)"' >run.jsonl
    cd-view -b -o run.cdb run.jsonl
    # what each word stands for, over all frames
    local speed='select(.type=="body" and .motion!="fixed")|.velocity//[0,0]|(.[0]*.[0]+.[1]*.[1])|sqrt' force='select(.type=="force").vector|(.[0]*.[0]+.[1]*.[1])|sqrt' \
        spin='select(.type=="body" and .motion!="fixed")|.spin//0|if .<0 then -. else . end' mass='select(.type=="body" and .motion!="fixed").mass' \
        gap='select(.type=="contact").gap' overlap='select(.type=="contact" and .gap<0)|-.gap'
    # twenty bins of one width from the least to the largest, which is in the last one
    local bins='sort|.[0] as $low|.[-1] as $high|map([19,((.-$low)/(($high-$low)/20)|floor)]|min)|. as $of|[range(20)|. as $k|[$of[]|select(.==$k)]|length]'
    for what in speed force spin mass gap overlap; do
        jq -nc "[inputs|${!what}]|$bins" run.jsonl >wanted
        agrees wanted --histogram $what --bins 20
        is_svg out.svg
        cd-plot --histogram $what --bins 20 run.jsonl | cmp - out.svg
    done
    # by the rule: bins of a width of 1, 2 or 5 times a power of ten, counted from 0
    jq -nc "[inputs|$gap]|"'def at(p): ((length-1)*p) as $i|($i|floor) as $l|.[$l]+($i-$l)*(.[$l+1]-.[$l]);
        sort|([2*(at(0.75)-at(0.25))/pow(length;1/3),(.[-1]-.[0])/100]|max) as $raw|
        ([range(-9;3)|. as $e|(1,2,5)|.*pow(10;$e)|select(.>=$raw)][0]) as $w|
        map(./$w|floor)|.[0] as $first|.[-1] as $last|. as $of|[range($first;$last+1)|. as $k|[$of[]|select(.==$k)]|length]' run.jsonl >wanted
    agrees wanted --histogram gap
    # chosen frames, chosen bodies
    cd-view -j --frames 80:86 run.cdb | jq -nc "[inputs|$gap]|$bins" >wanted
    agrees wanted --histogram gap --bins 20 --frames 80:86
    jq -nc '[inputs|select(.type=="contact" and (.a[0]|IN(1,2,3,4,5,6)) and (.b[0]|IN(1,2,3,4,5,6))).gap]|'"$bins" run.jsonl >wanted
    agrees wanted --histogram gap --bins 20 --bodies 6,1,2,3,4,5,1
    # of a metric one value a frame, or those of pairs where there are such
    jq -nc '[inputs|select(.type=="metric" and .tool=="cd-narrow" and .name=="contacts").value]|'"$bins" run.jsonl >wanted
    agrees wanted --histogram cd-narrow:contacts --bins 20
    jq -c 'if .type=="contact" then {type:"metric",tool:"mine",name:"contacts",value:.gap,a:.a[0],b:.b[0]} elif .type=="force" then empty else . end' run.jsonl >run.cdb
    jq -nc "[inputs|$gap]|$bins" run.jsonl >wanted
    agrees wanted --histogram mine:contacts --bins 20
}

@test "cd-plot --histogram: several streams share bins; logarithmic axes; repeated frames" {
    coloured_stream >in.jsonl
    # gaps -0.01 and 0.02 in the one, 0.07 and 0.02 in the other: bins from -0.01 to 0.07
    sed 's/"gap":-0.01/"gap":0.07/' in.jsonl >other.jsonl
    cd-plot --histogram gap --bins 3 --label one,two -o out.svg in.jsonl other.jsonl
    [ "$(held out.svg 1 3 | tr '\n' '|')" = "1 1 0|0 1 1|" ]
    has out.svg 0072b2
    has out.svg d55e00
    # forces of 1, 10 and 1000 N in three bins of a decade; of gaps one has a logarithm
    sed 's/"vector":\[2,0\]/"vector":[1000,0]/; s/"vector":\[0,4\]/"vector":[6,8]/' in.jsonl >wide.jsonl
    sed 's/"vector":\[2,0\]/"vector":[1,0]/; s/"vector":\[0,4\]/"vector":[0,1]/' in.jsonl >narrow.jsonl
    cd-plot --histogram force --bins 3 --log-x -o out.svg wide.jsonl narrow.jsonl
    [ "$(held out.svg 2 3 | tr '\n' '|')" = "0 1 1|2 0 0|" ]
    cd-plot --histogram force --bins 3 --log-x --log-y -o out.svg wide.jsonl narrow.jsonl
    is_svg out.svg
    cd-plot --histogram gap --log-x -o out.svg in.jsonl
    [ "$(held out.svg 1 1)" = 1 ]
    # deleted contacts do not count
    cd-plot --histogram gap --bins 2 -o two.svg in.jsonl
    [ "$(held two.svg 1 2)" = "1 1" ]
    cd-plot --histogram gap -o out.svg <(sed 's/"gap":0.02/"gap":0.02,"status":"deleted"/' in.jsonl)
    [ "$(held out.svg 1 1)" = 1 ]
    # a frame that comes again with the same time counts once, as it was last
    { sed '/"fend"/,$d; s/"gap":-0.01/"gap":7/' in.jsonl; echo '{"type":"fend"}'; sed -n '/"frame"/,$p' in.jsonl; } >again.jsonl
    cd-plot --histogram gap --bins 2 again.jsonl | cmp - two.svg
    # the last frame alone; one value a frame; three of a pair
    full_stream >full.jsonl
    cd-plot --histogram m --bins 3 -o out.svg full.jsonl
    [ "$(held out.svg 1 3)" = "1 1 1" ]
    cd-plot --histogram m --frames last -o out.svg full.jsonl
    [ "$(held out.svg 1 1)" = 1 ]
    cd-plot --histogram m --frames 0,last --bins 2 -o out.svg full.jsonl
    [ "$(held out.svg 1 2)" = "1 1" ]
    cd-plot --histogram of-a-pair -o out.svg full.jsonl
    [ "$(held out.svg 3 1)" = 3 ]
    # one stream of two has values: drawn, and said
    cd-plot --histogram force -o out.svg in.jsonl full.jsonl 2>warning
    [ "$(cat warning)" = "cd-plot: full: has no value of force to show" ]
}

@test "cd-plot --histogram: nothing to count and wrong options are refused" {
    full_stream >full.jsonl
    for wrong in "force" "nothing" "twice" "gap --log-x" "gap --bodies 5" "gap --bodies 99" "gap --frames 9" "gap --trail" "gap --metric m" "gap --show all" "gap --color id" "gap --html" \
        "gap --bins 1001" "gap --markers on" "gap --size 120x120" "gap -o x%d.svg"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr cd-plot -o x.svg --histogram $wrong full.jsonl
        one_line || { echo "$wrong: $stderr"; return 1; }
        [ -z "$(ls | grep svg)" ]
    done
    for wrong in "--bins 3" --log-x; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr cd-plot $wrong full.jsonl
        [[ "$stderr" == *"only with --histogram"* ]]
    done
    run -3 --separate-stderr cd-plot --histogram gap <(head -c 3000 full.jsonl)
    one_line
    run -3 --separate-stderr cd-plot --histogram gap <(sed '/"frame"/,/"fend"/d' full.jsonl)
    one_line
}

@test "cd-plot --bodies: one that is in no frame drawn is refused" {
    full_stream >in.jsonl
    for kind in "" --trail "--frames 0:1" "-o f%d.svg"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr cd-plot -o out.svg --bodies 2,99,77 $kind in.jsonl
        [ "$stderr" = "cd-plot: --bodies: no frame that is drawn has a body 77" ]
        [ -z "$(ls | grep svg)" ]
    done
    cd-plot --bodies 2,2 -o out.svg in.jsonl # twice is once
    is_svg out.svg
    # of several streams one is enough
    coloured_stream >other.jsonl
    cd-plot --trail --bodies 5 -o out.svg other.jsonl in.jsonl
    is_svg out.svg
}

# Two unit squares of four nodes, the second stretched by 1.5 along x, and a ball in the first's place of radius 0.5641896.
stretched() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2}
{"type":"element","id":1,"kind":"quad4","nodes":[1,2,3,4],"body":1,"reference":[[0,0],[1,0],[1,1],[0,1]],"radius":0.25,"split":1}
{"type":"element","id":2,"kind":"quad4","nodes":[2,5,6,3],"body":1,"reference":[[1,0],[2,0],[2,1],[1,1]]}
{"type":"element","id":3,"kind":"quad4","nodes":[7,8,9,10],"body":2}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
{"type":"body","id":2,"motion":"fixed"}
{"type":"node","id":1,"position":[0,0]}
{"type":"node","id":2,"position":[1,0]}
{"type":"node","id":3,"position":[1,1]}
{"type":"node","id":4,"position":[0,1]}
{"type":"node","id":5,"position":[2.5,0]}
{"type":"node","id":6,"position":[2.5,1]}
{"type":"node","id":7,"position":[3,0]}
{"type":"node","id":8,"position":[4,0]}
{"type":"node","id":9,"position":[4,1]}
{"type":"node","id":10,"position":[3,1]}
{"type":"fend"}
{"type":"end"}
JSONL
}

@test "cd-plot: elements, their strain, nodes and pinballs" {
    stretched >in.jsonl
    cd-plot in.jsonl >out.svg
    is_svg out.svg
    # E = 0.625 along x alone: sqrt(2/3) (0.625^2 (4/9 + 1/9 + 1/9))^(1/2) = 0.625 * 2/3
    cd-plot -o - --format svg in.jsonl | cmp - out.svg
    has out.svg fff7ec
    has out.svg 7f0000
    has out.svg $fixed
    run ! has out.svg 1b6ca8
    cd-plot --show -strain,+nodes in.jsonl >plain.svg
    run ! has plain.svg 7f0000
    has plain.svg $dynamic
    has plain.svg 333333
    # the pinball of the first element, split once, is four circles of half its radius about the middles of the quarters
    cd-plot --show pinballs,bodies --bodies 1 --view -1,-1,3,3 in.jsonl >balls.svg
    python3 - balls.svg <<'PY'
import re, sys
text = open(sys.argv[1]).read()
frame, round_ones = (0,) * 4, []
for d in re.findall(r' d="([^"]*)"', text):
    points = [tuple(map(float, p)) for p in re.findall(r'(-?[\d.]+) (-?[\d.]+)', d)]
    if not points:
        continue
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    box = (min(xs), min(ys), max(xs), max(ys))
    if 'C' not in d and box[2] - box[0] > frame[2] - frame[0]:
        frame = box
    if 'C' in d and len(points) >= 12:
        round_ones.append(box)
metre = (frame[2] - frame[0]) / 4
place = lambda b: (round(((b[0] + b[2]) / 2 - frame[0]) / metre - 1, 2), round((frame[3] - (b[1] + b[3]) / 2) / metre - 1, 2), round((b[2] - b[0]) / metre, 2))
told = sorted(place(b) for b in round_ones if b[2] - b[0] > 0.2 * metre)
assert told == [(0.25, 0.25, 0.25), (0.25, 0.75, 0.25), (0.75, 0.25, 0.25), (0.75, 0.75, 0.25)], told
PY
    run -6 --separate-stderr cd-plot --trail in.jsonl
    [[ "$stderr" == "cd-plot: "*": body 1: its parts are elements, for which this stage has no routine" ]]
    grep -v '"id":9' in.jsonl >lost.jsonl
    run -3 --separate-stderr cd-plot lost.jsonl
    [[ "$stderr" == "cd-plot: lost.jsonl:"*": element 3: nodes: there is no node 9" ]]
}

@test "cd-plot in space: elements by their outer faces, or as pinballs" {
    # two cubes that share a face, which is in no picture: triangles seen from the front, the side, and both and the top
    cat >in.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3}
{"type":"element","id":1,"kind":"hex8","nodes":[1,2,3,4,5,6,7,8],"body":1,"radius":0.5}
{"type":"element","id":2,"kind":"hex8","nodes":[2,9,10,3,6,11,12,7],"body":1,"radius":0.5}
{"type":"frame","index":0,"time":0}
{"type":"body","id":1}
JSONL
    local p n=0
    for p in 0,0,0 1,0,0 1,1,0 0,1,0 0,0,1 1,0,1 1,1,1 0,1,1 2,0,0 2,1,0 2,0,1 2,1,1; do echo "{\"type\":\"node\",\"id\":$((n += 1)),\"position\":[$p]}"; done >>in.jsonl
    printf '{"type":"fend"}\n{"type":"end"}\n' >>in.jsonl
    drawn() { cd-plot --show bodies --view "$1" in.jsonl | grep -c '<path style="fill-rule:nonzero;fill:rgb[^"]*stroke-opacity:0.8'; }
    [ "$(drawn front) $(drawn side) $(drawn iso)" = '4 2 10' ] || { drawn front; drawn side; drawn iso; false; }
    cd-plot --show bodies,pinballs in.jsonl >balls.svg
    has balls.svg 1b6ca8
    cd-plot --show bodies in.jsonl >faces.svg
    run ! has faces.svg 1b6ca8
}

@test "cd-plot in space draws what there is" {
    space_stream >in.jsonl
    cd-plot --frames 0 in.jsonl >out.svg
    is_svg out.svg
    for colour in $dynamic $fixed $prescribed $below $above $deleted $next $intersection $facet; do has out.svg $colour; done
    # boxes and pairs would cover the contacts: by default they are drawn where there are none
    for colour in $bounds $pair $unreleased $velocity; do run ! has out.svg $colour; done
    grep -v '"type":"contact"' in.jsonl | cd-plot --frames 0 >out.svg
    for colour in $bounds $pair; do has out.svg $colour; done
    run ! has out.svg $below
    cd-plot --frames 0 --show +unreleased,+velocities,+bounds,-bodies,-intersections,-facets in.jsonl >out.svg
    for colour in $unreleased $velocity $bounds; do has out.svg $colour; done
    for colour in $intersection $facet $dynamic $pair; do run ! has out.svg $colour; done
    cd-plot --show bodies --bodies 4 in.jsonl >out.svg
    has out.svg $prescribed
    run ! has out.svg $dynamic
    # polygons that overlap but are no volume contact have no intersection
    sed 's/"volume"/"depth"/' in.jsonl | cd-plot --frames 0 >out.svg
    run ! has out.svg $intersection
}

@test "cd-plot in space: a picture does not depend on encoding and order of bodies" {
    space_stream >in.jsonl
    cd-plot --show all in.jsonl >one.svg
    cd-view -b in.jsonl | cd-plot --show all >two.svg
    cmp one.svg two.svg
    python3 -c '
import sys
lines = sys.stdin.read().splitlines()
at = [i for i, line in enumerate(lines) if "\"body\",\"id\"" in line]
for k in range(0, len(at), 7):
    for i, line in zip(at[k:k + 7], [lines[j] for j in reversed(at[k:k + 7])]): lines[i] = line
print("\n".join(lines))' <in.jsonl >shuffled.jsonl
    run ! cmp -s in.jsonl shuffled.jsonl
    cd-plot --show all shuffled.jsonl >two.svg
    cmp one.svg two.svg
    cd-plot -o one.png --size 400x300 in.jsonl
    is_png one.png
    [ "$(png_size one.png)" = 400x300 ]
}

# strokes FILE HEX: boxes "xmin ymin xmax ymax" of the paths stroked in a colour, in the unit that FRAME (the largest
# black one) is 1 wide and with y up
strokes() { python3 - "$1" "$2" <<'PY'
import re, sys
want = tuple(int(sys.argv[2][i:i + 2], 16) for i in (0, 2, 4))
def box(d):
    points = [tuple(map(float, p)) for p in re.findall(r'[ML] (-?[\d.]+) (-?[\d.]+)', d)]
    return [f(p[i] for p in points) for f, i in ((min, 0), (min, 1), (max, 0), (max, 1))] if points else None
frame, found = None, []
for element in re.findall(r'<path [^>]*>', open(sys.argv[1]).read()):
    stroke = re.search(r'stroke(?::|=")rgb\(([^)]*)\)', element)
    if not stroke: continue
    colour = tuple(round(float(p.strip().rstrip('%')) * (2.55 if '%' in p else 1)) for p in stroke[1].split(','))
    b = box(re.search(r' d="([^"]*)"', element)[1])
    if b is None: continue
    if colour == (0x22, 0x22, 0x22) and (frame is None or b[2] - b[0] > frame[2] - frame[0]): frame = b
    if all(abs(x - y) <= 1 for x, y in zip(colour, want)): found.append(b)
w = frame[2] - frame[0]
for b in found: print(*("%.4f" % v for v in ((b[0] - frame[0]) / w, (frame[3] - b[3]) / w, (b[2] - frame[0]) / w, (frame[3] - b[1]) / w)))
PY
}

@test "cd-plot in space: views along the axes have the world's scale" {
    # The brick of 1 m x 0.6 m x 0.4 m at z 0 .. 0.4 in panels that are 4 m wide, x or y of -2 .. 2.
    space_stream | grep -v '"next"\|"contact"' >in.jsonl
    cd-plot --show bodies --bodies 2 --view front,-2,-1,2,3 in.jsonl >out.svg
    strokes out.svg 27567d | found '^0.3750 0.2500 0.6250 0.3500$'
    cd-plot --show bodies --bodies 2 --view side,-2,-1,2,3 in.jsonl >out.svg
    strokes out.svg 27567d | found '^0.4250 0.2500 0.5750 0.3500$'
    cd-plot --show bodies --bodies 2 --view top,-2,-2,2,2 in.jsonl >out.svg
    strokes out.svg 27567d | found '^0.3750 0.4250 0.6250 0.5750$'
    # the same by direction, of whatever length
    cd-plot --show bodies --bodies 2 --view 0,0,9,-2,-2,2,2 in.jsonl >same.svg
    cmp out.svg same.svg
    cd-plot --view iso in.jsonl >iso.svg
    cd-plot in.jsonl >default.svg
    cmp iso.svg default.svg
    cd-plot --view 1,2,3 in.jsonl >other.svg
    run ! cmp -s iso.svg other.svg
}

@test "cd-plot in space: what is nearer hides what is behind; --opacity lets it through" {
    # A ball (prescribed, ochre) behind a plate (dynamic, blue) as seen from the front.
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":3}' '{"type":"shape","id":1,"kind":"box","halfsizes":[1,0.1,1]}' \
        '{"type":"shape","id":2,"kind":"sphere","radius":0.5}' '{"type":"frame","index":0,"time":0}' \
        '{"type":"body","id":1,"shape":1,"position":[0,-1,0],"motion":"fixed"}' \
        '{"type":"body","id":2,"shape":2,"position":[0,0,0],"motion":"prescribed"}' '{"type":"fend"}' '{"type":"end"}' >in.jsonl
    middle() { cd-plot --show bodies --size 300x300 --format png "$@" in.jsonl | python3 -c '
import sys, zlib, struct
data = sys.stdin.buffer.read()
at, pixels = 8, b""
while at < len(data):
    n, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR": w, h, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT": pixels += data[at + 8:at + 8 + n]
    at += 12 + n
raw, bpp = zlib.decompress(pixels), {2: 3, 6: 4}[colour]
rows, before = [], bytearray(w * bpp)
for y in range(h):
    f, line = raw[y * (w * bpp + 1)], bytearray(raw[y * (w * bpp + 1) + 1:(y + 1) * (w * bpp + 1)])
    for i in range(len(line)):
        a = line[i - bpp] if i >= bpp else 0
        b, c = before[i], before[i - bpp] if i >= bpp else 0
        p = a + b - c
        paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
        line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][f]) & 255
    rows.append(line); before = line
r, g, b = rows[h // 2 - 30][(w // 2 + 10) * bpp:(w // 2 + 10) * bpp + 3]
print("gray" if r == g == b else "ochre" if r > b + 4 else "other")'; }
    [ "$(middle --view front)" = gray ]
    [ "$(middle --view 0,1,0)" = ochre ]
    [ "$(middle --view front --opacity 0.4)" = ochre ]
    [ "$(middle --view front --opacity 1)" = gray ]
}

@test "cd-plot in space: trails, frames side by side, metrics" {
    space_stream >in.jsonl
    cd-plot --trail in.jsonl >one.svg
    is_svg one.svg
    has one.svg 0072b2
    has one.svg $fixed
    cd-plot --trail --bodies 2 --outlines 1 in.jsonl >a.svg  # body 2 rests
    cd-plot --trail --bodies 2 --outlines 2 in.jsonl >b.svg
    cmp a.svg b.svg
    cd-plot --trail --bodies 3 --outlines 1 in.jsonl >a.svg
    cd-plot --trail --bodies 3 --outlines 2 in.jsonl >b.svg
    run ! cmp -s a.svg b.svg
    cd-plot --frames 0:1 --label a,b in.jsonl in.jsonl >out.svg
    is_svg out.svg
    cd-plot --metric m in.jsonl >out.svg
    is_svg out.svg
}

@test "cd-plot: options of space do not go with the plane, nor those of the plane with space" {
    space_stream >space.jsonl
    full_stream >plane.jsonl
    for wrong in "--view front" "--view 1,1,1" "--view top,0,0,1,1" "--opacity 0.5" "--show intersections" "--show +facets"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr cd-plot $wrong plane.jsonl
        one_line
        # shellcheck disable=SC2086
        cd-plot $wrong space.jsonl >out.svg
        is_svg out.svg
    done
    run -2 --separate-stderr cd-plot --view 0,0,1,1 space.jsonl
    one_line
    for wrong in back 0,0,0 1,2 front,1 front,0,0,0,1 1,1,1,1,1,1 nan,0,0 1,,1; do
        run -2 --separate-stderr cd-plot --view=$wrong space.jsonl
        one_line
    done
    run -2 --separate-stderr cd-plot --opacity 2 space.jsonl
    one_line
    run -2 --separate-stderr cd-plot --metric m --opacity 0.5 space.jsonl
    one_line
    for mode in "" --trail; do
        # shellcheck disable=SC2086
        run -6 --separate-stderr cd-plot $mode plane.jsonl space.jsonl
        one_line
    done
}

@test "cd-plot in space: huge and tiny numbers, no bodies, half-spaces alone" {
    space_stream >in.jsonl
    for number in 1e308 1e120 1e20 1e-300; do
        sed "s/\"radius\":0.3/\"radius\":$number/; s/\"position\":\[2,0,0.5\]/\"position\":[-$number,$number,$number]/
            s/\"point\":\[0.15,0/\"point\":[$number,0/; s/\"velocity\":\[0,10,0\]/\"velocity\":[0,$number,0]/
            s/\"min\":\[-0.5/\"min\":[-$number/" in.jsonl >huge.jsonl
        for options in "--frames 0:1 --show all" "--view front,0,0,3,3 --show all" --trail; do
            # shellcheck disable=SC2086
            cd-plot $options huge.jsonl >out.svg
            is_svg out.svg
            run ! grep -qiE '"[^"]*\b(nan|inf)\b' out.svg
        done
    done
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":3}' '{"type":"shape","id":1,"kind":"halfspace","normal":[0.6,0,0.8],"offset":3}' \
        '{"type":"frame","index":0,"time":0}' '{"type":"body","id":1,"shape":1,"position":[0,0,0],"motion":"fixed"}' \
        '{"type":"fend"}' '{"type":"end"}' >floor.jsonl
    for mode in --show=all --trail; do
        cd-plot $mode floor.jsonl >out.svg
        is_svg out.svg
        has out.svg $fixed
        grep -v '"body"\|"shape"' floor.jsonl | cd-plot $mode >out.svg
        is_svg out.svg
    done
}

@test "cd-plot in space: ten thousand bodies in a few seconds" {
    printf 'dim: 3\ngenerate:\n- {generator: bricks, count: [25, 20, 20], size: [0.2, 0.1, 0.1], gap: -0.001, body: {density: 1000}}\n' >wall.yaml
    cd-scene -q -b wall.yaml | cd-broad >wall.cdb
    run -0 timeout 60 cd-plot --show bodies -o wall.png wall.cdb
    is_png wall.png
}

@test "cd-plot: a body that takes part needs a position, one that waits does not" {
    small_stream | sed 's/"position":\[0,0.0505\],//' >nowhere.jsonl
    for mode in --show=all --trail; do
        run -3 --separate-stderr cd-plot $mode nowhere.jsonl
        one_line
        [[ "$stderr" == *"body 1: position: required of a body that takes part" ]]
    done
    sed 's/"id":1,"shape":1,"vel/"id":1,"shape":1,"release":9,"vel/; /"fend"/i {"type":"pair","a":[1,0],"b":[2,0]}' nowhere.jsonl >waits.jsonl
    for mode in --show=all --trail; do
        run -0 --separate-stderr cd-plot $mode waits.jsonl
        [ -z "$stderr" ]
        if grep -qi nan <<<"$output"; then false; fi
    done
}

@test "cd-plot: no frames, no bodies, huge and tiny numbers" {
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"end"}' >none.jsonl
    run -3 --separate-stderr cd-plot none.jsonl
    one_line
    run -3 --separate-stderr cd-plot --trail none.jsonl
    one_line
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"frame","index":0,"time":0}' '{"type":"fend"}' '{"type":"end"}' >empty.jsonl
    cd-plot empty.jsonl >out.svg
    is_svg out.svg
    cd-plot --trail empty.jsonl >out.svg
    is_svg out.svg
    for number in 1e308 1e20 5e-324; do
        full_stream | sed "s/\"radius\":0.5/\"radius\":$number/; s/\"position\":\[0,1\]/\"position\":[0,$number]/; s/\"value\":1}/\"value\":$number}/
            s/\"position\":\[4,3\]/\"position\":[-$number,$number]/; s/\"point\":\[1,0\]/\"point\":[$number,0]/" >huge.jsonl
        cd-plot --frames 0:2 --show all huge.jsonl >out.svg
        is_svg out.svg
        [ "$(wc -c <out.svg)" -lt 2000000 ]
        run ! grep -qiE '"[^"]*\b(nan|inf)\b' out.svg
        cd-plot --view 0,0,3,3 huge.jsonl >out.svg
        is_svg out.svg
        cd-plot --trail huge.jsonl >out.svg
        is_svg out.svg
        cd-plot --metric m,high huge.jsonl >out.svg
        is_svg out.svg
        cd-plot --metric m,high --log-y huge.jsonl >out.svg
        is_svg out.svg
    done
}

@test "cd-plot: cut input gives no picture" {
    full_stream >in.jsonl
    for mode in "" --trail "--metric m"; do
        for size in 10 300 -1 -15; do
            # shellcheck disable=SC2086
            run -3 --separate-stderr bash -c "head -c $size in.jsonl | cd-plot $mode"
            one_line
        done
    done
    head -c -15 in.jsonl >cut.jsonl
    run -3 cd-plot -o out.svg cut.jsonl
    [ ! -e out.svg ]
    run -4 --separate-stderr bash -c 'cd-plot in.jsonl >/dev/full'
    [[ "$stderr" == "cd-plot: stdout: write: "* ]]
}

@test "cd-plot: memory does not grow with the frames of a trail or of a picture of the last one" {
    bash -c 'ulimit -v 200000; cd-plot --version' || skip "address space cannot be limited here (sanitizers reserve much)"
    { full_stream | sed '/"frame"/,$d'
      python3 -c '
body = "".join("{\"type\":\"body\",\"id\":%d,\"shape\":2,\"position\":[%%g,%d],\"mass\":1,\"inertia\":1}\n" % (i, 2 * i) for i in range(1, 21))
for k in range(5000):
    print("{\"type\":\"frame\",\"index\":%d,\"time\":%g}" % (k, 0.01 * k))
    print(body % tuple([0.001 * k] * 20), end="")
    print("{\"type\":\"metric\",\"tool\":\"t\",\"name\":\"m\",\"value\":%g}\n{\"type\":\"fend\"}" % (k % 7))'
      echo '{"type":"end"}'; } >long.jsonl
    for mode in "" --trail "--metric m"; do
        # shellcheck disable=SC2086
        run -0 bash -c "ulimit -v 200000; cd-plot $mode -o out.svg long.jsonl"
        is_svg out.svg
        [ "$(wc -c <out.svg)" -lt 1500000 ]
    done
}

@test "cd-plot: texts may hold anything" {
    full_stream >in.jsonl
    for title in $'\x80\xff\x01' '^{' '^{}' '&<>"' "$(printf 'long %.0s' {1..400})" 'ä ∫ 漢'; do
        cd-plot --metric m --title "$title" --label "${title//,/ }" --y-label "$title" in.jsonl >out.svg
        is_svg out.svg
    done
}

# ---- --html: the page's numbers against cd-view, and the page itself in headless Chromium where that is there ----

need_node() { node --version >/dev/null 2>&1 || skip "node is not installed"; }
need_chromium() {
    need_node
    chromium --version >/dev/null 2>&1 || skip "chromium is not installed: apt-get install chromium"
}
records() { node "$BATS_TEST_DIRNAME/../page/page_records.mjs" "$@"; }
browser() { node "$BATS_TEST_DIRNAME/../page/browser.mjs" "$@"; }

# Every kind of shape of space, a body of elements, one that waits; contacts with forces, constraints and ends.
page_stream() {
    space_shapes
    cat <<'JSONL'
{"type":"element","id":1,"kind":"tet4","nodes":[1,2,3,4],"body":8}
{"type":"element","id":2,"kind":"tet4","nodes":[5,3,2,4],"body":8}
JSONL
    for k in 0 1 2; do
        cat <<JSONL
{"type":"frame","index":$k,"time":0.$k,"step":0.1}
{"type":"body","id":1,"shape":1,"position":[0,0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":2,"position":[0,0,0.20000000000000001],"rotation":[1,0,0,0],"velocity":[1e-7,0.1,1e21],"mass":1,"inertia":[1,1,1,0,0,0],"colour":"red"}
{"type":"body","id":"9007199254740993","shape":4,"position":[0.3,$k,0.58],"rotation":[1,0,0,0],"velocity":[0,10,0],"mass":1,"inertia":[1,1,1,0,0,0],"group":"a \"b\" </script>"}
{"type":"body","id":4,"shape":5,"position":[2,0,0.5],"rotation":[0.8,0.6,0,0],"motion":"prescribed"}
{"type":"body","id":5,"shape":6,"position":[1.5,1,0],"rotation":[1,0,0,0],"motion":"fixed"}
{"type":"body","id":6,"shape":7,"position":[-1,1,0],"rotation":[1,0,0,0],"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":7,"shape":3,"position":[-1,-1,2],"release":9,"mass":1,"inertia":[1,1,1,0,0,0]}
{"type":"body","id":8}
{"type":"node","id":1,"position":[-2,0,0],"mass":1}
{"type":"node","id":2,"position":[-1.5,0,0],"mass":1}
{"type":"node","id":3,"position":[-2,0.5,0],"mass":1}
{"type":"node","id":4,"position":[-2,0,0.5],"mass":1}
{"type":"node","id":5,"position":[-1.5,0.5,0],"mass":1}
{"type":"bounds","a":[1,0],"min":["-Infinity","-Infinity","-Infinity"],"max":["Infinity","Infinity",0]}
{"type":"bounds","a":[2,0],"min":[-0.5,-0.3,0],"max":[0.5,0.3,0.4]}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"contact","id":0,"a":[1,0],"b":[2,0],"kind":"distance","point":[-0.5,-0.3,0],"point_a":[-0.5,-0.3,0],"point_b":[-0.5,-0.3,-1e-3],"normal":[0,0,1],"gap":-0.0010000000000000002,"features":["f0","v12"]}
{"type":"contact","id":1,"a":[1,0],"b":[2,0],"kind":"distance","point":[0.5,-0.3,0],"normal":[0,0,1],"gap":3e-300}
{"type":"constraint","id":0,"kind":"I","primary":[0],"secondary":[1]}
{"type":"force","contact":0,"vector":[0,0,9.8]}
{"type":"next","body":2,"position":[0,0,0.2],"rotation":[1,0,0,0],"velocity":[0,0,0],"spin":[0,0,0]}
{"type":"metric","tool":"one","name":"m <","value":0.$k}
{"type":"metric","tool":"one","name":"of-a-pair","value":1,"a":2,"b":4}
{"type":"fend"}
JSONL
    done
    echo '{"type":"end"}'
}

@test "cd-plot --html: the page's records are those of cd-view, to the letter" {
    need_node
    page_stream >in.jsonl
    cd-plot --html -o page.html in.jsonl
    records page.html | grep -v '^{"type":"shape"' | LC_ALL=C sort >page.txt
    cd-view -b --no-prog in.jsonl | cd-view -j --no-prog | grep -v '^{"type":"\(shape\|fend\|end\)"' | LC_ALL=C sort >view.txt
    [ "$(wc -l <view.txt)" -gt 60 ]
    cmp page.txt view.txt
    cd-loop -q -b --until 0.3 "$SCENES/cradle.yaml" >run.cdb # a real run: more tables, more numbers
    cd-plot --html -o page.html run.cdb
    records page.html | grep -v '^{"type":"shape"' | LC_ALL=C sort >page.txt
    cd-view -j --no-prog run.cdb | grep -v '^{"type":"\(shape\|row\|entry\|value\|impulse\|trial\|fend\|end\)"' | LC_ALL=C sort >view.txt
    grep -q '"force"' view.txt
    cmp page.txt view.txt
}

@test "cd-plot --html: shapes are closed surfaces of the right area, round parts and planes" {
    need_node
    page_stream >in.jsonl
    cd-plot --html -o page.html in.jsonl
    # triangles and edges: half-space, box, sphere, both, ellipsoid, four facets, tetrahedron without its inner face
    [ "$(records page.html --sizes | jq -c '[.shapes[]|[.triangles,.edges,(.ball|length),(.plane|length)]]')" = \
        '[[0,0,0,1],[12,12,0,0],[0,0,1,0],[12,12,1,0],[0,0,1,0],[4,12,0,0],[3,6,0,0]]' ]
    [ "$(records page.html --sizes | jq -c '[.shapes[0].plane[0],.shapes[3].ball[0],.shapes[4].ball[0]]')" = \
        '[[0,0,1,0],[0,0,0.5,0.3,0,0,0,0.3,0,0,0,0.3],[0,0,0,0.4,0,0,0,0.2,0,0,0,0.1]]' ]
    node --input-type=module -e '
import { readFileSync } from "node:fs";
const text = readFileSync("page.html", "utf8"), shapes = JSON.parse(text.match(/id="shapes">([^]*?)<\/script>/)[1]);
const p = new Float32Array(Uint8Array.from(Buffer.from(shapes[1].triangle, "base64")).buffer);
let area = 0, volume = 0;
for (let i = 0; i < p.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map(k => [...p.slice(i + k, i + k + 3)]), cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const n = cross(b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k]));
    area += Math.hypot(...n) / 2;
    volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
}
console.log(area.toFixed(5), volume.toFixed(5));' >box.txt
    [ "$(cat box.txt)" = "2.48000 0.24000" ] # 2 (1*0.6 + 1*0.4 + 0.6*0.4) and 1*0.6*0.4, faces outward
}

@test "cd-plot --html: --frames and --show make it smaller; metrics stay those of all frames" {
    need_node
    page_stream >in.jsonl
    cd-plot --html -o page.html in.jsonl
    [ "$(records page.html --sizes | jq -c '[.frames,.series]')" = '[3,{"index":[0,1,2],"time":[0,0.1,0.2],"shown":[0,1,2],"metrics":[{"tool":"one","name":"m <","value":[0,0.1,0.2]}]}]' ]
    cd-plot --html --frames 1,last -o some.html in.jsonl
    [ "$(records some.html --sizes | jq -c '[.frames,.series.shown,.series.metrics[0].value]')" = '[2,[1,2],[0,0.1,0.2]]' ]
    cd-plot --html --frames 0:2:2 -o some.html in.jsonl
    [ "$(records some.html --sizes | jq -c '[.frames,.series.shown]')" = '[2,[0,2]]' ]
    cd-plot --html --show bodies,pairs -o some.html in.jsonl
    records some.html | found '"type":"pair"'
    run ! grep -q '"type":"contact"' <(records some.html)
    cd-plot --html --show -bodies -o some.html in.jsonl # not switched on, but there
    grep -q '"type":"contact"' <(records some.html)
    [ "$(records some.html --sizes | jq -c .settings.less)" = '["bodies"]' ]
}

@test "cd-plot --html: the same page from either encoding and on each run; without a network" {
    page_stream >in.jsonl
    cd-view -b in.jsonl >in.cdb
    cd-plot --html --title 'a </script><b>&' in.jsonl >a.html
    cd-plot --html --title 'a </script><b>&' -o b.html in.cdb
    cmp <(grep -v 'id="head"' a.html) <(grep -v 'id="head"' b.html)
    grep -q '<title>a &lt;/script>&lt;b>&amp;</title>' a.html
    [ "$(grep -o '</script>' a.html | wc -l)" = "$(grep -o '<script' a.html | wc -l)" ]
    run ! grep -qE '(src|href)="?https?:|@import|fetch\(|XMLHttpRequest' a.html
}

@test "cd-plot --html: wrong options, cut input, nothing to draw" {
    page_stream >in.jsonl
    for wrong in "--trail" "--metric m" "--size 300x300" "--view front" "--bodies 1" "--opacity 0.5" "--format svg" "--scale 2"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr cd-plot --html $wrong -o out.html in.jsonl
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [ ! -e out.html ]
    done
    run -2 --separate-stderr cd-plot --show +constraints -o out.svg in.jsonl
    [[ "$stderr" == *"only with --html" ]]
    [ ! -e out.svg ]
    run -2 --separate-stderr cd-plot --html -o out.html in.jsonl in.jsonl
    run -2 --separate-stderr cd-plot --html --frames 7 -o out.html in.jsonl
    head -c -15 in.jsonl >cut.jsonl
    run -3 --separate-stderr cd-plot --html -o out.html cut.jsonl
    printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"end"}' >none.jsonl
    run -3 --separate-stderr cd-plot --html -o out.html none.jsonl
    [ ! -e out.html ]
    run -4 --separate-stderr bash -c 'cd-plot --html in.jsonl >/dev/full'
}

# Steps of browser: a click on a contact of the frame shown, then what the page shows for it, four lines.
click_contact() { # click_contact ID
    steps+=("click:(() => { const r = page.frame.contact.rowOf('$1'), [x, y, z] = page.scene.contact[r].at, m = page.scene.painter.camera, c = document.getElementById('picture').getBoundingClientRect();
        const q = m[3] * x + m[7] * y + m[11] * z + m[15];
        return [c.left + (0.5 + 0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12]) / q) * c.width, c.top + (0.5 - 0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13]) / q) * c.height]; })()"
        eval:'page.look.contact < 0 ? [] : page.records({ contact: page.look.contact })' eval:location.hash
        eval:'document.querySelector("#record h2").textContent' eval:'document.querySelector("#record table").innerText')
}

@test "cd-plot --html in Chromium: opens, plays, and a click on a contact gives the record of cd-view" {
    need_chromium
    cd-loop -q -b --frames 40 --until 1 "$SCENES/box-of-polygons.yaml" >run.cdb
    cd-plot --html -o page.html run.cdb
    page_stream >in.jsonl
    cd-plot --html -o space.html in.jsonl
    steps=(eval:'page.play(true), new Promise(r => setTimeout(r, 1500)).then(() => page.number > 3)')
    for id in 0 1; do
        steps+=(open:"space.html#frame=1")
        click_contact $id
    done
    browser page.html "${steps[@]}" >out.txt
    [ "$(sed -n 1p out.txt)" = true ]
    for id in 0 1; do
        [ "$(sed -n $((2 + 4 * id))p out.txt | jq -r '.[0]')" = "$(cd-view -b in.jsonl | cd-view -j | grep '"contact","id":'$id | head -1)" ]
        [ "$(sed -n $((3 + 4 * id))p out.txt)" = "\"#frame=1&contact=$id\"" ]
        [ "$(sed -n $((4 + 4 * id))p out.txt)" = "\"contact $id\"" ]
    done
    [ "$(wc -l <out.txt)" -eq 9 ]
    grep -q '3e-300' out.txt # no digit is lost on the way to the eye
}

@test "cd-plot --html in Chromium: a link to a frame and a contact or body; the pointer tells; switches" {
    need_chromium
    page_stream >in.jsonl
    cd-plot --html --color speed -o page.html in.jsonl
    browser 'page.html#frame=2&contact=0' eval:'document.getElementById("when").textContent' eval:'document.querySelector("#record").innerText' eval:page.look.color \
        open:'page.html#frame=0&body=9007199254740993' eval:'document.querySelector("#record h2").textContent' \
        open:'page.html#frame=0&body=77' eval:'document.querySelector("#record").innerText' \
        open:page.html eval:'(async () => { for (const box of document.querySelectorAll("#things input")) box.click();
        for (const id of ["color", "contactColor"]) for (const o of document.getElementById(id).options) { document.getElementById(id).value = o.value; document.getElementById(id).dispatchEvent(new Event("input")); }
        for (let k = 0; k < 3; k++) await page.show(k); return page.scene.lines.count > 10; })()' >out.txt
    sed -n 1p out.txt | found 'frame 2 (3 of 3)'
    sed -n 2p out.txt | found -- '-0.0010000000000000002'
    [ "$(sed -n 3p out.txt)" = '"speed"' ]
    sed -n 4p out.txt | found '9007199254740993'
    sed -n 5p out.txt | found 'body 77 is not in this frame'
    [ "$(sed -n 6p out.txt)" = true ] # every switch and colour, each frame: no error in the console
}

@test "cd-plot --html in Chromium: what is drawn has the colours it should" {
    need_chromium
    page_stream >in.jsonl
    cd-plot --html -o page.html in.jsonl
    # bodies under the pointer, from above: the ellipsoid, the tetrahedra of elements, the facets; beside them the floor
    browser page.html eval:'(() => { page.camera.yaw = -Math.PI / 2; page.camera.pitch = 1.57; page.redraw(); return 0; })()' \
        eval:'[[2,0,0.5],[-1.75,0.15,0.1],[2,1.25,0.3],[-0.6,-0.6,0]].map(p => { const [x, y, z] = sub(p, page.scene.origin), m = page.camera.matrix(9), q = m[3] * x + m[7] * y + m[11] * z + m[15], c = document.getElementById("picture");
            const found = page.under((0.5 + 0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12]) / q) * c.clientWidth, (0.5 - 0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13]) / q) * c.clientHeight);
            return found?.body === undefined ? null : Number(page.frame.body.idText(found.body)); })' >out.txt
    [ "$(sed -n 2p out.txt)" = "[4,8,5,1]" ]
}

@test "cd-plot --html in Chromium: ten thousand bodies open" {
    need_chromium
    printf 'dim: 3\ngenerate:\n- {generator: bricks, count: [25, 20, 20], size: [0.2, 0.1, 0.1], gap: -0.001, body: {density: 1000}}\n' >wall.yaml
    cd-scene -q -b wall.yaml | cd-plot --html -o page.html
    browser page.html eval:'page.scene.bodies.length' opened >out.txt
    [ "$(sed -n 1p out.txt)" = 10000 ]
}

#!/usr/bin/env bash
# Small scenes whose outcome is known, in the plane and in space, by every contact model: a table of how each ends, with the outcome that it
# should have, and a picture of each. Each scene's file says what happens in it. Exits 1 when the separating model does not end as it should.
#
#   usage: run.sh [--scenes LIST] [--models LIST] [--step H] [--out DIR]
#     --scenes   of pass-miss,pass-graze,pass-hit,edges-slide,drop-edge,drop-corner,drop-turned,stack-5,stack-10,tumble,
#                slope,column,wedges,overhang-in,overhang-out,edge-impact  [all]
#     --models   of cd-peg-assemble (--help lists them)                    [all; lnc in the plane, peg-printed in space only]
#     --step     in s                                                      [0.01]
#     --out      folder for results                                        [out/scenes]
#   leaves outcomes.tsv, SCENE-MODEL.cdb, and SCENE.svg and SCENE.png of the separating model
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../options.sh"

scenes=pass-miss,pass-graze,pass-hit,edges-slide,drop-edge,drop-corner,drop-turned,stack-5,stack-10,tumble,slope,column,wedges
scenes+=,overhang-in,overhang-out,edge-impact
models=all step=0.01 out=out/scenes
read_options "scenes models step out" "$@"
command -v cd-loop >/dev/null || { echo 'run.sh: cd-loop is not on the PATH (after make: PATH=$PWD/build/release/bin:$PATH)' >&2 && exit 2; }
# all that cd-peg-assemble has, but its choice among them
[ "$models" != all ] || models=$(cd-peg-assemble --help | sed -n '/ --model=WORD /{s/ \[default.*//; s/.*: auto, //; s/ //g; p}')
mkdir -p "$out"

# scene | end [s] | what is expected, in words | the same as a test by awk of the last body: x y z, its velocity u v w, e = E/E0, overlap o
known() {
    cat <<'TEXT'
pass-miss|0.4|v = (2,0,0)|u == 2 && v == 0 && w == 0
pass-graze|0.4|v_x about 1.449|u > 1.44 && u < 1.46
pass-hit|0.4|v_x = 1.44462|abs(u - 1.444625) < 1e-5
edges-slide|0.5|v_x = 1|abs(u - 1) < 1e-12
drop-edge|0.5|x = 0.947|abs(x - 0.947) < 0.01 && u >= 1 - 1e-12
drop-corner|0.5|x = y = 0.850|abs(x - 0.85) < 1e-9 && abs(y - 0.85) < 1e-9
drop-turned|0.5|x about 1.15|abs(x - 1.15) < 0.015 && u >= 1 - 1e-12
stack-5|3|top at z = 0.9, rests|abs(z - 0.9) < 1e-8 && speed() < 1e-11
stack-10|3|top at z = 1.9, rests|abs(z - 1.9) < 1e-8 && speed() < 1e-11
tumble|10|E/E0 = 1|abs(e - 1) < 1e-6
slope-16.5|1|sticks|speed() < 1e-6
slope-17|1|slips at 0.0537 m/s|abs(speed() - 0.05370672) < 1e-6
column|0.5|y = 0.25, rests|abs(y - 0.25) < 1e-8 && speed() < 1e-11
wedges|0.15|no overlap|1
overhang-in|1|stands|abs(z - 0.1) < 1e-8 && speed() < 1e-9
overhang-out|1.2|topples|z < 0
edge-impact|0.03|v_z about -0.0278|abs(w + 0.02775) < 0.003 && abs(u - 0.00095) < 0.005
TEXT
}

scene_file() { # NAME: the scene on standard output; a slope of so many degrees, 20 degrees off the axis
    case $1 in
    slope-*)
        awk -v deg="${1#slope-}" -v OFS='' 'BEGIN { pi = atan2(0, -1); t = deg * pi / 180; yaw = 20 * pi / 180 }
            /^gravity:/ { printf "gravity: [%.17g, %.17g, %.17g]\n", 9.8 * sin(t) * cos(yaw), 9.8 * sin(t) * sin(yaw), -9.8 * cos(t); next }
            { print }' "$here/slope.yaml" ;;
    *) cat "$here/$1.yaml" ;;
    esac
}
stages_of() { # SCENE MODEL
    local narrow='--contacts features' assemble="--model $2 --friction disc" move='--on-unsolved free'
    [ "$2" = separating ] && narrow='' assemble='' move='' # the default
    echo "cd-broad | cd-narrow $narrow | cd-peg-assemble $assemble | cd-lcp | cd-step $move --energy | cd-overlap-metric"
}
one_run() { # SCENE MODEL END EXPECTED TEST: a line of outcomes.tsv
    local stream=$out/$1-$2.cdb
    scene_file "$1" | cd-scene -q -b --step "$step" - | cd-loop -q --until "$3" -o "$stream" -- "$(stages_of "$1" "$2")" 2>"$out/errors" ||
        { printf '%s\t%s\t\t\t\t\t\t%s\tstopped: %s\n' "$1" "$2" "$4" "$(tail -1 "$out/errors")" && return; }
    {
        cd-view -q -j --type body --frames last "$stream" | jq -r 'select(.type == "body" and .motion != "fixed") | [(.position, .velocity // [0,0]) | .[0], .[1], .[2] // 0] | @tsv' | tail -n 1
        cd-view -q -j --type metric "$stream" | jq -r 'select(.type == "metric") | [.name, .value] | @tsv'
    } | awk -F'\t' -v OFS='\t' -v scene="$1" -v model="$2" -v expected="$4" '
        function abs(a) { return a < 0 ? -a : a }
        function speed() { return sqrt(u * u + v * v + w * w) }
        NR == 1 { x = $1; y = $2; z = $3; u = $4; v = $5; w = $6; next }
        $1 == "overlap" && $2 > o { o = $2 } $1 == "traps" { traps += $2 } $1 == "unsolved" { unsolved += $2 }
        $1 == "energy" { if (first == "") first = $2; e = first ? $2 / first : 1 }
        END { good = ('"$5"') && o == 0
              print scene, model, sprintf("%.4f %.4f %.4f", x, y, z), sprintf("%.4f %.4f %.4f", u, v, w), o + 0, traps + 0, unsolved + 0, expected, good ? "as expected" : "differs" }'
}
wanted() { # SCENE MODEL
    case ",$scenes," in *",${1%-1[67]*},"* | *",$1,"*) ;; *) return 1 ;; esac
    case $1-$2 in column-peg-printed | wedges-peg-printed) return 1 ;; column-lnc | wedges-lnc) return 0 ;; *-lnc) return 1 ;; esac
}

known | while IFS='|' read -r name end expected test; do
    for model in ${models//,/ }; do
        if wanted "$name" "$model"; then one_run "$name" "$model" "$end" "$expected" "$test"; fi
    done
done >"$out/outcomes.tsv"
rm -f "$out/errors"
{
    printf 'scene\tmodel\tend position\tend velocity\toverlap\ttraps\tunsolved\texpected\toutcome\n'
    cat "$out/outcomes.tsv"
} | awk -F'\t' '{ printf "%-12s %-11s %-24s %-26s %-11s %5s %8s  %-22s %s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9 }'

for stream in "$out"/*-separating.cdb; do
    name=$(basename "$stream" -separating.cdb)
    cd-plot --trail --format svg,png --outlines 5 --title "$name" -o "$out/$name" "$stream"
done
echo "pictures: $out/*.png"
! grep -P '\tseparating\t' "$out/outcomes.tsv" | grep -v 'as expected$' >&2

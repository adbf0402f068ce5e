#!/usr/bin/env bats
load helper

# Contacts of a moving body 1 and a fixed body 2, two triangles with facing corners; "gap" and "applicability" are what the tests vary.
contact() { # contact ID FEATURE_A FEATURE_B GAP APPLICABILITY [MORE]
    echo "{\"type\":\"contact\",\"id\":$1,\"a\":[1,0],\"b\":[2,0],\"kind\":\"vertex-edge\",\"point\":[0,0],\"point_a\":[0,0],\"point_b\":[0,0],\"normal\":[0,-1],\"gap\":$4,\"features\":[\"$2\",\"$3\"],\"applicability\":$5${6:-}}"
}
stream() { # contacts come from standard input; FRAME_MORE adds to the frame record
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2,"gravity":[0,-10]}
{"type":"shape","id":1,"kind":"polygon","vertices":[[0,0],[1,2],[-1,2]]}
{"type":"frame","index":0,"time":0,"step":0.5${FRAME_MORE:-}}
{"type":"body","id":1,"shape":1,"position":[0,1],"velocity":[1,0],"mass":2,"inertia":3}
{"type":"body","id":2,"shape":1,"position":[0,-1],"rotation":3.141592653589793,"motion":"fixed"}
JSONL
    cat
    echo '{"type":"fend"}'
    echo '{"type":"end"}'
}
corner() { # the four contacts of two facing corners
    contact 0 v0 e0 -0.25 0.5
    contact 1 v0 e2 0.5 0.4
    contact 2 e0 v0 0.5 0.3
    contact 3 e2 v0 -0.75 0.2
}
constraints() { of_type constraint | jq -rc '[.kind,.primary,.secondary // []] | tostring'; }
metric() { jq -c "select(.type==\"metric\" and .name==\"$1\").value"; }

@test "cd-peg-assemble does what every filter does" { common_filter_tests cd-peg-assemble; }

@test "cd-peg-assemble: each model groups the contacts of two corners in its own way" {
    corner | stream >in.jsonl
    [ "$(cd-peg-assemble -m standard in.jsonl | constraints)" = $'["U",[0],[]]\n["U",[1],[]]\n["U",[2],[]]\n["U",[3],[]]' ]
    [ "$(cd-peg-assemble -m lnc in.jsonl | constraints)" = $'["I",[1],[0]]\n["I",[2],[3]]' ]
    [ "$(cd-peg-assemble -m peg in.jsonl | constraints)" = $'["I",[1],[0]]\n["I",[2],[3]]\n["X",[1],[2]]\n["X",[0],[3]]' ]
    FRAME_MORE=',"model":"lnc"' stream < <(corner) >wish.jsonl
    [ "$(cd-peg-assemble -m standard wish.jsonl | constraints | head -1)" = '["I",[1],[0]]' ]
}

@test "cd-peg-assemble: the rows are those of equation (48)" {
    contact 0 v0 e0 -0.25 1 | stream >in.jsonl
    run -0 --separate-stderr cd-peg-assemble -m peg --no-prog in.jsonl
    [ "$(of_type row <<<"$output")" = '{"type":"row","id":0,"role":"velocity","body":1,"axis":0,"rhs":2,"lower":"-Infinity"}
{"type":"row","id":1,"role":"velocity","body":1,"axis":1,"rhs":-10,"lower":"-Infinity"}
{"type":"row","id":2,"role":"velocity","body":1,"axis":2,"rhs":0,"lower":"-Infinity"}
{"type":"row","id":3,"role":"impulse","contact":0,"constraint":0,"rhs":-0.5}' ]
    [ "$(of_type entry <<<"$output" | jq -c '[.row,.col,.value]')" = '[0,0,-2]
[1,1,-2]
[1,3,1]
[2,2,-3]
[3,1,1]' ]
}

@test "cd-peg-assemble: margin and stabilisation change the gaps only" {
    contact 0 v0 e0 -0.25 1 | stream >in.jsonl
    impulse() { of_type row | jq 'select(.role=="impulse").rhs'; }
    [ "$(cd-peg-assemble -m peg --gap-margin 0.25 in.jsonl | impulse)" = -1 ]
    [ "$(cd-peg-assemble -m peg --stabilize off in.jsonl | impulse)" = 0 ]
    contact 0 v0 e0 0.25 1 | stream >apart.jsonl
    [ "$(cd-peg-assemble -m peg --stabilize off apart.jsonl | impulse)" = 0.5 ]
}

@test "cd-peg-assemble: turning bodies get the curvature of their gap, on the safe side only" {
    # The vertex (0,0) of body 1 turns about (0,1): psi'' = -w^2 eta.r = +w^2 over the edge below, -w^2 over one above.
    contact 0 v0 e0 0.25 1 | stream | sed 's/"velocity":\[1,0\]/"spin":2/' >in.jsonl
    impulse() { of_type row | jq 'select(.role=="impulse").rhs'; }
    [ "$(cd-peg-assemble -m peg --curvature on in.jsonl | impulse)" = 0.5 ]
    sed 's/"normal":\[0,-1\]/"normal":[0,1]/' in.jsonl >above.jsonl
    [ "$(cd-peg-assemble -m peg --curvature on above.jsonl | impulse)" = -0.5 ]
    [ "$(cd-peg-assemble -m peg above.jsonl | impulse)" = 0.5 ] # the default is the paper's row
}

@test "cd-peg-assemble: thresholds decide who is heard" {
    { contact 0 v0 e0 0.1 -0.3; contact 1 v1 e0 0.1 0.5 ',"feasible":-0.5'; contact 2 v2 e0 -0.1 0.5 ',"feasible":1.5707963267948966'; } | stream >in.jsonl
    primaries() { of_type constraint | jq -c .primary | tr -d '\n'; }
    [ "$(cd-peg-assemble -m peg in.jsonl | primaries)" = '[1][2]' ]
    [ "$(cd-peg-assemble -m peg --theta 0.31 in.jsonl | primaries)" = '[0][1][2]' ]
    [ "$(cd-peg-assemble -m peg --phi 0.4 in.jsonl | primaries)" = '[2]' ]
    [ "$(cd-peg-assemble -m peg --phi 0.4 --delta 0.05 in.jsonl | primaries)" = '' ]
    [ "$(cd-peg-assemble -m standard in.jsonl | primaries)" = '[0][1][2]' ]
    [ "$(cd-peg-assemble -m standard --theta 0 --delta 0.05 in.jsonl | primaries)" = '[1]' ]
}

@test "cd-peg-assemble: rejected contacts and other kinds" {
    { contact 0 v0 e0 0.1 1 ',"status":"deleted"'; contact 1 v0 e2 0.1 1 ',"status":"outside"'
      echo '{"type":"contact","id":2,"a":[1,0],"b":[2,0],"kind":"distance","point":[0,0.5],"normal":[0,-1],"gap":0.5}'
      echo '{"type":"contact","id":3,"a":[1,0],"b":[2,0],"kind":"volume","point":[0.5,0.5],"normal":[0,-1],"gap":-0.5}'; } | stream >in.jsonl
    for model in $(choices cd-peg-assemble model); do
        [ "$(cd-peg-assemble -m "$model" in.jsonl | constraints)" = $'["U",[2],[]]\n["U",[3],[]]' ]
    done
}

@test "cd-peg-assemble: metrics count constraints and traps, condition is asked for" {
    corner | stream >in.jsonl
    run -0 --separate-stderr cd-peg-assemble -m peg in.jsonl
    [ "$(metric contacts <<<"$output")" = 4 ]
    [ "$(metric constraints-U <<<"$output")$(metric constraints-I <<<"$output")$(metric constraints-X <<<"$output")" = 022 ]
    [ "$(metric traps <<<"$output")" = 2 ]
    [ "$(metric needs-peg <<<"$output")" = 1 ]
    [ -z "$(metric rank <<<"$output")" ]
    run -0 --separate-stderr cd-peg-assemble -m peg --condition in.jsonl
    [ "$(metric rank <<<"$output")" = 1 ]
    cd-peg-assemble -m peg --condition in.jsonl | metric condition | holds '. > 0.999 and . < 1.001'
}

@test "cd-peg-assemble: order of bodies and contacts does not matter" {
    corner | stream >in.jsonl
    { sed -n 1,3p in.jsonl; sed -n 5p in.jsonl; sed -n 4p in.jsonl; sed -n 6,9p in.jsonl | tac; sed -n '10,$p' in.jsonl; } >mixed.jsonl
    digest=$(cd-peg-assemble -m peg in.jsonl | cd-view --digest)
    [ "$(cd-peg-assemble -m peg mixed.jsonl | cd-view --digest)" = "$digest" ]
}

@test "cd-peg-assemble run again replaces its tables and drops what derives from them" {
    corner | stream | cd-peg-assemble -m peg --no-prog >once.jsonl
    sed '/"fend"/i {"type":"solution","status":"ray"}' once.jsonl | cd-peg-assemble -m peg --no-prog >twice.jsonl
    cmp once.jsonl twice.jsonl
}

@test "cd-peg-assemble refuses what it cannot use, in one line" {
    contact 0 v7 e0 0 1 | stream >in.jsonl
    run -3 --separate-stderr cd-peg-assemble -m peg in.jsonl
    [ "$stderr" = "cd-peg-assemble: frame 0: contact 0: features: number beyond the polygon's corners" ]
    corner | stream | sed 's/"mass":2,//' >in.jsonl
    run -3 --separate-stderr cd-peg-assemble -m peg in.jsonl
    [[ "$stderr" == "cd-peg-assemble: frame 0: body 1: mass: required of a dynamic body"* ]]
    FRAME_MORE=',"model":"magic"' stream </dev/null >in.jsonl
    run -6 --separate-stderr cd-peg-assemble -m peg in.jsonl
    [[ "$stderr" == *'model: "magic" is not one this program knows' ]]
    run -2 cd-peg-assemble --theta 2 in.jsonl
    run -2 cd-peg-assemble --model best in.jsonl
    run -2 cd-peg-assemble --friction pyramid --sides 7 in.jsonl
    run -2 --separate-stderr cd-peg-assemble --mu floor=0.3 in.jsonl
    [ "$stderr" = 'cd-peg-assemble: --mu: wanted A:B=VALUE, got "floor=0.3"' ]
    run -2 cd-peg-assemble --mu a:b=-1 in.jsonl
    corner | stream >in.jsonl
}

@test "cd-peg-assemble: the model is the wish, else the option, else the run's, else separating" {
    corner | stream >in.jsonl
    with() { sed "1s/}/,\"model\":\"$1\"}/" in.jsonl; } # head.model
    for model in standard lnc peg peg-printed; do
        [ "$(with $model | cd-peg-assemble | constraints)" = "$(cd-peg-assemble -m $model in.jsonl | constraints)" ]
        [ "$(with $model | cd-peg-assemble -m lnc | constraints)" = "$(cd-peg-assemble -m lnc in.jsonl | constraints)" ]
    done
    # contacts that the model cannot be made of
    with separating >none.jsonl
    for given in in.jsonl none.jsonl '-m separating in.jsonl'; do
        run -6 --separate-stderr cd-peg-assemble $given
        [ "$stderr" = "cd-peg-assemble: frame 0: contact 0: kind: vertex-edge is not for model separating, which needs those of cd-narrow --contacts separating (or --model peg)" ]
    done
    sed 's/"kind":"vertex-edge"/"kind":"separating"/' in.jsonl >separators.jsonl
    run -6 --separate-stderr cd-peg-assemble -m standard separators.jsonl
    [ "$stderr" = "cd-peg-assemble: frame 0: contact 0: kind: separating is not for model standard, which needs those of cd-narrow --contacts features" ]
    with magic >magic.jsonl
    run -6 --separate-stderr cd-peg-assemble magic.jsonl
    [ "$stderr" = 'cd-peg-assemble: frame 0: head: model: "magic" is not one this program knows' ]
}

# ---- space ----

# A cube of side 1 and mass 2 on a fixed one, contacts from standard input; FRAME_MORE adds to the frame record.
space() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-10]}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5,0.5]}
{"type":"frame","index":0,"time":0,"step":0.5${FRAME_MORE:-}}
{"type":"body","id":1,"shape":1,"position":[0,0,1],"velocity":[1,0,0],"mass":2,"inertia":[3,4,5,0,0,0],"mu":0.5,"group":"cubes"}
{"type":"body","id":2,"shape":1,"position":[0,0,0],"motion":"fixed","mu":0.5}
JSONL
    cat
    echo '{"type":"fend"}'
    echo '{"type":"end"}'
}
on_top() { # on_top ID X Y KIND GAP [MORE]
    echo "{\"type\":\"contact\",\"id\":$1,\"a\":[1,0],\"b\":[2,0],\"kind\":\"$4\",\"point\":[$2,$3,0.5],\"normal\":[0,0,-1],\"gap\":$5${6:-}}"
}

@test "cd-peg-assemble in space: rows of (48) with blocks of six" {
    on_top 0 0.5 -0.5 distance -0.25 | space >in.jsonl
    run -0 --separate-stderr cd-peg-assemble --gap-margin 0 --friction off -q --no-prog in.jsonl
    [ "$(of_type row <<<"$output" | jq -c '[.role,.axis,.rhs,.lower]' | tr -d '\n')" = \
        '["velocity",0,2,"-Infinity"]["velocity",1,0,"-Infinity"]["velocity",2,-10,"-Infinity"]["velocity",3,0,"-Infinity"]["velocity",4,0,"-Infinity"]["velocity",5,0,"-Infinity"]["impulse",null,-0.5,null]' ]
    [ "$(of_type entry <<<"$output" | jq -c '[.row,.col,.value]' | tr -d '\n')" = \
        '[0,0,-2][1,1,-2][2,2,-2][2,6,1][3,3,-3][3,6,-0.5][4,4,-4][4,6,-0.5][5,5,-5][6,2,1][6,3,-0.5][6,4,-0.5]' ]
    cd-peg-assemble in.jsonl | cd-lcp | of_type solution | holds '.status=="solved"'
    cd-peg-assemble in.jsonl | cd-view --check
}

@test "cd-peg-assemble: separating contacts bring their model, its margin and their bounds" {
    corners='"features":["v0","v4"],"facet":["f5"],"side":"b"'
    { on_top 0 0.5 0.5 separating 0 ",$corners"; on_top 1 -0.5 0.5 separating -0.001 ",$corners,\"bound\":-0.001"; } | space >in.jsonl
    impulses() { of_type row | jq -c 'select(.role=="impulse").rhs' | tr '\n' ' '; }
    [ "$(sed '/"head"/s/}$/,"length":1}/' in.jsonl | cd-peg-assemble | impulses)" = "-2e-10 0 " ] # no margin of what overlaps
    # no length: the cube's diagonal
    cd-peg-assemble in.jsonl | impulses | awk '{ e = $1 / -2e-10 - sqrt(3); exit !(e * e < 1e-24 && $2 == 0) }'
    [ "$(cd-peg-assemble --gap-margin 0 in.jsonl | impulses)" = "0 0 " ]
    [ "$(cd-peg-assemble in.jsonl | constraints | tr '\n' ' ')" = '["U",[0],[]] ["U",[1],[]] ' ]
    # two edges span the plane
    sed -e 's/"facet":\["f5"\],"side":"b"/"facet":["e0","e1"]/' in.jsonl >edges.jsonl
    cd-peg-assemble edges.jsonl | cd-view --check
    sed -e 's/"facet":\["e0","e1"\]/"facet":["e0","e12"]/' edges.jsonl >bad.jsonl
    run -3 --separate-stderr cd-peg-assemble bad.jsonl
    [ "$stderr" = "cd-peg-assemble: frame 0: contact 0: facet: number beyond the polyhedron's" ]
}

@test "cd-peg-assemble: a contact with friction that is hardly above its margin bears where it is" {
    corners='"features":["v0","v4"],"facet":["f5"],"side":"b"'
    rate() { # rate GAP OPTION...: that of one contact, L = 1
        on_top 0 0.5 0.5 separating "$1" ",$corners" | space | sed '/"head"/s/}$/,"length":1}/' >in.jsonl
        cd-peg-assemble "${@:2}" in.jsonl | of_type row | jq 'select(.role=="impulse").rhs * 1e9 | round'
    }
    [ "$(rate 5.001e-7 --friction disc)" = 0 ]
    [ "$(rate 9.99e-7 --friction disc)" = 0 ]
    [ "$(rate 1.01e-6 --friction disc)" = 2020 ]
    [ "$(sed 's/"mu":0.5/"mu":0/g' <(rate 5.001e-7 --friction disc >/dev/null && cat in.jsonl) | cd-peg-assemble --friction disc |
        of_type row | jq 'select(.role=="impulse").rhs * 1e9 | round')" = 1000 ] # nothing holds it where it is
    [ "$(rate 5.001e-7 --friction off)" = 1000 ]
    [ "$(rate 0 --friction disc | tr -d -)" = 0 ] # -2e-10: it is still pushed out
    [ "$(rate 5e-8 --friction disc --gap-margin 0)" = 100 ]
}

@test "cd-peg-assemble: friction as pyramids and discs, in space and in the plane" {
    on_top 0 0.5 -0.5 distance 0 | space >in.jsonl
    roles() { of_type row | jq -c 'select(.role!="velocity")|[.role,.normal_row,.mu,.lower,.upper]' | uniq -c | tr -s ' \n' ' '; }
    [ "$(cd-peg-assemble -q --friction off in.jsonl | roles)" = ' 1 ["impulse",null,null,null,null] ' ]
    [ "$(cd-peg-assemble --friction pyramid in.jsonl | roles)" = \
        ' 1 ["impulse",null,null,null,null] 8 ["friction",null,null,null,null] 1 ["slip",null,null,null,null] ' ]
    [ "$(cd-peg-assemble --friction pyramid --sides 4 in.jsonl | roles | grep -o '4 .\"friction')" = '4 ["friction' ]
    [ "$(cd-peg-assemble --friction disc in.jsonl | roles)" = \
        ' 1 ["impulse",null,null,null,null] 2 ["friction",6,0.5,"-Infinity","Infinity"] ' ]
    # the first direction is that of the slip, here +x of a against b
    [ "$(cd-peg-assemble --friction disc in.jsonl | of_type entry | jq -c 'select(.row==7)|[.col,.value]' | tr -d '\n')" = '[0,1][4,-0.5][5,0.5]' ]
    # rules of groups; a polish round has no friction; no mu, no rows
    [ "$(cd-peg-assemble --friction disc --mu cubes:cubes=0.1 in.jsonl | roles | grep -c 0.5)" = 1 ]
    sed 's/"motion":"fixed"/"motion":"fixed","group":"floor"/' in.jsonl >groups.jsonl
    [ "$(cd-peg-assemble --friction disc --mu floor:floor=1,floor:cubes=0.25 groups.jsonl | roles | grep -c 0.25)" = 1 ]
    [ "$(cd-peg-assemble --friction disc --mu floor:cubes=0 groups.jsonl | roles | grep -c friction)" = 0 ]
    # an interaction of both materials comes before the mean of the bodies, a rule of groups before it
    sed -e 's/"mu":0.5/&,"material":7/' -e '0,/"type":"shape"/s//"type":"material","id":7}\n{"type":"interaction","a":7,"b":7,"mu":0.125}\n{&/' in.jsonl >laws.jsonl
    [ "$(cd-peg-assemble --friction disc laws.jsonl | roles | grep -c 0.125)" = 1 ]
    [ "$(cd-view -b laws.jsonl | cd-peg-assemble -j --friction disc | roles | grep -c 0.125)" = 1 ]
    sed 's/"motion":"fixed"/"motion":"fixed","group":"floor"/' laws.jsonl >both.jsonl
    [ "$(cd-peg-assemble --friction disc --mu floor:cubes=0.25 both.jsonl | roles | grep -c 0.25)" = 1 ]
    FRAME_MORE=',"target":"trial"' space < <(on_top 0 0.5 -0.5 distance 0) >polish.jsonl
    [ "$(cd-peg-assemble --friction pyramid polish.jsonl | roles)" = ' 1 ["impulse",null,null,null,null] ' ]
    contact 0 v0 e0 0 1 | stream | sed 's/"body","id":./&,"mu":0.3/' >plane.jsonl
    [ "$(cd-peg-assemble --friction pyramid -m peg plane.jsonl | roles)" = \
        ' 1 ["impulse",null,null,null,null] 2 ["friction",null,null,null,null] 1 ["slip",null,null,null,null] ' ]
    [ "$(cd-peg-assemble --friction disc -m peg plane.jsonl | roles)" = \
        ' 1 ["impulse",null,null,null,null] 1 ["friction",3,0.3,"-Infinity","Infinity"] ' ]
    for f in $(choices cd-peg-assemble friction); do
        cd-peg-assemble --friction $f in.jsonl | cd-view --check
        cd-peg-assemble --friction $f -m peg plane.jsonl | cd-view --check
    done
}

@test "cd-peg-assemble: rolling and spinning are discs more of the normal impulse, with moments alone" {
    of_materials() { # FIELDS OF THE INTERACTION: of both bodies; without mu of their own
        sed -e 's/"mu":0.5/"material":7/' -e "0,/\"type\":\"shape\"/s//\"type\":\"material\",\"id\":7}\n{\"type\":\"interaction\",\"a\":7,\"b\":7$1}\n{&/"
    }
    roles() { of_type row | jq -c 'select(.role!="velocity" and .role!="impulse")|[.role,.normal_row,.mu,.lower,.upper]' | uniq -c | tr -s ' \n' ' '; }
    on_top 0 0.5 -0.5 distance 0 | space >in.jsonl
    of_materials ',"rolling":0.25,"spinning":0.125,"mu":0.5' <in.jsonl >all.jsonl
    [ "$(cd-peg-assemble all.jsonl | roles)" = ' 2 ["friction",6,0.5,"-Infinity","Infinity"] 2 ["rolling",6,0.25,"-Infinity","Infinity"] 1 ["spinning",6,0.125,"-Infinity","Infinity"] ' ]
    cd-peg-assemble all.jsonl | cd-lcp | cd-view --check
    # without mu there are the torques alone; columns of the axis are rows of the spin
    of_materials ',"spinning":0.125' <in.jsonl >one.jsonl
    [ "$(cd-peg-assemble one.jsonl | roles)" = ' 1 ["spinning",6,0.125,"-Infinity","Infinity"] ' ]
    [ "$(cd-peg-assemble one.jsonl | of_type entry | jq -c 'select(.row==7 or .col==7)|[.row,.col,.value|fabs]' | tr -d '\n')" = '[5,7,1][7,5,1]' ]
    [ "$(of_materials ',"rolling":0' <in.jsonl | cd-peg-assemble | roles)" = "" ]
    # what cannot be is told
    for f in pyramid auto; do
        run -6 --separate-stderr cd-peg-assemble --model peg --friction $f all.jsonl
        [ "$stderr" = "cd-peg-assemble: frame 0: --friction: rolling and spinning of the stream's interactions need discs, not pyramids" ]
    done
    run -0 --separate-stderr cd-peg-assemble --friction off all.jsonl
    [ "$stderr" = "cd-peg-assemble: --friction off: bodies in contact have mu, rolling or spinning above 0, which is not used" ]
    contact 0 v0 e0 0 1 | stream >plane.jsonl
    run -3 --separate-stderr cd-peg-assemble -m peg --friction disc <(of_materials ',"spinning":0.1' <plane.jsonl)
    [[ "$stderr" == *"interaction 7-7: spinning: in 2-D nothing turns about a normal" ]]
}

@test "cd-peg-assemble: friction without an option, and what is left out" {
    on_top 0 0.5 -0.5 distance 0 | space >in.jsonl
    rows() { cd-peg-assemble --no-prog "$@" in.jsonl | of_type row; }
    [ "$(rows)" = "$(rows --friction disc)" ]
    [ "$(rows -m peg)" = "$(rows -m peg --friction pyramid)" ]
    run -0 --separate-stderr cd-peg-assemble in.jsonl
    [ -z "$stderr" ]
    run -0 --separate-stderr cd-peg-assemble --friction off in.jsonl
    [ "$stderr" = "cd-peg-assemble: --friction off: bodies in contact have mu, rolling or spinning above 0, which is not used" ]
    run -0 --separate-stderr cd-peg-assemble -q --friction off in.jsonl
    [ -z "$stderr" ]
    # one of two bodies without mu: no friction, nothing to say, the same rows
    sed -i '/"id":2/s/,"mu":0.5//' in.jsonl
    run -0 --separate-stderr cd-peg-assemble --friction off in.jsonl
    [ -z "$stderr" ]
    [ "$(rows)" = "$(rows --friction off)" ]
}

@test "cd-peg-assemble: a pyramid passes the apex of another 1 mm beside it; the printed rule and the standard model push it away" {
    cat >pass.jsonl <<'JSONL'
{"type":"head","cds":[1,0],"dim":3,"length":0.6}
{"type":"shape","id":1,"kind":"polyhedron","vertices":[[0,0,-0.225],[-0.3,-0.3,0.075],[0.3,-0.3,0.075],[-0.3,0.3,0.075],[0.3,0.3,0.075]],"faces":[[1,2,4,3],[0,2,1],[0,4,2],[0,3,4],[0,1,3]]}
{"type":"shape","id":2,"kind":"polyhedron","vertices":[[0,0,0.225],[-0.3,-0.3,-0.075],[0.3,-0.3,-0.075],[-0.3,0.3,-0.075],[0.3,0.3,-0.075]],"faces":[[3,4,2,1],[1,2,0],[2,4,0],[4,3,0],[3,1,0]]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":1,"position":[-0.4,0.021,0.205],"velocity":[2,0,0],"mass":1,"inertia":[0.021375,0.021375,0.036,0,0,0]}
{"type":"body","id":2,"shape":2,"position":[0,0,-0.225],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
    rise() { # rise MODEL: the speed upwards behind the pass
        cd-loop --until 0.4 pass.jsonl -- "cd-broad | cd-narrow --contacts features | cd-peg-assemble --model $1 | cd-lcp | cd-step --rounds 1" >"$1.jsonl"
        of_type body <"$1.jsonl" | jq 'select(.id==1).velocity[2]' | tail -1
    }
    [ "$(rise peg)" = 0 ]
    rise peg-printed | holds '. > 1'
    rise standard | holds '. > 1'
    [ "$(metric traps <peg.jsonl | sort -n | tail -1)" -ge 8 ]
    [ "$(metric traps <standard.jsonl | sort -n | tail -1)" = 0 ]
    # near the pass, contacts and bodies in another order give the same
    jq -c 'if .type=="body" and .id==1 then .position=[-0.01,0.021,0.205] else . end' pass.jsonl | cd-broad | cd-narrow --contacts features >near.jsonl
    sed -i '/"type":"\(bounds\|pair\|metric\)"/d' near.jsonl
    { grep -v '"contact"\|"body"\|"fend"\|"end"' near.jsonl; grep '"body"' near.jsonl | tac; grep '"contact"' near.jsonl | tac; tail -2 near.jsonl; } >mixed.jsonl
    [ "$(cd-peg-assemble -m peg near.jsonl | of_type constraint | jq -r .kind | sort -u | tr -d '\n')" = IX ]
    [ "$(cd-peg-assemble -m peg near.jsonl | cd-view --digest)" = "$(cd-peg-assemble -m peg mixed.jsonl | cd-view --digest)" ]
}

@test "cd-peg-assemble: parts of a compound do not demand twice" {
    on_floor() { # on_floor CUBE FLOOR: constraints by kind
        cat <<JSONL | cd-broad | cd-narrow --contacts features | cd-peg-assemble -m peg | of_type constraint | jq -r .kind | sort | uniq -c | tr -s ' \n' ' '
{"type":"head","cds":[1,0],"dim":3,"gravity":[0,0,-10],"length":0.2}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.1,0.1,0.1]}
{"type":"shape","id":2,"kind":"box","halfsizes":[2,1,0.5]}
{"type":"shape","id":3,"kind":"box","halfsizes":[1,1,0.5]}
{"type":"shape","id":4,"kind":"compound","parts":[{"shape":3,"position":[-1,0,0]},{"shape":3,"position":[1,0,0]}],"adjacent":[[0,1]]}
{"type":"shape","id":5,"kind":"box","halfsizes":[0.05,0.1,0.1]}
{"type":"shape","id":6,"kind":"compound","parts":[{"shape":5,"position":[-0.05,0,0]},{"shape":5,"position":[0.05,0,0]}],"adjacent":[[0,1]]}
{"type":"frame","index":0,"time":0,"step":0.01}
{"type":"body","id":1,"shape":$1,"position":[0.1003,0.03,0.1],"velocity":[0.3,0.1,0],"mass":2,"inertia":[0.0133,0.0133,0.0133,0,0,0]}
{"type":"body","id":2,"shape":$2,"position":[0,0,-0.5],"motion":"fixed"}
{"type":"fend"}
{"type":"end"}
JSONL
    }
    # four corners; a seam of the floor below two of them changes nothing, one of the cube has two vertices of its own
    [ "$(on_floor 1 2)" = " 4 U " ]
    [ "$(on_floor 1 4)" = " 4 U " ]
    [ "$(on_floor 6 2)" = " 6 U " ]
    [ "$(on_floor 6 4)" = " 6 U " ]
}

@test "cd-peg-assemble: far from the origin the margin is what positions hold, and where that would show they are refused" {
    corners='"features":["v0","v4"],"facet":["f5"],"side":"b"'
    far() { on_top 0 "$(jq -n "$1 + 0.5")" 0.5 separating 0 ",$corners" | space | sed "/\"head\"/s/}\$/,\"length\":1}/; s/\"position\":\[0,/\"position\":[$1,/"; }
    margin() { of_type row | jq -c 'select(.role=="impulse").rhs'; }
    [ "$(far 1 | cd-peg-assemble | margin)" = -2e-10 ]
    # 16 units in the last place of a coordinate, over the step of 0.5 s
    far 1e6 | cd-peg-assemble | margin | awk '{ e = $1 / (-2 * 16 * 2^-52 * 1e6) - 1; exit !(e * e < 1e-20) }'
    run -5 --separate-stderr cd-peg-assemble <(far 1e9)
    [ "$stderr" = "cd-peg-assemble: frame 0: body 1: position: so far from the origin gaps can be kept to 3.6e-06 m, more than the 1.0e-06 m that bodies of 1 m allow" ]
    [ "$(far 1e9 | cd-peg-assemble --gap-margin 0 | margin)" = 0 ]
}

@test "cd-peg-assemble: a body that an impulse turns 1e10 times as far as it shifts it is refused where rounds follow" {
    corners='"features":["v0","v4"],"facet":["f5"],"side":"b"'
    # the body has 2 kg, the contact levers of 0.5 m along x and y: m c' J^-1 c = 1 / J
    light() { on_top 0 0.5 0.5 separating 0 ",$corners" | space | sed "/\"head\"/s/}\$/,\"length\":1}/; s/\"inertia\":\[[^]]*\]/\"inertia\":[$1,$1,$1,0,0,0]/"; }
    light 1.1e-10 | cd-peg-assemble >out
    run -5 --separate-stderr cd-peg-assemble <(light 9e-11)
    [ "$stderr" = "cd-peg-assemble: frame 0: body 1: inertia: so small that impulses of contact 0 move it 1.1e+10 times as far by turning the body as by shifting it, more than 1e+10" ]
    light 9e-11 | cd-peg-assemble --gap-margin 0 >out
}

@test "cd-peg-assemble --mu: a group that no body is of is refused" {
    written_stream | sed 's/"id":1,"shape":1/"id":1,"group":"stone","shape":1/; s/"id":2,"shape":2/"id":2,"group":"floor","shape":2/' >a.jsonl
    run -2 --separate-stderr cd-peg-assemble --mu foo:floor=0.2 a.jsonl
    [ "$stderr" = "cd-peg-assemble: frame 0: --mu: no body is of group foo" ]
    run -2 --separate-stderr cd-peg-assemble --mu stone:floor=0.2,stone:bar=0.1 a.jsonl
    [ "$stderr" = "cd-peg-assemble: frame 0: --mu: no body is of group bar" ]
    [[ "$output" != *'"type":"end"'* ]]
    cd-peg-assemble --mu stone:floor=0.2,stone:stone=0.1 a.jsonl | cd-view --check
}

@test "cd-peg-assemble: of closest points of what is round the first round asks for what their gap bends shut by, and for nothing where it bends open" {
    # asked GAP TURN SPIN: of an ellipse over a floor, and of one of space that turns about y, what rhs is below (gap - margin) / step [m]
    asked() {
        turned=$(awk "BEGIN { printf \"[%.17g,0,%.17g,0]\", cos($2 / 2), -sin($2 / 2) }")
        height=$(awk "BEGIN { printf \"%.17g\", $1 + sqrt((0.3 * sin($2))^2 + (0.1 * cos($2))^2) }")
        head='"gravity":[0,0],"step":0.01,"length":1,"defaults":{"mu":'${4-0}'}'
        for scene in "{\"dim\":2,$head,\"bodies\":[{\"shape\":{\"halfspace\":{\"normal\":[0,1]}},\"motion\":\"fixed\"},{\"shape\":{\"ellipsoid\":[0.3,0.1]},\"density\":1,\"position\":[0,$height],\"rotation\":$2,\"spin\":$3}]}" \
            "{\"dim\":3,${head/0,0/0,0,0},\"bodies\":[{\"shape\":{\"halfspace\":{\"normal\":[0,0,1]}},\"motion\":\"fixed\"},{\"shape\":{\"ellipsoid\":[0.3,0.2,0.1]},\"density\":1,\"position\":[0,0,$height],\"rotation\":$turned,\"spin\":[0,$((-($3))),0]}]}"; do
            cd-scene -j - <<<"$scene" | cd-broad | cd-narrow | cd-peg-assemble >asked.jsonl
            jq -s 'map(select(.type == "contact").gap)[0] - 1e-10 - 0.01 * map(select(.role == "impulse").rhs)[0]' asked.jsonl
        done
    }
    # is KNOWN: both, to rounding
    is() { awk -v known="$1" '{ d = $1 - known; n++; if (!(d * d < 1e-28)) exit 1 } END { exit n != 2 }'; }
    # height(turn + h w) - height(turn) - h w height'(turn)
    bend() { awk -v t="$1" -v d="$2" 'function s(t) { return sqrt((0.3 * sin(t))^2 + (0.1 * cos(t))^2) } BEGIN { printf "%.17g", s(t + d) - s(t) - d * 0.08 * sin(t) * cos(t) / s(t) }'; }
    awk -v b="$(bend 0.3 0.02)" 'BEGIN { exit !(b > 5e-5 && b < 8e-5) }'
    asked 1e-4 0.3 2 | is "$(bend 0.3 0.02)"
    asked 1e-4 0.3 -2 | is "$(bend 0.3 -0.02)"
    asked 1e-4 0.3 2 0.5 | is "$(bend 0.3 0.02)"
    asked 1e-4 1.5 2 | is 0
    asked 1e-4 0.3 0 | is 0
}

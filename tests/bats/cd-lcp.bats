#!/usr/bin/env bats
load helper

# A point of mass 1 falls on a floor (velocity rows 0 and 1, impulse row 2): z = 0.5, 0, 2.
point_frame() { # point_frame INDEX
    cat <<JSONL
{"type":"frame","index":$1,"time":$1,"step":0.01}
{"type":"body","id":7,"position":[0,0],"mass":1,"inertia":1}
{"type":"row","id":0,"role":"velocity","body":7,"axis":0,"rhs":0.5,"lower":"-Infinity"}
{"type":"row","id":1,"role":"velocity","body":7,"axis":1,"rhs":-2}
{"type":"row","id":2,"role":"impulse","rhs":0}
{"type":"entry","row":0,"col":0,"value":-1}
{"type":"entry","row":1,"col":1,"value":-1}
{"type":"entry","row":1,"col":2,"value":1}
{"type":"entry","row":2,"col":1,"value":1}
{"type":"fend"}
JSONL
}
point_stream() {
    echo '{"type":"head","cds":[1,0],"dim":2}'
    point_frame 0
    point_frame 1
    echo '{"type":"end"}'
}

array() { # array N COLUMNS NUMBERS...: a Matrix Market array, column by column
    printf '%%%%MatrixMarket matrix array real general\n%s %s\n' "$1" "$2"
    shift 2
    printf '%s\n' "$@"
}

@test "cd-lcp does what every filter does" { common_filter_tests cd-lcp; }

@test "cd-lcp solves each frame and leaves the rest alone" {
    point_stream >in.jsonl
    run -0 --separate-stderr cd-lcp --no-prog in.jsonl
    [ -z "$stderr" ]
    [ "$(of_type value <<<"$output")" = "$(for _ in 0 1; do
        printf '%s\n' '{"type":"value","row":0,"z":0.5,"w":0}' '{"type":"value","row":1,"z":0,"w":0}' '{"type":"value","row":2,"z":2,"w":0}'
    done)" ]
    [ "$(of_type solution <<<"$output" | jq -r .status)" = $'solved\nsolved' ]
    [ "$(grep -v -e '"type":"solution"' -e '"type":"value"' <<<"$output")" = "$(cat in.jsonl)" ]
}

@test "cd-lcp: every solver gives the same answer" {
    point_stream >in.jsonl
    [ "$(choices cd-lcp solver)" = "$(listed cd-lcp Solvers)" ]
    for solver in $(choices cd-lcp solver); do
        cd-lcp --no-prog --solver "$solver" in.jsonl | of_type value | holds '(.z - [0.5,0,2][.row] | fabs) < 1e-11' >/dev/null
    done
    run -2 cd-lcp --solver gauss in.jsonl
}

@test "cd-lcp run again replaces its tables and drops what derives from them" {
    point_stream | cd-lcp --no-prog >once.jsonl
    sed '/"fend"/i {"type":"next","body":7,"position":[0,0],"rotation":0,"velocity":[0,0],"spin":0}' once.jsonl | cd-lcp --no-prog >twice.jsonl
    cmp once.jsonl twice.jsonl
}

@test "cd-lcp says in the stream that a problem is unsolved, and ends well" {
    point_stream | sed '/"id":2/s/"rhs":0/"rhs":0,"lower":2,"upper":1/' >in.jsonl
    run -0 --separate-stderr cd-lcp in.jsonl
    [ "$(of_type solution <<<"$output" | jq -r .status)" = $'infeasible\ninfeasible' ]
    point_stream | jq -c 'select(.type!="entry" or .row!=0)' >in.jsonl   # the free row 0 has no matrix
    cd-lcp in.jsonl | of_type solution | holds '.status=="infeasible"' >/dev/null   # 0.5 = 0 is asked for
    cd-lcp --solver qp in.jsonl | of_type solution | holds '.status=="singular"' >/dev/null
    [ "$(cd-lcp --max-iterations 1 --solver lemke <(point_stream) | of_type solution | jq -r .status)" = $'limit\nlimit' ]
    # terms of 20 that cancel to 1: what they round to alone is 8.7e-15 of the right-hand side
    {
        printf '%s\n' '{"type":"head","cds":[1,0],"dim":2}' '{"type":"frame","index":0,"time":0}'
        printf '{"type":"row","id":%d,"role":"impulse","rhs":-1}\n' 0 1
        printf '{"type":"entry","row":%d,"col":%d,"value":%s}\n' 0 0 2 0 1 -1.9 1 0 -1.9 1 1 2
        printf '%s\n' '{"type":"fend"}' '{"type":"end"}'
    } >in.jsonl
    [ "$(cd-lcp --tolerance 1e-15 in.jsonl | of_type solution | jq -r .status)" = inaccurate ]
    [ "$(cd-lcp --tolerance 1e-13 in.jsonl | of_type solution | jq -r .status)" = solved ]
}

@test "cd-lcp refuses a tolerance below the rounding of doubles" {
    for ratio in 0 1e-17 2.22e-16; do
        run -2 --separate-stderr cd-lcp --tolerance $ratio <(point_stream)
        [ "$stderr" = "cd-lcp: --tolerance: $ratio is outside 2.22044604925031e-16..1" ]
    done
    point_stream | cd-lcp --tolerance 2.2204460492503131e-16 | of_type solution | holds '.status == "solved"'
}

@test "cd-lcp solves a milligram as it solves a ton" {
    for mass in 1e-14 1e-6 1 1000; do
        cat >light.yaml <<YAML
dim: 2
gravity: [0, -9.8]
step: 0.001
epsilon: 1e-6
bodies:
  - {shape: {halfspace: {normal: [1, 2]}}, motion: fixed}
  - {shape: {circle: 0.001}, position: [0, 0.0012], mass: $mass}
  - {shape: {box: [0.001, 0.001]}, position: [0.01, 0], mass: $mass}
YAML
        cd-scene light.yaml | cd-loop --until 0.08 -- 'cd-broad | cd-narrow --contacts features | cd-peg-assemble --model peg | cd-lcp | cd-step --rounds 1' >run.jsonl
        [ "$(of_type solution <run.jsonl | jq -r .status | sort | uniq -c | xargs)" = "80 solved" ]
        of_type solution <run.jsonl | jq -se 'map(.residual) | max < 1e-13' >/dev/null
    done
}

# The same point slides at 0.5 along a floor with friction: its normal impulse is 2.
disc_stream() { # disc_stream MU
    point_stream | sed -e '/"row":2,"col":1/a {"type":"entry","row":3,"col":0,"value":1}\n{"type":"entry","row":0,"col":3,"value":1}' \
        -e '/"id":2/a {"type":"row","id":3,"role":"friction","rhs":0,"normal_row":2,"mu":'"$1"'}'
}

@test "cd-lcp solves friction discs: slips at mu = 0.1, sticks at 0.4" {
    local solver solvers=
    for solver in $(choices cd-lcp solver); do
        disc_stream 0.1 >in.jsonl
        run --separate-stderr cd-lcp --solver "$solver" in.jsonl
        [ "$status" -eq 6 ] && [[ "$stderr" == *"solver $solver takes no friction discs; "* ]] && continue
        [ "$status" -eq 0 ] && solvers+=" $solver"
        disc_stream 0.1 | cd-lcp --solver $solver | of_type value | jq -se '[.[:4][].z] | (.[2] - 2 | fabs) < 1e-11 and (.[0] - 0.3 | fabs) < 1e-11 and (.[3] + 0.2 | fabs) < 1e-11' >/dev/null
        disc_stream 0.4 | cd-lcp --solver $solver | of_type value | jq -se '[.[:4][].z] | (.[0] | fabs) < 1e-11 and (.[3] + 0.5 | fabs) < 1e-11' >/dev/null
    done
    [ "$solvers" = " auto ipm pgs" ]
    [ "$(disc_stream 0.4 | cd-lcp | of_type solution | jq -r '"\(.solver) \(.status)"' | uniq)" = "pgs solved" ]
}

@test "cd-lcp refuses friction discs with other solvers, and malformed ones" {
    disc_stream 0.1 >in.jsonl
    run -6 --separate-stderr cd-lcp --solver lemke in.jsonl
    [[ "$stderr" == "cd-lcp: frame 0: row: 3: solver lemke takes no friction discs; ipm, pgs and auto do" ]]
    if grep -q '"end"' <<<"$output"; then false; fi
    for change in '"normal_row":3' '"normal_row":0' '"normal_row":9'; do
        sed "s/\"normal_row\":2/$change/" in.jsonl >bad.jsonl
        run -3 --separate-stderr cd-lcp bad.jsonl
        [[ "$stderr" == "cd-lcp: frame 0: row: 3: normal_row: "* ]]
    done
    sed 's/,"mu":0.1//' in.jsonl >bad.jsonl
    run -3 --separate-stderr cd-lcp bad.jsonl
    [[ "$stderr" == *"a friction disc needs mu >= 0" ]]
}

refused_row() { # refused_row REASON < stream
    cat >bad.jsonl
    run -3 --separate-stderr cd-lcp bad.jsonl
    [ "$stderr" = "cd-lcp: frame 0: row: $1" ]
}

@test "cd-lcp refuses discs between rows of the wrong role or contact" {
    disc_stream 0.1 >in.jsonl
    for role in velocity impulse slack slip; do
        sed "s/\"role\":\"friction\"/\"role\":\"$role\"/" in.jsonl | refused_row "3: normal_row: only rows of role friction, rolling or spinning have one"
        sed "s/\"role\":\"friction\"/\"role\":\"$role\"/; s/\"normal_row\":2,//" in.jsonl |
            refused_row "3: mu: only rows of role friction, rolling or spinning have one"
    done
    for role in friction slack slip; do
        sed "s/\"role\":\"impulse\"/\"role\":\"$role\"/" in.jsonl | refused_row "3: normal_row: row 2 is not of role impulse"
    done
    sed 's/"normal_row":2,//' in.jsonl | refused_row "3: mu: a disc needs the row of its normal impulse"
    contacts='{"type":"contact","id":0,"a":[7,0],"b":[7,0],"kind":"distance","point":[0,0],"normal":[0,1],"gap":0}'
    sed -e "/\"type\":\"body\"/a $contacts\n${contacts/\"id\":0/\"id\":1}" -e 's/"role":"impulse"/&,"contact":0/' in.jsonl >named.jsonl
    refused_row "3: normal_row: row 2 is of another contact" <named.jsonl
    sed 's/"role":"friction"/&,"contact":1/' named.jsonl | refused_row "3: normal_row: row 2 is of another contact"
    sed 's/"role":"friction"/&,"contact":0/' named.jsonl | cd-lcp | of_type solution | holds '.status == "solved"' >/dev/null
}

@test "cd-lcp --warm starts the second frame from the first" {
    { point_stream | sed '/^{"type":"frame","index":1/,$s/"rhs":-2/"rhs":-3/'; } >in.jsonl # the same problem again would have the same start
    cd-lcp --warm in.jsonl >warm.jsonl
    [ "$(of_type solution <warm.jsonl | jq -r '"\(.solver) \(.iterations)"')" = $'qp 1\nqp 0' ]
    [ "$(cd-lcp --warm --solver ladder in.jsonl | of_type solution | jq -r .solver)" = $'lemke\nwarm' ]
    cd-lcp in.jsonl | of_type value >cold
    of_type value <warm.jsonl | cmp - cold
}

@test "cd-lcp solves Matrix Market problems" {
    array 2 2 2 1 1 2 >M.mtx
    array 2 1 -5 -6 >q.mtx
    run -0 --separate-stderr cd-lcp --mtx M.mtx --rhs q.mtx
    [ "$output" = $'%%MatrixMarket matrix array real general\n2 1\n1.3333333333333333\n2.3333333333333335' ]
    array 2 1 -inf 0 >l.mtx
    array 2 1 1 inf >u.mtx
    run -0 cd-lcp --mtx M.mtx --rhs q.mtx --lower l.mtx --upper u.mtx -o z.mtx
    [ "$(cat z.mtx)" = $'%%MatrixMarket matrix array real general\n2 1\n1\n2.5' ]
    run -0 cd-lcp --mtx - --rhs q.mtx <M.mtx
    printf '%%%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n' >S.mtx
    [ "$(cd-lcp --mtx S.mtx --rhs q.mtx)" = "$(cd-lcp --mtx M.mtx --rhs q.mtx)" ]
}

@test "cd-lcp exits 5 when a Matrix Market problem is unsolved" {
    array 2 2 -1 0 0 -1 >M.mtx
    array 2 1 -1 -1 >q.mtx
    run -5 --separate-stderr cd-lcp --mtx M.mtx --rhs q.mtx
    [ -z "$output" ]
    [[ "$stderr" == "cd-lcp: M.mtx: infeasible: "* ]]
}

@test "cd-lcp refuses bad Matrix Market files and command lines" {
    array 2 2 2 1 1 2 >M.mtx
    array 3 1 1 2 3 >q.mtx
    run -3 --separate-stderr cd-lcp --mtx M.mtx --rhs q.mtx
    [ "$stderr" = "cd-lcp: q.mtx:2: 3 numbers, the matrix has 2 rows" ]
    array 2 1 1 x >q.mtx
    run -3 --separate-stderr cd-lcp --mtx M.mtx --rhs q.mtx
    [ "$stderr" = "cd-lcp: q.mtx:4: not a number: x" ]
    run -4 cd-lcp --mtx none.mtx --rhs q.mtx
    run -2 cd-lcp --mtx M.mtx
    run -2 cd-lcp --rhs q.mtx
    run -2 cd-lcp --mtx M.mtx --rhs q.mtx --warm
    run -2 cd-lcp --mtx M.mtx --rhs q.mtx in.jsonl
    array 2 3 1 2 3 4 5 6 >W.mtx
    run -3 --separate-stderr cd-lcp --mtx W.mtx --rhs q.mtx
    [ "$stderr" = "cd-lcp: W.mtx:2: the matrix is 2 x 3, not square" ]
}

@test "cd-lcp keeps dense matrices below --max-dense" {
    array 20 20 $(for i in {0..19}; do for j in {0..19}; do echo $((i == j ? 3 : j == (i + 1) % 20 ? 1 : 0)); done; done) >M.mtx
    array 20 1 $(for i in {1..20}; do echo $((-i)); done) >q.mtx
    run -0 cd-lcp --mtx M.mtx --rhs q.mtx
    run -5 --separate-stderr cd-lcp --mtx M.mtx --rhs q.mtx --max-dense 10000
    [[ "$stderr" == "cd-lcp: M.mtx: limit: a dense matrix would need more memory than --max-dense"* ]]
    run -2 cd-lcp --mtx M.mtx --rhs q.mtx --max-dense 0
}

# A mass of 2 falls on a wall with mu 0.5 and slides: impulses 2, -0.6, -0.8, the normal first.
sliding_point() {
    array 3 3 2 0 0 0 2 0 0 0 2 >M.mtx
    array 3 3 1 0 0 0 1 0 0 0 1 >J.mtx
    array 3 1 -2 6 8 >f.mtx
    array 3 1 0 0 0 >w.mtx
    array 1 1 0.5 >mu.mtx
    array 3 3 0.5 0 0 0 0.5 0 0 0 0.5 >W.mtx
    array 3 1 -1 3 4 >q.mtx
}
numbers() { sed 1,2d | jq -sc 'map((. * 1e8 | round) / 1e8 + 0)'; }

@test "cd-lcp solves contacts with friction from Matrix Market parts" {
    sliding_point
    global="--mass M.mtx --jacobian J.mtx --rhs w.mtx --mu mu.mtx"
    [ "$(cd-lcp $global --force f.mtx | numbers)" = "[2,-0.6,-0.8]" ]
    [ "$(cd-lcp $global --force f.mtx --print u | numbers)" = "[0,2.7,3.6]" ]
    [ "$(cd-lcp $global --force f.mtx --print v | numbers)" = "[0,2.7,3.6]" ]
    [ "$(cd-lcp --mtx W.mtx --rhs q.mtx --mu mu.mtx | numbers)" = "[2,-0.6,-0.8]" ]
    # Without a force the velocities before stand in rhs; v is what the impulses change.
    global="--mass M.mtx --jacobian J.mtx --rhs q.mtx --mu mu.mtx"
    [ "$(cd-lcp $global | numbers)" = "[2,-0.6,-0.8]" ]
    [ "$(cd-lcp $global --print v | numbers)" = "[1,-0.3,-0.4]" ]
    for solver in ipm pgs; do [ "$(cd-lcp -s $solver $global | numbers)" = "[2,-0.6,-0.8]" ]; done
}

@test "cd-lcp names file and line of what is wrong with the parts of a problem with friction" {
    sliding_point
    refused_part() { # refused_part SENTENCE OPTIONS...
        run -3 --separate-stderr cd-lcp "${@:2}" --rhs w.mtx
        [ "$stderr" = "cd-lcp: $1" ]
    }
    global="--mass M.mtx --jacobian J.mtx"
    printf '%%%%MatrixMarket matrix coordinate real general\n%% of one contact\n1 1 1\n\n1 1 -0.5\n' >minus.mtx
    # shellcheck disable=SC2086
    {
        refused_part "minus.mtx:5: mu: that of contact 1 is -0.5: negative" $global --mu minus.mtx
        refused_part "minus.mtx:5: mu: that of contact 1 is -0.5: negative" --mtx W.mtx --mu minus.mtx
        refused_part "stdin:5: mu: that of contact 1 is -0.5: negative" --mtx W.mtx --mu - <minus.mtx
        array 3 1 0.5 0.5 0.5 >three.mtx
        refused_part "three.mtx:2: 1 rows a contact, not 2 or 3" $global --mu three.mtx
        array 2 2 0.5 0.5 0.5 0.5 >square.mtx
        refused_part "square.mtx:2: 2 x 2 is no vector" $global --mu square.mtx
        array 2 3 1 2 3 4 5 6 >wide.mtx
        refused_part "wide.mtx:2: the matrix is 2 x 3, not square" --mass wide.mtx --jacobian J.mtx --mu mu.mtx
        array 2 2 1 0 0 1 >small.mtx
        refused_part "J.mtx:2: the Jacobian is 3 x 3, 1 contacts and 2 velocities need 3 x 2" --mass small.mtx --jacobian J.mtx --mu mu.mtx
        array 3 3 2 0 0 0 -1 0 0 0 2 >saddle.mtx
        refused_part "saddle.mtx:7: mass: entry (2, 2) is -1: not positive" --mass saddle.mtx --jacobian J.mtx --mu mu.mtx
        array 3 3 2 0 0 0 0 0 0 0 2 >hole.mtx
        refused_part "hole.mtx:2: mass: entry (2, 2) is 0: not positive" --mass hole.mtx --jacobian J.mtx --mu mu.mtx
        array 3 3 2 0 0 0 2 0 1 0 2 >skew.mtx
        refused_part "skew.mtx:9: mass: entries (1, 3) and (3, 1) differ: not symmetric" --mass skew.mtx --jacobian J.mtx --mu mu.mtx
    }
}

@test "cd-lcp takes no overflow for an answer" {
    # W too small for doubles, J whose square is too large: what closes with -1 needs an impulse, and 0 is none.
    sliding_point
    for tiny in 1e-320 1e-310; do
        array 3 3 $tiny 0 0 0 $tiny 0 0 0 $tiny >W.mtx
        run -5 --separate-stderr cd-lcp --mtx W.mtx --rhs q.mtx --mu mu.mtx
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [ -z "$output" ]
    done
    array 3 3 1e200 0 0 0 1e200 0 0 0 1e200 >J.mtx
    run -5 cd-lcp --mass M.mtx --jacobian J.mtx --rhs q.mtx --mu mu.mtx
    # a problem without unknowns in reach is no crash either
    run -5 cd-lcp -s ipm --mtx W.mtx --rhs q.mtx --mu mu.mtx
}

@test "cd-lcp tells a mass that is not positive definite" {
    sliding_point
    array 3 3 1 2 0 2 1 0 0 0 1 >M.mtx
    array 3 3 1 0 0 0 1 0 0 0 1 >J.mtx
    array 3 1 -1 0.3 0 >q.mtx
    run -5 --separate-stderr cd-lcp --mass M.mtx --jacobian J.mtx --rhs q.mtx --mu mu.mtx
    [[ "$stderr" == "cd-lcp: M.mtx: "*": the mass is not positive definite"* ]]
}

@test "cd-lcp tells a problem's answer as JSON" {
    sliding_point
    run -0 --separate-stderr cd-lcp -j --mtx W.mtx --rhs q.mtx --mu mu.mtx
    [ -z "$stderr" ]
    [ "$(jq -c '[.status, .contacts, .dimension, .velocities, .islands, (.residual <= 1e-10), (.seconds >= 0), (.iterations > 0), (.u[0] | fabs < 1e-9)]' <<<"$output")" = '["solved",1,3,0,1,true,true,true,true]' ]
    # Two walls that close: an impulse of one pushes into the other. The line is there, and the exit code.
    array 4 4 1 0 -1 0 0 1 0 0 -1 0 1 0 0 0 0 1 >W.mtx
    array 4 1 -1 0 -1 0 >q.mtx
    array 2 1 0.5 0.5 >mu.mtx
    run -5 --separate-stderr cd-lcp -j --mtx W.mtx --rhs q.mtx --mu mu.mtx
    [ "$(jq -r .status <<<"$output")" = infeasible ]
    [[ "$stderr" == "cd-lcp: W.mtx: infeasible: rows contradict each other"* ]]
    run -5 --separate-stderr cd-lcp --mtx W.mtx --rhs q.mtx --mu mu.mtx
    [ -z "$output" ]
    array 2 2 2 1 1 2 >M.mtx
    array 2 1 -5 -6 >q.mtx
    [ "$(cd-lcp -j --mtx M.mtx --rhs q.mtx | jq -c '[.status, (.z | map(. * 3 | round)), (.w | map(fabs < 1e-9))]')" = '["solved",[4,7],[true,true]]' ]
}

@test "cd-lcp solves the problems of other programs, each verified" {
    count=0
    for file in "$BATS_TEST_DIRNAME"/../cases/lcp/friction/*.dat; do
        cd-lcp -j --problem "$file" >out.json
        [ "$(jq '.status == "solved" and .residual <= 1e-10 and (.r | length) == .contacts * .dimension' out.json)" = true ]
        [ "$(cd-lcp --problem - <"$file" | numbers)" = "$(jq -c '.r | map((. * 1e8 | round) / 1e8 + 0)' out.json)" ]
        count=$((count + 1))
    done
    [ $count -ge 9 ]
}

@test "cd-lcp reads FCLIB's HDF5 where libhdf5 is there" {
    cases=$BATS_TEST_DIRNAME/../cases/lcp/friction
    run cd-lcp --problem "$cases/local-stick-slide-open.hdf5"
    [[ "$output" != *"libhdf5 is not installed"* ]] || { [ $status -eq 6 ] && skip "libhdf5 is not installed"; }
    [ "$(cd-lcp --problem "$cases/local-stick-slide-open.hdf5" | numbers)" = "[2,-0.2,4,-2,0,0]" ]
    [ "$(cd-lcp --problem "$cases/global-two-masses.hdf5" | numbers)" = "[6,-1.2,-1.6,4,-0.6,-0.8]" ]
    [ "$(cd-lcp --problem "$cases/global-two-masses.hdf5" --print v | numbers)" = "[0,0,0,2.85,3.8,0]" ]
    run -2 cd-lcp --problem - <"$cases/global-two-masses.hdf5"
    head -c 3000 "$cases/global-two-masses.hdf5" >cut.hdf5
    run -3 --separate-stderr cd-lcp --problem cut.hdf5
    [[ "$stderr" == "cd-lcp: cut.hdf5: "* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run -3 --separate-stderr cd-lcp --problem "$cases/local-too-many-mu.hdf5"
    [[ "$stderr" == *": fclib_local/vectors/mu: 4 numbers, not 3" ]]
    run -6 --separate-stderr cd-lcp --problem "$cases/local-rolling.hdf5"
    [[ "$stderr" == *": rolling friction is not supported" ]]
}

@test "cd-lcp refuses parts that do not fit, and files that go together with others only" {
    sliding_point
    global="--mass M.mtx --jacobian J.mtx --rhs w.mtx"
    run -2 --separate-stderr cd-lcp $global
    [ "$stderr" = "cd-lcp: --mass, --jacobian, --rhs and --mu go together" ]
    run -2 cd-lcp $global --mu mu.mtx --mtx W.mtx
    run -2 cd-lcp --mu mu.mtx
    run -2 cd-lcp --mtx W.mtx --rhs q.mtx --mu mu.mtx --lower q.mtx
    run -2 cd-lcp --mtx W.mtx --rhs q.mtx --mu mu.mtx --print v
    run -2 cd-lcp --mtx W.mtx --rhs q.mtx --print u
    run -2 cd-lcp --problem a.dat --mtx W.mtx
    run -2 cd-lcp --problem a.dat in.jsonl
    run -4 cd-lcp --problem none.dat
    run -6 --separate-stderr cd-lcp $global --mu mu.mtx --solver lemke
    [ "$stderr" = "cd-lcp: M.mtx: solver lemke takes no friction; ipm, pgs and auto do" ]
    array 2 1 0.5 0.5 >two.mtx
    run -3 --separate-stderr cd-lcp $global --mu two.mtx
    [ "$stderr" = "cd-lcp: two.mtx:2: 2 coefficients, 3 rows are not 2 or 3 for each" ]
    array 1 3 1 0 0 >J.mtx
    array 1 1 0 >w.mtx
    run -3 --separate-stderr cd-lcp $global --mu mu.mtx
    [ "$stderr" = "cd-lcp: mu.mtx:2: 1 rows a contact, not 2 or 3" ]
}

@test "cd-lcp --warm: polish rounds start from nothing, first rounds from those of the step before" {
    cat >heap.yaml <<'YAML'
dim: 2
step: 0.01
bodies: [{shape: {box: [1, 0.1]}, position: [0, -0.1], motion: fixed, mu: 0.4}]
generate: [{generator: grid, count: [3, 2], spacing: [0.26, 0.26], origin: [-0.26, 0.2], points: 8, body: {density: 100, mu: 0.4, velocity: [0, -3]}}]
YAML
    cd-loop -q --keep-trials --frames 16 heap.yaml | cd-view -q -j --type row,entry,contact >rounds.jsonl
    for how in '' --warm; do
        cd-lcp -q $how rounds.jsonl | jq -c 'select(.type == "frame" or .type == "solution") | [.type, .target, .iterations]' | paste -sd' \n' >"tried$how"
    done
    # what differs are rounds of target free, and not the first of them
    [ "$(grep -c trial tried)" -gt 5 ]
    diff <(grep trial tried) <(grep trial tried--warm)
    [ "$(head -n 1 tried)" = "$(head -n 1 tried--warm)" ]
    says_no diff tried tried--warm
}

@test "cd-lcp tells progress of a problem that takes long, and answers the same" {
    # Lemke on 2600 rows: some seconds.
    n=2600
    { printf '%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n' $n $n $((2 * n - 1))
      awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) { print i, i, 2 + i % 3; if (i < n) print i, i + 1, 1 + i % 2 } }'; } >M.mtx
    { printf '%%%%MatrixMarket matrix array real general\n%d 1\n' $n; awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print (i * 7 % 11) - 8 }'; } >q.mtx
    cd-lcp --solver lemke --mtx M.mtx --rhs q.mtx --progress >z.mtx 2>progress
    cd-lcp --solver lemke --mtx M.mtx --rhs q.mtx | cmp - z.mtx
    grep -q 'of 1 islands and 0 of 2600 rows solved' progress
}

@test "cd-lcp --warm: friction of either sign is a start, and at rest the answer" {
    cat >held.yaml <<'YAML'
dim: 3
gravity: [1.3, -2.1, -9]
step: 0.01
bodies:
  - {shape: {box: [1, 1, 0.1]}, position: [0, 0, -0.1], motion: fixed, mu: 0.8}
  - {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0.100000001], mass: 1, mu: 0.8}
  - {shape: {box: [0.1, 0.1, 0.1]}, position: [0.02, 0.01, 0.300000002], mass: 1, mu: 0.8, load: [{time: 0, force: [0, 0, 0]}, {time: 1, force: [1e-8, 0, 0]}]} # no problem comes again
YAML
    for how in '' --warm; do
        cd-loop -q --frames 6 held.yaml -- "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp --solver pgs $how | cd-step" >held.jsonl
        of_type solution <held.jsonl | jq .iterations | tail -n 2 | jq -s add >"sweeps$how"
        jq -se 'map(select(.type == "body" and .id > 1).velocity[0] | fabs) | max < 1e-8' held.jsonl
    done
    [ "$(cat sweeps)" -gt $((4 * $(cat sweeps--warm) + 4)) ]
}

@test "cd-lcp: what comes again has the bytes of solving it, whatever else moves, for any number of threads" {
    # two piles of two and three that come to rest, a box that slides, one that is thrown and tumbles; --repeat keeps nothing
    cat >mixed.yaml <<'YAML'
dim: 3
gravity: [0, 0, -9.8]
step: 0.01
epsilon: 1e-4
length: 0.2
defaults: {mu: 0.5}
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}
  - {shape: {box: [0.2, 0.1, 0.1]}, density: 1, position: [0, 0, 0.1001]}
  - {shape: {box: [0.2, 0.1, 0.1]}, density: 1, position: [0.02, 0.01, 0.3002], rotation: {axis: [0, 0, 1], angle: 1}}
  - {shape: {box: [0.1, 0.1, 0.1]}, density: 1000, position: [2, 0, 0.1001]}
  - {shape: {box: [0.1, 0.1, 0.1]}, density: 1, position: [2.02, 0.01, 0.3002]}
  - {shape: {box: [0.1, 0.1, 0.1]}, density: 1, position: [2.02, 0.01, 0.5003], rotation: {axis: [0, 0, 1], angle: 1}}
  - {shape: {box: [0.1, 0.1, 0.1]}, density: 1, position: [-1.5, 0, 0.1001], velocity: [2, 0, 0]}
  - {shape: {box: [0.1, 0.2, 0.1]}, density: 100, position: [-4, 0, 0.6], velocity: [3, 0.2, 0], spin: [3, 2, 1]}
YAML
    for how in '' --warm; do
        for keeps in 1 2; do
            cd-loop -b --no-prog --frames 80 --keep-trials mixed.yaml -- \
                "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp $how --repeat $keeps | cd-step" >run.cdb
            cd-view -j --no-prog run.cdb >"kept-$keeps.jsonl"
        done
        cmp kept-1.jsonl kept-2.jsonl
        for threads in 1 2 3; do cd-lcp $how -t "$threads" -j --no-prog run.cdb >"threads-$threads.jsonl"; done
        cd-lcp $how --repeat 2 -j --no-prog run.cdb >solved.jsonl
        for threads in 1 2 3; do cmp "threads-$threads.jsonl" solved.jsonl; done
    done
    # bodies of both piles rest at the end and others move: islands came again
    [ "$(jq -s 'map(select(.type == "body" and .id > 1)) | .[-7:] | map(.velocity | map(fabs) | max) | [(map(select(. == 0)) | length >= 5), (max > 0.01)] | all' kept-1.jsonl)" = true ]
}

@test "cd-lcp --warm: what rests has the same bytes in blocks, in JSON-lines and solved each time, and a loop leaves its steps out" {
    cat >rest.yaml <<'YAML'
dim: 3
gravity: [0, 0, -9.8]
step: 0.01
defaults: {mu: 0.5, density: 1000}
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}
YAML
    for i in 0 1 2 3 4 5 6 7; do echo "  - {shape: {box: [0.1, 0.1, 0.1]}, position: [0.0$((i % 3)), 0.0$((i % 2)), $((2 * i + 1))e-1]}"; done >>rest.yaml
    cd-loop -b --frames 30 rest.yaml -- "cd-broad | cd-narrow | cd-peg-assemble | cd-lcp --warm --stats 2>stats | cd-step" >run.cdb
    jq -se '.[0].frames < 15' stats # those that the stage was asked for
    cd-loop -b --frames 30 rest.yaml -- "cd-broad | cd-narrow | cd-peg-assemble | tee in.cdb | cd-lcp | cd-step" >run.cdb # beside tee all are asked for
    cd-lcp --warm --stats in.cdb 2>stats | cd-view -j >blocks.jsonl
    jq -se '.[0] | .frames > 20 and .again > 10' stats
    cd-lcp --warm --repeat 2 in.cdb | cd-view -j >repeated.jsonl
    cd-view -j in.cdb | cd-lcp --warm >lines.jsonl
    for how in blocks repeated lines; do grep -E '^\{"type":"(solution|value)"' $how.jsonl >$how; done
    cmp blocks repeated
    cmp blocks lines
}

# Changes of the multipliers come down by parts of 0.5 to 0.9 there, from 1.6e-9 on: to give up after four ended in `limit`.
@test "cd-lcp solves each step of an arch as its joints close" {
    cat >arch.yaml <<'YAML'
dim: 3
gravity: [0, 0, -9.81]
step: 0.01
generate:
  - {generator: arch, count: 301, span: 48.160000000000004, rise: 24.080000000000002, thickness: 3.0100000000000002, width: 0.5, overlap: -1e-6, elements: [1, 1, 1], alternate: [1, 1, 1], body: {density: 2400, mu: 0.5}}
defaults: {mu: 0.5}
YAML
    cd-loop -q -j --keep-trials --until 0.03 arch.yaml -- 'cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-step' >arch.jsonl
    [ "$(of_type solution <arch.jsonl | jq -r .status | sort | uniq -c | xargs)" = "3 solved" ]
}

@test "cd-lcp solves heaps whose blocks slip a little before they touch, small and large" {
    for blocks in 60 200; do
        python3 "$BATS_TEST_DIRNAME/../../pipelines/bench-lcp/rubble.py" $blocks --gap 1e-6 | cd-scene -q | cd-broad -q | cd-narrow -q |
            cd-peg-assemble -q --friction disc | cd-lcp -q | of_type solution >answer
        jq -e '.status == "solved" and .residual <= 1e-10' answer >/dev/null
    done
}

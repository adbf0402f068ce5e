#!/usr/bin/env bats
load helper

metric() { jq -r "select(.type==\"metric\" and .tool==\"cd-penalty\" and .name==\"$1\").value"; }
forces() { jq -c 'select(.type=="force") | [.contact, .vector]' | paste -sd' '; }

# Contacts by hand: balls 1 and 2 of 1 and 3 kg and radius 0.5, along x, and the half-plane 3 below. contact ID A B KIND GAP [MORE]
contact() {
    printf '{"type":"contact","id":%s,"a":[%s,0],"b":[%s,0],"kind":"%s","point":[0,0],"normal":[1,0],"gap":%s%s}\n' "$1" "$2" "$3" "$4" "$5" "${6:-}"
}
hand() { # hand [BODY-1-MEMBERS] [STEP] < contacts
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2}
{"type":"shape","id":1,"kind":"sphere","radius":0.5}
{"type":"shape","id":2,"kind":"halfspace","normal":[0,1],"offset":-0.5}
{"type":"material","id":1,"bulk":1000,"density":1}
{"type":"material","id":2,"bulk":600,"density":1}
{"type":"material","id":3,"density":1}
{"type":"frame","index":1,"time":1,"step":${2:-0.001}}
{"type":"body","id":1,"shape":1,"position":[-0.4,0],"mass":1,"inertia":0.125,"velocity":[2,1],"material":1${1:-}}
{"type":"body","id":2,"shape":1,"position":[0.4,0],"mass":3,"inertia":0.375,"material":2,"mu":0.25}
{"type":"body","id":3,"shape":2,"position":[0,0],"motion":"fixed","material":3}
JSONL
    cat
    printf '%s\n' '{"type":"fend"}' '{"type":"end"}'
}

@test "cd-penalty does what every filter does" { common_filter_tests cd-penalty -k 100; }

@test "cd-penalty: springs push, dampers never pull, what is apart is left alone" {
    { contact 0 1 2 depth -0.1; contact 1 1 2 analytic -0.02; contact 2 1 2 depth 0.1; contact 3 1 2 distance 0.1; contact 4 1 2 depth -1 ',"status":"deleted"'; } | hand >in.jsonl
    [ "$(cd-penalty -k 100 in.jsonl | forces)" = '[0,[10,0]] [1,[2,0]]' ]
    [ "$(cd-penalty -k 100 in.jsonl | metric contacts)" = 2 ]
    [ "$(cd-penalty -k 100 in.jsonl | metric penetration)" = 0.1 ]
    [ "$(cd-penalty -k 100 in.jsonl | metric contact-energy)" = 0.52 ]
    [ "$(cd-penalty -k 100 in.jsonl | metric dissipation)" = 0 ]
    [ "$(cd-penalty -k 100 -c 5 in.jsonl | forces)" = '[0,[20,0]] [1,[12,0]]' ] # closing at 2 m/s
    [ "$(cd-penalty -k 100 -c 5 in.jsonl | metric dissipation)" = 40 ]
    sed 's/"velocity":\[2,1\]/"velocity":[-1,0]/' in.jsonl >apart.jsonl # opening at 1 m/s
    [ "$(cd-penalty -k 100 -c 5 apart.jsonl | forces)" = '[0,[5,0]]' ]
    [ -z "$(cd-penalty -k 100 --rate-gate apart.jsonl | forces)" ]
    [ "$(cd-penalty -k 100 --rate-gate in.jsonl | forces)" = '[0,[10,0]] [1,[2,0]]' ]
}

@test "cd-penalty --damping-ratio: of critical damping of the mass that is moved" {
    contact 0 1 2 depth -0.1 | hand >in.jsonl # m = 3/4, p = 300: 2 z sqrt(225) = 6
    [ "$(cd-penalty -k 300 --damping-ratio 0.2 in.jsonl | forces)" = '[0,[42,0]]' ]
}

@test "cd-penalty --friction viscous: a drag up to Coulomb's limit" {
    contact 0 1 2 depth -0.1 | hand ',"mu":0.04,"spin":-2' | sed 's/"index":1,"time":1/"index":0,"time":0/' >in.jsonl # mu 0.1; the slip of b is -1 - (-2) 0.4 = -0.2
    cd-penalty -k 300 --friction viscous in.jsonl | jq -c 'select(.type=="force").vector' | holds '.[0] == 30 and (.[1] - 3 | fabs) < 1e-12'
    cd-penalty -k 300 --friction viscous --tangential-damping 5 in.jsonl | jq -c 'select(.type=="force").vector' | holds '.[0] == 30 and (.[1] - 1 | fabs) < 1e-12'
    cd-penalty -k 300 --friction viscous --tangential-damping 5 in.jsonl | metric dissipation | holds '. - 0.2 | fabs < 1e-12'
    sed 's/"mu":0.25/"mu":0/' in.jsonl >smooth.jsonl
    [ "$(cd-penalty -k 300 --friction viscous smooth.jsonl | forces)" = '[0,[30,0]]' ]
}

@test "cd-penalty: a body that is led feels its contacts, fixed ones do not" {
    contact 0 1 3 depth -0.1 | hand ',"motion":"prescribed","mu":1' | sed 's/"id":3,/&"mu":0.25,/' >in.jsonl # velocity (2, 1) against the normal (1, 0)
    [ "$(cd-penalty -k 300 --damping-ratio 1 --friction viscous in.jsonl | forces)" = '[0,[30,15]]' ]
    cd-penalty -k 300 --damping-ratio 1 --tangential-stiffness 2e3 in.jsonl | jq -c 'select(.type=="force").vector' | holds '.[0] == 30 and (.[1] - 2 | fabs) < 1e-12' # 1 ms at 1 m/s
    [ -z "$(cd-penalty -k 300 in.jsonl | metric stable-step)" ]
    [ -z "$(sed 's/prescribed/fixed/' in.jsonl | cd-penalty -k 300 | forces)" ]
}

@test "cd-penalty: friction has springs, which go from frame to frame in the stream" {
    contact 0 1 2 depth -0.1 | hand ',"mu":0.04,"spin":-2' >in.jsonl # mu 0.1: 3 N; a came by 1 mm, so its arm was 0.4005: the slip of b is -1 - (-2) 0.4005 = -0.199, for 1 ms
    spring() { jq -c 'select(.type=="force") | [.vector[1], .spring[1]]'; }
    cd-penalty -k 300 --tangential-ratio 0.5 in.jsonl | spring | holds '(.[0] - 0.02985 | fabs) < 1e-15 and (.[1] + 1.99e-4 | fabs) < 1e-18'
    cd-penalty -k 300 --tangential-stiffness 150 in.jsonl | spring | holds '(.[0] - 0.02985 | fabs) < 1e-15'
    cd-penalty -k 300 in.jsonl | spring | holds '(.[0] - 300 * 2 / 7 * 1.99e-4 | fabs) < 1e-15'
    # from where it was; at the limit what is kept is what gives the limit
    had() { sed "/\"id\":3,\"shape\"/a {\"type\":\"spring\",\"a\":[1,0],\"b\":[2,0],\"point\":[0,0],\"normal\":[1,0],\"vector\":[0,$1]$2}" in.jsonl; }
    had -0.01 | cd-penalty -k 300 --tangential-stiffness 150 | spring | holds '(.[0] - 1.52985 | fabs) < 1e-14 and (.[1] + 0.010199 | fabs) < 1e-15'
    had -0.01 ',"step":0.002' | cd-penalty -k 300 --tangential-stiffness 150 | spring | holds '(.[1] + 0.010396 | fabs) < 1e-15'
    had 5 | cd-penalty -k 300 --tangential-stiffness 150 --tangential-damping 2 | spring | holds '(.[0] + 3 | fabs) < 1e-14 and (150 * .[1] + 2 * -0.199 - 3 | fabs) < 1e-13'
    # of frame 0 nothing was before; one that began within the step slid for as long as it is deep
    sed 's/"index":1,"time":1/"index":0,"time":0/' in.jsonl | cd-penalty -k 300 | spring | found -x '\[0,0\]'
    sed 's/"gap":-0.1/"gap":-0.001/' in.jsonl | cd-penalty -k 300 --tangential-stiffness 150 | spring | holds '(.[1] + 9.95e-5 | fabs) < 1e-18' # 2 m/s
    # energy: p g^2 / 2 and k_t s^2 / 2; without friction there is no spring
    had -0.01 | cd-penalty -k 300 --tangential-stiffness 150 | metric contact-energy | holds '(. - 1.5 - 75 * 0.010199 * 0.010199 | fabs) < 1e-15'
    had -0.01 | sed 's/"mu":0.25/"mu":0/' | cd-penalty -k 300 | jq -c 'select(.type=="force")' | found -x '{"type":"force","contact":0,"vector":\[30,0\]}'
    run -2 --separate-stderr cd-penalty -k 1 --tangential-stiffness 1 --tangential-ratio 1 in.jsonl
    run -2 --separate-stderr cd-penalty -k 1 --friction viscous --tangential-ratio 1 in.jsonl
    [ "$stderr" = "cd-penalty: --friction viscous: it has no tangential stiffness" ]
}

@test "cd-penalty: the stable step sees springs across the normal" {
    contact 0 1 3 depth -0.1 | hand ',"mu":1' | sed 's/"id":3,/&"mu":1,/' >in.jsonl # body 1, at 0.4 from its centre: 1 + 0.16 / 0.125 across
    cd-penalty -k 300 --tangential-stiffness 200 in.jsonl | metric stable-step | holds '. / (2 / (200 * 2.28 | sqrt)) | . > 0.999 and . < 1 + 1e-14'
    cd-penalty -k 300 --tangential-stiffness 100 in.jsonl | metric stable-step | holds '. / (2 / (300 | sqrt)) | . > 0.999 and . < 1 + 1e-14'
    cd-penalty -k 300 --friction viscous --tangential-damping 0 in.jsonl | metric stable-step | holds '. / (2 / (300 | sqrt)) - 1 | fabs < 1e-14'
}

springs() { python3 "$TESTS/bats/programs/springs.py" "$1"; }
@test "cd-penalty: a block on a slope stands, to 1e-12 m in 10 s, or slides with g (sin - mu cos), on triangles too" { springs incline; }
@test "cd-penalty: a ball rolls down a slope with 5/7 g sin, on triangles too" { springs rolling; }
@test "cd-penalty: in the plane a disc rolls down a slope with 2/3 g sin" { springs disc; }
@test "cd-penalty: a ball that is put down spinning rolls off with 2/7 r omega" { springs spun; }
@test "cd-penalty: a turntable carries a block round, without creep, and a ball with 2/7 of its rate" { springs turntable; }
@test "cd-penalty: floors that shake and tilt carry a block below mu g and atan mu" {
    springs shaken
    springs tilted
}
@test "cd-penalty: a conveyor takes a block along, left behind by v^2 / (2 mu g)" { springs conveyor; }
@test "cd-penalty: rolling and spinning resist: a ball slows down by 5/7 g r / R, stands, and stands on a slope; a top stops" { springs resisted; }
@test "cd-penalty: without damping of its own the interaction's restitution throws balls back" { springs bounces; }
@test "cd-penalty: oblique impacts, held and sliding, are those of linear springs" { springs oblique; }
@test "cd-penalty: springs of friction neither make nor take energy" { springs energy; }
@test "cd-penalty: springs keep both momenta, and do not see how the pair is turned, numbered and scaled" { springs pairs; }

@test "cd-penalty: a run with springs goes on from its file, from its last frame, and by --advance, to the byte" {
    cat >balls.yaml <<'YAML'
dim: 3
gravity: [1, 0, -9.81]
step: 1e-3
defaults: {mu: 0.5}
bodies:
  - {shape: {halfspace: {normal: [0, 0, 1]}}, motion: fixed}
  - {shape: {sphere: 0.1}, position: [0, 0, 0.0999], density: 1000, spin: [0, 9, 0]}
  - {shape: {sphere: 0.1}, position: [0.15, 0.02, 0.25], density: 1000}
YAML
    stages='cd-broad | cd-narrow --contacts depth | cd-penalty -k 1e5 --damping-ratio 0.2 | cd-step -i central'
    cd-scene -q balls.yaml >scene.jsonl
    cd-loop -q --until 0.2 scene.jsonl -- "$stages" >whole.jsonl
    [ "$(jq -c 'select(.type=="spring")' whole.jsonl | wc -l)" -gt 200 ]
    for keep in '' '--keep metric --every 10'; do
        # shellcheck disable=SC2086
        cd-loop -q $keep --until 0.07 -o run.cdb scene.jsonl -- "$stages"
        # shellcheck disable=SC2086
        cd-loop -q $keep --until 0.2 --resume run.cdb -- "$stages"
        cd-view -j --type frame,body,spring --frames last run.cdb | grep -v '"prog"' >last.jsonl
        cd-view -j --type frame,body,spring --frames last whole.jsonl | grep -v '"prog"' | cmp - last.jsonl
    done
    cd-view -q --frames 70 whole.jsonl >part.jsonl
    cd-loop -q --until 0.2 part.jsonl -- "$stages" | cd-view -j --type frame,body,spring --frames last | grep -v '"prog"' | cmp - last.jsonl
    # a frame that is sent again has the springs of its start
    cd-view -q --frames 199 whole.jsonl >chain.jsonl
    eval "cd-broad chain.jsonl | ${stages#cd-broad |} --advance" | jq -c 'select(.type=="spring" or .type=="body") | del(.release)' | cmp - <(jq -c 'select(.type=="spring" or .type=="body")' last.jsonl)
}

@test "cd-penalty: stiffness by bulk moduli, and who has none" {
    { contact 0 1 2 analytic -0.1; contact 1 1 3 analytic -0.1; } | hand >in.jsonl # (1000 + 600) 0.5 / 2, 1000 0.5
    [ "$(cd-penalty in.jsonl | forces)" = '[0,[40,0]] [1,[50,0]]' ]
    [ "$(cd-penalty --beta 0.1 in.jsonl | forces)" = '[0,[4,0]] [1,[5,0]]' ]
    sed 's/,"bulk":600//' in.jsonl >none.jsonl
    run -3 --separate-stderr cd-penalty none.jsonl
    [[ "$stderr" == "cd-penalty: frame 1: contact 0: body 2: no material with a bulk modulus: --stiffness is needed" ]]
    sed 's/"kind":"sphere","radius":0.5/"kind":"box","halfsizes":[0.5,0.5]/' in.jsonl >box.jsonl
    run -6 --separate-stderr cd-penalty box.jsonl
    [[ "$stderr" == *"contact 0: neither side is a ball, whose radius a stiffness by moduli needs: --stiffness is needed" ]]
    cd-penalty -k 1 box.jsonl | forces | found .
    run -2 --separate-stderr cd-penalty -k 1 --beta 1 in.jsonl
    run -2 --separate-stderr cd-penalty -c 1 --damping-ratio 1 in.jsonl
}

@test "cd-penalty: contacts without a signed distance are named" {
    for kind in separating vertex-edge; do
        { contact 0 1 2 depth 0.1; contact 7 1 2 $kind 0.1; } | hand >in.jsonl
        run -6 --separate-stderr cd-penalty -k 1 in.jsonl
        [[ "$stderr" == "cd-penalty: frame 1: contact 7: kind: $kind has no signed distance: cd-narrow --contacts depth finds it" ]]
    done
    contact 7 1 2 distance 0 | hand >in.jsonl
    run -6 --separate-stderr cd-penalty -k 1 in.jsonl
    [[ "$stderr" == *"contact 7: kind: distance has no depth where parts overlap"* ]]
}

@test "cd-penalty: the stable step is a metric, and a larger one is told once, or stops" {
    { contact 0 1 2 depth -0.1; contact 1 1 3 depth -0.1; } | hand >in.jsonl # body 1: 2 p + p over 1 kg
    cd-penalty -k 300 in.jsonl | metric stable-step | holds '. / (2 / (900 | sqrt)) - 1 | fabs < 1e-15'
    cd-penalty -k 300 -c 10 in.jsonl | metric stable-step | holds '. / (4 / ((30 * 30 + 4 * 900 | sqrt) + 30)) - 1 | fabs < 1e-14'
    [ -z "$(contact 0 1 2 depth 0.1 | hand | cd-penalty -k 300 | metric stable-step)" ]
    { contact 0 1 2 depth -0.1; contact 1 1 3 depth -0.1; } | hand "" 0.07 >in.jsonl
    { sed '/"end"/d' in.jsonl; sed -n '/"frame"/,$p' in.jsonl; } >twice.jsonl
    run -0 --separate-stderr cd-penalty -k 300 twice.jsonl
    [ "$stderr" = "cd-penalty: frame 1: a step of 0.07 s is above the stable step of 0.0666667 s, which body 1 has: motion under these forces may grow without bound" ]
    run -5 --separate-stderr cd-penalty -k 300 --unstable stop in.jsonl
}

@test "cd-penalty: two pinballs that meet reach v sqrt(m / p), and part as fast" {
    cat >two.yaml <<'YAML'
dim: 3
step: 5e-4
bodies:
  - {id: 1, shape: {sphere: 0.1}, position: [0, 0, 0], velocity: [1, 0, 0.5], mass: 1}
  - {id: 2, shape: {sphere: 0.15}, position: [0.26, 0, 0], velocity: [-1, 0, 0.5], mass: 3}
YAML
    cd-loop --until 0.2 two.yaml -- 'cd-broad | cd-narrow --contacts depth | cd-penalty -k 1000 | cd-step -i central' >run.jsonl
    metric penetration <run.jsonl | jq -s 'max' | holds '(. / (2 * (0.75 / 1000 | sqrt)) - 1) | fabs < 1e-3'
    metric contact-energy <run.jsonl | jq -s 'max' | holds '(. / (0.75 * 4 / 2) - 1) | fabs < 2e-3'
    jq -s -e 'map(select(.type=="body" and .id==1).velocity) | last | (.[0] + 2 | fabs) < 1e-2 and (.[2] - 0.5 | fabs) < 1e-14' run.jsonl
    # momentum m v to rounding, in every frame
    jq -s -e '[.[] | select(.type=="body")] | [_nwise(2) | .[0].velocity[0] + 3 * .[1].velocity[0] + 2 | fabs] | max < 1e-14' run.jsonl
}

@test "cd-penalty: a ball on a spring bounces from a floor as a half wave says" {
    cat >ball.yaml <<'YAML'
dim: 2
step: 1e-4
materials: {rubber: {density: 1000, bulk: 2e5}}
bodies:
  - {id: 1, shape: {halfspace: {normal: [0, 1]}}, motion: fixed}
  - {id: 2, shape: {circle: 0.05}, position: [0, 0.051], velocity: [0, -1], material: rubber}
YAML
    cd-loop --until 0.2 ball.yaml -- 'cd-broad | cd-narrow --contacts depth | cd-penalty | cd-step -i central' >run.jsonl
    # p = B R = 1e4, m = pi R^2 1000: depth v sqrt(m / p), contact for pi sqrt(m / p)
    metric penetration <run.jsonl | jq -s 'max' | holds '(. / ((3.14159265358979 * 2.5 / 1e4) | sqrt) - 1) | fabs < 1e-3'
    metric penetration <run.jsonl | jq -s 'map(select(. > 0)) | length' | holds '(. * 1e-4 / (3.14159265358979 * ((3.14159265358979 * 2.5 / 1e4) | sqrt)) - 1) | fabs < 5e-3'
    jq -s -e 'map(select(.type=="body" and .id==2).velocity[1]) | last | . - 1 | fabs < 2e-3' run.jsonl
    # a damped one leaves with exp(-pi z / sqrt(1 - z^2)) of its speed, but for the pull that is cut off
    cd-loop --until 0.2 ball.yaml -- 'cd-broad | cd-narrow --contacts depth | cd-penalty --damping-ratio 0.1 | cd-step -i central' >run.jsonl
    jq -s -e 'map(select(.type=="body" and .id==2).velocity[1]) | last | . > 0.729 and . < 0.76' run.jsonl
}

# Two triangles, each a body, whose pinballs overlap along x. mesh [ELEMENT-MEMBERS] [SYMMETRY]
mesh() {
    cat <<JSONL
{"type":"head","cds":[1,0],"dim":2,"symmetry":"${2:-plane}","model":"penalty"}
{"type":"material","id":1,"density":1000,"bulk":2000,"shear":0}
{"type":"element","id":1,"kind":"tri3","nodes":[1,2,3],"material":1,"body":1,"radius":0.3$1}
{"type":"element","id":2,"kind":"tri3","nodes":[4,5,6],"material":1,"body":2,"radius":0.5}
{"type":"frame","index":1,"time":1,"step":0.001}
{"type":"body","id":1}
{"type":"body","id":2}
{"type":"node","id":1,"position":[1,0],"mass":1,"velocity":[3,0]}
{"type":"node","id":2,"position":[1.75,0.25],"mass":1}
{"type":"node","id":3,"position":[1.75,0.5],"mass":2}
{"type":"node","id":4,"position":[2,0],"mass":4}
{"type":"node","id":5,"position":[2.75,0.25],"mass":4}
{"type":"node","id":6,"position":[1.6,0.5],"mass":4,"motion":"fixed"}
{"type":"pair","a":[1,0],"b":[2,0]}
{"type":"fend"}
{"type":"end"}
JSONL
}
on_nodes() { jq -c 'select(.type=="nodal_force") | [.node, (.vector | map(. * 1e9 | round / 1e9))]' | paste -sd' '; }

@test "cd-penalty: forces of pinballs go to the nodes of their elements" {
    mesh | cd-narrow >in.jsonl # centres (1.5, 0.25) and (2.11666, 0.25): the gap is 0.61666 - 0.8
    cd-narrow -j in.jsonl | of_type contact | jq '.kind == "pinball" and .normal == [1,0] and (.gap + 0.8 - 0.616666666666666 | fabs) < 1e-14' | found -x true
    g=0.183333333333333
    cd-penalty -k 300 in.jsonl >out.jsonl # 300 g = 55 N
    [ "$(on_nodes <out.jsonl)" = '[1,[-18.333333333,0]] [2,[-18.333333333,0]] [3,[-18.333333333,0]] [4,[18.333333333,0]] [5,[18.333333333,0]] [6,[18.333333333,0]]' ]
    # by moduli: (2000 0.3 + 2000 0.5) / 2
    cd-penalty in.jsonl | jq -c 'select(.type=="force").vector' | holds "(.[0] / (800 * $g) - 1 | fabs) < 1e-12"
    # node 1: 2 p w / m, node 4 less
    cd-penalty -k 300 in.jsonl | metric stable-step | holds '. / (2 / (200 | sqrt)) - 1 | fabs < 1e-14'
    # the speed of the centre is 1 m/s, and nodes 1, 2, 3 are (1 + 1 + 1/2) / 9 as easily moved, 4, 5 (1/4 + 1/4) / 9
    cd-penalty -k 300 -c 7 in.jsonl | jq -c 'select(.type=="force").vector' | holds "(.[0] / (300 * $g + 7) - 1 | fabs) < 1e-12"
    cd-penalty -k 300 --damping-ratio 0.5 in.jsonl | jq -c 'select(.type=="force").vector' | holds "(.[0] / (300 * $g + (300 * 3 | sqrt)) - 1 | fabs) < 1e-12"
    sed 's/{"type":"body","id":2}/{"type":"body","id":2,"motion":"fixed"}/' in.jsonl | cd-penalty -k 300 | metric stable-step | holds '. / (2 / (100 | sqrt)) - 1 | fabs < 1e-14'
}

@test "cd-penalty --axial: the stiffness of a ring, or of a radian of it" {
    mesh '' axial | cd-narrow >in.jsonl
    cd-penalty -k 300 in.jsonl | on_nodes | found -F '[1,[-18.333333333,0]]'
    cd-penalty -k 300 --axial total in.jsonl | on_nodes | found -F '[1,[-18.333333333,0]]'
    cd-penalty -k 300 --axial radian in.jsonl | on_nodes | found -F '[1,[-115.191730632,0]]' # 2 pi times
    mesh | cd-narrow | cd-penalty -k 300 --axial radian | on_nodes | found -F '[1,[-18.333333333,0]]'
}

@test "cd-penalty: children of a split pinball push by their own weights" {
    mesh ',"split":1' | cd-narrow >in.jsonl # children at 1/2 of corner k and 1/6 of the others, and at the middle; radius 0.15
    jq -c 'select(.type=="contact").features' in.jsonl | paste -sd' ' | found -x '\["p1","p0"\] \["p2","p0"\] \["p3","p0"\]'
    cd-penalty -k 300 in.jsonl | jq -sc '[.[] | select(.type=="nodal_force").vector] | map(.[0]) | add' | holds 'fabs < 1e-12'
    jq -c 'select(.type!="contact" or .features[0]=="p1")' in.jsonl >one.jsonl
    cd-penalty -k 300 one.jsonl | jq -sc 'map(select(.type=="nodal_force").vector[0]) | [.[1] / .[0], .[2] / .[0]]' | holds '(.[0] - 4 | fabs) < 1e-12 and (.[1] - 1 | fabs) < 1e-12'
    sed 's/"p1"/"p9"/' one.jsonl >bad.jsonl
    run -3 --separate-stderr cd-penalty -k 300 bad.jsonl
    [[ "$stderr" == *"contact 0: body 1 part 0: it has no such pinball, but 4" ]]
}

@test "cd-penalty: damping by restitution, torques by rolling and spinning, told of no more than asked for" {
    contact 0 1 2 depth -0.1 | hand ',"spin":-2' >in.jsonl # 2 m/s along, sqrt(p m) = 15; b turns by 2 rad/s against a; across 3.04 per kg, and 32/3 per kg m^2 turning
    law() { sed "s/^{\"type\":\"material\",\"id\":3.*/&\n{\"type\":\"interaction\",\"a\":1,\"b\":2,\"mu\":0,$1}/" in.jsonl; }
    force() { jq -c 'select(.type=="force")'; }
    law '"restitution":0.5' | cd-penalty -k 300 | force | holds '((.vector[0] - 30) / 60 - 0.25527563764865185 | fabs) < 1e-12 and (has("spring") or has("torque") | not)'
    law '"restitution":0.5' | cd-penalty -k 300 -c 0 | forces | found -xF '[0,[30,0]]'
    law '"restitution":1' | cd-penalty -k 300 | forces | jq -se '.[0][1][0] - 30 | fabs < 1e-12'
    law '"rolling":0.01' | cd-penalty -k 300 | force | holds '.spring == [0,0] and (.turn - 0.002 | fabs) < 1e-15 and (.torque / .turn + 300 * 2 / 7 * 3.04 / (32 / 3) | fabs) < 1e-9'
    law '"rolling":0.01' | cd-penalty -k 300 --friction viscous | force | holds '(.torque + 0.3 | fabs) < 1e-15 and (has("turn") | not)'
    run -0 --separate-stderr cd-penalty -k 300 <(law '"rolling":0.01,"restitution":0.5')
    [ "$stderr" = "" ]
}

#!/usr/bin/env bats
load helper

ids() { jq -r 'select(.type=="contact").id' | paste -sd' '; }
metric() { jq -r "select(.type==\"metric\" and .tool==\"cd-spars\" and .name==\"$1\").value" | paste -sd' '; }

# A pile of polygons that overlap: some 1500 area contacts.
pile() {
    sed 's/spacing: .*/spacing: [0.1, 0.1]/' "$SCENES/pile-300.yaml" >pile.yaml
    cd-scene "$@" pile.yaml | cd-broad | cd-narrow --contacts volume
}

# Contacts by hand, in the plane: body 1 is a compound of four squares in a row, neighbours adjacent; body 2 a square,
# body 3 a circle. contact ID [BODY,PART] [BODY,PART] X Y AREA
contact() {
    printf '{"type":"contact","id":%s,"a":%s,"b":%s,"kind":"volume","point":[%s,%s],"normal":[0,1],"gap":-0.01,"area":%s,"surfaces":[0,%s],"status":"penetrating"}\n' \
        "$1" "$2" "$3" "$4" "$5" "$6" "${7:-0}"
}
stream_head() {
    cat <<'JSONL'
{"type":"head","cds":[1,0],"dim":2,"epsilon":0.001}
{"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]}
{"type":"shape","id":2,"kind":"sphere","radius":0.5}
{"type":"shape","id":3,"kind":"compound","parts":[{"shape":1,"position":[-1.5,0]},{"shape":1,"position":[-0.5,0]},{"shape":1,"position":[0.5,0]},{"shape":1,"position":[1.5,0]}],"adjacent":[[0,1],[1,2],[2,3]]}
JSONL
}
frame() { # frame INDEX < contacts
    cat <<JSONL
{"type":"frame","index":$1,"time":$1}
{"type":"body","id":1,"shape":3,"position":[0,0],"motion":"fixed"}
{"type":"body","id":2,"shape":1,"position":[0,1],"mass":1,"inertia":1}
{"type":"body","id":3,"shape":2,"position":[2,1],"mass":1,"inertia":1}
JSONL
    cat
    echo '{"type":"fend"}'
}
hand() { # one frame of the contacts on stdin
    stream_head
    frame 0
    echo '{"type":"end"}'
}

@test "cd-spars does what every filter does" { common_filter_tests cd-spars; }

@test "cd-spars: an adjacent part's larger contact deletes, a distant part's does not" {
    {
        contact 0 '[1,0]' '[2,0]' -1.5 0.5 10
        contact 1 '[1,1]' '[3,0]' -0.5 0.5 0.09 # beside part 0, below a hundredth
        contact 2 '[1,1]' '[3,0]' -0.6 0.5 0.1  # not below it
        contact 3 '[1,2]' '[3,0]' 0.5 0.5 0.01  # beside part 1: 0.1 is not a hundred times more
        contact 4 '[1,3]' '[3,0]' 1.5 0.5 1e-9  # beside part 2: 0.01 is
    } | hand >in.jsonl
    run -0 --separate-stderr cd-spars in.jsonl
    [ -z "$stderr" ]
    [ "$(ids <<<"$output")" = "0 2 3" ]
    [ "$(of_type metric <<<"$output" | jq -c '[.name,.value]' | paste -sd' ')" = '["contacts",3] ["deleted-minarea",0] ["deleted-area",2] ["deleted-distance",0] ["freed",0]' ]
    of_type contact <in.jsonl | grep -v '"id":[14],' | cmp - <(of_type contact <<<"$output") # rows pass as they are
    [ "$(cd-spars --threshold 0 in.jsonl | ids)" = "0 1 2 3 4" ]
    [ "$(cd-spars --threshold 0.011 in.jsonl | ids)" = "0 3" ] # contact 2 below 0.11; contact 3 beside part 1, now empty
    [ "$(cd-spars --minarea 0.05 in.jsonl | ids)" = "0 2" ]
    [ "$(cd-spars --minarea 0.05 in.jsonl | metric deleted-minarea)" = 2 ]
}

@test "cd-spars: near contacts, by epsilon or --mindist, when they share a body" {
    {
        contact 0 '[1,0]' '[2,0]' 0 0 1
        contact 1 '[1,0]' '[2,0]' 0.0009 0 1
        contact 2 '[1,3]' '[2,0]' 0.5 0 2
        contact 3 '[1,3]' '[3,0]' 0.6 0 1
        contact 4 '[2,0]' '[3,0]' 0.6 0.3 1
    } | hand >in.jsonl
    [ "$(cd-spars in.jsonl | ids)" = "0 2 3 4" ]
    [ "$(cd-spars --mindist 0 in.jsonl | ids)" = "0 1 2 3 4" ]
    [ "$(cd-spars --mindist 0.2 in.jsonl | ids)" = "0 2 4" ]
    [ "$(cd-spars --mindist 0.2 in.jsonl | metric deleted-distance)" = 2 ]
    [ "$(cd-spars --mindist 10 in.jsonl | ids)" = 2 ]
    [ "$(cd-spars --mindist 10 in.jsonl | metric freed)" = 1 ]
}

@test "cd-spars: a pile, end to end" {
    pile >in.jsonl
    cd-spars --threshold 0.5 --mindist 0.02 in.jsonl >out.jsonl
    found=$(grep -c '"type":"contact"' in.jsonl)
    left=$(grep -c '"type":"contact"' out.jsonl)
    [ "$found" -gt 1000 ]
    [ "$left" -gt 200 ]
    [ "$left" -lt $((found * 3 / 4)) ]
    [ "$(metric contacts <out.jsonl)" -eq "$left" ]
    [ "$(of_type metric <out.jsonl | jq -s 'map(select(.name!="freed").value) | add')" -eq "$found" ]
    [ "$(metric deleted-area <out.jsonl)" -gt 100 ]
    [ "$(metric deleted-distance <out.jsonl)" -gt 10 ]
    # what is left are rows of the input
    of_type contact <out.jsonl >left
    [ "$(grep -cxFf left <(of_type contact <in.jsonl))" -eq "$left" ]
    cd-view --check out.jsonl
    # and no two of them are nearer than --mindist on a body
    jq -se '[.[] | {a:.a[0],b:.b[0],p:.point}] | . as $c | [range(length) as $i | range($i) as $j | $c[$i] as $p | $c[$j] as $q
        | select($p.a==$q.a or $p.b==$q.b or $p.a==$q.b or $p.b==$q.a)
        | select(($p.p[0]-$q.p[0])*($p.p[0]-$q.p[0])+($p.p[1]-$q.p[1])*($p.p[1]-$q.p[1]) < 0.000399999)] == []' left
}

@test "cd-spars: again on its own output nothing changes" {
    pile -b >in.cdb
    for options in "" "--threshold 0.5 --mindist 0.02" "--threshold 0.5 --mindist 0.02 --minarea 0.05 --keep-deleted"; do
        # shellcheck disable=SC2086
        cd-spars --no-prog $options in.cdb >once.cdb
        # shellcheck disable=SC2086
        cd-spars --no-prog $options once.cdb >twice.cdb
        digest=$(cd-view --type contact once.cdb | cd-view --digest)
        [ "$(cd-view --type contact twice.cdb | cd-view --digest)" = "$digest" ]
    done
}

@test "cd-spars: the order of contacts and bodies does not matter" {
    pile -j >in.jsonl
    cd-spars --no-prog --threshold 0.5 --mindist 0.02 in.jsonl | of_type contact >want
    [ -s want ]
    for seed in 1 2; do
        awk -v seed=$seed 'function flush() { for (i = n - 1; i >= 0; i--) { k = int(rand() * (i + 1)); print line[k]; line[k] = line[i] } n = 0 }
            BEGIN { srand(seed) } /"type":"(body|contact)"/ { if ($0 !~ kind) flush(); kind = /"type":"body"/ ? "\"type\":\"body\"" : "\"type\":\"contact\""; line[n++] = $0; next }
            { flush(); print }' in.jsonl >mixed.jsonl
        if cmp -s in.jsonl mixed.jsonl; then false; fi
        cd-spars --no-prog --threshold 0.5 --mindist 0.02 mixed.jsonl | of_type contact | cmp - want
    done
}

@test "cd-spars --keep-deleted marks, and marks are not contacts" {
    pile >in.jsonl
    cd-spars --threshold 0.5 --mindist 0.02 in.jsonl | of_type contact >want
    cd-spars --threshold 0.5 --mindist 0.02 --keep-deleted in.jsonl >marked.jsonl
    [ "$(grep -c '"type":"contact"' marked.jsonl)" -eq "$(grep -c '"type":"contact"' in.jsonl)" ]
    of_type contact <marked.jsonl | grep -v '"status":"deleted"' | cmp - want
    of_type contact <marked.jsonl | grep '"status":"deleted"' | jq -r .id >gone
    of_type contact <in.jsonl | jq -r .id | grep -vxFf <(jq -r .id want) | cmp - gone
    cd-view --check marked.jsonl
    # without the option, rows marked before are left out; with other options they do not judge
    cd-spars --threshold 0 --mindist 0 marked.jsonl | of_type contact | cmp - want
    {
        contact 0 '[1,0]' '[2,0]' 0 0 100 | sed 's/penetrating/outside/'
        contact 1 '[1,0]' '[2,0]' 0 0 100 | sed 's/penetrating/deleted/'
        contact 2 '[1,0]' '[2,0]' 0 0 0.1
    } | hand >in.jsonl
    [ "$(cd-spars in.jsonl | ids)" = "0 2" ]
    [ "$(cd-spars in.jsonl | metric contacts)" = 1 ]
}

@test "cd-spars --new-only: what was kept stays, over frames" {
    small=$(contact 7 '[1,1]' '[3,0]' -0.5 0.5 0.01)
    large=$(contact 8 '[1,0]' '[2,0]' -1.5 0.5 10)
    near=$(contact 9 '[1,1]' '[3,0]' -0.5 0.5 1 5)
    {
        stream_head
        frame 0 <<<"$small"
        frame 1 <<<"$small"$'\n'"$large"          # small was there
        frame 2 <<<"$small"$'\n'"$large"$'\n'"$near" # near is larger, but new
        frame 3 <<<"$large"
        frame 4 <<<"$small"$'\n'"$large"          # small was not there
        frame 5 <<<"$small"$'\n'"$large"          # nor was it kept
        echo '{"type":"end"}'
    } >in.jsonl
    per_frame() { jq -c 'select(.type=="contact" or .type=="fend") | .id' | paste -sd' ' | sed 's/ null/;/g'; }
    [ "$(cd-spars --new-only in.jsonl | per_frame)" = "7; 7 8; 7 8; 8; 8; 8;" ]
    [ "$(cd-spars in.jsonl | per_frame)" = "7; 8; 8 9; 8; 8; 8;" ]
    [ "$(cd-spars --new-only in.jsonl | metric deleted-area)" = "0 0 0 0 1 1" ]
    [ "$(cd-spars --new-only in.jsonl | metric deleted-distance)" = "0 0 1 0 0 0" ]
    cd-view -b in.jsonl | cd-spars --new-only -j --repeat 3 | per_frame >repeated
    [ "$(cat repeated)" = "7; 7 8; 7 8; 8; 8; 8;" ]
    cd-spars --new-only in.jsonl | cd-spars --new-only | per_frame | cmp - repeated
    # a frame that is sent again is compared with the step before it
    sed 's/"index":5/"index":4,"round":1/' in.jsonl | cd-spars --new-only | per_frame | cmp - repeated
    sed 's/"index":1,/"index":0,"round":1,/' in.jsonl >again.jsonl # so `large` is compared with nothing before
    [ "$(cd-spars --new-only again.jsonl | per_frame)" = "7; 8; 8 9; 8; 8; 8;" ]
}

@test "cd-spars: three dimensions, triangles that share a vertex, nested compounds" {
    {
        echo '{"type":"head","cds":[1,0],"dim":3}'
        echo '{"type":"shape","id":1,"kind":"sphere","radius":0.5}'
        echo '{"type":"shape","id":2,"kind":"facets","vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,0],[2,1,0]],"triangles":[[0,1,2],[1,3,2],[1,4,3]],"thickness":0}'
        echo '{"type":"shape","id":3,"kind":"compound","parts":[{"shape":1},{"shape":2}],"adjacent":[[0,1]]}'
        echo '{"type":"shape","id":4,"kind":"compound","parts":[{"shape":1},{"shape":3}],"adjacent":[[0,4]]}'
        echo '{"type":"frame","index":0,"time":0}'
        echo '{"type":"body","id":1,"shape":4,"position":[0,0,0],"motion":"fixed"}'
        for id in 2 3 4 5 6; do echo '{"type":"body","id":'$id',"shape":1,"position":[0,0,1],"mass":1,"inertia":[1,1,1,0,0,0]}'; done
        for part in 0 1 2 3 4; do
            echo '{"type":"contact","id":'$part',"a":[1,'$part'],"b":['$((part + 2))',0],"kind":"volume","point":['$part',0,0],"normal":[0,0,1],"gap":0,"area":AREA'$part'}'
        done
        echo '{"type":"fend"}'
        echo '{"type":"end"}'
    } >scene.jsonl
    beside() { # beside PART: the parts whose contact is deleted beside a large one of PART
        sed "s/AREA$1/1000/; s/AREA[0-9]/1/" scene.jsonl | cd-spars --keep-deleted |
            jq -r 'select(.type=="contact" and .status=="deleted").a[1]' | paste -sd' '
    }
    # parts: 0 sphere, 1 the inner compound's sphere, 2 3 4 its triangles; declared: 0-4, and inside 1-2
    [ "$(beside 0)" = "4" ]
    [ "$(beside 1)" = "2" ]
    [ "$(beside 2)" = "1 3 4" ] # vertex 1 is in all triangles
    [ "$(beside 3)" = "2 4" ]
    [ "$(beside 4)" = "0 2 3" ]
    sed 's/AREA[0-9]/1/' scene.jsonl | cd-spars --mindist 1.5 | grep -c '"type":"contact"' | found -x 3
}

@test "cd-spars: contacts without an area, and of bodies without a shape" {
    sed 's/,"area":[^,]*//' <(contact 0 '[1,0]' '[2,0]' 0 0 1; contact 1 '[1,0]' '[2,0]' 0.01 0 1; contact 2 '[1,0]' '[3,0]' 0.5 0 1) | hand >in.jsonl
    [ "$(cd-spars --minarea 100 --threshold 1 in.jsonl | ids)" = "0 1 2" ]
    [ "$(cd-spars --mindist 0.1 in.jsonl | ids)" = "0 2" ]
    { contact 0 '[1,0]' '[2,70]' 0 0 1; contact 1 '[1,0]' '[2,70]' 0.1 0 1000; contact 2 '[1,3]' '[2,71]' 3 0 1; } |
        hand | sed 's/"id":2,"shape":1,"pos/"id":2,"pos/' >in.jsonl
    [ "$(cd-spars in.jsonl | ids)" = "1 2" ]
}

@test "cd-spars: what derives from contacts is dropped, the rest stays" {
    pile -j >in.jsonl
    cd-peg-assemble in.jsonl | cd-lcp >all.jsonl || true
    grep -q '"type":"row"' all.jsonl
    sed '/"type":"end"/d' all.jsonl >stream.jsonl
    echo '{"type":"end"}' >>stream.jsonl
    run -0 --separate-stderr cd-spars stream.jsonl
    [ "$(jq -r .type <<<"$output" | sort -u | paste -sd' ')" = "body bounds contact end fend frame head metric pair prog shape" ]
    [ "$(jq -r 'select(.type=="metric").tool' <<<"$output" | sort -u)" = cd-spars ]
    # the assembler's rows refer to contacts by id, across the gaps
    cd-spars --mindist 0.02 in.jsonl | cd-peg-assemble | cd-view --check
}

@test "cd-spars refuses what is not there, and bad options, in one line" {
    contact 0 '[1,4]' '[2,0]' 0 0 1 | hand >part.jsonl
    run -3 --separate-stderr cd-spars part.jsonl
    [ "$stderr" = "cd-spars: frame 0: contact: body 1 part 4: its shape has 4 parts" ]
    if grep -q '"end"' <<<"$output"; then false; fi
    contact 0 '[1,0]' '[2,0]' 0 0 1 | hand >in.jsonl
    for option in --threshold=1.5 --threshold=-1 --minarea=-1 --mindist=-1 --mindist=x --threshold=nan; do
        run -2 --separate-stderr cd-spars "$option" in.jsonl
        [ -z "$output" ]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
    done
}

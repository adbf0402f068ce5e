#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install and make uninstall, into a folder of their own.
load helper

ROOT=$BATS_TEST_DIRNAME/../..

setup_file() {
    BUILD=$(cd "${CD_BIN:-$ROOT/build/release/bin}/.." && pwd)
    export BUILD
}

# place TARGET: runs it with what is already built, for the prefix /opt under the test's folder.
place() {
    make --no-print-directory -s -C "$ROOT" "$1" BUILD="$BUILD" DESTDIR="$PWD/dest" PREFIX=/opt
}

@test "what make install puts there works, and make uninstall leaves nothing" {
    place install
    [ "$(cd dest/opt/bin && echo cd-*)" = "$(cd "$ROOT/tools" && echo cd-*)" ]
    PATH="$PWD/dest/opt/bin:$PATH"
    [ "$(command -v cd-scene)" = "$PWD/dest/opt/bin/cd-scene" ]
    local scene scenes=dest/opt/share/cdtools/scenes
    [ "$(echo $scenes/*.yaml | wc -w)" -ge 15 ]
    for scene in "$scenes"/*.yaml; do cd-scene -q "$scene" | cd-view --check; done
    cd-scene "$scenes/corner.yaml" | cd-broad -b >corner.cdb
    [ "$(python3 dest/opt/share/cdtools/python/cdstream.py corner.cdb | cd-view --digest)" = "$(cd-view --digest corner.cdb)" ]
    PYTHONPATH=dest/opt/share/cdtools/python python3 -c '
import cdstream
head, frame, end = cdstream.Reader(open("corner.cdb", "rb"))
assert head["head"][0]["dim"] == 2 and len(frame["pair"]) > 0 and "end" in end'
    cmp dest/opt/share/doc/cdtools/STREAM.md "$ROOT/formats/STREAM.md"
    for page in "$ROOT"/man/*.[1357]; do cmp "$page" "dest/opt/share/man/man${page##*.}/$(basename "$page")"; done
    [ -n "$(nm "$BUILD/bin/cd-view")" ]
    [ -z "$(nm dest/opt/bin/cd-view 2>/dev/null)" ]

    place uninstall
    [ -z "$(find dest -type f)" ]
    [ -z "$(find dest -name cdtools)" ]
}

# complete_in_bash WORD...: what bash would put in the place of the last one, by the function that `complete` names for the first.
complete_in_bash() {
    bash -uc 'source "dest/opt/share/bash-completion/completions/$1"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "$(complete -p "$1" | sed "s/.* -F \\([^ ]*\\) .*/\\1/")" && [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}

@test "completion of bash: all options of each tool, and the words of each choice" {
    place install
    local tool name letter words count=0
    for tool in "$ROOT"/tools/cd-*; do
        tool=${tool##*/}
        "$tool" --json-usage >usage.json
        complete_in_bash "$tool" - | sort | diff - <(jq -r '.options[].name | "--" + .' usage.json | sort)
        while read -r name letter words; do
            complete_in_bash "$tool" "--$name" '' | diff - <(tr ' ' '\n' <<<"$words")
            complete_in_bash "$tool" "--$name" = | diff - <(tr ' ' '\n' <<<"$words")
            complete_in_bash "$tool" "--$name" = "${words%% *}" | found -x -e "${words%% *}"
            [ "$letter" = - ] || complete_in_bash "$tool" -q "-$letter" '' | diff - <(tr ' ' '\n' <<<"$words")
            count=$((count + 1))
        done < <(jq -r '.options[] | select(.words) | "\(.name) \(.letter // "-") \(.words | join(" "))"' usage.json)
    done
    [ "$count" -gt 15 ]
    [ "$(complete_in_bash cd-loop scene.jsonl --keep-)" = --keep-trials ]
    # elsewhere files, by bash's own default
    [ -z "$(complete_in_bash cd-loop --until '')" ]
    [ -z "$(complete_in_bash cd-loop sce)" ]
    [[ "$(bash -c 'source dest/opt/share/bash-completion/completions/cd-view; complete -p cd-view')" == *'-o default '* ]]
}

@test "completion of fish and zsh" {
    place install
    local share=dest/opt/share tool
    for tool in "$ROOT"/tools/cd-*; do
        [ -s "$share/zsh/site-functions/_${tool##*/}" ]
        [ -s "$share/fish/vendor_completions.d/${tool##*/}.fish" ]
    done
    { command -v fish && command -v zsh; } >/dev/null || skip "fish and zsh are needed"
    for file in "$share"/zsh/site-functions/_*; do zsh -fn "$file"; done
    for file in "$share"/fish/vendor_completions.d/*; do fish -n "$file"; done
    in_fish() { HOME=$PWD fish -c "source $share/fish/vendor_completions.d/cd-loop.fish; complete -C '$1'" | cut -f1 | paste -sd' '; }
    [ "$(in_fish 'cd-loop --model s')" = 'separating standard' ]
    [ "$(in_fish 'cd-loop --keep')" = '--keep --keep-trials' ]
}

@test "PREFIX, LIBDIR and DESTDIR are obeyed, and the library is found where it was put" {
    make --no-print-directory -s -C "$ROOT" install BUILD="$BUILD" PREFIX="$PWD/own" LIBDIR=lib/here
    [ "$(find . -type f | cut -d/ -f2 | sort -u)" = own ]
    own/bin/cd-scene own/share/cdtools/scenes/corner.yaml | own/bin/cd-view --check
    [ -s own/lib/here/libcdstream.a ]
    grep -qx "prefix=$PWD/own" own/lib/here/pkgconfig/cdstream.pc
    grep -q '^Libs: -L${prefix}/lib/here ' own/lib/here/pkgconfig/cdstream.pc
    make --no-print-directory -s -C "$ROOT" install BUILD="$BUILD" PREFIX="$PWD/own" DESTDIR="$PWD/dest"
    [ "$(cd "dest/$PWD/own" && find . -type f -not -path './lib/*' | sort)" = "$(cd own && find . -type f -not -path './lib/*' | sort)" ]
    make --no-print-directory -s -C "$ROOT" uninstall BUILD="$BUILD" PREFIX="$PWD/own" LIBDIR=lib/here
    [ -z "$(find own -type f)" ]
}

@test "make deb: a package of what make install installs, clean under lintian" {
    { command -v dpkg-deb && command -v dpkg-shlibdeps; } >/dev/null || skip "dpkg-deb and dpkg-shlibdeps are needed"
    # what is packed is what was built; the package is made in a folder of its own
    mkdir once again
    export DPKG_DEB_COMPRESSOR_LEVEL=1 # most of the time went into the last per cents of the archive
    for out in once again; do make --no-print-directory -s -C "$ROOT" deb BUILD="$BUILD" OUT="$PWD/$out"; done
    local deb
    deb=$(echo once/cdtools_*.deb)
    cmp "$deb" "again/${deb#once/}"
    dpkg-deb --field "$deb" Depends | found 'libcairo2.*libcjson1.*libyaml.*zlib1g'
    dpkg-deb --extract "$deb" root
    dpkg-deb --control "$deb" control
    (cd root && md5sum --quiet -c ../control/md5sums)
    [ "$(wc -l <control/md5sums)" -eq "$(find root -type f | wc -l)" ]
    place install
    # the same files: manuals are compressed, libraries and completion of zsh where Debian has them
    diff <(cd dest/opt && find . -type f | sed -E 's|^\./lib/|./LIB/|; s|zsh/site-functions|zsh/vendor-completions|' | sort) \
        <(cd root/usr && find . -type f | sed -E "s|^\./lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/|./LIB/|; s|(man/man[1-8]/.*)\.gz$|\1|" |
            grep -vE '/doc/cdtools/(copyright|changelog.gz)$' | sort)
    root/usr/bin/cd-scene root/usr/share/cdtools/scenes/corner.yaml | root/usr/bin/cd-view --check
    if command -v lintian >/dev/null; then
        lintian --fail-on error,warning "$deb" 2>/dev/null >told || { cat told; false; }
        if grep '^[EW]:' told; then false; fi
    fi
}

@test "make dist: the files of the last commit" {
    git -C "$ROOT" rev-parse --verify -q HEAD >/dev/null || skip "a tree without its history"
    make --no-print-directory -s -C "$ROOT" dist OUT="$PWD"
    tar -xzf cdtools-*.tar.gz
    diff <(git -C "$ROOT" ls-tree -r --name-only HEAD | sort) <(cd cdtools-*/ && find . -type f | sed 's|^\./||' | sort)
    make --no-print-directory -n -C cdtools-*/ install >plan
    grep -q 'bin/cd-view' plan
}

@test "make uninstall keeps what is not its own" {
    place install
    touch dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml
    place uninstall
    [ "$(find dest -type f | sort | xargs)" = "dest/opt/bin/cd-mine dest/opt/share/cdtools/scenes/mine.yaml" ]
    place uninstall # again: nothing there is no error
}

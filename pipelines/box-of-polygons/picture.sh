#!/usr/bin/env bash
# The README's picture: the box of polygons after 1 s and 2.8 s, held apart by separating edges, with contacts and normals.
# Coordinates are rounded to 0.1 px, of letters to 0.01 px, so that it stays small.
#   usage: picture.sh [OUT.svg]      default: measured/contacts.svg beside this script; needs the tools on the PATH
# SPDX-License-Identifier: MIT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd-loop -q -b --until 3 "$here/../scenes-2d/box-of-polygons.yaml" |
    cd-plot --frames 100:280:180 --view=-0.85,-0.1,0.85,0.95 --show bodies,contacts,normals --size 820x360 --format svg -o - |
    sed -E -e '1,/<\/defs>/s/(\.[0-9]{2})[0-9]+/\1/g' -e '/<\/defs>/,$s/(\.[0-9])[0-9]+/\1/g' \
        -e 's/(fill-rule:nonzero|(fill|stroke)-opacity:1|stroke-linecap:butt|stroke-linejoin:round|stroke-miterlimit:10);//g' >"${1:-$here/measured/contacts.svg}"

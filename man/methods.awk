# The methods that `cd-broad --help` lists, as a list of cd-broad(1): `make fields` puts it between its marks.
# SPDX-License-Identifier: MIT
/^Methods/ { print ".Bl -tag -width Ds"; inside = 1; next }
/^The method/ { if (inside) print ".El"; inside = 0 }
!inside { next }
/^  [a-z]/ { name = $1; $1 = ""; print ".It Cm " name; print toupper(substr($0, 2, 1)) substr($0, 3) "."; next }
{ what = $1; $1 = ""; print ".br"; print toupper(substr(what, 1, 1)) substr(what, 2) ":" $0 "." }

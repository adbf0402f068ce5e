// narrow_peers -- asks one program of another library about the pairs of a set (narrow_set.h), and times it.
//
//   usage: narrow_peers                              the programs that are built in: name, library, question, what it is
//          narrow_peers NAME SET [REPEATS [SECONDS]] one JSON line
// SPDX-License-Identifier: MIT
#include "narrow_peers.h"

int main(int argc, char **argv)
{
    Programs all;
    auto append = [&all](const Programs &some) { all.insert(all.end(), some.begin(), some.end()); };
    (void)append;
#ifdef NARROW_CCD
    append(ccd_programs());
#endif
#ifdef NARROW_FCL
    append(fcl_programs());
#endif
#ifdef NARROW_BULLET
    append(bullet_programs());
#endif
#ifdef NARROW_CGAL
    append(cgal_programs());
#endif
#ifdef NARROW_QHULL
    append(qhull_programs());
#endif
#ifdef NARROW_VORO
    append(voro_programs());
#endif
    all.push_back({});
    return narrow_program_main(all.data(), argc, argv);
}

// diff_classes -- what is different about each pair: a class, counts, histograms, the worst.
//
// begin -> add (pairs of one frame after the other) -> finish -> read. Conventions, which one constant explains for
// (nearly) all pairs, are decided from the first CD_DIFF_SAMPLE pairs that both streams have; they wait until then, so
// memory does not grow with the run.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_CLASSES_H
#define CD_DIFF_CLASSES_H

#include "diff_pairs.h"

enum { CD_DIFF_SAMPLE = 1 << 14 };

// The first that fits, in this order but `same` last.
typedef enum cd_diff_class {
    CD_DIFF_SAME,     // gap, normal and points agree
    CD_DIFF_MISSING,  // only left, and overlapping there by more than the tolerance
    CD_DIFF_EXTRA,    // only right, likewise
    CD_DIFF_REACH,    // one stream alone has it, and no such overlap: it looks farther
    CD_DIFF_DOUBLED,  // one stream repeats a contact
    CD_DIFF_OTHER_NORMAL,
    CD_DIFF_OTHER_DEPTH,
    CD_DIFF_OTHER_POINT,
    CD_DIFF_CONVENTION,  // agrees once the conventions of the run are taken into account
    CD_DIFF_CLASSES
} cd_diff_class;

extern const char *const cd_diff_class_names[CD_DIFF_CLASSES];

// What differs between the two programs, not between their results. A normal or gap of the right stream is reversed
// first; then `margin` is taken from its gap.
typedef struct cd_diff_conventions {
    bool normal_reversed, gap_reversed;
    double margin;  // [m] gaps of the right stream are larger by it; 0: none
} cd_diff_conventions;

typedef struct cd_diff_tolerances {
    double gap, normal, point;  // [m], [rad], [m]
} cd_diff_tolerances;

// The three measures of a pair that both streams have, conventions taken into account.
typedef enum cd_diff_measure { CD_DIFF_GAP, CD_DIFF_NORMAL, CD_DIFF_POINT, CD_DIFF_MEASURES } cd_diff_measure;

typedef struct cd_diff_judged {
    cd_diff_pair pair;
    cd_diff_class kind;
    double gap[2];                     // [m] least, as the streams have it; NaN where one has no contact
    double measure[CD_DIFF_MEASURES];  // [m] (signed: right less left), [rad], [m]; NaN of a pair of one stream
    double badness;                    // of its class: larger is worse
} cd_diff_judged;

// Decades of a measure: 0, below 1e-12, 1e-12 to 1e-11, ..., 1e1 to 1e2, 1e2 and above.
enum { CD_DIFF_LEAST_DECADE = -12, CD_DIFF_MOST_DECADE = 2 };
enum { CD_DIFF_BINS = CD_DIFF_MOST_DECADE - CD_DIFF_LEAST_DECADE + 3 };

typedef struct cd_diff_tally {
    cd_diff_tolerances tolerance;
    int32_t worst_most;  // pairs kept of each class
    cd_diff_conventions conventions;
    int64_t contacts[2];
    int64_t pairs, both;  // in any, in both
    int64_t count[CD_DIFF_CLASSES];
    int64_t only[CD_DIFF_CLASSES][2];       // of reach: by the stream that has it
    int64_t no_candidate[CD_DIFF_CLASSES];  // of missing, extra: the other stream has candidates, but not this one
    int64_t exchanged[2];                   // pairs whose larger id comes first
    int64_t named, other_feature;           // both name features of the deepest contact; other ones
    int64_t beyond[CD_DIFF_MEASURES];       // the tolerance
    int64_t bin[CD_DIFF_MEASURES][CD_DIFF_BINS];
    double largest[CD_DIFF_MEASURES];
    cd_diff_judged *worst[CD_DIFF_CLASSES];  // the worst first
    int32_t worst_count[CD_DIFF_CLASSES];
    // the pairs that wait
    bool is_decided;
    cd_diff_pair *waiting;
    int32_t waiting_count, waiting_both, waiting_capacity;
} cd_diff_tally;

// All zero but the tolerances and worst_most.
void cd_diff_tally_add(cd_arena *run, cd_diff_tally *tally, const cd_diff_pairs *pairs);
void cd_diff_tally_finish(cd_arena *run, cd_diff_tally *tally);
void cd_diff_tally_release(cd_diff_tally *tally);

// The conventions that explain these pairs; for tests.
cd_diff_conventions cd_diff_find_conventions(const cd_diff_pair *pair, int32_t count, cd_diff_tolerances tolerance);

#endif

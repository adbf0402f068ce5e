// cd_contact_words -- closed lists that say what a contact is. The stream's words for them are vocabularies of
// records.def, which asserts that they stand in the same order.
// SPDX-License-Identifier: MIT
#ifndef CD_CONTACT_WORDS_H
#define CD_CONTACT_WORDS_H

typedef enum cd_contact_kind {
    CD_CONTACT_VERTEX_EDGE,  // features of polygons
    CD_CONTACT_VERTEX_FACE,  // features of polyhedra
    CD_CONTACT_EDGE_EDGE,
    CD_CONTACT_VOLUME,      // what two bodies have in common
    CD_CONTACT_DISTANCE,    // gap >= 0
    CD_CONTACT_DEPTH,       // the signed distance
    CD_CONTACT_ANALYTIC,    // the signed distance in closed form
    CD_CONTACT_SEPARATING,  // of a pair's separator
    CD_CONTACT_PINBALL,
    CD_CONTACT_KINDS
} cd_contact_kind;

typedef enum cd_contact_status {
    CD_STATUS_CANDIDATE,
    CD_STATUS_TOUCHING,
    CD_STATUS_PENETRATING,
    CD_STATUS_DEGENERATE,
    CD_STATUS_OUTSIDE,
    CD_STATUS_DELETED,
    CD_STATUSES
} cd_contact_status;

typedef enum cd_side { CD_SIDE_A, CD_SIDE_B, CD_SIDES } cd_side;  // of a pair

#endif

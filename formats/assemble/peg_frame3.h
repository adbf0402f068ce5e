// peg_frame3 -- velocity blocks and gap rates in space, for peg_frame.h.
//
// A block is (velocity, spin) in the world's axes; its mass matrix is diag(m I, J) with J the world inertia at the
// rotation `middle` of cd_motion3.h, where the free motion's spin is taken: contacts then change the angular momentum
// J nu_spin that the free motion keeps. With the explicit gyroscopic rule that rotation is the start's.
//
// A gap psi = n . (p_b - p_a) has the columns [-n; -(p_a - x_a) x n] and [n; (p_b - x_b) x n] wherever n does not turn
// to first order or p_b - p_a is parallel to it:
//   vertex-face  n is the face's normal and turns with its body; with p the VERTEX for both bodies the columns are
//                exact, because the face's point and the vertex differ by psi n.
//   edge-edge    n = +-(e_a x e_b) / |..| turns with both; with p_a, p_b the closest points of the two LINES
//                p_b - p_a = psi n, and what turns n is perpendicular to n. They are computed here from the edges, at
//                q_k: a detector may well report the closest points of the segments.
//   separating   a face against a vertex: as vertex-face. Two edges that span the separating plane: as edge-edge.
//   other kinds  each body's own point, else the contact's.
//
// Configurations. An edge-edge contact is `at` a vertex of an edge when the closest points of the segments lie within
// reach of that end and of each other, at q_k or else at q_pred: then the vertex may pass the other edge within the
// step, and the contact is a member of a vertex-edge or vertex-vertex configuration (peg_group3.c). When the closest
// points are inside both segments the edges cross; when one is an end and they are farther apart than reach at both
// poses the edges do not meet in this step, whatever the gap of their lines: such contacts are left out. So are those
// with a gap below -reach: edges on the far sides of two bodies cross as deep as that when applicability is given
// slack.
// SPDX-License-Identifier: MIT
#ifndef PEG_FRAME3_H
#define PEG_FRAME3_H

#include "peg_frame.h"

extern const cd_peg_dimension cd_peg_space;

#endif

// lcp_rows -- the matrix of frictionless contacts from masses and Jacobian rows, the short way that an engine goes.
//
// W = H B^-1 H' for bodies with mass blocks B and contact rows H. What an engine knows before it is asked, which
// numbers a row has, of which bodies, and the Cholesky factors of the masses, is prepared; lcp_rows_form and
// lcp_rows_back are what a peer that takes W needs besides its solver. Nothing is scaled, told apart or verified.
// SPDX-License-Identifier: MIT
#ifndef LCP_ROWS_H
#define LCP_ROWS_H

#include "mcp.h"

typedef struct lcp_piece {
    int32_t row, block;  // what a contact row has of a body
    double *h, *white;   // its entries, and L^-1 of them
} lcp_piece;

typedef struct lcp_body {
    int32_t count, first_piece, end_piece;  // freedoms; its pieces in the table by bodies
    int32_t *variable;                      // of the problem
    double *root;                           // L, B = sign L L'
    double *force, *white;                  // right-hand side, and L^-1 of it
} lcp_body;

typedef struct lcp_rows {
    int32_t n, body_count, piece_count;
    double sign;
    lcp_body *body;
    lcp_piece *piece;  // by bodies
    double *rhs;       // of the contact rows
} lcp_rows;

// False when the problem is not one of bodies and frictionless contacts.
bool lcp_rows_prepare(const cd_mcp *m, lcp_rows *out, cd_arena *arena);
// W with rows of `stride` numbers, its diagonal times 1 + softness, and q.
void lcp_rows_form(const lcp_rows *r, double softness, int32_t stride, double *W, double *q);
// The velocities that the impulses z leave, in the places of the problem.
void lcp_rows_back(const lcp_rows *r, const double *z, double *values);

#endif

// lcp_piles -- contact problems of piles in space for tests and benchmarks, without the stages around them.
//
// Cubes on a grid, each resting on the one below by four corners of a shared face (so rows depend on each other: more
// rows than motions can tell apart) and touching its neighbours by up to two points of slightly random normals.
// Velocity rows are those of (48): -M nu + G p + M nu_free = 0, then one row a contact, G' nu + psi / h >= 0; with
// friction two tangents behind each.
// SPDX-License-Identifier: MIT
#ifndef LCP_PILES_H
#define LCP_PILES_H

#include "cd_random.h"
#include "mcp.h"

#include <math.h>
#include <stdlib.h>

typedef struct pile {
    int32_t bodies, contacts, entry_room, row_room;
    int32_t *row, *col, *normal_row;
    int32_t *first_row;  // of each body
    double *value, *rhs, *lower, *upper, *mu;
    double friction;  // coefficient; 0: no tangents
    double spread;    // masses lie between 1 and this
    cd_random random;
    cd_mcp mcp;  // of the arrays above
} pile;

static inline void pile_entry(pile *p, int32_t row, int32_t col, double value)
{
    if (p->mcp.entry_count == p->entry_room) {
        p->entry_room = 2 * p->entry_room + 1024;
        p->row = realloc(p->row, sizeof *p->row * (size_t)p->entry_room);
        p->col = realloc(p->col, sizeof *p->col * (size_t)p->entry_room);
        p->value = realloc(p->value, sizeof *p->value * (size_t)p->entry_room);
    }
    p->row[p->mcp.entry_count] = row;
    p->col[p->mcp.entry_count] = col;
    p->value[p->mcp.entry_count++] = value;
}

static inline int32_t pile_row(pile *p, double rhs, double lower, double upper, int32_t normal, double mu)
{
    if (p->mcp.n == p->row_room) {
        p->row_room = 2 * p->row_room + 256;
        double **const array[] = {&p->rhs, &p->lower, &p->upper, &p->mu};
        for (size_t k = 0; k < sizeof array / sizeof *array; k++)
            *array[k] = realloc(*array[k], sizeof **array[k] * (size_t)p->row_room);
        p->normal_row = realloc(p->normal_row, sizeof *p->normal_row * (size_t)p->row_room);
    }
    const int32_t i = p->mcp.n++;
    p->rhs[i] = rhs;
    p->lower[i] = lower;
    p->upper[i] = upper;
    p->normal_row[i] = normal;
    p->mu[i] = mu;
    return i;
}

static inline void pile_body(pile *p)
{
    const double mass = pow(p->spread, cd_random_unit(&p->random)), step = 0.01;
    const double diagonal[6] = {mass, mass, mass, mass / 6, mass / 6, mass / 6};
    p->first_row = realloc(p->first_row, sizeof *p->first_row * (size_t)(p->bodies + 1));
    p->first_row[p->bodies] = p->mcp.n;
    for (int k = 0; k < 6; k++) {
        double velocity = cd_random_between(&p->random, -0.3, 0.3) - (k == 2 ? 9.81 * step : 0);
        int32_t i = pile_row(p, diagonal[k] * velocity, -INFINITY, INFINITY, -1, 0);
        pile_entry(p, i, i, -diagonal[k]);
    }
    p->bodies++;
}

// Row `i` gets direction d at lever arms ra on body a (-1: fixed) and rb on body b.
static inline void pile_direction(pile *p, int32_t i, int32_t a, int32_t b, const double d[3], const double ra[3],
                                  const double rb[3])
{
    for (int side = 0; side < 2; side++) {
        const int32_t body = side ? b : a;
        const double *r = side ? rb : ra, sign = side ? 1 : -1;
        if (body < 0)
            continue;
        const double column[6] = {
            d[0], d[1], d[2], r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]};
        for (int k = 0; k < 6; k++) {
            if (column[k] == 0)
                continue;
            pile_entry(p, p->first_row[body] + k, i, sign * column[k]);
            pile_entry(p, i, p->first_row[body] + k, sign * column[k]);
        }
    }
}

static inline void pile_contact(pile *p, int32_t a, int32_t b, const double n[3], const double ra[3],
                                const double rb[3], double gap)
{
    const int32_t normal = pile_row(p, gap / 0.01, 0, INFINITY, -1, 0);
    pile_direction(p, normal, a, b, n, ra, rb);
    p->contacts++;
    if (!(p->friction > 0))
        return;
    const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    double t[2][3] = {
        {n[1] * axis[2] - n[2] * axis[1], n[2] * axis[0] - n[0] * axis[2], n[0] * axis[1] - n[1] * axis[0]}};
    const double length = sqrt(t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]);
    for (int k = 0; k < 3; k++)
        t[0][k] /= length;
    for (int k = 0; k < 3; k++)
        t[1][k] = n[(k + 1) % 3] * t[0][(k + 2) % 3] - n[(k + 2) % 3] * t[0][(k + 1) % 3];
    for (int k = 0; k < 2; k++)
        pile_direction(p, pile_row(p, 0, -INFINITY, INFINITY, normal, p->friction), a, b, t[k], ra, rb);
}

// One grid of nx x ny x nz cubes. Call any number of times: grids do not touch each other.
static inline void pile_add(pile *p, int nx, int ny, int nz)
{
    const int32_t base = p->bodies;
    for (int k = 0; k < nx * ny * nz; k++)
        pile_body(p);
    for (int z = 0; z < nz; z++) {
        for (int y = 0; y < ny; y++) {
            for (int x = 0; x < nx; x++) {
                const int32_t b = base + (z * ny + y) * nx + x, below = z > 0 ? b - nx * ny : -1;
                const double up[3] = {0, 0, 1};
                for (int c = 0; c < 4; c++) {
                    const double rb[3] = {c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5}, ra[3] = {rb[0], rb[1], 0.5};
                    pile_contact(p, below, b, up, ra, rb, 0);
                }
                for (int side = 0; side < 2; side++) {
                    if (side ? y == 0 : x == 0)
                        continue;
                    const int32_t a = b - (side ? nx : 1);
                    for (int c = 0; c < 2; c++) {
                        const double s = cd_random_between(&p->random, -0.05, 0.05),
                                     t = cd_random_between(&p->random, -0.05, 0.05);
                        const double size = sqrt(1 + s * s + t * t), h = cd_random_between(&p->random, -0.5, 0.5);
                        const double n[3] = {(side ? s : 1) / size, (side ? 1 : s) / size, t / size};
                        const double rb[3] = {side ? h : -0.5, side ? -0.5 : h, c ? 0.4 : -0.4},
                                     ra[3] = {side ? h : 0.5, side ? 0.5 : h, rb[2]};
                        pile_contact(p, a, b, n, ra, rb, fmax(0, cd_random_between(&p->random, -2e-3, 1e-3)));
                    }
                }
            }
        }
    }
}

typedef struct pile_place {
    int32_t row, col;
    double value;
} pile_place;

static inline int pile_compare(const void *left, const void *right)
{
    const pile_place *a = left, *b = right;
    return a->row != b->row ? (a->row > b->row) - (a->row < b->row) : (a->col > b->col) - (a->col < b->col);
}

// Row by row with ascending columns, as they stand in a stream of cd-peg-assemble. No place comes twice.
static inline void pile_sort(pile *p)
{
    const size_t count = (size_t)p->mcp.entry_count;
    pile_place *place = malloc(sizeof *place * (count + 1));
    for (size_t k = 0; k < count; k++)
        place[k] = (pile_place){p->row[k], p->col[k], p->value[k]};
    qsort(place, count, sizeof *place, pile_compare);
    for (size_t k = 0; k < count; k++) {
        p->row[k] = place[k].row;
        p->col[k] = place[k].col;
        p->value[k] = place[k].value;
    }
    free(place);
}

static inline const cd_mcp *pile_finish(pile *p)
{
    pile_sort(p);
    p->mcp.row = p->row;
    p->mcp.col = p->col;
    p->mcp.value = p->value;
    p->mcp.rhs = p->rhs;
    p->mcp.lower = p->lower;
    p->mcp.upper = p->upper;
    p->mcp.normal_row = p->friction > 0 ? p->normal_row : NULL;
    p->mcp.mu = p->friction > 0 ? p->mu : NULL;
    return &p->mcp;
}

static inline void pile_release(pile *p)
{
    void *all[] = {p->row, p->col, p->value, p->rhs, p->lower, p->upper, p->normal_row, p->mu, p->first_row};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

#endif

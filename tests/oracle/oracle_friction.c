// Contacts of bodies, without friction, with discs and with pyramids, against numbers of 113 bits.
//
// Every `solved` is verified in them: the velocities follow from the impulses by the masses alone, and the impulses are
// held to the law, contact by contact. It shares neither code nor scales with the solvers. Where normal rows can be
// satisfied, which problems made around a motion are sure of, `infeasible` is wrong too; where a row that acts on
// nothing cannot be, everything else is. What is neither solved nor wrong is counted.
//
//   usage: oracle_friction [COUNT [SEED]]      problems (default 100000)
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "coulomb.h"
#include "oracle_quad.h"

#include <stdlib.h>

enum {
    BODIES = 6,
    CONTACTS = 16,
    DOFS = 6,
    ROWS = BODIES * DOFS + CONTACTS * 6,
    ENTRIES = BODIES * 36 + CONTACTS * 200
};
#define WRONG \
    1e-8  // a residual here of what was told to be within 1e-10: the scales of both are some powers of two apart

typedef enum law { FRICTIONLESS, DISCS, PYRAMIDS, LAWS } law;
static const char *const law_names[] = {"frictionless", "discs", "pyramids"};
typedef enum kind { PLAIN, DEGENERATE, RANK_DEFICIENT, SCALED, DUPLICATE, NO_MU, HUGE_MU, ZERO_ROWS, KINDS } kind;
static const char *const kind_names[] = {"plain",     "degenerate", "rank-deficient", "scaled",
                                         "duplicate", "mu 0",       "huge mu",        "zero rows"};

typedef struct contact {
    int body[2];  // the second one -1: the world
    double J[3][2][DOFS], w[3], mu;
} contact;

typedef struct problem {
    int bodies, dofs, contacts, dimension;
    double M[BODIES][DOFS * DOFS], f[BODIES][DOFS];
    contact c[CONTACTS];
    law law;
    kind kind;
    bool is_feasible, is_impossible;
} problem;

static cd_arena arena;

// ---- problems ------------------------------------------------------------------------------------------------------

static int pick(cd_random *random, int count) { return (int)(cd_random_bits(random) % (uint64_t)count); }
static double power(cd_random *random, double most) { return pow(10, cd_random_between(random, -most, most)); }

static void make_body(problem *p, int b, cd_random *random)
{
    const int n = p->dofs;
    const double size = p->kind == SCALED ? power(random, 6) : power(random, 0.5), turn = power(random, 0.5);
    double L[DOFS * DOFS] = {0};
    for (int i = 0; i < n; i++) {
        const bool turns = i >= p->dimension;
        L[i * n + i] = sqrt(size * (turns ? turn : 1)) * (turns ? cd_random_between(random, 0.5, 1.5) : 1);
        for (int j = p->dimension; j < i; j++)
            L[i * n + j] = cd_random_between(random, -0.5, 0.5) * sqrt(size * turn);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            p->M[b][i * n + j] = 0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                p->M[b][i * n + j] += L[i * n + k] * L[j * n + k];
        }
    }
    for (int i = 0; i < n; i++)
        p->f[b][i] = p->kind == DEGENERATE && pick(random, 2) ? 0 : size * cd_random_between(random, -1, 1);
}

static double coordinate(const problem *p, cd_random *random)
{
    return p->kind == DEGENERATE ? pick(random, 3) - 1 : cd_random_between(random, -1, 1);
}

// An orthonormal frame of columns a[.][0] (the normal), a[.][1], a[.][2].
static void make_frame(const problem *p, cd_random *random, double a[3][3])
{
    const int n = p->dimension;
    double length = 0;
    memset(a, 0, sizeof(double[3][3]));
    if (p->kind == DEGENERATE || p->kind == RANK_DEFICIENT) {  // axes, or one of two normals
        const int first = p->kind == DEGENERATE ? pick(random, n) : pick(random, 2);
        for (int i = 0; i < n; i++)
            a[(first + i) % n][i] = pick(random, 2) && p->kind == DEGENERATE ? -1 : 1;
        return;
    }
    while (length < 0.1) {
        length = 0;
        for (int i = 0; i < n; i++) {
            a[i][0] = cd_random_between(random, -1, 1);
            length += a[i][0] * a[i][0];
        }
    }
    for (int i = 0; i < n; i++)
        a[i][0] /= sqrt(length);
    if (n == 2) {
        a[0][1] = -a[1][0];
        a[1][1] = a[0][0];
        return;
    }
    const int least = fabs(a[0][0]) < 0.6 ? 0 : 1;
    double dot = a[least][0], across = sqrt(1 - dot * dot);
    for (int i = 0; i < 3; i++)
        a[i][1] = ((i == least) - dot * a[i][0]) / across;
    for (int i = 0; i < 3; i++)
        a[i][2] = a[(i + 1) % 3][0] * a[(i + 2) % 3][1] - a[(i + 2) % 3][0] * a[(i + 1) % 3][1];
}

// The rows of one body: the direction, and its moment about an arm.
static void make_rows(const problem *p, const double a[3][3], double sign, cd_random *random, double J[3][2][DOFS],
                      int side)
{
    const double arm[3] = {coordinate(p, random), coordinate(p, random), coordinate(p, random)};
    for (int i = 0; i < p->dimension; i++) {
        const double d[3] = {a[0][i], a[1][i], a[2][i]};
        for (int k = 0; k < p->dimension; k++)
            J[i][side][k] = sign * d[k];
        if (p->dimension == 2) {
            J[i][side][2] = sign * (arm[0] * d[1] - arm[1] * d[0]);
            continue;
        }
        for (int k = 0; k < 3; k++)
            J[i][side][3 + k] = sign * (arm[(k + 1) % 3] * d[(k + 2) % 3] - arm[(k + 2) % 3] * d[(k + 1) % 3]);
    }
}

// The velocities of a motion at a contact's rows.
static double row_velocity(const problem *p, const contact *c, int row, const double v[BODIES][DOFS])
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < p->dofs && c->body[side] >= 0; k++)
            sum += c->J[row][side][k] * v[c->body[side]][k];
    }
    return sum;
}

static void make_contact(problem *p, contact *c, const double motion[BODIES][DOFS], cd_random *random)
{
    double frame[3][3];
    memset(c, 0, sizeof *c);
    c->body[0] = pick(random, p->bodies);
    c->body[1] = pick(random, p->bodies + 1) - 1;
    c->body[1] = c->body[1] == c->body[0] ? -1 : c->body[1];
    make_frame(p, random, frame);
    const bool is_zero = p->kind == ZERO_ROWS && pick(random, 4) == 0;
    for (int side = 0; side < 2 && !is_zero; side++) {
        if (c->body[side] >= 0)
            make_rows(p, frame, side ? -1 : 1, random, c->J, side);
    }
    const double unit = p->kind == SCALED && pick(random, 2) ? power(random, 3) : 1;  // of this contact's rows
    for (int i = 0; i < p->dimension; i++) {
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < p->dofs; k++)
                c->J[i][side][k] *= unit;
        }
        c->w[i] = p->kind == DEGENERATE ? 0 : unit * cd_random_between(random, -0.3, 0.3);
    }
    if (p->is_feasible) {
        const double slack = p->kind == DEGENERATE || pick(random, 3) == 0 ? 0 : cd_random_unit(random);
        const double at = row_velocity(p, c, 0, motion);
        c->w[0] = unit * slack - at + 4e-16 * fabs(at);
    }
    p->is_impossible = p->is_impossible || (is_zero && c->w[0] < 0);
    c->mu = p->kind == NO_MU && pick(random, 2) ? 0
            : p->kind == HUGE_MU                ? power(random, 4) * 1e4
                                                : cd_random_unit(random);
}

static void make_problem(problem *p, cd_random *random)
{
    memset(p, 0, sizeof *p);
    p->kind = (kind)pick(random, KINDS);
    p->law = (law)pick(random, LAWS);
    p->dimension = 2 + pick(random, 2);
    p->dofs = p->dimension == 2 ? 3 : 6;
    p->bodies = 1 + pick(random, p->kind == RANK_DEFICIENT ? 2 : BODIES);
    p->contacts = p->kind == RANK_DEFICIENT ? CONTACTS / 2 + pick(random, CONTACTS / 2) : 1 + pick(random, CONTACTS);
    p->is_feasible = pick(random, 4) > 0;
    double motion[BODIES][DOFS];
    for (int b = 0; b < p->bodies; b++) {
        make_body(p, b, random);
        for (int k = 0; k < DOFS; k++)
            motion[b][k] = p->kind == DEGENERATE ? 0 : cd_random_between(random, -1, 1);
    }
    for (int k = 0; k < p->contacts; k++) {
        if (p->kind == DUPLICATE && k > 0 && pick(random, 2)) {
            p->c[k] = p->c[pick(random, k)];
            if (pick(random, 4) == 0)
                p->c[k].mu = cd_random_unit(random);
            continue;
        }
        make_contact(p, &p->c[k], (const double(*)[DOFS])motion, random);
    }
}

// ---- as the stream has them, and as files have them ----------------------------------------------------------------

typedef struct stream {
    cd_mcp mcp;
    int32_t row[ENTRIES], col[ENTRIES], normal[ROWS], kind[ROWS];
    double value[ENTRIES], rhs[ROWS], lower[ROWS], upper[ROWS], mu[ROWS];
} stream;

static void put(stream *s, int row, int col, double value)
{
    if (value == 0)
        return;
    s->row[s->mcp.entry_count] = row;
    s->col[s->mcp.entry_count] = col;
    s->value[s->mcp.entry_count++] = value;
}

static int put_row(stream *s, double rhs, double lower)
{
    const int i = s->mcp.n++;
    s->rhs[i] = rhs;
    s->lower[i] = lower;
    s->upper[i] = INFINITY;
    s->normal[i] = -1;
    s->mu[i] = 0;
    s->kind[i] = 0;
    return i;
}

// A row of contact k that acts along sign times its row i.
static int put_impulse(stream *s, const problem *p, int k, int i, double sign)
{
    const contact *c = &p->c[k];
    const int row = put_row(s, sign * c->w[i], 0);
    for (int side = 0; side < 2; side++) {
        for (int d = 0; d < p->dofs && c->body[side] >= 0; d++) {
            put(s, row, c->body[side] * p->dofs + d, sign * c->J[i][side][d]);
            put(s, c->body[side] * p->dofs + d, row, sign * c->J[i][side][d]);
        }
    }
    return row;
}

// Stewart and Trinkle: impulses along each tangent and against it, and the slip they share.
static void put_pyramid(stream *s, const problem *p, int k, int normal)
{
    int row[4], count = 0;
    for (int i = 1; i < p->dimension; i++) {
        row[count++] = put_impulse(s, p, k, i, 1);
        row[count++] = put_impulse(s, p, k, i, -1);
    }
    const int slip = put_row(s, 0, 0);
    put(s, slip, normal, p->c[k].mu);
    for (int i = 0; i < count; i++) {
        put(s, slip, row[i], -1);
        put(s, row[i], slip, 1);
    }
}

static void make_stream(const problem *p, stream *s)
{
    s->mcp =
        (cd_mcp){.row = s->row, .col = s->col, .value = s->value, .rhs = s->rhs, .lower = s->lower, .upper = s->upper};
    for (int b = 0; b < p->bodies; b++) {
        for (int i = 0; i < p->dofs; i++)
            put_row(s, p->f[b][i], -INFINITY);
    }
    for (int b = 0; b < p->bodies; b++) {
        for (int i = 0; i < p->dofs; i++) {
            for (int j = 0; j < p->dofs; j++)
                put(s, b * p->dofs + i, b * p->dofs + j, -p->M[b][i * p->dofs + j]);
        }
    }
    for (int k = 0; k < p->contacts; k++) {
        const int normal = put_impulse(s, p, k, 0, 1);
        if (p->law == PYRAMIDS)
            put_pyramid(s, p, k, normal);
        for (int i = 1; i < p->dimension && p->law == DISCS; i++) {
            const int row = put_impulse(s, p, k, i, 1);
            s->normal[row] = normal;
            s->mu[row] = p->c[k].mu;
            s->kind[row] = 1;
            s->lower[row] = -INFINITY;
        }
    }
    if (p->law == DISCS) {
        s->mcp.normal_row = s->normal;
        s->mcp.mu = s->mu;
        s->mcp.kind = s->kind;
    }
}

// What the rows of a solution are to the contacts: impulses, and of pyramids each of them.
typedef struct impulses {
    double r[CONTACTS][3], beta[CONTACTS][4], slip[CONTACTS];
} impulses;

static void take_stream(const problem *p, const double *z, impulses *out)
{
    memset(out, 0, sizeof *out);
    const double *at = z + p->bodies * p->dofs;
    for (int k = 0; k < p->contacts; k++) {
        out->r[k][0] = *at++;
        for (int i = 1; i < p->dimension && p->law == DISCS; i++)
            out->r[k][i] = *at++;
        for (int i = 0; i < 2 * (p->dimension - 1) && p->law == PYRAMIDS; i++)
            out->beta[k][i] = *at++;
        if (p->law == PYRAMIDS)
            out->slip[k] = *at++;
    }
}

// The global form; without friction mu is 0.
static cd_coulomb make_files(const problem *p, double *mu)
{
    const int32_t velocities = p->bodies * p->dofs, rows = p->contacts * p->dimension;
    cd_coulomb out = {.name = "random", .dimension = p->dimension, .contacts = p->contacts, .mu = mu};
    out.matrix = cd_mm_entries(velocities, velocities, 0, CD_ARENA_ARRAY(&arena, int32_t, ENTRIES),
                               CD_ARENA_ARRAY(&arena, int32_t, ENTRIES), CD_ARENA_ARRAY(&arena, double, ENTRIES));
    out.jacobian = cd_mm_entries(rows, velocities, 0, CD_ARENA_ARRAY(&arena, int32_t, ENTRIES),
                                 CD_ARENA_ARRAY(&arena, int32_t, ENTRIES), CD_ARENA_ARRAY(&arena, double, ENTRIES));
    out.force = CD_ARENA_ARRAY(&arena, double, velocities);
    out.rhs = CD_ARENA_ARRAY(&arena, double, rows);
    for (int b = 0; b < p->bodies; b++) {
        for (int i = 0; i < p->dofs; i++) {
            out.force[b * p->dofs + i] = p->f[b][i];
            for (int j = 0; j < p->dofs; j++) {
                const int32_t e = out.matrix.entry_count++;
                out.matrix.row[e] = b * p->dofs + i;
                out.matrix.col[e] = b * p->dofs + j;
                out.matrix.value[e] = p->M[b][i * p->dofs + j];
            }
        }
    }
    for (int k = 0; k < p->contacts; k++) {
        mu[k] = p->law == DISCS ? p->c[k].mu : 0;
        for (int i = 0; i < p->dimension; i++) {
            out.rhs[k * p->dimension + i] = p->c[k].w[i];
            for (int side = 0; side < 2; side++) {
                for (int d = 0; d < p->dofs && p->c[k].body[side] >= 0; d++) {
                    const int32_t e = out.jacobian.entry_count++;
                    out.jacobian.row[e] = k * p->dimension + i;
                    out.jacobian.col[e] = p->c[k].body[side] * p->dofs + d;
                    out.jacobian.value[e] = p->c[k].J[i][side][d];
                }
            }
        }
    }
    return out;
}

// ---- the law in 113 bits -------------------------------------------------------------------------------------------

// x := M^-1 x, by Cholesky.
static void solve_body(const problem *p, int b, quad *x)
{
    const int n = p->dofs;
    quad L[DOFS * DOFS];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            quad sum = p->M[b][i * n + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? quad_sqrt(sum) : sum / L[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

// The mean diagonal of the contact's block of J M^-1 J'.
static double compliance(const problem *p, const contact *c, int rows)
{
    quad sum = 0;
    for (int i = 0; i < rows; i++) {
        for (int side = 0; side < 2; side++) {
            quad x[DOFS];
            if (c->body[side] < 0)
                continue;
            for (int k = 0; k < p->dofs; k++)
                x[k] = c->J[i][side][k];
            solve_body(p, c->body[side], x);
            for (int k = 0; k < p->dofs; k++)
                sum += x[k] * c->J[i][side][k];
        }
    }
    return (double)(sum / rows);
}

// v = M^-1 (f + J' r).
static void velocities(const problem *p, const quad r[CONTACTS][3], quad v[BODIES][DOFS])
{
    for (int b = 0; b < p->bodies; b++) {
        for (int i = 0; i < p->dofs; i++)
            v[b][i] = p->f[b][i];
    }
    for (int k = 0; k < p->contacts; k++) {
        for (int i = 0; i < p->dimension; i++) {
            for (int side = 0; side < 2; side++) {
                for (int d = 0; d < p->dofs && p->c[k].body[side] >= 0; d++)
                    v[p->c[k].body[side]][d] += p->c[k].J[i][side][d] * r[k][i];
            }
        }
    }
    for (int b = 0; b < p->bodies; b++)
        solve_body(p, b, v[b]);
}

static void contact_velocity(const problem *p, const contact *c, const quad v[BODIES][DOFS], quad u[3])
{
    for (int i = 0; i < p->dimension; i++) {
        u[i] = c->w[i];
        for (int side = 0; side < 2; side++) {
            for (int d = 0; d < p->dofs && c->body[side] >= 0; d++)
                u[i] += c->J[i][side][d] * v[c->body[side]][d];
        }
    }
}

static quad lesser(quad a, quad b) { return a < b ? a : b; }
static quad greater(quad a, quad b) { return a > b ? a : b; }

// How far tangents are from the projection of what they move to on the disc.
static quad disc_error(int n, quad radius, const quad *r, const quad *target)
{
    quad length = 0, sum = 0;
    for (int i = 1; i < n; i++)
        length += target[i] * target[i];
    length = quad_sqrt(length);
    for (int i = 1; i < n; i++) {
        const quad x = r[i] - target[i] * (length > radius ? radius / length : 1);
        sum += x * x;
    }
    return quad_sqrt(sum);
}

// The error of contact k, in impulses times root = sqrt(t).
static quad contact_error(const problem *p, const impulses *z, int k, double t, const quad *r, const quad *u)
{
    const double root = sqrt(t);
    quad target[3], worst = quad_abs(lesser(r[0] * root, u[0] / root));
    for (int i = 0; i < p->dimension; i++)
        target[i] = r[i] - u[i] / t;
    if (p->law == DISCS)
        worst = greater(worst, root * disc_error(p->dimension, greater(0, p->c[k].mu * r[0]), r, target));
    quad room = p->c[k].mu * r[0];
    for (int i = 0; i < 2 * (p->dimension - 1) && p->law == PYRAMIDS; i++) {
        const quad w = (i % 2 ? -1 : 1) * u[1 + i / 2] + z->slip[k];
        worst = greater(worst, quad_abs(lesser(z->beta[k][i] * root, w / root)));
        room -= z->beta[k][i];
    }
    const double steep = fmax(1, p->c[k].mu);  // friction to a part of what mu allows: mu r has no more digits
    if (p->law == PYRAMIDS)
        worst = greater(worst, quad_abs(lesser(z->slip[k] / root, room * root / steep)));
    return worst;
}

// spread (may be NULL): of the compliances, the largest over the least.
static double residual_of(const problem *p, const impulses *z, double *spread)
{
    quad r[CONTACTS][3] = {{0}}, v[BODIES][DOFS], before[BODIES][DOFS], none[CONTACTS][3] = {{0}}, u[3], worst = 0;
    double t[CONTACTS], largest = 0, least = INFINITY, scale = 0;
    const int rows = p->law == FRICTIONLESS ? 1 : p->dimension;
    for (int k = 0; k < p->contacts; k++) {
        for (int i = 0; i < p->dimension; i++)
            r[k][i] = z->r[k][i];
        for (int i = 0; i < 2 * (p->dimension - 1) && p->law == PYRAMIDS; i++)
            r[k][1 + i / 2] += (i % 2 ? -1 : 1) * (quad)z->beta[k][i];
        t[k] = compliance(p, &p->c[k], rows);
        largest = fmax(largest, t[k]);
        least = t[k] > 0 ? fmin(least, t[k]) : least;
    }
    velocities(p, (const quad(*)[3])r, v);
    velocities(p, (const quad(*)[3])none, before);
    for (int b = 0; b < p->bodies; b++) {
        for (int i = 0; i < p->dofs; i++)
            scale = fmax(scale, fabs(p->f[b][i]) / sqrt(p->M[b][i * p->dofs + i]));
    }
    for (int k = 0; k < p->contacts; k++) {
        t[k] = t[k] > 0 ? t[k] : largest > 0 ? largest : 1;
        contact_velocity(p, &p->c[k], (const quad(*)[DOFS])before, u);
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs((double)u[i]) / sqrt(t[k]));
        contact_velocity(p, &p->c[k], (const quad(*)[DOFS])v, u);
        worst = greater(worst, contact_error(p, z, k, t[k], r[k], u));
    }
    if (spread)
        *spread = largest > 0 ? largest / least : 1;
    return (double)worst / (scale > 0 ? scale : 1);
}

// ---- claims --------------------------------------------------------------------------------------------------------

enum { MOST_SOLVERS = 16, FILES = MOST_SOLVERS - 1 };  // FILES: as a problem in files, by auto
static int by_kind[KINDS][LAWS][CD_LCP_STATUS_COUNT], by_solver[MOST_SOLVERS][LAWS][CD_LCP_STATUS_COUNT];
static double worst[LAWS];  // of `solved`, where WRONG is what is allowed
static int wrong;

// In a stream velocities are held to the tolerance of the heaviest body's: to the root of the masses' ratio (mcp.h).
// Files are verified contact by contact.
static void judge(const problem *p, const char *solver, cd_lcp_status status, const impulses *z, uint64_t seed)
{
    double spread = 1;
    const bool is_file = strchr(solver, ' ') != NULL;
    const double residual = status == CD_LCP_SOLVED ? residual_of(p, z, &spread) : 0,
                 most = is_file ? WRONG : fmax(WRONG, CD_LCP_TOLERANCE * sqrt(spread));
    const bool is_wrong = (status == CD_LCP_SOLVED && !(residual <= most)) ||
                          (status == CD_LCP_INFEASIBLE && p->is_feasible) ||
                          (status == CD_LCP_SOLVED && p->is_impossible);
    if (status == CD_LCP_SOLVED)
        worst[p->law] = fmax(worst[p->law], residual * WRONG / most);
    if (!is_wrong)
        return;
    if (wrong++ < 20)
        printf("# WRONG: %s, %s, %s: %s, residual %.3g (seed %llu)\n", solver, law_names[p->law], kind_names[p->kind],
               cd_lcp_status_name(status), residual, (unsigned long long)seed);
}

static bool may_take(const cd_lcp_solver *s, const problem *p, const stream *st)
{
    const int32_t held = st->mcp.n - p->bodies * p->dofs;
    if (p->law == DISCS && !(s->takes & CD_LCP_TAKES_DISCS))
        return false;
    if (p->law == PYRAMIDS && !(s->takes & CD_LCP_TAKES_GENERAL))
        return false;
    return s->most_rows == 0 || held <= s->most_rows - 6;
}

static void run_solver(const problem *p, const stream *st, int which, uint64_t seed)
{
    const cd_lcp_solver *solver = cd_lcp_solvers[which];
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_mcp_solution s;
    impulses z;
    cd_mcp_solve(&st->mcp, solver, &options, &arena, &s);
    take_stream(p, s.z, &z);
    judge(p, solver->name, s.status, &z, seed);
    by_solver[which][p->law][s.status]++;
    if (which == 0)
        by_kind[p->kind][p->law][s.status]++;
}

static void run_files(const problem *p, uint64_t seed)
{
    double mu[CONTACTS];
    cd_coulomb c = make_files(p, mu);
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    cd_coulomb_solution s;
    cd_diag diag = {{0}};
    impulses z = {0};
    CD_CHECK(cd_coulomb_check(&c, &diag) == CD_OK);
    cd_coulomb_solve(&c, cd_lcp_solvers[0], &options, &arena, &s);
    for (int k = 0; k < p->contacts; k++) {
        for (int i = 0; i < p->dimension; i++)
            z.r[k][i] = s.r[k * p->dimension + i];
    }
    judge(p, "auto, in files", s.status, &z, seed);
    by_solver[FILES][p->law][s.status]++;
}

static void tell_row(const char *name, const char *law_name, const int *count)
{
    int total = 0;
    for (int k = 0; k < CD_LCP_STATUS_COUNT; k++)
        total += count[k];
    if (total == 0)
        return;
    printf("# %-15s %-13s %7d problems:", name, law_name, total);
    for (int k = 0; k < CD_LCP_STATUS_COUNT; k++) {
        if (count[k])
            printf(" %s %d", cd_lcp_status_name((cd_lcp_status)k), count[k]);
    }
    printf("\n");
}

static int count = 100000;
static uint64_t first_seed = 1;

CD_TEST(claims)
{
    static problem p;
    static stream st;
    int solvers = 0, solved = 0;
    while (cd_lcp_solvers[solvers])
        solvers++;
    CD_CHECK(solvers < FILES && strcmp(cd_lcp_solvers[0]->name, "auto") == 0);
    for (int k = 0; k < count; k++) {
        cd_random random = {first_seed + (uint64_t)k};
        make_problem(&p, &random);
        make_stream(&p, &st);
        CD_CHECK(st.mcp.n <= ROWS && st.mcp.entry_count <= ENTRIES);
        run_solver(&p, &st, 0, first_seed + (uint64_t)k);
        const int other = 1 + k % (solvers - 1);
        if (may_take(cd_lcp_solvers[other], &p, &st))
            run_solver(&p, &st, other, first_seed + (uint64_t)k);
        if (p.law != PYRAMIDS && k % 2 == 0)
            run_files(&p, first_seed + (uint64_t)k);
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
    printf("# %d wrong; worst residual of solved: frictionless %.2g, discs %.2g, pyramids %.2g\n", wrong, worst[0],
           worst[1], worst[2]);
    for (int i = 0; i < KINDS; i++) {
        for (int l = 0; l < LAWS; l++)
            tell_row(kind_names[i], law_names[l], by_kind[i][l]);
    }
    for (int s = 0; s < MOST_SOLVERS; s++) {
        for (int l = 0; l < LAWS; l++) {
            tell_row(s == FILES    ? "auto, in files"
                     : s < solvers ? cd_lcp_solvers[s]->name
                                   : "",
                     law_names[l], by_solver[s][l]);
            solved += s == 0 ? by_solver[s][l][CD_LCP_SOLVED] : 0;
        }
    }
    CD_CHECK(2 * solved > count);
}

// A judge that sees nothing would pass everything: answers that are a little off must not.
CD_TEST(the_judge_sees)
{
    static problem p;
    static stream st;
    int seen = 0, tried = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        cd_random random = {seed};
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        cd_mcp_solution s;
        impulses z;
        make_problem(&p, &random);
        make_stream(&p, &st);
        cd_mcp_solve(&st.mcp, cd_lcp_solvers[0], &options, &arena, &s);
        take_stream(&p, s.z, &z);
        const int k = pick(&random, p.contacts);
        if (s.status == CD_LCP_SOLVED && z.r[k][0] > 1e-3 && p.kind != SCALED) {
            z.r[k][0] *= 1 + 1e-5;
            tried++;
            seen += residual_of(&p, &z, NULL) > WRONG;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(tried > 50 && seen >= tried * 9 / 10);
    printf("# of %d answers with one impulse 1e-5 too large %d are seen\n", tried, seen);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        count = atoi(argv[1]);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    CD_RUN(the_judge_sees);
    CD_RUN(claims);
    cd_arena_release(&arena);
    return cd_test_done();
}

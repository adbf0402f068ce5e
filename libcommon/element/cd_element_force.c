// St. Venant-Kirchhoff, total Lagrangian: everything is an integral over the reference, where a simplex has one
// gradient.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_element.h"
#include "element_shape.h"

#include <float.h>
#include <math.h>

// How the element is strained at its centre. Matrices have a row a coordinate; in the plane the third is as in space
// that is not strained there.
typedef struct strained {
    int dim, nodes;
    cd_vec3 gradient[CD_ELEMENT_MAX_NODES];  // of the shape functions, by the reference
    cd_mat3 move;                            // H = F - I
    cd_mat3 green;                           // E; of rings the hoop strain stands at z
    double hoop;                             // of rings: stretch; else 0
    double hoop_slope;                       // of it by the x of a node
} strained;

// Derivatives of simplices' shape functions by their own coordinates.
static const cd_vec3 simplex_slope[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void set_gradients(strained *s, cd_element_kind kind, const cd_vec3 *reference)
{
    cd_vec3 slope[CD_ELEMENT_MAX_NODES];
    if (kind == CD_ELEMENT_TRI3 || kind == CD_ELEMENT_TET4)
        for (int i = 0; i < s->nodes; i++)
            slope[i] = simplex_slope[i];
    else
        cd_element_shape_slopes(s->nodes, (cd_vec3){0, 0, 0}, slope);
    cd_mat3 j = cd_element_jacobian(s->nodes, slope, reference);
    if (s->dim == 2) {
        j.row[0].z = j.row[1].z = 0;  // simplex_slope has a third derivative
        j.row[2] = (cd_vec3){0, 0, 1};
        for (int i = 0; i < s->nodes; i++)
            slope[i].z = 0;
    }
    cd_vec3 yz = cd_cross3(j.row[1], j.row[2]), zx = cd_cross3(j.row[2], j.row[0]);
    double size = cd_dot3(j.row[0], yz);
    CD_ASSERT(size > 0);
    cd_mat3 cofactor = {{yz, zx, cd_cross3(j.row[0], j.row[1])}};
    for (int i = 0; i < s->nodes; i++)
        s->gradient[i] = cd_scale3(1 / size, cd_mat3_apply(&cofactor, slope[i]));
}

// From displacements rather than F: small strains keep their digits.
static cd_mat3 green_of(const cd_mat3 *h)
{
    cd_mat3 t = cd_mat3_transpose(h), square = cd_mat3_product(&t, h), e;
    for (int k = 0; k < 3; k++)
        e.row[k] = cd_scale3(0.5, cd_add3(square.row[k], cd_add3(h->row[k], t.row[k])));
    return e;
}

static strained strain_of(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, cd_symmetry symmetry)
{
    strained s = {.dim = cd_element_dim(kind), .nodes = cd_element_node_count(kind)};
    set_gradients(&s, kind, reference);
    double radius = 0, widened = 0;
    for (int i = 0; i < s.nodes; i++) {
        cd_vec3 u = cd_sub3(cd_sub3(x[i], x[0]), cd_sub3(reference[i], reference[0])), g = s.gradient[i];
        s.move.row[0] = cd_add3(s.move.row[0], cd_scale3(u.x, g));
        s.move.row[1] = cd_add3(s.move.row[1], cd_scale3(u.y, g));
        s.move.row[2] = cd_add3(s.move.row[2], cd_scale3(u.z, g));
        radius += reference[i].x / s.nodes;
        widened += (x[i].x - reference[i].x) / s.nodes;
    }
    s.green = green_of(&s.move);
    if (symmetry == CD_SYMMETRY_AXIAL && s.dim == 2) {
        double stretch = widened / radius;
        s.hoop = 1 + stretch;
        s.hoop_slope = 1 / (s.nodes * radius);
        s.green.row[2].z = stretch + stretch * stretch / 2;
    }
    return s;
}

static double trace_of(const cd_mat3 *m) { return m->row[0].x + m->row[1].y + m->row[2].z; }
static double square_of(const cd_mat3 *m)  // m:m
{
    return cd_dot3(m->row[0], m->row[0]) + cd_dot3(m->row[1], m->row[1]) + cd_dot3(m->row[2], m->row[2]);
}

// Second Piola-Kirchhoff stress lambda tr E I + 2 mu E.
static cd_mat3 stress_of(const cd_mat3 *green, double lambda, double mu)
{
    double mean = lambda * trace_of(green);
    cd_mat3 s = {
        {cd_scale3(2 * mu, green->row[0]), cd_scale3(2 * mu, green->row[1]), cd_scale3(2 * mu, green->row[2])}};
    s.row[0].x += mean;
    s.row[1].y += mean;
    s.row[2].z += mean;
    return s;
}

// F = I + H; of rings the hoop stretch is no part of it.
static cd_mat3 deformation(const strained *s)
{
    cd_mat3 f = s->move;
    f.row[0].x += 1;
    f.row[1].y += 1;
    f.row[2].z += 1;
    return f;
}

double cd_element_force(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, double lambda, double mu,
                        cd_symmetry symmetry, cd_vec3 force[4])
{
    CD_ASSERT(kind == CD_ELEMENT_TRI3 || kind == CD_ELEMENT_TET4);
    strained s = strain_of(kind, reference, x, symmetry);
    double volume = cd_element_volume(kind, reference, symmetry), trace = trace_of(&s.green);
    cd_mat3 stress = stress_of(&s.green, lambda, mu), f = deformation(&s);
    double hoop = s.hoop * stress.row[2].z * s.hoop_slope;
    force[0] = (cd_vec3){0, 0, 0};
    for (int i = 1; i < s.nodes; i++) {  // those of the first node from the sum, which is 0 to the last digit
        cd_vec3 pull = cd_mat3_apply(&stress, s.gradient[i]);
        force[i] = cd_scale3(-volume, cd_mat3_apply(&f, pull));
        force[0] = cd_sub3(force[0], force[i]);
    }
    for (int i = 0; i < s.nodes && s.hoop != 0; i++)
        force[i].x -= volume * hoop;
    return volume * (lambda / 2 * trace * trace + mu * square_of(&s.green));
}

double cd_element_distortion(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, cd_symmetry symmetry)
{
    strained s = strain_of(kind, reference, x, symmetry);
    double mean = trace_of(&s.green) / 3;
    s.green.row[0].x -= mean;
    s.green.row[1].y -= mean;
    s.green.row[2].z -= mean;
    return sqrt(2.0 / 3 * square_of(&s.green));
}

// ---- frequencies ---------------------------------------------------------------------------------------------------
// K = V (B' C B + geometric). Strains as vectors of six, shear times sqrt(2), so that lengths are those of tensors; the
// largest eigenvalue of M^-1 B'CB is that of the 6 x 6 matrix C^1/2 B M^-1 B' C^1/2.

enum { STRAINS = 6 };

// Adds the outer product of a column of C^1/2 B / sqrt(mass).
static void add_column(double *a, const double *strain, double shear, double mean, double mass)
{
    double v[STRAINS], pressure = mean * (strain[0] + strain[1] + strain[2]);
    for (int k = 0; k < STRAINS; k++)
        v[k] = shear * strain[k] + (k < 3 ? pressure : 0);
    for (int i = 0; i < STRAINS; i++)
        for (int j = 0; j < STRAINS; j++)
            a[STRAINS * i + j] += v[i] * v[j] / mass;
}

// At least the largest eigenvalue of a semidefinite matrix, at most 6^(1/32) times it: (tr a^32)^(1/32).
static double largest_eigenvalue(double *a)
{
    double trace = 0, sum = 0;
    for (int i = 0; i < STRAINS; i++)
        trace += a[STRAINS * i + i];
    if (trace <= 0)
        return 0;
    for (int i = 0; i < STRAINS * STRAINS; i++)
        a[i] /= trace;
    for (int power = 1; power < 16; power *= 2) {
        double square[STRAINS * STRAINS];
        for (int i = 0; i < STRAINS; i++)
            for (int j = 0; j < STRAINS; j++) {
                square[STRAINS * i + j] = 0;
                for (int k = 0; k < STRAINS; k++)
                    square[STRAINS * i + j] += a[STRAINS * i + k] * a[STRAINS * k + j];
            }
        for (int i = 0; i < STRAINS * STRAINS; i++)
            a[i] = square[i];
    }
    for (int i = 0; i < STRAINS * STRAINS; i++)
        sum += a[i] * a[i];
    return trace * pow(sum, 1.0 / 32) * (1 + 64 * DBL_EPSILON);
}

static double material_part(const strained *s, double lambda, double mu, const double *mass)
{
    double a[STRAINS * STRAINS] = {0}, shear = sqrt(2 * mu), mean = (sqrt(2 * mu + 3 * lambda) - shear) / 3;
    cd_mat3 f = deformation(s);
    for (int i = 0; i < s->nodes; i++)
        for (int c = 0; c < s->dim; c++) {
            cd_vec3 g = s->gradient[i], r = f.row[c];
            double strain[STRAINS] = {r.x * g.x,
                                      r.y * g.y,
                                      r.z * g.z,
                                      sqrt(0.5) * (r.x * g.y + r.y * g.x),
                                      sqrt(0.5) * (r.y * g.z + r.z * g.y),
                                      sqrt(0.5) * (r.z * g.x + r.x * g.z)};
            if (c == 0)
                strain[2] += s->hoop * s->hoop_slope;
            add_column(a, strain, shear, mean, mass[i]);
        }
    return largest_eigenvalue(a);
}

// S:(du' du) is at most the largest stress times |du|^2; pressure lowers frequencies and is not counted.
static double geometric_part(const strained *s, double lambda, double mu, const double *mass)
{
    cd_mat3 t = stress_of(&s->green, lambda, mu);
    double x = t.row[0].x + fabs(t.row[0].y) + fabs(t.row[0].z), y = fabs(t.row[1].x) + t.row[1].y + fabs(t.row[1].z),
           z = fabs(t.row[2].x) + fabs(t.row[2].y) + t.row[2].z;
    double most = fmax(0, s->dim == 2 ? fmax(x, y) : fmax(x, fmax(y, z))), hoop = fmax(0, t.row[2].z), sum = 0;
    for (int i = 0; i < s->nodes; i++)
        sum += (most * cd_dot3(s->gradient[i], s->gradient[i]) + hoop * s->hoop_slope * s->hoop_slope) / mass[i];
    return sum;
}

double cd_element_frequency_sq(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, double lambda,
                               double mu, cd_symmetry symmetry, const double *mass)
{
    CD_ASSERT(kind == CD_ELEMENT_TRI3 || kind == CD_ELEMENT_TET4);
    strained s = strain_of(kind, reference, x, symmetry);
    double volume = cd_element_volume(kind, reference, symmetry);
    return volume * (material_part(&s, lambda, mu, mass) + geometric_part(&s, lambda, mu, mass));
}

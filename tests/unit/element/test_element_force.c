// Elastic forces of triangles and tetrahedra: differences of the energy, closed forms, rigid motion, the patch test;
// the bound of frequencies against eigenvalues of whole meshes.
// SPDX-License-Identifier: MIT
#include "cd_dense.h"
#include "cd_element.h"
#include "cd_random.h"
#include "cd_test.h"

#define PI 3.14159265358979323846

enum { CASES = 3 };
static const cd_element_kind kind_of[CASES] = {CD_ELEMENT_TRI3, CD_ELEMENT_TRI3, CD_ELEMENT_TET4};
static const cd_symmetry symmetry_of[CASES] = {CD_SYMMETRY_PLANE, CD_SYMMETRY_AXIAL, CD_SYMMETRY_PLANE};
static const double lambda = 1.7, mu = 0.6;

static void shake(cd_random *random, int dim, int nodes, double by, const cd_vec3 *from, cd_vec3 *to)
{
    for (int i = 0; i < nodes; i++) {
        to[i] = from[i];
        for (int k = 0; k < dim; k++)
            (&to[i].x)[k] += cd_random_between(random, -by, by);
    }
}

static void random_reference(cd_random *random, int dim, cd_vec3 *x)
{
    static const cd_vec3 regular[4] = {{1, 0, 0}, {2, 0.1, 0}, {1.4, 0.9, 0}, {1.3, 0.4, 0.8}};
    shake(random, dim, dim + 1, 0.15, regular, x);
}

// d/dt of a quartic polynomial at 0 from its values at -2h, -h, h, 2h: exact but for rounding.
static double slope(const double f[4], double h) { return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h); }
static const double place[4] = {-2, -1, 1, 2};

CD_TEST(forces_are_slopes_of_the_energy)
{
    cd_random random = {1};
    for (int k = 0; k < 300; k++) {
        cd_element_kind kind = kind_of[k % CASES];
        int dim = cd_element_dim(kind);
        cd_vec3 reference[4], x[4], force[4], other[4];
        random_reference(&random, dim, reference);
        shake(&random, dim, dim + 1, k % 2 ? 0.5 : 0.01, reference, x);
        double energy = cd_element_force(kind, reference, x, lambda, mu, symmetry_of[k % CASES], force);
        CD_CHECK(energy >= 0);
        for (int i = 0; i <= dim; i++)
            for (int c = 0; c < 3; c++) {
                double at[4], h = 1.0 / 16, old = (&x[i].x)[c];
                for (int p = 0; p < 4 && c < dim; p++) {
                    (&x[i].x)[c] = old + place[p] * h;
                    at[p] = cd_element_force(kind, reference, x, lambda, mu, symmetry_of[k % CASES], other);
                }
                (&x[i].x)[c] = old;
                CD_CHECK_NEAR((&force[i].x)[c], c < dim ? -slope(at, h) : 0, 1e-12 * (1 + energy));
            }
    }
}

CD_TEST(forces_leave_momenta_alone)
{
    cd_random random = {2};
    for (int k = 0; k < 100; k++) {
        int which = k % 2 ? 2 : 0, dim = cd_element_dim(kind_of[which]);
        cd_vec3 reference[4], x[4], force[4], sum = {0, 0, 0}, moment = {0, 0, 0};
        random_reference(&random, dim, reference);
        shake(&random, dim, dim + 1, 0.5, reference, x);
        cd_element_force(kind_of[which], reference, x, lambda, mu, CD_SYMMETRY_PLANE, force);
        for (int i = 0; i <= dim; i++) {
            sum = cd_add3(sum, force[dim - i]);
            moment = cd_add3(moment, cd_cross3(x[i], force[i]));
        }
        CD_CHECK_NEAR(cd_length3(sum), 0, 1e-15 * (1 + cd_length3(force[1])));
        CD_CHECK_NEAR(cd_length3(moment), 0, 1e-13);
    }
}

CD_TEST(rigid_motion_gives_no_force)
{
    cd_random random = {3};
    for (int k = 0; k < 100; k++) {
        int which = k % 2 ? 2 : 0, dim = cd_element_dim(kind_of[which]);
        cd_vec3 reference[4], x[4], force[4];
        random_reference(&random, dim, reference);
        double a = cd_random_between(&random, -4, 4), b = dim == 2 ? 0 : cd_random_between(&random, -4, 4);
        for (int i = 0; i <= dim; i++) {
            cd_vec3 r = reference[i], s = {cos(a) * r.x - sin(a) * r.y, sin(a) * r.x + cos(a) * r.y, r.z};
            x[i] = (cd_vec3){s.x + 3, cos(b) * s.y - sin(b) * s.z - 5, sin(b) * s.y + cos(b) * s.z};
        }
        double energy = cd_element_force(kind_of[which], reference, x, lambda, mu, CD_SYMMETRY_PLANE, force);
        CD_CHECK_NEAR(energy, 0, 1e-28);
        for (int i = 0; i <= dim; i++)
            CD_CHECK_NEAR(cd_length3(force[i]), 0, 1e-13);
        for (int i = 0; i <= dim; i++)
            CD_CHECK_NEAR(cd_element_distortion(kind_of[which], reference, x, CD_SYMMETRY_PLANE), 0, 1e-14);
    }
    cd_vec3 ring[3] = {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}}, moved[3], force[4];  // a ring is free to move along its axis
    for (int i = 0; i < 3; i++)
        moved[i] = (cd_vec3){ring[i].x, ring[i].y + 7, 0};
    CD_CHECK_NEAR(cd_element_force(CD_ELEMENT_TRI3, ring, moved, lambda, mu, CD_SYMMETRY_AXIAL, force), 0, 1e-28);
}

// Stretch 1 + g along x: P = (1 + g)(lambda + 2 mu)(g + g^2 / 2) on unit area; the sides are held by lambda E.
CD_TEST(a_stretched_element_pulls_as_by_hand)
{
    double g = 0.25, e = g + g * g / 2, pull = (1 + g) * (lambda + 2 * mu) * e, side = lambda * e;
    cd_vec3 triangle[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, x[4], force[4];
    for (int i = 0; i < 3; i++)
        x[i] = (cd_vec3){(1 + g) * triangle[i].x, triangle[i].y, 0};
    double energy = cd_element_force(CD_ELEMENT_TRI3, triangle, x, lambda, mu, CD_SYMMETRY_PLANE, force);
    CD_CHECK_NEAR(energy, (lambda / 2 + mu) * e * e / 2, 1e-15);
    CD_CHECK_NEAR(force[1].x, -pull / 2, 1e-15);
    CD_CHECK_NEAR(force[2].y, -side / 2, 1e-15);
    cd_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 4; i++)
        x[i] = (cd_vec3){(1 + g) * tetrahedron[i].x, tetrahedron[i].y, tetrahedron[i].z};
    cd_element_force(CD_ELEMENT_TET4, tetrahedron, x, lambda, mu, CD_SYMMETRY_PLANE, force);
    CD_CHECK_NEAR(force[1].x, -pull / 6, 1e-15);
    CD_CHECK_NEAR(force[3].z, -side / 6, 1e-15);
    // a ring carried outward by g times its mean radius: hoop strain e alone
    cd_vec3 ring[3] = {{2, 0, 0}, {3, 0, 0}, {2.5, 1, 0}};
    double radius = 2.5, volume = 2 * PI * radius * 0.5;
    for (int i = 0; i < 3; i++)
        x[i] = (cd_vec3){ring[i].x + g * radius, ring[i].y, 0};
    energy = cd_element_force(CD_ELEMENT_TRI3, ring, x, lambda, mu, CD_SYMMETRY_AXIAL, force);
    CD_CHECK_NEAR(energy, volume * (lambda / 2 + mu) * e * e, 1e-14);
    CD_CHECK_NEAR(force[0].x + force[1].x + force[2].x, -volume * pull / radius, 1e-13);
}

CD_TEST(distortion_has_a_closed_form)
{
    cd_vec3 cube[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}, x[8];
    double e = 0.2, along = sqrt(1 + 2 * e), across = sqrt(1 - e);
    for (int i = 0; i < 8; i++)
        x[i] = (cd_vec3){across * cube[i].y, along * cube[i].x, across * cube[i].z};
    CD_CHECK_NEAR(cd_element_distortion(CD_ELEMENT_HEX8, cube, x, CD_SYMMETRY_PLANE), e, 1e-15);
    cd_vec3 shear[4], *square = cube;  // E_xy = g/2, E_yy = g^2/2
    double g = 0.5, mean = g * g / 6;
    for (int i = 0; i < 4; i++)
        shear[i] = (cd_vec3){square[i].x + g * square[i].y, square[i].y, 0};
    double wanted = sqrt(2.0 / 3 * (g * g / 2 + 2 * mean * mean + (g * g / 2 - mean) * (g * g / 2 - mean)));
    CD_CHECK_NEAR(cd_element_distortion(CD_ELEMENT_QUAD4, square, shear, CD_SYMMETRY_PLANE), wanted, 1e-15);
    cd_vec3 ring[4], wide[4];
    for (int i = 0; i < 4; i++) {
        ring[i] = (cd_vec3){1 + square[i].x, square[i].y, 0};
        wide[i] = cd_add3(ring[i], (cd_vec3){1.5 * (along - 1), 0, 0});
    }
    CD_CHECK_NEAR(cd_element_distortion(CD_ELEMENT_QUAD4, ring, wide, CD_SYMMETRY_AXIAL), 2.0 / 3 * e, 1e-15);
}

// ---- meshes --------------------------------------------------------------------------------------------------------

enum { NODES = 27, ELEMENTS = 48 };
typedef struct mesh {
    cd_element_kind kind;
    int dim, nodes, elements, element[ELEMENTS][4];
    cd_vec3 x[NODES];
    bool is_inside[NODES];
} mesh;

// 3 nodes a side: 4 squares of two triangles, or 8 cubes of six tetrahedra. x from 1 to 3; what is inside is moved.
static mesh make_patch(cd_random *random, cd_element_kind kind)
{
    static const int six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    static const int two[2][4] = {{0, 1, 3}, {0, 3, 2}};
    int dim = cd_element_dim(kind);
    mesh m = {.kind = kind, .dim = dim, .nodes = dim == 2 ? 9 : 27};
    for (int i = 0; i < m.nodes; i++) {
        m.x[i] = (cd_vec3){1 + i % 3, i / 3 % 3, i / 9};
        m.is_inside[i] = i % 3 == 1 && i / 3 % 3 == 1 && (dim == 2 || i / 9 == 1);
        if (m.is_inside[i])
            shake(random, dim, 1, 0.25, &m.x[i], &m.x[i]);
    }
    for (int cell = 0; cell < (dim == 2 ? 4 : 8); cell++)
        for (int t = 0; t < (dim == 2 ? 2 : 6); t++, m.elements++)
            for (int i = 0; i <= dim; i++) {
                int corner = dim == 2 ? two[t][i] : six[t][i];
                m.element[m.elements][i] =
                    (cell % 2 + corner % 2) + 3 * (cell / 2 % 2 + corner / 2 % 2) + 9 * (cell / 4 + corner / 4);
            }
    return m;
}

static void gather(const mesh *m, int element, const cd_vec3 *from, cd_vec3 *to)
{
    for (int i = 0; i <= m->dim; i++)
        to[i] = from[m->element[element][i]];
}

static void mesh_force(const mesh *m, const cd_vec3 *x, cd_symmetry symmetry, cd_vec3 *sum)
{
    for (int i = 0; i < m->nodes; i++)
        sum[i] = (cd_vec3){0, 0, 0};
    for (int e = 0; e < m->elements; e++) {
        cd_vec3 reference[4], now[4], force[4];
        gather(m, e, m->x, reference);
        gather(m, e, x, now);
        cd_element_force(m->kind, reference, now, lambda, mu, symmetry, force);
        for (int i = 0; i <= m->dim; i++)
            sum[m->element[e][i]] = cd_add3(sum[m->element[e][i]], force[i]);
    }
}

// An affine motion, and of rings a uniform stretch of both radius and height, leaves no force inside.
CD_TEST(patches_of_constant_strain_are_in_balance)
{
    cd_random random = {4};
    for (int k = 0; k < 60; k++) {
        mesh m = make_patch(&random, kind_of[k % CASES]);
        cd_symmetry symmetry = symmetry_of[k % CASES];
        cd_vec3 x[NODES], force[NODES];
        double a[9];
        for (int i = 0; i < 9; i++)
            a[i] = (i % 4 == 0) + cd_random_between(&random, -0.3, 0.3);
        if (symmetry == CD_SYMMETRY_AXIAL)
            a[1] = a[3] = 0;
        double most = 0;
        for (int i = 0; i < m.nodes; i++) {
            cd_vec3 r = m.x[i];
            x[i] = (cd_vec3){a[0] * r.x + a[1] * r.y + a[2] * r.z, a[3] * r.x + a[4] * r.y + a[5] * r.z,
                             m.dim == 2 ? 0 : a[6] * r.x + a[7] * r.y + a[8] * r.z};
        }
        mesh_force(&m, x, symmetry, force);
        for (int i = 0; i < m.nodes; i++)
            most = fmax(most, cd_length3(force[i]));
        CD_CHECK(most > 0.01);
        for (int i = 0; i < m.nodes; i++)
            if (m.is_inside[i])
                CD_CHECK_NEAR(cd_length3(force[i]), 0, 1e-13 * (1 + most));
    }
}

// The largest eigenvalue of M^-1 K of the mesh, K from differences of forces: cubic in x, so they are exact.
static double largest_frequency_sq(const mesh *m, const cd_vec3 *x, cd_symmetry symmetry, const double *mass)
{
    int n = m->nodes * m->dim;
    double k[9 * NODES * NODES], value[3 * NODES], h = 1.0 / 16;
    for (int j = 0; j < n; j++) {
        cd_vec3 moved[NODES], force[4][NODES];
        for (int p = 0; p < 4; p++) {
            memcpy(moved, x, (size_t)m->nodes * sizeof *moved);
            (&moved[j / m->dim].x)[j % m->dim] += place[p] * h;
            mesh_force(m, moved, symmetry, force[p]);
        }
        for (int i = 0; i < n; i++) {
            double at[4];
            for (int p = 0; p < 4; p++)
                at[p] = (&force[p][i / m->dim].x)[i % m->dim];
            k[n * i + j] = -slope(at, h) / sqrt(mass[i / m->dim] * mass[j / m->dim]);
        }
    }
    cd_symmetric_eigenvalues(n, k, value);
    return value[n - 1];
}

CD_TEST(frequencies_are_bounded)
{
    cd_random random = {5};
    for (int k = 0; k < 60; k++) {
        mesh m = make_patch(&random, kind_of[k % CASES]), one = m;
        cd_symmetry symmetry = symmetry_of[k % CASES];
        bool is_free = k / CASES % 2;
        cd_vec3 x[NODES];
        double mass[NODES] = {0}, most = 0;
        memcpy(x, m.x, sizeof x);
        if (!is_free)
            shake(&random, m.dim, m.nodes, 0.3, m.x, x);
        for (int e = 0; e < m.elements; e++) {
            cd_vec3 reference[4], now[4];
            double share[8];
            gather(&m, e, m.x, reference);
            gather(&m, e, x, now);
            cd_element_shares(m.kind, reference, symmetry, share);
            double bound = cd_element_frequency_sq(m.kind, reference, now, lambda, mu, symmetry, share);
            most = fmax(most, bound);
            for (int i = 0; i <= m.dim; i++)
                mass[m.element[e][i]] += share[i];
            if (e > 3)
                continue;
            // the element alone
            one.nodes = m.dim + 1;
            one.elements = 1;
            for (int i = 0; i <= m.dim; i++) {
                one.element[0][i] = i;
                one.x[i] = reference[i];
            }
            double exact = largest_frequency_sq(&one, now, symmetry, share);
            CD_CHECK(bound >= exact * (1 - 1e-12) && (!is_free || bound <= 1.06 * exact));
        }
        double exact = largest_frequency_sq(&m, x, symmetry, mass);
        CD_CHECK(most >= exact);
    }
}

int main(void)
{
    CD_RUN(forces_are_slopes_of_the_energy);
    CD_RUN(forces_leave_momenta_alone);
    CD_RUN(rigid_motion_gives_no_force);
    CD_RUN(a_stretched_element_pulls_as_by_hand);
    CD_RUN(distortion_has_a_closed_form);
    CD_RUN(patches_of_constant_strain_are_in_balance);
    CD_RUN(frequencies_are_bounded);
    return cd_test_done();
}

// SPDX-License-Identifier: MIT
#include "cd_polyhedron_mass.h"

#include "cd_predicates.h"

// Integrals over the polyhedron of 1, x, and x x^T, coordinates relative to a point.
typedef struct moments {
    double volume;
    cd_vec3 first;
    double xx, yy, zz, xy, xz, yz;
} moments;

// Six times the signed volume of the tetrahedron o, a, b, c. Where less than 1/1024 of the products remains, the sum is
// taken without rounding: so slivers are as good as round bodies.
static double six_volumes(cd_vec3 o, cd_vec3 a, cd_vec3 b, cd_vec3 c)
{
    cd_vec3 u = cd_sub3(b, a), v = cd_sub3(c, a), w = cd_sub3(a, o);
    double uyvz = u.y * v.z, uzvy = u.z * v.y, uzvx = u.z * v.x, uxvz = u.x * v.z, uxvy = u.x * v.y, uyvx = u.y * v.x;
    double determinant = w.x * (uyvz - uzvy) + w.y * (uzvx - uxvz) + w.z * (uxvy - uyvx);
    double magnitude = fabs(w.x) * (fabs(uyvz) + fabs(uzvy)) + fabs(w.y) * (fabs(uzvx) + fabs(uxvz)) +
                       fabs(w.z) * (fabs(uxvy) + fabs(uyvx));
    if (!(fabs(determinant) < magnitude / 1024))
        return determinant;
    return -cd_orient3d_exact(a, b, c, o);  // o is inside, below a, b, c
}

// For a tetrahedron with one corner at the point and d six times its volume, s = a + b + c:
//   integral of x = d s / 24,  of x x^T = d (s s^T + a a^T + b b^T + c c^T) / 120.
static void add_tetrahedron(moments *m, cd_vec3 o, cd_vec3 p, cd_vec3 q, cd_vec3 r)
{
    double d = six_volumes(o, p, q, r);
    cd_vec3 a = cd_sub3(p, o), b = cd_sub3(q, o), c = cd_sub3(r, o), s = cd_add3(cd_add3(a, b), c);
    m->volume += d / 6;
    m->first = cd_add3(m->first, cd_scale3(d / 24, s));
    m->xx += d / 120 * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
    m->yy += d / 120 * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
    m->zz += d / 120 * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
    m->xy += d / 120 * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
    m->xz += d / 120 * (s.x * s.z + a.x * a.z + b.x * b.z + c.x * c.z);
    m->yz += d / 120 * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
}

static moments integrate(cd_polyhedron p, cd_vec3 about)
{
    moments m = {0};
    for (int32_t f = 0; f < p.face_count; f++) {
        int32_t first = p.face_first[f], end = p.face_first[f + 1];
        for (int32_t k = first + 1; k + 1 < end; k++)
            add_tetrahedron(&m, about, p.vertex[p.face_vertex[first]], p.vertex[p.face_vertex[k]],
                            p.vertex[p.face_vertex[k + 1]]);
    }
    return m;
}

cd_mass3 cd_polyhedron_mass(cd_polyhedron polyhedron)
{
    cd_vec3 corner = polyhedron.vertex[0], mean = {0, 0, 0};
    for (int32_t i = 1; i < polyhedron.vertex_count; i++)  // relative to a corner: inside, wherever the polyhedron is
        mean = cd_add3(mean, cd_scale3(1.0 / polyhedron.vertex_count, cd_sub3(polyhedron.vertex[i], corner)));
    mean = cd_add3(corner, mean);
    cd_mass3 mass = {.centre = mean};
    moments rough = integrate(polyhedron, mean);
    if (rough.volume == 0)
        return mass;
    mass.centre = cd_add3(mean, cd_scale3(1 / rough.volume, rough.first));
    moments m = integrate(polyhedron, mass.centre);
    mass.volume = m.volume;
    cd_vec3 r = cd_scale3(1 / m.volume, m.first);  // what rounding left of the way to the centre
    double xx = m.xx - m.volume * r.x * r.x, yy = m.yy - m.volume * r.y * r.y, zz = m.zz - m.volume * r.z * r.z;
    mass.inertia[0] = yy + zz;
    mass.inertia[1] = xx + zz;
    mass.inertia[2] = xx + yy;
    mass.inertia[3] = m.volume * r.x * r.y - m.xy;
    mass.inertia[4] = m.volume * r.x * r.z - m.xz;
    mass.inertia[5] = m.volume * r.y * r.z - m.yz;
    return mass;
}

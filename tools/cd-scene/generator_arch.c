// arch -- an arch of voussoirs between two fixed abutments, all cut into convex parts (scene_blocks.h).
//
// All voussoirs weigh the same, W, and joint k = 0..n is square to the thrust that equilibrium asks for there: its
// horizontal part H is the same in all joints, its vertical part changes by W from joint to joint, and is 0 at the
// crown for symmetry. So the thrust's slope is t_k = tau (n/2 - k), tau = W/H (Hooke's hanging chain upside down;
// Heyman, The Stone Skeleton, 1995), and the arch stands without friction: the horizontal thrust is W/tau exactly.
//
// With c_k = 1/sqrt(1 + t_k^2), s_k = t_k c_k, the joint runs along e_k = (-s_k, c_k) through P_k, from -d/2 to d/2 for
// thickness d. A voussoir is the quadrilateral between two joints. Where P_k P_{k+1} = L u is square to e_k + e_{k+1},
// its area, half the cross product of its diagonals, is L d |e_k + e_{k+1}| / 2; equal areas give L_k = lambda /
// |e_k + e_{k+1}|. So the line of P is known for a tau but for its scale lambda, and span and rise fix the two.
// Only square roots and the four operations: the same on every machine.
// SPDX-License-Identifier: MIT
#include "scene_blocks.h"

#include <math.h>

typedef struct params {
    const cd_yaml_node *generator, *body;
    int64_t count, cells[3], alternate[3];
    double span, rise, thickness, width, overlap, origin[3];
    int32_t kind;
} params;

static const params defaults = {.cells = {1, 4, 4}, .alternate = {1, 5, 5}, .kind = CD_HEXAHEDRA};
static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "arch"),
    CD_PARAM_NEEDED(count, CD_YAML_INT, 3, 10000, "voussoirs, without the two abutments"),
    CD_PARAM_NEEDED(span, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY,
                    "[m] along x, between the middles of the lowest joints"),
    CD_PARAM_NEEDED(rise, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] along z, of the crown over these"),
    CD_PARAM_NEEDED(thickness, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] of the ring, along the joints"),
    CD_PARAM_NEEDED(width, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] along y"),
    CD_PARAM(overlap, CD_YAML_DOUBLE, -INFINITY, INFINITY,
             "[m] by which neighbours reach into each other; below 0 there is a gap"),
    {.name = "elements",
     .type = CD_YAML_INTS,
     .offset = offsetof(params, cells),
     .low = 1,
     .high = 1000,
     .help = "cells along the arch, its width, its thickness of every second block, from the left abutment on"},
    CD_PARAM(alternate, CD_YAML_INTS, 1, 1000, "cells of the others"),
    CD_CUT_KIND_KEY(params),
    CD_PARAM(origin, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m] the point between the middles of the lowest joints"),
    CD_PARAM(body, CD_YAML_NODE, 0, 0, "keys of bodies (not id, shape, position, motion) that all have"),
    CD_YAML_KEYS_END};

// ---- the line of the arch ------------------------------------------------------------------------------------------

typedef struct joint {
    double x, z;          // [m] its middle
    double cosine, sine;  // of the thrust's slope: (cosine, sine) is the joint's normal, (-sine, cosine) runs outward
} joint;

static joint joint_of_slope(double slope)
{
    double cosine = 1 / sqrt(1 + slope * slope);
    return (joint){.cosine = cosine, .sine = slope * cosine};
}

// All joints for a tau with lambda = 1, from (0, 0) on. Returns rise / span.
static double lay_out(int64_t count, double tau, joint *j)
{
    double top = 0;
    for (int64_t k = 0; k <= count; k++) {
        j[k] = joint_of_slope(tau * (0.5 * (double)count - (double)k));
        if (k == 0)
            continue;
        // L u with u = (e_x + e'_x, ..) turned a quarter, of length |e + e'|: L u = turned / |e + e'|^2
        double along = j[k].cosine + j[k - 1].cosine, up = j[k].sine + j[k - 1].sine;
        double square = along * along + up * up;
        j[k].x = j[k - 1].x + along / square;
        j[k].z = j[k - 1].z + up / square;
        top = fmax(top, j[k].z);
    }
    return top / j[count].x;
}

// The joints in the scene's x and z. The least tau that gives the ratio: it grows with tau at first, and falls again
// where the voussoirs of the crown become long against the others.
static cd_status find_line(const params *p, const cd_yaml_node *node, joint *j, cd_diag *diag)
{
    static const double first_tau = 0x1p-40, growth = 1.0625, last_tau = 0x1p10;
    const double ratio = p->rise / p->span;
    double low = 0, high = first_tau;
    while (high < last_tau && lay_out(p->count, high, j) < ratio) {
        low = high;
        high *= growth;
    }
    if (high >= last_tau)
        return cd_yaml_fail(node, diag, "rise: no line of thrust of %lld equal voussoirs is so high",
                            (long long)p->count);
    for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high)) {
        if (lay_out(p->count, middle, j) < ratio)
            low = middle;
        else
            high = middle;
    }
    lay_out(p->count, high, j);
    double scale = p->span / j[p->count].x;
    for (int64_t k = 0; k <= p->count; k++) {
        j[k].x = p->origin[0] + scale * j[k].x - 0.5 * p->span;
        j[k].z = p->origin[2] + scale * j[k].z;
    }
    return CD_OK;
}

// ---- voussoirs -----------------------------------------------------------------------------------------------------

// A voussoir about the middle of the two joints' middles.
typedef struct voussoir {
    joint end[2];  // relative to that point, moved out by half the overlap
    double thickness, width;
} voussoir;

static voussoir voussoir_between(const params *p, joint a, joint b, double middle[3])
{
    voussoir v = {.end = {a, b}, .thickness = p->thickness, .width = p->width};
    middle[0] = 0.5 * (a.x + b.x);
    middle[1] = p->origin[1];
    middle[2] = 0.5 * (a.z + b.z);
    for (int i = 0; i < 2; i++) {
        joint *end = &v.end[i];
        double out = (i ? 0.5 : -0.5) * p->overlap;
        end->x += out * end->cosine - middle[0];
        end->z += out * end->sine - middle[2];
    }
    return v;
}

// Straight lines from joint to joint; a cell's borders are planes, because all go along y or are at one y.
static cd_vec3 place(const void *context, cd_vec3 at)
{
    const voussoir *v = context;
    double x[2], z[2], r = (at.z - 0.5) * v->thickness;
    for (int i = 0; i < 2; i++) {
        x[i] = v->end[i].x - r * v->end[i].sine;
        z[i] = v->end[i].z + r * v->end[i].cosine;
    }
    return (cd_vec3){x[0] + at.x * (x[1] - x[0]), (at.y - 0.5) * v->width, z[0] + at.x * (z[1] - z[0])};
}

// Is the edge on the inside of the bend longer than nothing?
static bool has_intrados(const voussoir *v)
{
    cd_vec3 from = place(v, (cd_vec3){0, 0, 0}), to = place(v, (cd_vec3){1, 0, 0});
    double along = v->end[0].cosine + v->end[1].cosine, up = v->end[0].sine + v->end[1].sine;
    return (to.x - from.x) * along + (to.z - from.z) * up > 0;
}

// Where blocks are added.
typedef struct building_site {
    cd_scene *scene;
    const cd_yaml_node *node;
    const params *params;
    cd_diag *diag;
} building_site;

static cd_status add_voussoir(const building_site *site, joint a, joint b, const int64_t cells[3], cd_scene_body body)
{
    const params *p = site->params;
    cd_diag *diag = site->diag;
    voussoir v = voussoir_between(p, a, b, body.position);
    if (!has_intrados(&v))
        return cd_yaml_fail(site->node, diag, "thickness: %g m is more than the bend of the arch leaves room for",
                            p->thickness);
    cd_cut_block block = {.kind = p->kind, .place = place, .context = &v};
    memcpy(block.cells, cells, sizeof block.cells);
    CD_TRY(cd_add_cut_block(site->scene, site->node, &block, &body.shape, diag));
    return cd_scene_add_body(site->scene, &body, diag);
}

// A block as long as the thickness that goes on from the joint in the direction of the thrust, away from the arch.
static cd_status add_abutment(const building_site *site, joint near, bool left, const int64_t cells[3],
                              cd_scene_body body)
{
    double thickness = site->params->thickness;
    joint far = near;
    far.x += (left ? -1 : 1) * thickness * near.cosine;
    far.z += (left ? -1 : 1) * thickness * near.sine;
    body.motion = CD_MOTION_FIXED;
    body.mass = body.density = body.inertia[0] = NAN;
    memset(body.velocity, 0, sizeof body.velocity);
    memset(body.spin, 0, sizeof body.spin);
    return add_voussoir(site, left ? far : near, left ? near : far, cells, body);
}

// Mass of all voussoirs [kg]: the design's, without the overlap, so that they weigh the same to the last bit.
static double voussoir_mass(const cd_scene *scene, const params *p, const cd_scene_body *body, const joint *j)
{
    double density =
        isnan(body->density) && body->material >= 0 ? scene->material_density[body->material] : body->density;
    double along = j[0].cosine + j[1].cosine, up = j[0].sine + j[1].sine;
    double length = sqrt((j[1].x - j[0].x) * (j[1].x - j[0].x) + (j[1].z - j[0].z) * (j[1].z - j[0].z));
    return density * p->width * 0.5 * length * p->thickness * sqrt(along * along + up * up);
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    static const char *const taken[] = {"id", "shape", "position", "motion", NULL};
    const params *p = given;
    cd_scene_body body;
    if (p->count > scene->max_rows - 2)
        return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "count: more than %lld bodies (--max-rows)",
                                   (long long)scene->max_rows);
    joint *j = CD_ARENA_ARRAY(scene->arena, joint, p->count + 1);
    CD_TRY(cd_generator_body(scene, node, p->body, taken, &body, diag));
    CD_TRY(find_line(p, node, j, diag));
    if (isnan(body.mass))
        body.mass = voussoir_mass(scene, p, &body, j);
    building_site site = {scene, node, p, diag};
    CD_TRY(add_abutment(&site, j[0], true, p->cells, body));
    for (int64_t k = 0; k < p->count; k++)
        CD_TRY(add_voussoir(&site, j[k], j[k + 1], k % 2 ? p->cells : p->alternate, body));
    (void)random;  // nothing here is random
    const int64_t *last = p->count % 2 ? p->cells : p->alternate;
    return add_abutment(&site, j[p->count], false, last, body);
}

const cd_generator cd_generator_arch = {.name = "arch",
                                        .dim = 3,
                                        .keys = keys,
                                        .defaults = &defaults,
                                        .make = make,
                                        .summary = "an arch of voussoirs cut into finite elements (3-D)",
                                        .params_size = sizeof(params)};

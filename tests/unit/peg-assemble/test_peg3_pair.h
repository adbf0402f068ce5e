// Two polyhedra and one contact of each kind between them, as a frame of the assembler. The program's own `arena` has
// all of it.
// SPDX-License-Identifier: MIT
#ifndef TEST_PEG3_PAIR_H
#define TEST_PEG3_PAIR_H

#include "cd_test.h"
#include "peg_frame3.h"
#include "test_solids.h"

static cd_arena arena;
static const double STEP = 0.01;

typedef enum gap_kind { VERTEX_FACE, EDGE_EDGE, FACE_VERTEX, EDGE_PAIR, OWN_POINTS, GAP_KINDS } gap_kind;

// The contact: features of both sides (vertices, faces, edges by `kind`) and, of EDGE_PAIR, the vertices too.
typedef struct gap_features {
    gap_kind kind;
    int owner;  // body that gives the vertex of VERTEX_FACE and FACE_VERTEX
    int32_t vertex[2], edge[2], face;
    cd_vec3 own[2];  // OWN_POINTS: in the bodies' frames
    cd_vec3 normal;  // OWN_POINTS: fixed in the world
} gap_features;

typedef struct two_bodies {
    cd_model in;
    cd_peg_shapes shapes;
    cd_polyhedron solid[2];
    cd_edges3 edges[2];
    cd_state3 state[2];  // where the contact is taken
} two_bodies;

static const double INERTIA[2][6] = {{0.05, 0.07, 0.09, 0.01, -0.005, 0.008}, {0.2, 0.1, 0.15, 0, 0.02, 0.01}};

#define NEW(type, count) CD_ARENA_ZARRAY(&arena, type, count)

static inline void put_states(two_bodies *t)
{
    cd_body_rows *body = &t->in.body;
    for (int b = 0; b < 2; b++) {
        cd_vec3_put(t->state[b].position, body->position + 3 * b);
        cd_quat_put(t->state[b].rotation, body->rotation + 4 * b);
        cd_vec3_put(t->state[b].velocity, body->velocity + 3 * b);
        cd_vec3_put(t->state[b].spin, body->spin + 3 * b);
    }
}

static inline void make_bodies(two_bodies *t)
{
    cd_model *in = &t->in;
    in->dim = 3;
    in->head.count = in->frame.count = 1;
    in->head.gravity = NEW(double, 3);
    in->head.gravity[2] = -9.81;
    in->frame.index = NEW(int64_t, 1);
    in->frame.time = NEW(double, 1);
    in->frame.step = NEW(double, 1);
    in->frame.step[0] = STEP;
    in->body = (cd_body_rows){.count = 2,
                              .id = NEW(int64_t, 2),
                              .shape = NEW(int32_t, 2),
                              .position = NEW(double, 6),
                              .rotation = NEW(double, 8),
                              .velocity = NEW(double, 6),
                              .spin = NEW(double, 6),
                              .mass = NEW(double, 2),
                              .inertia = NEW(double, 12),
                              .mu = NEW(double, 2),
                              .motion = NEW(int32_t, 2)};
    int32_t *first = NEW(int32_t, 3);
    cd_leaf3 *leaf = NEW(cd_leaf3, 2);
    for (int b = 0; b < 2; b++) {
        const cd_polyhedron *p = &t->solid[b];
        in->body.id[b] = 3 + 4 * b;
        in->body.shape[b] = first[b] = b;
        in->body.mass[b] = 2 + b;
        memcpy(in->body.inertia + 6 * b, INERTIA[b], sizeof INERTIA[b]);
        leaf[b] = test_leaf(*p, NULL, &arena);
        t->edges[b] = leaf[b].prepared->edges;
    }
    first[2] = 2;
    t->shapes.leaves = (cd_leaves){.dim = 3, .first = first, .space = {first, leaf}};
    t->shapes.seams = cd_peg_seams_make(&arena, 2, &t->shapes.leaves.space, 1e-6);
    put_states(t);
}

static inline void make_contact(two_bodies *t, const gap_features *f)
{
    static const int32_t kinds[GAP_KINDS] = {CD_CONTACT_VERTEX_FACE, CD_CONTACT_EDGE_EDGE, CD_CONTACT_SEPARATING,
                                             CD_CONTACT_SEPARATING, CD_CONTACT_DEPTH};
    cd_contact_rows *c = &t->in.contact;
    *c = (cd_contact_rows){.count = 1,
                           .id = NEW(int64_t, 1),
                           .a = NEW(int32_t, 2),
                           .b = NEW(int32_t, 2),
                           .kind = NEW(int32_t, 1),
                           .features = NEW(int32_t, 2),
                           .facet = NEW(int32_t, 2),
                           .side = NEW(int32_t, 1),
                           .point = NEW(double, 3),
                           .point_a = NEW(double, 3),
                           .point_b = NEW(double, 3),
                           .normal = NEW(double, 3),
                           .gap = NEW(double, 1)};
    c->b[0] = 1;
    c->kind[0] = kinds[f->kind];
    c->facet[0] = c->facet[1] = -1;
    c->side[0] = f->owner ? CD_SIDE_A : CD_SIDE_B;
    for (int s = 0; s < 2; s++) {
        c->features[s] = cd_feature(CD_FEATURE_VERTEX, f->vertex[s]);
        if (f->kind == EDGE_EDGE)
            c->features[s] = cd_feature(CD_FEATURE_EDGE, f->edge[s]);
        if (f->kind == EDGE_PAIR)
            c->facet[s] = cd_feature(CD_FEATURE_EDGE, f->edge[s]);
    }
    if (f->kind == VERTEX_FACE)
        c->features[1 - f->owner] = cd_feature(CD_FEATURE_FACE, f->face);
    if (f->kind == FACE_VERTEX)
        c->facet[0] = cd_feature(CD_FEATURE_FACE, f->face);
}

static inline cd_vec3 vertex_of(const two_bodies *t, int body, int32_t vertex)
{
    cd_pose3 pose = cd_state3_pose(t->state[body]);
    return cd_pose3_apply(&pose, t->solid[body].vertex[vertex]);
}

static inline cd_vec3 edge_of(const two_bodies *t, int body, int32_t edge)
{
    const int32_t *v = t->edges[body].edge[edge].vertex;
    return cd_sub3(vertex_of(t, body, v[1]), vertex_of(t, body, v[0]));
}

static inline cd_vec3 face_normal(const two_bodies *t, int body, int32_t face)
{
    const int32_t *corner = t->solid[body].face_vertex + t->solid[body].face_first[face];
    cd_vec3 p = vertex_of(t, body, corner[0]);
    return cd_unit3(cd_cross3(cd_sub3(vertex_of(t, body, corner[1]), p), cd_sub3(vertex_of(t, body, corner[2]), p)));
}

// The gap at the bodies' states. Fills the contact's geometry; points of edges are put off their lines' closest points,
// along the lines, as a detector that clamps them to the segments would.
static inline double place_contact(two_bodies *t, const gap_features *f)
{
    cd_vec3 at[2], normal = f->normal;
    double gap;
    if (f->kind == VERTEX_FACE || f->kind == FACE_VERTEX) {
        int other = 1 - f->owner;
        cd_vec3 eta = face_normal(t, other, f->face), v = vertex_of(t, f->owner, f->vertex[f->owner]);
        int32_t corner = t->solid[other].face_vertex[t->solid[other].face_first[f->face]];
        gap = cd_dot3(eta, cd_sub3(v, vertex_of(t, other, corner)));
        normal = f->owner ? eta : cd_negate3(eta);
        at[f->owner] = v;
        at[other] = cd_add3(cd_sub3(v, cd_scale3(gap, eta)), (cd_vec3){0.1, 0, 0});
        cd_vec3_put(v, t->in.contact.point);
    } else if (f->kind == OWN_POINTS) {
        for (int s = 0; s < 2; s++) {
            cd_pose3 pose = cd_state3_pose(t->state[s]);
            at[s] = cd_pose3_apply(&pose, f->own[s]);
        }
        gap = cd_dot3(normal, cd_sub3(at[1], at[0]));
    } else {
        normal = cd_unit3(cd_cross3(edge_of(t, 0, f->edge[0]), edge_of(t, 1, f->edge[1])));
        if (f->owner)
            normal = cd_negate3(normal);
        for (int s = 0; s < 2; s++)
            at[s] = vertex_of(t, s, t->edges[s].edge[f->edge[s]].vertex[0]);
        gap = cd_dot3(normal, cd_sub3(at[1], at[0]));
    }
    if (f->kind != VERTEX_FACE && f->kind != FACE_VERTEX)
        cd_vec3_put(cd_scale3(0.5, cd_add3(at[0], at[1])), t->in.contact.point);
    cd_vec3_put(at[0], t->in.contact.point_a);
    cd_vec3_put(at[1], t->in.contact.point_b);
    cd_vec3_put(normal, t->in.contact.normal);
    t->in.contact.gap[0] = gap;
    return gap;
}

static inline cd_vec3 random_vector(cd_random *random, double size) { return cd_scale3(size, test_direction(random)); }

static inline two_bodies random_bodies(cd_random *random)
{
    two_bodies t = {0};
    t.solid[0] = test_box_between((cd_vec3){-0.2, -0.3, -0.25}, (cd_vec3){0.3, 0.2, 0.25}, &arena);
    t.solid[1] = test_tetrahedron((cd_vec3){-0.4, -0.3, -0.2}, (cd_vec3){0.5, -0.2, -0.3}, (cd_vec3){0, 0.4, -0.2},
                                  (cd_vec3){0.1, 0, 0.5}, &arena);
    for (int b = 0; b < 2; b++)
        t.state[b] = (cd_state3){random_vector(random, 0.5), test_rotation(random), random_vector(random, 2),
                                 random_vector(random, 5)};
    make_bodies(&t);
    return t;
}

static inline gap_features random_features(cd_random *random, const two_bodies *t, gap_kind kind)
{
    gap_features f = {.kind = kind, .owner = cd_random_unit(random) < 0.5, .normal = test_direction(random)};
    for (int s = 0; s < 2; s++) {
        f.vertex[s] = (int32_t)(cd_random_unit(random) * t->solid[s].vertex_count);
        f.edge[s] = (int32_t)(cd_random_unit(random) * t->edges[s].count);
        f.own[s] = random_vector(random, 0.3);
    }
    f.face = (int32_t)(cd_random_unit(random) * t->solid[1 - f.owner].face_count);
    return f;
}

static inline cd_peg_frame frame_of(const two_bodies *t, cd_peg_settings settings)
{
    cd_peg_frame frame = {0};
    cd_diag diag = {0};
    static const cd_interactions none;
    settings.reach = settings.reach > 0 ? settings.reach : 0.1;
    settings.length = 1;
    settings.interactions = &none;
    cd_status status = cd_peg_frame_make(&arena, &t->in, &t->shapes, settings, &frame, &diag);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK(status == CD_OK);
    return frame;
}

#endif

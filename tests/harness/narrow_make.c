// narrow_make -- writes a set of pairs of convex polyhedra (narrow_set.h), and the same pairs as a stream for
// cd-narrow.
//
//   usage: narrow_make KIND VERTICES PAIRS SEED SET [STREAM]
//
// VERTICES: 4 tetrahedra, 8 boxes, more: hulls of so many points on ellipsoids. KIND says where b stands, moved along a
// random direction from where it touches a: `separated` by 0.005 to 0.5, `near` by 1e-9 to 1e-3 either way, `shallow`
// by 0.005 to 0.08 into it (all uniform in the logarithm), `deep` to 0.1 to 0.6 of the centres' distance at touch.
// Bodies have radii of 0.3 to 1 and random rotations; of each size there are at most 1000 different ones. With STREAM
// the right answers are left out of SET: that is for the rate of the whole filter, and 1e5 of them take their time. For
// the same, `spread` and `packed` are scenes: bodies about the places of a cubic grid, each with the 26 around it, so
// that a body is in 26 pairs where in the other sets it is in one; apart, and so close that a third of the pairs
// overlap. The same arguments, the same bytes.
// SPDX-License-Identifier: MIT
#include "narrow_truth.h"

#include "cd_distance3.h"
#include "cd_hull3.h"
#include "cd_polyhedron_mass.h"
#include "cd_random.h"
#include "cd_writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SHAPES = 1000 };
static const char *const kind_name[] = {"separated", "near", "shallow", "deep", "spread", "packed", NULL};
enum { SEPARATED, NEAR, SHALLOW, DEEP, SPREAD, PACKED };

static void stop(const char *what)
{
    fprintf(stderr, "narrow_make: %s\n", what);
    exit(1);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

typedef struct shape {
    cd_polyhedron body;  // about its centre of mass
    cd_mass3 mass;
} shape;

static cd_vec3 direction(cd_random *random)
{
    for (;;) {
        cd_vec3 v = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                     cd_random_between(random, -1, 1)};
        double length = cd_length3(v);
        if (length > 0.1 && length <= 1)
            return cd_scale3(1 / length, v);
    }
}

static cd_polyhedron box(cd_random *random, double size, cd_arena *arena)
{
    static const int32_t corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const int32_t first[7] = {0, 4, 8, 12, 16, 20, 24};
    cd_vec3 half = {cd_random_between(random, 0.3, 1), cd_random_between(random, 0.3, 1),
                    cd_random_between(random, 0.3, 1)};
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, 8);
    for (int i = 0; i < 8; i++)
        v[i] = cd_scale3(size, (cd_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    return (cd_polyhedron){8, 6, v, first, corner};
}

// Points on an ellipsoid are all corners of their hull.
static cd_polyhedron hull(cd_random *random, int32_t vertices, double size, cd_arena *arena)
{
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, vertices);
    for (;;) {
        cd_vec3 axes = {cd_random_between(random, 0.6, 1), cd_random_between(random, 0.6, 1),
                        cd_random_between(random, 0.6, 1)};
        for (int32_t i = 0; i < vertices; i++) {
            cd_vec3 d = direction(random);
            point[i] = cd_scale3(size, (cd_vec3){axes.x * d.x, axes.y * d.y, axes.z * d.z});
        }
        cd_hull3 made = cd_hull3_make(point, vertices, arena);
        if (made.dimension == 3 && made.vertex_count == vertices)
            return cd_hull3_polyhedron(&made, point, arena);
    }
}

static shape make_shape(cd_random *random, int32_t vertices, cd_arena *arena)
{
    double size = cd_random_between(random, 0.5, 1);
    shape s = {.body = vertices == 8 ? box(random, size, arena) : hull(random, vertices, size, arena)};
    cd_pose3 back = cd_pose3_make(cd_negate3(cd_polyhedron_mass(s.body).centre), cd_quat_identity());
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, vertices);
    cd_points_place3(s.body.vertex, vertices, &back, v);
    s.body.vertex = v;
    s.mass = cd_polyhedron_mass(s.body);
    return s;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

typedef struct placed {
    int32_t shape;
    cd_vec3 position;
    cd_quat rotation;
    cd_polyhedron body;  // in the world
} placed;

static cd_quat rotation(cd_random *random)
{
    return cd_quat_unit(cd_quat_from_vector(cd_scale3(cd_random_between(random, 0, 3.14159), direction(random))));
}

static void place(placed *p, const shape *shapes, cd_arena *arena)
{
    const cd_polyhedron *local = &shapes[p->shape].body;
    cd_pose3 pose = cd_pose3_make(p->position, p->rotation);
    cd_vec3 *v = CD_ARENA_ARRAY(arena, cd_vec3, local->vertex_count);
    cd_points_place3(local->vertex, local->vertex_count, &pose, v);
    p->body = *local;
    p->body.vertex = v;
}

// How far along d from a's position b just touches a: b comes in from outside, each time by what the distance along its
// normal allows.
static double touch(const placed *a, placed *b, const shape *shapes, cd_vec3 d, cd_arena *arena)
{
    double t = 4;  // both radii are at most 1
    for (int step = 0; step < 100; step++) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        b->position = cd_add3(a->position, cd_scale3(t, d));
        place(b, shapes, arena);
        cd_convex3 of_a = cd_convex3_make(arena, &a->body, NULL), of_b = cd_convex3_make(arena, &b->body, NULL);
        cd_distance3 apart = cd_distance3_compute(cd_support3_convex(&of_a), cd_support3_convex(&of_b), NULL);
        cd_arena_rewind(arena, mark);
        if (apart.distance < 1e-13)
            break;
        t -= apart.distance / cd_dot3(apart.normal, d);
    }
    return t;
}

static double logarithmic(cd_random *random, double low, double high)
{
    return exp(cd_random_between(random, log(low), log(high)));
}

static void make_pair(cd_random *random, int kind, const shape *shapes, placed *a, placed *b, cd_arena *arena)
{
    cd_vec3 d = direction(random);
    a->position =
        (cd_vec3){cd_random_between(random, -4, 4), cd_random_between(random, -4, 4), cd_random_between(random, -4, 4)};
    a->rotation = rotation(random);
    b->rotation = rotation(random);
    place(a, shapes, arena);
    double t = touch(a, b, shapes, d, arena);
    bool is_out = kind == SEPARATED || (kind == NEAR && cd_random_unit(random) < 0.5);
    if (kind == DEEP)
        t *= cd_random_between(random, 0.1, 0.6);
    else
        t += (is_out ? 1 : -1) * (kind == NEAR      ? logarithmic(random, 1e-9, 1e-3)
                                  : kind == SHALLOW ? logarithmic(random, 0.005, 0.08)
                                                    : logarithmic(random, 0.005, 0.5));
    b->position = cd_add3(a->position, cd_scale3(t, d));
    place(b, shapes, arena);
}

typedef struct pair_list {
    placed *body;
    int32_t (*pair)[2];  // numbers of bodies, ascending
    int32_t body_count, pair_count;
} pair_list;

static pair_list list_pairs(int32_t bodies, int32_t pairs, cd_arena *arena)
{
    return (pair_list){CD_ARENA_ZARRAY(arena, placed, bodies),
                       cd_arena_alloc_array(arena, (size_t)pairs, 2 * sizeof(int32_t)), bodies, pairs};
}

static pair_list make_pairs(cd_random *random, int kind, int32_t pairs, const shape *shapes, int32_t shape_count,
                            cd_arena *arena)
{
    pair_list list = list_pairs(2 * pairs, pairs, arena);
    cd_arena scratch = {0};
    for (int32_t i = 0; i < pairs; i++) {
        placed *a = &list.body[2 * (size_t)i], *b = a + 1;
        list.pair[i][0] = 2 * i;
        list.pair[i][1] = 2 * i + 1;
        a->shape = (2 * i) % shape_count;
        b->shape = (2 * i + 1) % shape_count;
        make_pair(random, kind, shapes, a, b, &scratch);
        place(a, shapes, arena);
        place(b, shapes, arena);
        cd_arena_reset(&scratch);
    }
    cd_arena_release(&scratch);
    return list;
}

static pair_list make_scene(cd_random *random, int kind, int32_t pairs, const shape *shapes, int32_t shape_count,
                            cd_arena *arena)
{
    double spacing = kind == SPREAD ? 2.2 : 0.8;  // radii are at most 1
    int32_t n = 2, count = 0;
    while (13.0 * (n - 1) * (n - 1) * (n - 1) < pairs)
        n++;
    pair_list list = list_pairs(n * n * n, pairs, arena);
    for (int32_t i = 0; i < n * n * n; i++) {
        placed *p = &list.body[i];
        double place_of[3] = {i / (n * n), i / n % n, i % n};
        for (int k = 0; k < 3; k++)
            place_of[k] = spacing * (place_of[k] - 0.5 * n + cd_random_between(random, -0.02, 0.02));
        p->shape = i % shape_count;
        p->position = cd_vec3_at(place_of);
        p->rotation = rotation(random);
        place(p, shapes, arena);
    }
    for (int32_t i = 0; i < n * n * n; i++) {
        for (int32_t k = 14; k < 27; k++) {  // the later half of the neighbours, in the order of their numbers
            int32_t x = i / (n * n) + k / 9 - 1, y = i / n % n + k / 3 % 3 - 1, z = i % n + k % 3 - 1;
            if (count == pairs || x >= n || y < 0 || y >= n || z < 0 || z >= n)
                continue;
            list.pair[count][0] = i;
            list.pair[count++][1] = (x * n + y) * n + z;
        }
    }
    list.pair_count = count;
    return list;
}

// ---- the set -------------------------------------------------------------------------------------------------------

static narrow_body narrow_view(const cd_polyhedron *p)
{
    return (narrow_body){p->vertex_count, p->face_count, &p->vertex->x, p->face_first, p->face_vertex};
}

static void write_body(FILE *file, const narrow_body *body)
{
    int32_t corners = body->face_first[body->face_count], counts[3] = {body->vertex_count, body->face_count, corners};
    fwrite(counts, sizeof counts, 1, file);
    fwrite(body->vertex, sizeof(double), 3 * (size_t)body->vertex_count, file);
    fwrite(body->face_first, sizeof(int32_t), (size_t)body->face_count + 1, file);
    fwrite(body->face_vertex, sizeof(int32_t), (size_t)corners, file);
}

static void write_pair(FILE *file, const placed *a, const placed *b, const shape *shapes, bool with_answers)
{
    narrow_pair pair = {.body = {narrow_view(&a->body), narrow_view(&b->body)}, .gap = NAN, .volume = NAN};
    double radius = fmax(cd_points_radius3(shapes[a->shape].body.vertex, a->body.vertex_count),
                         cd_points_radius3(shapes[b->shape].body.vertex, b->body.vertex_count));
    pair.scale = 2 * radius;
    pair.inner[0] = pair.inner[1] = pair.inner[2] = NAN;
    if (with_answers && !narrow_truth_find(&pair))
        stop("a reference distance could not be proven");
    double answers[5] = {pair.inner[0], pair.inner[1], pair.inner[2], pair.gap, pair.volume};
    write_body(file, &pair.body[0]);
    write_body(file, &pair.body[1]);
    fwrite(answers, sizeof answers, 1, file);
}

// ---- the stream ----------------------------------------------------------------------------------------------------

static void fill_shapes(cd_shape_rows *rows, const shape *shapes, int32_t count, cd_arena *arena)
{
    int32_t vertices = shapes[0].body.vertex_count, faces = 0, corners = 0;
    rows->count = count;
    rows->id = CD_ARENA_ARRAY(arena, int64_t, count);
    rows->kind = CD_ARENA_ARRAY(arena, int32_t, count);
    rows->vertices.offset = CD_ARENA_ZARRAY(arena, int32_t, count + 1);
    rows->vertices.f64 = CD_ARENA_ARRAY(arena, double, 3 * (size_t)vertices * (size_t)count);
    rows->faces.offset = CD_ARENA_ZARRAY(arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        const cd_polyhedron *p = &shapes[i].body;
        rows->id[i] = i + 1;
        rows->kind[i] = CD_SHAPE_POLYHEDRON;
        rows->vertices.offset[i + 1] = (i + 1) * vertices;
        memcpy(rows->vertices.f64 + 3 * (size_t)vertices * (size_t)i, p->vertex, (size_t)vertices * sizeof *p->vertex);
        faces += p->face_count;
        corners += p->face_first[p->face_count];
        rows->faces.offset[i + 1] = faces;
    }
    rows->faces.inner = CD_ARENA_ZARRAY(arena, int32_t, faces + 1);
    rows->faces.data = CD_ARENA_ARRAY(arena, int32_t, corners);
    faces = corners = 0;
    for (int32_t i = 0; i < count; i++) {
        const cd_polyhedron *p = &shapes[i].body;
        memcpy(rows->faces.data + corners, p->face_vertex, (size_t)p->face_first[p->face_count] * sizeof(int32_t));
        for (int32_t f = 0; f < p->face_count; f++)
            rows->faces.inner[++faces] = corners + p->face_first[f + 1];
        corners += p->face_first[p->face_count];
    }
}

static void fill_bodies(cd_body_rows *rows, const placed *bodies, const shape *shapes, int32_t count, cd_arena *arena)
{
    const size_t n = count > 0 ? (size_t)count : 0;  // which a compiler cannot know
    rows->count = count;
    rows->id = CD_ARENA_ARRAY(arena, int64_t, count);
    rows->shape = CD_ARENA_ARRAY(arena, int32_t, count);
    rows->position = CD_ARENA_ARRAY(arena, double, 3 * n);
    rows->rotation = CD_ARENA_ARRAY(arena, double, 4 * n);
    rows->velocity = CD_ARENA_ZARRAY(arena, double, 3 * n);
    rows->spin = CD_ARENA_ZARRAY(arena, double, 3 * n);
    rows->mass = CD_ARENA_ARRAY(arena, double, count);
    rows->inertia = CD_ARENA_ARRAY(arena, double, 6 * n);
    rows->motion = CD_ARENA_ZARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        const placed *p = &bodies[i];
        rows->id[i] = i + 1;
        rows->shape[i] = p->shape;
        memcpy(rows->position + 3 * (size_t)i, &p->position, sizeof p->position);
        cd_quat_put(p->rotation, rows->rotation + 4 * (size_t)i);
        rows->mass[i] = shapes[p->shape].mass.volume;
        memcpy(rows->inertia + 6 * (size_t)i, shapes[p->shape].mass.inertia, 6 * sizeof(double));
        rows->motion[i] = CD_MOTION_DYNAMIC;
    }
}

static void fill_pairs(cd_pair_rows *rows, const pair_list *list, cd_arena *arena)
{
    size_t count = (size_t)list->pair_count;
    rows->count = list->pair_count;
    rows->a = CD_ARENA_ZARRAY(arena, int32_t, 2 * count);
    rows->b = CD_ARENA_ZARRAY(arena, int32_t, 2 * count);
    for (size_t i = 0; i < count; i++) {
        rows->a[2 * i] = list->pair[i][0];
        rows->b[2 * i] = list->pair[i][1];
    }
}

static void write_stream(const char *path, const pair_list *list, const shape *shapes, int32_t shape_count,
                         cd_arena *arena)
{
    static const cd_record_type head[] = {CD_REC_head, CD_REC_shape},
                                frame[] = {CD_REC_frame, CD_REC_body, CD_REC_pair};
    cd_writer_options options = {
        .encoding = CD_ENCODING_BINARY, .path = path, .limits = {INT64_C(1) << 40, INT64_C(1) << 40, INT32_MAX - 1}};
    int32_t version[2] = {1, 0}, version_offset[2] = {0, 2}, dim = 3;
    int64_t index = 0;
    double time = 0, step = 0.01;
    cd_model model = {.dim = 3};
    model.head = (cd_head_rows){.count = 1, .cds = {.offset = version_offset, .data = version}, .dim = &dim};
    model.frame = (cd_frame_rows){.count = 1, .index = &index, .time = &time, .step = &step};
    fill_shapes(&model.shape, shapes, shape_count, arena);
    fill_bodies(&model.body, list->body, shapes, list->body_count, arena);
    fill_pairs(&model.pair, list, arena);
    cd_diag diag = {0};
    cd_writer *writer;
    cd_status status = cd_writer_open(&options, &writer, &diag);
    for (int i = 0; i < 2 && status == CD_OK; i++)
        status = cd_writer_rows(writer, head[i], 3, NULL, cd_model_rows(&model, head[i]), &diag);
    for (int i = 0; i < 3 && status == CD_OK; i++)
        status = cd_writer_rows(writer, frame[i], 3, NULL, cd_model_rows(&model, frame[i]), &diag);
    if (status == CD_OK)
        status = cd_writer_frame_end(writer, &diag);
    if (status == CD_OK)
        status = cd_writer_end(writer, &diag);
    if (status != CD_OK)
        stop(diag.text);
    cd_writer_close(writer);
}

int main(int argc, char **argv)
{
    int kind = 0;
    while (argc > 5 && kind_name[kind] && strcmp(kind_name[kind], argv[1]) != 0)
        kind++;
    if (argc < 6 || !kind_name[kind])
        stop("usage: narrow_make separated|near|shallow|deep|spread|packed VERTICES PAIRS SEED SET [STREAM]");
    int32_t vertices = atoi(argv[2]), pairs = atoi(argv[3]);
    if (vertices < 4 || vertices > 10000 || pairs < 1 || pairs > 10000000)
        stop("4 to 10000 vertices, 1 to 1e7 pairs");
    cd_random random = {strtoull(argv[4], NULL, 10)};
    cd_arena arena = {0};
    int32_t shape_count = 2 * pairs < MOST_SHAPES ? 2 * pairs : MOST_SHAPES;
    shape *shapes = CD_ARENA_ARRAY(&arena, shape, shape_count);
    for (int32_t i = 0; i < shape_count; i++)
        shapes[i] = make_shape(&random, vertices, &arena);
    pair_list list = (kind < SPREAD ? make_pairs : make_scene)(&random, kind, pairs, shapes, shape_count, &arena);
    FILE *file = fopen(argv[5], "wb");
    if (!file)
        stop("cannot write the set");
    char name[16] = {0};
    strcpy(name, kind_name[kind]);
    fwrite("cdpairs1", 8, 1, file);
    fwrite(&list.pair_count, sizeof list.pair_count, 1, file);
    fwrite(&vertices, sizeof vertices, 1, file);
    fwrite(name, sizeof name, 1, file);
    for (int32_t i = 0; i < list.pair_count; i++)
        write_pair(file, &list.body[list.pair[i][0]], &list.body[list.pair[i][1]], shapes, argc < 7);
    if (ferror(file) || fclose(file))
        stop("cannot write the set");
    if (argc > 6)
        write_stream(argv[6], &list, shapes, shape_count, &arena);
    cd_arena_release(&arena);
    return 0;
}

// platonic -- the five regular solids, in rows, columns and layers.
// Corners lie on a sphere. The faces of each solid are taken from its dual: a face is the corners farthest along a
// corner of the dual (tetrahedron and itself turned over, cube and octahedron, dodecahedron and icosahedron).
// SPDX-License-Identifier: MIT
#include "scene_space.h"

#include "cd_vec3.h"

#include <math.h>

enum { TETRAHEDRON, CUBE, OCTAHEDRON, DODECAHEDRON, ICOSAHEDRON, KINDS };
enum { MOST_CORNERS = 20, MOST_FACES = 20, MOST_NUMBERS = 60 };  // 60 corners of all faces
static const char *const kind_words[KINDS + 1] = {"tetrahedron",  "cube",        "octahedron",
                                                  "dodecahedron", "icosahedron", NULL};
static const int dual[KINDS] = {TETRAHEDRON, OCTAHEDRON, CUBE, ICOSAHEDRON, DODECAHEDRON};

enum { TURN_NONE, TURN_RANDOM };
static const char *const turn_words[] = {"none", "random", NULL};

typedef struct params {
    int64_t count[3], seed;
    double spacing[3], origin[3], radius, jitter;
    int32_t turn;
    const cd_yaml_node *generator, *kinds, *body;
} params;

static const params defaults = {.seed = CD_ABSENT_I64, .radius = 0.5, .turn = TURN_NONE};

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "platonic"),
    CD_PARAM_NEEDED(count, CD_YAML_INTS, 1, INT32_MAX, "bodies along each axis"),
    CD_PARAM_NEEDED(spacing, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m] from one to the next along each axis"),
    CD_PARAM(kinds, CD_YAML_NODE, 0, 0, "list of solids, taken in turn [all five, tetrahedron to icosahedron]"),
    CD_PARAM(radius, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] of the sphere that their corners lie on"),
    CD_PARAM(origin, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m] place of the first"),
    CD_PARAM(jitter, CD_YAML_DOUBLE, 0, INFINITY, "[m] largest random move along each axis"),
    {.name = "turn",
     .type = CD_YAML_WORD,
     .offset = offsetof(params, turn),
     .words = turn_words,
     .help = "random: every body is turned at random; none"},
    CD_PARAM(body, CD_YAML_NODE, 0, 0, "keys of bodies (not id, shape, position) that all have"),
    CD_PARAM(seed, CD_YAML_INT, 0, INFINITY, "its own seed, instead of one made from the scene's"),
    CD_YAML_KEYS_END};

// ---- the solids ----------------------------------------------------------------------------------------------------

// Corners of any radius; signs run from -- to ++, first coordinate fastest.
static int corners_of(int kind, cd_vec3 *corner)
{
    static const double golden = 1.6180339887498949;  // (1 + sqrt 5) / 2
    int count = 0;
    if (kind == TETRAHEDRON || kind == CUBE || kind == DODECAHEDRON)
        for (int i = 0; i < 8; i++)
            if (kind != TETRAHEDRON || (i + (i >> 1) + (i >> 2)) % 2)  // an odd number of plus signs
                corner[count++] = (cd_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    if (kind == OCTAHEDRON)
        for (int i = 0; i < 6; i++)
            corner[count++] = (cd_vec3){i / 2 == 0 ? 2 * (i % 2) - 1 : 0, i / 2 == 1 ? 2 * (i % 2) - 1 : 0,
                                        i / 2 == 2 ? 2 * (i % 2) - 1 : 0};
    for (int i = 0; i < 12 && (kind == DODECAHEDRON || kind == ICOSAHEDRON); i++) {
        // (0, +-p, +-q) and its cyclic exchanges: p, q = 1/golden, golden for the dodecahedron, the icosahedron's 1,
        // golden exchanged, so that the one's corners stand over the other's faces
        double p = (i & 1 ? 1 : -1) * (kind == DODECAHEDRON ? 1 / golden : golden),
               q = (i & 2 ? 1 : -1) * (kind == DODECAHEDRON ? golden : 1);
        corner[count++] = i / 4 == 0 ? (cd_vec3){0, p, q} : i / 4 == 1 ? (cd_vec3){q, 0, p} : (cd_vec3){p, q, 0};
    }
    return count;
}

// The corners farthest along `normal`, counter-clockwise from outside, the least number first.
static int take_face(const cd_vec3 *corner, int count, cd_vec3 normal, int32_t *face)
{
    double most = -INFINITY;
    int corners = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, cd_dot3(normal, corner[i]));
    for (int i = 0; i < count; i++)
        if (cd_dot3(normal, corner[i]) > 0.999 * most)
            face[corners++] = i;
    // next is the corner that has none of the others on its right
    for (int k = 1; k < corners; k++)
        for (int l = k + 1; l < corners; l++) {
            cd_vec3 a = cd_sub3(corner[face[k]], corner[face[k - 1]]),
                    b = cd_sub3(corner[face[l]], corner[face[k - 1]]);
            if (cd_dot3(normal, cd_cross3(a, b)) < 0) {
                int32_t swap = face[k];
                face[k] = face[l];
                face[l] = swap;
            }
        }
    return corners;
}

static cd_scene_shape solid(cd_arena *arena, int kind, double radius)
{
    cd_vec3 corner[MOST_CORNERS], normal[MOST_FACES];
    int count = corners_of(kind, corner), faces = corners_of(dual[kind], normal);
    int32_t *face_first = CD_ARENA_ZARRAY(arena, int32_t, MOST_FACES + 1),
            *face_vertex = CD_ARENA_ARRAY(arena, int32_t, MOST_NUMBERS);
    cd_scene_shape shape = {.kind = CD_SHAPE_POLYHEDRON,
                            .vertex_count = count,
                            .face_count = faces,
                            .face_first = face_first,
                            .face_vertex = face_vertex,
                            .vertex = CD_ARENA_ARRAY(arena, double, 3 * MOST_CORNERS)};
    for (int f = 0; f < faces; f++) {
        cd_vec3 outward = kind == TETRAHEDRON ? cd_negate3(normal[f]) : normal[f];
        face_first[f + 1] = face_first[f] + take_face(corner, count, outward, face_vertex + face_first[f]);
    }
    for (int i = 0; i < count; i++)
        cd_vec3_put(cd_scale3(radius / cd_length3(corner[i]), corner[i]), shape.vertex + 3 * i);
    return shape;
}

// ---- the generator -------------------------------------------------------------------------------------------------

static cd_status read_kinds(cd_scene *scene, const cd_yaml_node *node, int **kinds, int32_t *count, cd_diag *diag)
{
    *count = node ? node->count : KINDS;
    if (node)
        CD_TRY(cd_yaml_want(node, "kinds", CD_YAML_LIST, diag));
    if (!*count)
        return cd_yaml_fail(node, diag, "kinds: the list is empty");
    *kinds = CD_ARENA_ARRAY(scene->arena, int, *count);
    for (int32_t i = 0; i < *count; i++) {
        const char *word = kind_words[i % KINDS];
        if (node)
            CD_TRY(cd_yaml_text(node->item[i], "kinds", &word, diag));
        int kind = 0;
        while (kind < KINDS && strcmp(word, kind_words[kind]))
            kind++;
        if (kind == KINDS)
            return cd_yaml_fail(node->item[i], diag,
                                "kinds: \"%.40s\" is none of tetrahedron, cube, octahedron, dodecahedron, icosahedron",
                                word);
        (*kinds)[i] = kind;
    }
    return CD_OK;
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    static const char *const taken[] = {"id", "shape", "position", NULL};
    const params *p = given;
    int32_t shape[KINDS] = {-1, -1, -1, -1, -1}, kind_count;
    int *kinds = NULL;
    cd_scene_body model;
    int64_t total = 1;
    CD_TRY(read_kinds(scene, p->kinds, &kinds, &kind_count, diag));
    CD_TRY(cd_generator_body(scene, node, p->body, taken, &model, diag));
    for (int k = 0; k < 3; k++) {
        total *= p->count[k];
        if (total > scene->max_rows)
            return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "count: more than %lld bodies (--max-rows)",
                                       (long long)scene->max_rows);
    }
    random = cd_generator_seed(p->seed, random);
    for (int64_t n = 0; n < total; n++) {
        int64_t index[3] = {n % p->count[0], n / p->count[0] % p->count[1], n / p->count[0] / p->count[1]};
        int kind = kinds[n % kind_count];
        cd_scene_body body = model;
        if (shape[kind] < 0) {
            cd_scene_shape regular = solid(scene->arena, kind, p->radius);
            CD_TRY(cd_scene_add_shape(scene, &regular, node, &shape[kind], diag));
        }
        body.shape = shape[kind];
        for (int k = 0; k < 3; k++)
            body.position[k] =
                p->origin[k] + (double)index[k] * p->spacing[k] + p->jitter * cd_random_between(&random, -1, 1);
        if (p->turn == TURN_RANDOM)
            cd_random_rotation(&random, body.rotation);
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}

const cd_generator cd_generator_platonic = {.name = "platonic",
                                            .dim = 3,
                                            .summary = "regular solids in rows, columns and layers (3-D)",
                                            .keys = keys,
                                            .defaults = &defaults,
                                            .params_size = sizeof(params),
                                            .make = make};

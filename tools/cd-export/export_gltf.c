// glTF 2.0 as one binary file (Khronos Group, glTF 2.0 Specification, 2021; sections 3 and 4.4): a node a body, a mesh
// a shape, shared by its bodies, and an animation of the frames.
//
// Numbers are 32-bit floats, as the format has them. Its y axis is up: a node above the bodies turns z of a space to y;
// the plane stays as it is. Keys stand at the frames' times; between them viewers interpolate. A body that does not
// move has no channel. A frame that is sent again, or that is no later than the one before in 32 bits, is left out.
// SPDX-License-Identifier: MIT
#include "export_scene.h"

#include <inttypes.h>

enum { JSON_CHUNK = 0x4e4f534a, BIN_CHUNK = 0x004e4942, FLOAT = 5126, UNSIGNED_INT = 5125 };
enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };

// The state of a body in a frame, in the order of arrival; at the end those of one body stand together.
typedef struct gltf_key {
    int32_t body;  // in the list of bodies
    float time, position[3], rotation[4];
} gltf_key;

typedef struct gltf_body {
    int64_t id;
    int32_t shape;             // row; -1: none
    int32_t first, key_count;  // its keys, at the end
} gltf_body;

typedef struct gltf_state {
    cd_export_scene scene;
    CD_LIST(gltf_body) body;
    cd_buffer key;   // gltf_key
    int32_t *order;  // at the end: keys by body, then by time
    cd_refs bodies;  // ids of these
    int32_t *mesh;   // of each shape, by row; -1: none
    int32_t mesh_count;
    int64_t frames_left_out, deformed_left_out;
    double last_time;
    cd_output output;
    bool has_output;
    cd_buffer bin, views, accessors, json;
    int32_t accessor_count;
} gltf_state;

// ---- frames --------------------------------------------------------------------------------------------------------

static cd_status body_of(cd_export *e, int64_t id, int32_t *number)
{
    gltf_state *s = e->state;
    *number = cd_refs_row(&s->bodies, CD_REC_body, id);
    if (*number >= 0)
        return CD_OK;
    *number = s->body.count;
    const gltf_body fresh = {.id = id, .shape = -1};
    cd_list_push(&e->ctx->run, &s->body, fresh);
    return cd_refs_add_ids(&s->bodies, CD_REC_body, &id, 1, &e->ctx->diag);
}

static void put_key(gltf_state *s, int32_t body, double time, cd_export_pose pose)
{
    const cd_vec3 p = pose.position;
    const cd_quat q = cd_quat_unit(pose.rotation);
    const gltf_key key = {
        body, (float)time, {(float)p.x, (float)p.y, (float)p.z}, {(float)q.x, (float)q.y, (float)q.z, (float)q.w}};
    cd_buffer_append(&s->key, &key, sizeof key);
    s->body.item[body].key_count++;
}

static cd_status too_large(cd_export *e)
{
    return cd_fail(&e->ctx->diag, CD_ERR_LIMIT, "the file would be larger than 4 GiB: choose --frames");
}

static cd_status frame(cd_export *e)
{
    gltf_state *s = e->state;
    double time = e->in.frame.time[0];
    if (e->frame_count > s->frames_left_out && !((float)time > (float)s->last_time)) {
        s->frames_left_out++;
        return CD_OK;
    }
    s->last_time = time;
    CD_TRY(cd_export_scene_frame(e, &s->scene));
    for (int32_t i = 0; i < e->in.body.count; i++) {
        if (cd_elements_of_body(&s->scene.placed, i) > 0) {
            s->deformed_left_out++;
            continue;
        }
        if (!cd_body_has_position(&e->in, i)) {
            s->scene.bodies_left_out++;
            continue;
        }
        int32_t body;
        CD_TRY(body_of(e, e->in.body.id[i], &body));
        if (s->key.size > UINT32_MAX)
            return too_large(e);
        s->body.item[body].shape = e->in.body.shape ? e->in.body.shape[i] : -1;
        put_key(s, body, time, cd_export_body_pose(&e->in, i));
    }
    return CD_OK;
}

static gltf_key *key_of(const gltf_state *s, const gltf_body *body, int32_t number)
{
    return (gltf_key *)(void *)s->key.data + s->order[body->first + number];
}

// Gives each body its keys; of the two quaternions of a turn the one that is nearer to that before.
static void order_keys(cd_export *e)
{
    gltf_state *s = e->state;
    int32_t count = (int32_t)(s->key.size / sizeof(gltf_key)), first = 0;
    s->order = CD_ARENA_ARRAY(&e->ctx->run, int32_t, count);
    for (int32_t i = 0; i < s->body.count; i++) {
        s->body.item[i].first = first;
        first += s->body.item[i].key_count;
        s->body.item[i].key_count = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        gltf_key *key = (gltf_key *)(void *)s->key.data + i;
        gltf_body *body = &s->body.item[key->body];
        s->order[body->first + body->key_count] = i;
        if (body->key_count++ == 0)
            continue;
        const float *last = key_of(s, body, body->key_count - 2)->rotation;
        float *turn = key->rotation, product = 0;
        for (int k = 0; k < 4; k++)
            product += turn[k] * last[k];
        for (int k = 0; k < 4 && product < 0; k++)
            turn[k] = -turn[k];
    }
}

// ---- accessors -----------------------------------------------------------------------------------------------------

typedef struct accessor {
    const char *type;  // "SCALAR", "VEC3", "VEC4"
    int component, width, target;
    bool has_range;  // min and max
} accessor;

static void put_range(cd_buffer *out, const accessor *a, const float *number, int64_t count)
{
    float range[2][4];
    for (int k = 0; k < a->width; k++)
        range[0][k] = range[1][k] = number[k];
    for (int64_t i = 0; i < count * a->width; i++) {
        int k = (int)(i % a->width);
        range[0][k] = number[i] < range[0][k] ? number[i] : range[0][k];
        range[1][k] = number[i] > range[1][k] ? number[i] : range[1][k];
    }
    for (int side = 0; side < 2; side++) {
        cd_buffer_printf(out, ",\"%s\":[", side ? "max" : "min");
        for (int k = 0; k < a->width; k++) {
            char text[CD_NUMBER_MAX];
            cd_buffer_printf(out, "%s%.*s", k ? "," : "", cd_number_print(range[side][k], text), text);
        }
        cd_buffer_text(out, "]");
    }
}

// Numbers of 4 bytes into the buffer, with their view and accessor; its number.
static int32_t add_accessor(gltf_state *s, accessor a, const void *bytes, size_t size)
{
    int64_t count = (int64_t)(size / (4 * (size_t)a.width));
    cd_buffer_printf(&s->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", s->accessor_count ? "," : "",
                     s->bin.size, size);
    if (a.target)
        cd_buffer_printf(&s->views, ",\"target\":%d", a.target);
    cd_buffer_text(&s->views, "}");
    cd_buffer_printf(&s->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%" PRId64 ",\"type\":\"%s\"",
                     s->accessor_count ? "," : "", s->accessor_count, a.component, count, a.type);
    if (a.has_range)
        put_range(&s->accessors, &a, bytes, count);
    cd_buffer_text(&s->accessors, "}");
    cd_buffer_append(&s->bin, bytes, size);
    return s->accessor_count++;
}

// ---- meshes --------------------------------------------------------------------------------------------------------

static void put_floats(cd_buffer *list, const double *value, int count)
{
    for (int k = 0; k < count; k++) {
        const float number = (float)value[k];
        cd_buffer_append(list, &number, sizeof number);
    }
}

// Faces as fans of triangles: those of shapes are convex.
static void put_mesh(cd_export *e, int32_t shape)
{
    gltf_state *s = e->state;
    const cd_export_surface *surface = &s->scene.surface[shape];
    cd_buffer point = {0}, corner = {0};
    for (int32_t i = 0; i < surface->point.count; i++) {
        cd_vec3 p = surface->point.item[i];
        put_floats(&point, (const double[]){p.x, p.y, p.z}, 3);
    }
    for (int32_t face = 0; face < surface->face.count; face++) {
        const int32_t *at = surface->corner.item;
        int32_t first = surface->face.item[face].first;
        for (int32_t k = first + 2; k < cd_export_face_end(surface, face); k++) {
            const uint32_t triangle[3] = {(uint32_t)at[first], (uint32_t)at[k - 1], (uint32_t)at[k]};
            cd_buffer_append(&corner, triangle, sizeof triangle);
        }
    }
    const accessor points = {"VEC3", FLOAT, 3, ARRAY_BUFFER, true};
    const accessor corners = {"SCALAR", UNSIGNED_INT, 1, ELEMENT_ARRAY_BUFFER, false};
    int32_t position = add_accessor(s, points, point.data, point.size);
    int32_t indices = add_accessor(s, corners, corner.data, corner.size);
    cd_buffer_printf(&s->json,
                     "%s{\"name\":\"shape %" PRId64
                     "\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":0}]}",
                     s->mesh_count ? "," : "", e->in.shape.id[shape], position, indices);
    s->mesh[shape] = s->mesh_count++;
    cd_buffer_release(&point);
    cd_buffer_release(&corner);
}

static void put_meshes(cd_export *e)
{
    gltf_state *s = e->state;
    bool *is_used = CD_ARENA_ZARRAY(&e->ctx->run, bool, e->in.shape.count);
    for (int32_t i = 0; i < s->body.count; i++)
        if (s->body.item[i].shape >= 0)
            is_used[s->body.item[i].shape] = true;
    s->mesh = CD_ARENA_ARRAY(&e->ctx->run, int32_t, e->in.shape.count);
    for (int32_t shape = 0; shape < e->in.shape.count; shape++)
        s->mesh[shape] = -1;
    size_t before = s->json.size;
    cd_buffer_text(&s->json, ",\"meshes\":[");
    for (int32_t shape = 0; shape < e->in.shape.count; shape++)
        if (is_used[shape] && s->scene.surface[shape].face.count > 0)
            put_mesh(e, shape);
    cd_buffer_text(&s->json, "],\"materials\":[{\"name\":\"body\",\"doubleSided\":true,\"pbrMetallicRoughness\":"
                             "{\"baseColorFactor\":[0.6,0.7,0.8,1],\"metallicFactor\":0,\"roughnessFactor\":0.8}}]");
    if (s->mesh_count == 0)  // an empty list is not allowed
        s->json.size = before;
}

// ---- nodes and animation -------------------------------------------------------------------------------------------

static void put_json_floats(cd_buffer *out, const char *name, const float *number, int count)
{
    cd_buffer_printf(out, ",\"%s\":[", name);
    for (int k = 0; k < count; k++) {
        char text[CD_NUMBER_MAX];
        cd_buffer_printf(out, "%s%.*s", k ? "," : "", cd_number_print(number[k], text), text);
    }
    cd_buffer_text(out, "]");
}

// Node 0 is the world, node i + 1 body i, in the pose of its first key.
static void put_nodes(cd_export *e)
{
    gltf_state *s = e->state;
    cd_buffer *out = &s->json;
    cd_buffer_text(out, ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"world\"");
    if (e->in.dim == 3)
        cd_buffer_text(out, ",\"rotation\":[-0.70710678,0,0,0.70710678]");
    for (int32_t i = 0; i < s->body.count; i++)
        cd_buffer_printf(out, "%s%d", i ? "," : ",\"children\":[", i + 1);
    cd_buffer_text(out, s->body.count ? "]}" : "}");
    for (int32_t i = 0; i < s->body.count; i++) {
        const gltf_body *body = &s->body.item[i];
        int32_t mesh = body->shape < 0 ? -1 : s->mesh[body->shape];
        cd_buffer_printf(out, ",{\"name\":\"body %" PRId64 "\"", body->id);
        if (mesh >= 0)
            cd_buffer_printf(out, ",\"mesh\":%d", mesh);
        put_json_floats(out, "translation", key_of(s, body, 0)->position, 3);
        put_json_floats(out, "rotation", key_of(s, body, 0)->rotation, 4);
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, "]");
}

// A channel's numbers: one kind of them of all keys of a body.
typedef enum gltf_path { TRANSLATION, ROTATION, TIME } gltf_path;

static int path_width(gltf_path path) { return path == TIME ? 1 : path == ROTATION ? 4 : 3; }

static void gather(const gltf_state *s, const gltf_body *body, gltf_path path, cd_buffer *list)
{
    list->size = 0;
    for (int32_t i = 0; i < body->key_count; i++) {
        const gltf_key *key = key_of(s, body, i);
        const float *number = path == TIME ? &key->time : path == ROTATION ? key->rotation : key->position;
        cd_buffer_append(list, number, sizeof *number * (size_t)path_width(path));
    }
}

static bool moves(const cd_buffer *list, gltf_path path)
{
    size_t key = sizeof(float) * (size_t)path_width(path);
    for (size_t at = key; at < list->size; at += key)
        if (memcmp(list->data, list->data + at, key))
            return true;
    return false;
}

typedef struct gltf_animation {
    cd_buffer samplers, channels;  // JSON
    cd_buffer time, number;        // of the body at work
    cd_buffer input_time;          // that the accessor `input` holds
    int count;
    int32_t input;
} gltf_animation;

static void put_channel(gltf_state *s, gltf_animation *a, int32_t body, gltf_path path)
{
    const gltf_body *b = &s->body.item[body];
    gather(s, b, path, &a->number);
    if (!moves(&a->number, path))
        return;
    gather(s, b, TIME, &a->time);
    if (a->count == 0 || a->time.size != a->input_time.size ||
        memcmp(a->time.data, a->input_time.data, a->time.size) != 0) {
        a->input = add_accessor(s, (accessor){"SCALAR", FLOAT, 1, 0, true}, a->time.data, a->time.size);
        a->input_time.size = 0;
        cd_buffer_append(&a->input_time, a->time.data, a->time.size);
    }
    const accessor values = {path == ROTATION ? "VEC4" : "VEC3", FLOAT, path_width(path), 0, false};
    int32_t output = add_accessor(s, values, a->number.data, a->number.size);
    const char *comma = a->count ? "," : "";
    cd_buffer_printf(&a->samplers, "%s{\"input\":%d,\"output\":%d}", comma, a->input, output);
    cd_buffer_printf(&a->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma, a->count,
                     body + 1, path == ROTATION ? "rotation" : "translation");
    a->count++;
}

static void put_animation(gltf_state *s)
{
    gltf_animation a = {.count = 0};
    for (int32_t i = 0; i < s->body.count; i++) {
        put_channel(s, &a, i, TRANSLATION);
        put_channel(s, &a, i, ROTATION);
    }
    if (a.count > 0) {
        cd_buffer_text(&s->json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
        cd_buffer_append(&s->json, a.samplers.data, a.samplers.size);
        cd_buffer_text(&s->json, "],\"channels\":[");
        cd_buffer_append(&s->json, a.channels.data, a.channels.size);
        cd_buffer_text(&s->json, "]}]");
    }
    cd_buffer *own[] = {&a.samplers, &a.channels, &a.time, &a.number, &a.input_time};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        cd_buffer_release(own[i]);
}

// ---- the file ------------------------------------------------------------------------------------------------------

static void put_list(cd_buffer *json, const char *name, const cd_buffer *list)
{
    cd_buffer_printf(json, ",\"%s\":[", name);
    cd_buffer_append(json, list->data, list->size);
    cd_buffer_text(json, "]");
}

static cd_status write_chunks(cd_export *e)
{
    gltf_state *s = e->state;
    while (s->json.size % 4)
        cd_buffer_text(&s->json, " ");
    uint64_t total = 12 + 8 + (uint64_t)s->json.size + (s->bin.size ? 8 + (uint64_t)s->bin.size : 0);
    if (total > UINT32_MAX)
        return too_large(e);
    const uint32_t start[5] = {0x46546c67, 2, (uint32_t)total, (uint32_t)s->json.size, JSON_CHUNK};
    const uint32_t bin[2] = {(uint32_t)s->bin.size, BIN_CHUNK};
    const cd_export_sink sink = {.fd = s->output.fd, .name = cd_output_name(&s->output)};
    cd_diag *diag = &e->ctx->diag;
    CD_TRY(cd_output_write(sink.fd, sink.name, start, sizeof start, diag));
    CD_TRY(cd_output_write(sink.fd, sink.name, s->json.data, s->json.size, diag));
    if (s->bin.size == 0)
        return CD_OK;
    CD_TRY(cd_output_write(sink.fd, sink.name, bin, sizeof bin, diag));
    return cd_output_write(sink.fd, sink.name, s->bin.data, s->bin.size, diag);
}

static void warn(const cd_export *e)
{
    const gltf_state *s = e->state;
    if (s->frames_left_out)
        cd_warn(e->ctx, "gltf: %" PRId64 " frames are no later than those before them: left out", s->frames_left_out);
    if (s->deformed_left_out)
        cd_warn(e->ctx, "gltf: %" PRId64 " times a body of elements is left out: nodes do not deform",
                s->deformed_left_out);
    if (s->scene.bodies_left_out)
        cd_warn(e->ctx, "gltf: %" PRId64 " times a body has no place: it is left out", s->scene.bodies_left_out);
}

static cd_status finish(cd_export *e)
{
    gltf_state *s = e->state;
    cd_buffer_text(&s->json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cdtools " CD_VERSION "\"}");
    order_keys(e);
    put_meshes(e);
    put_nodes(e);
    put_animation(s);
    if (s->accessor_count > 0) {
        put_list(&s->json, "accessors", &s->accessors);
        put_list(&s->json, "bufferViews", &s->views);
        cd_buffer_printf(&s->json, ",\"buffers\":[{\"byteLength\":%zu}]", s->bin.size);
    }
    cd_buffer_text(&s->json, "}");
    CD_TRY(write_chunks(e));
    warn(e);
    return cd_output_commit(&s->output, &e->ctx->diag);
}

static cd_status begin(cd_export *e)
{
    gltf_state *s = cd_arena_zalloc(&e->ctx->run, sizeof *s);
    e->state = s;
    CD_TRY(cd_output_open(&s->output, e->ctx->output_path, &e->ctx->diag));
    s->has_output = true;
    return CD_OK;
}

static void close_gltf(cd_export *e)
{
    gltf_state *s = e->state;
    cd_refs_release(&s->bodies);
    cd_buffer *own[] = {&s->key, &s->bin, &s->views, &s->accessors, &s->json};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        cd_buffer_release(own[i]);
    if (s->has_output)
        cd_output_discard(&s->output);
}

extern const cd_export_format cd_export_gltf;
const cd_export_format cd_export_gltf = {.name = "gltf",
                                         .about = "glTF 2.0 in one file (.glb): bodies in motion",
                                         .needs = CD_EXPORT_SCENE_TABLES,
                                         .has_defaults = true,
                                         .needs_frame = true,
                                         .is_binary = true,
                                         .begin = begin,
                                         .frame = frame,
                                         .finish = finish,
                                         .close = close_gltf};

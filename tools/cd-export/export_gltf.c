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

typedef struct gltf_body {
    int64_t id;
    int32_t shape;                       // row; -1: none
    cd_buffer time, position, rotation;  // float: 1, 3, 4 a key
} gltf_body;

typedef struct gltf_state {
    cd_export_scene scene;
    CD_LIST(gltf_body) body;
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

static cd_status body_of(cd_export *e, int64_t id, gltf_body **body)
{
    gltf_state *s = e->state;
    int32_t number = cd_refs_row(&s->bodies, CD_REC_body, id);
    if (number < 0) {
        CD_TRY(cd_refs_add_ids(&s->bodies, CD_REC_body, &id, 1, &e->ctx->diag));
        number = s->body.count;
        const gltf_body fresh = {.id = id, .shape = -1};
        cd_list_push(&e->ctx->run, &s->body, fresh);
    }
    *body = &s->body.item[number];
    return CD_OK;
}

static void put_floats(cd_buffer *list, const double *value, int count)
{
    for (int k = 0; k < count; k++) {
        const float number = (float)value[k];
        cd_buffer_append(list, &number, sizeof number);
    }
}

static void put_key(gltf_body *body, double time, cd_export_pose pose)
{
    const cd_vec3 p = pose.position;
    cd_quat q = cd_quat_unit(pose.rotation);
    size_t used = body->rotation.size / sizeof(float);
    if (used > 0) {  // the nearer of the two quaternions of a turn
        const float *last = (const float *)(void *)body->rotation.data + used - 4;
        if (q.x * last[0] + q.y * last[1] + q.z * last[2] + q.w * last[3] < 0)
            q = (cd_quat){-q.w, -q.x, -q.y, -q.z};
    }
    put_floats(&body->time, &time, 1);
    put_floats(&body->position, (const double[]){p.x, p.y, p.z}, 3);
    put_floats(&body->rotation, (const double[]){q.x, q.y, q.z, q.w}, 4);
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
        gltf_body *body;
        CD_TRY(body_of(e, e->in.body.id[i], &body));
        body->shape = e->in.body.shape ? e->in.body.shape[i] : -1;
        put_key(body, time, cd_export_body_pose(&e->in, i));
    }
    return CD_OK;
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
        put_json_floats(out, "translation", (const float *)(void *)body->position.data, 3);
        put_json_floats(out, "rotation", (const float *)(void *)body->rotation.data, 4);
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, "]");
}

static bool moves(const cd_buffer *keys, size_t key)
{
    for (size_t at = key; at < keys->size; at += key)
        if (memcmp(keys->data, keys->data + at, key))
            return true;
    return false;
}

static bool is_same(const cd_buffer *a, const cd_buffer *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static void put_animation(gltf_state *s)
{
    cd_buffer samplers = {0}, channels = {0};
    int count = 0;
    int32_t input = -1, input_of = -1;
    for (int32_t i = 0; i < s->body.count; i++) {
        const gltf_body *body = &s->body.item[i];
        const cd_buffer *keys[2] = {&body->position, &body->rotation};
        for (int path = 0; path < 2; path++) {
            const accessor times = {"SCALAR", FLOAT, 1, 0, true},
                           values = {path ? "VEC4" : "VEC3", FLOAT, 3 + path, 0, false};
            if (!moves(keys[path], sizeof(float) * (size_t)values.width))
                continue;
            if (input_of < 0 || !is_same(&s->body.item[input_of].time, &body->time)) {
                input = add_accessor(s, times, body->time.data, body->time.size);
                input_of = i;
            }
            int32_t output = add_accessor(s, values, keys[path]->data, keys[path]->size);
            cd_buffer_printf(&samplers, "%s{\"input\":%d,\"output\":%d}", count ? "," : "", input, output);
            cd_buffer_printf(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", count ? "," : "",
                             count, i + 1, path ? "rotation" : "translation");
            count++;
        }
    }
    if (count > 0) {
        cd_buffer_text(&s->json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
        cd_buffer_append(&s->json, samplers.data, samplers.size);
        cd_buffer_text(&s->json, "],\"channels\":[");
        cd_buffer_append(&s->json, channels.data, channels.size);
        cd_buffer_text(&s->json, "]}]");
    }
    cd_buffer_release(&samplers);
    cd_buffer_release(&channels);
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
        return cd_fail(&e->ctx->diag, CD_ERR_LIMIT, "the file would be larger than 4 GiB: choose --frames");
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
    for (int32_t i = 0; i < s->body.count; i++) {
        cd_buffer_release(&s->body.item[i].time);
        cd_buffer_release(&s->body.item[i].position);
        cd_buffer_release(&s->body.item[i].rotation);
    }
    cd_refs_release(&s->bodies);
    cd_buffer *own[] = {&s->bin, &s->views, &s->accessors, &s->json};
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

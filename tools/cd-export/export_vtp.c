// VTK PolyData: one thing of one frame in a file (vtp), or all things of many frames, with their times (pvd).
//
//   body     polygons: the bodies' surfaces at the frame's start
//   contact  vertices: contacts with normal, gap, force and impulse
//   force    lines: force chains, one a pair of bodies that contacts with forces join, from centre to centre. Where a
//            body is not moved by impulses the line ends at the mean of the contacts' points.
// The file of pvd is the list of ParaView's collections; each thing of a frame is a part of it, in a folder beside it.
// SPDX-License-Identifier: MIT
#include "export_scene.h"
#include "export_vtk.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct vtp_state {
    cd_export_scene scene;
    cd_vtk body, contact, chain;
    cd_output output;
    bool has_output;
    cd_export_sink sink;      // of the output
    cd_export_sink file;      // of the folder's file being written
    cd_export_folder folder;  // of pvd
    cd_buffer folder_name;    // as it stands in the list, without a path
} vtp_state;

// ---- bodies --------------------------------------------------------------------------------------------------------

enum { BODY_ID, BODY_PART, BODY_MOTION, BODY_VELOCITY, BODY_SPIN, BODY_MASS };

static void make_body_arrays(cd_vtk *vtk)
{
    cd_vtk_add(vtk, "body", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "part", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "motion", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "velocity", CD_VTK_F64, 3, true);
    cd_vtk_add(vtk, "spin", CD_VTK_F64, 3, true);
    cd_vtk_add(vtk, "mass", CD_VTK_F64, 1, true);
}

static void put_body_values(const cd_export *e, cd_vtk *vtk, int32_t body, int32_t part)
{
    const cd_body_rows *rows = &e->in.body;
    int dim = e->in.dim;
    cd_vtk_i64(&vtk->array[BODY_ID].number, rows->id[body]);
    cd_vtk_i64(&vtk->array[BODY_PART].number, part);
    cd_vtk_i64(&vtk->array[BODY_MOTION].number, cd_body_motion(&e->in, body));
    cd_vtk_vector(&vtk->array[BODY_VELOCITY].number, dim, rows->velocity + (size_t)dim * (size_t)body);
    const double flat[3] = {0, 0, rows->spin[body]};
    cd_vtk_vector(&vtk->array[BODY_SPIN].number, 3, dim == 2 ? flat : rows->spin + 3 * (size_t)body);
    cd_vtk_f64(&vtk->array[BODY_MASS].number, cd_f64_or(rows->mass, body, NAN));
}

static void put_surface(const cd_export *e, cd_vtk *vtk, const cd_export_surface *s, const cd_pose3 *pose, int32_t body)
{
    int64_t before = cd_vtk_points(vtk);
    for (int32_t i = 0; i < s->point.count; i++) {
        cd_vec3 p = cd_pose3_apply(pose, s->point.item[i]);
        const double number[3] = {p.x, p.y, p.z};
        cd_buffer_append(&vtk->point, number, sizeof number);
    }
    for (int32_t face = 0; face < s->face.count; face++) {
        for (int32_t k = s->face.item[face].first; k < cd_export_face_end(s, face); k++)
            cd_vtk_i64(&vtk->corner, before + s->corner.item[k]);
        cd_vtk_i64(&vtk->cell_end, (int64_t)(vtk->corner.size / sizeof(int64_t)));
        put_body_values(e, vtk, body, s->face.item[face].part);
    }
}

static void put_bodies(cd_export *e)
{
    vtp_state *s = e->state;
    const cd_model *in = &e->in;
    for (int32_t body = 0; body < in->body.count; body++) {
        int32_t shape = in->body.shape ? in->body.shape[body] : -1;
        if (cd_elements_of_body(&s->scene.placed, body) > 0) {
            cd_export_surface surface = {0};
            const cd_pose3 pose = {{0, 0, 0}, cd_mat3_identity()};
            cd_export_elements_surface(&e->ctx->arena, &s->scene, body, &surface);
            put_surface(e, &s->body, &surface, &pose, body);
        } else if (shape >= 0 && cd_body_has_position(in, body)) {
            cd_export_pose at = cd_export_body_pose(in, body);
            const cd_pose3 pose = cd_pose3_make(at.position, at.rotation);
            put_surface(e, &s->body, &s->scene.surface[shape], &pose, body);
        } else {
            s->scene.bodies_left_out++;
        }
    }
}

// ---- contacts ------------------------------------------------------------------------------------------------------

enum { CONTACT_ID, BODY_A, PART_A, BODY_B, PART_B, KIND, STATUS, NORMAL, GAP, AREA, FORCE, IMPULSE };

static void make_contact_arrays(cd_vtk *vtk)
{
    static const char *const name[] = {"contact", "body_a", "part_a", "body_b", "part_b", "kind", "status"};
    for (int k = CONTACT_ID; k <= STATUS; k++)
        cd_vtk_add(vtk, name[k], CD_VTK_I64, 1, false);
    cd_vtk_add(vtk, "normal", CD_VTK_F64, 3, false);
    cd_vtk_add(vtk, "gap", CD_VTK_F64, 1, false);
    cd_vtk_add(vtk, "area", CD_VTK_F64, 1, false);
    cd_vtk_add(vtk, "force", CD_VTK_F64, 3, false);
    cd_vtk_add(vtk, "impulse", CD_VTK_F64, 3, false);
}

// The row of `force` of each contact, -1: it has none. @owns arena of the frame
static int32_t *force_rows(cd_export *e)
{
    const cd_model *in = &e->in;
    int32_t *row = CD_ARENA_ARRAY(&e->ctx->arena, int32_t, in->contact.count);
    for (int32_t i = 0; i < in->contact.count; i++)
        row[i] = -1;
    for (int32_t i = 0; i < in->force.count; i++)
        row[in->force.contact[i]] = i;
    return row;
}

static void put_contacts(cd_export *e, const int32_t *force_row)
{
    vtp_state *s = e->state;
    const cd_contact_rows *c = &e->in.contact;
    const cd_body_rows *body = &e->in.body;
    cd_vtk_array *array = s->contact.array;
    int dim = e->in.dim;
    double step = cd_frame_step_or_zero(&e->in);
    for (int32_t i = 0; i < c->count; i++) {
        size_t at = (size_t)dim * (size_t)i;
        const double *force = force_row[i] < 0 ? NULL : e->in.force.vector + (size_t)dim * (size_t)force_row[i];
        const int32_t *a = c->a + 2 * (size_t)i, *b = c->b + 2 * (size_t)i;
        const int64_t number[] = {
            c->id[i], body->id[a[0]], a[1], body->id[b[0]], b[1], c->kind[i], cd_i32_or(c->status, i, -1)};
        cd_vtk_vector(&s->contact.point, dim, c->point + at);
        cd_vtk_i64(&s->contact.corner, i);
        cd_vtk_i64(&s->contact.cell_end, i + 1);
        for (int k = CONTACT_ID; k <= STATUS; k++)
            cd_vtk_i64(&array[k].number, number[k]);
        cd_vtk_vector(&array[NORMAL].number, dim, c->normal + at);
        cd_vtk_f64(&array[GAP].number, c->gap[i]);
        cd_vtk_f64(&array[AREA].number, cd_f64_or(c->area, i, NAN));
        cd_vtk_vector(&array[FORCE].number, dim, force);
        double impulse[3];
        for (int k = 0; k < dim && force; k++)
            impulse[k] = step * force[k];
        cd_vtk_vector(&array[IMPULSE].number, dim, force && step > 0 ? impulse : NULL);
    }
}

// ---- force chains --------------------------------------------------------------------------------------------------

enum { CHAIN_A, CHAIN_B, CHAIN_CONTACTS, CHAIN_FORCE, CHAIN_MAGNITUDE, CHAIN_NORMAL };

static void make_chain_arrays(cd_vtk *vtk)
{
    cd_vtk_add(vtk, "body_a", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "body_b", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "contacts", CD_VTK_I64, 1, true);
    cd_vtk_add(vtk, "force", CD_VTK_F64, 3, true);
    cd_vtk_add(vtk, "magnitude", CD_VTK_F64, 1, true);
    cd_vtk_add(vtk, "normal_force", CD_VTK_F64, 1, true);
}

// A contact with a force and its pair of bodies, by row.
typedef struct link {
    int32_t a, b, contact;
} link;

static int by_pair(const void *left, const void *right)
{
    const link *l = left, *r = right;
    int32_t one[3] = {l->a, l->b, l->contact}, other[3] = {r->a, r->b, r->contact};
    for (int k = 0; k < 3; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

static void put_end(cd_export *e, int32_t body, const double *mean)
{
    vtp_state *s = e->state;
    const cd_model *in = &e->in;
    bool has_centre = cd_body_is_moved(in, body) && cd_body_has_position(in, body);
    cd_vtk_i64(&s->chain.corner, cd_vtk_points(&s->chain));
    cd_vtk_vector(&s->chain.point, in->dim, has_centre ? in->body.position + (size_t)in->dim * (size_t)body : mean);
}

// The links of one pair of bodies as one line.
static void put_chain(cd_export *e, const int32_t *force_row, const link *links, int32_t count)
{
    vtp_state *s = e->state;
    const cd_model *in = &e->in;
    int dim = in->dim;
    double mean[3] = {0}, force[3] = {0}, normal = 0, square = 0;
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)dim * (size_t)links[i].contact + (size_t)k;
            double f = in->force.vector[(size_t)dim * (size_t)force_row[links[i].contact] + (size_t)k];
            mean[k] += in->contact.point[at] / count;
            force[k] += f;
            normal += f * in->contact.normal[at];
        }
    for (int k = 0; k < dim; k++)
        square += force[k] * force[k];
    put_end(e, links[0].a, mean);
    put_end(e, links[0].b, mean);
    cd_vtk_i64(&s->chain.cell_end, cd_vtk_points(&s->chain));
    cd_vtk_i64(&s->chain.array[CHAIN_A].number, in->body.id[links[0].a]);
    cd_vtk_i64(&s->chain.array[CHAIN_B].number, in->body.id[links[0].b]);
    cd_vtk_i64(&s->chain.array[CHAIN_CONTACTS].number, count);
    cd_vtk_vector(&s->chain.array[CHAIN_FORCE].number, dim, force);
    cd_vtk_f64(&s->chain.array[CHAIN_MAGNITUDE].number, sqrt(square));
    cd_vtk_f64(&s->chain.array[CHAIN_NORMAL].number, normal);
}

static void put_chains(cd_export *e, const int32_t *force_row)
{
    const cd_contact_rows *c = &e->in.contact;
    link *links = CD_ARENA_ARRAY(&e->ctx->arena, link, c->count);
    int32_t count = 0;
    for (int32_t i = 0; i < c->count; i++)
        if (force_row[i] >= 0)
            links[count++] = (link){c->a[2 * (size_t)i], c->b[2 * (size_t)i], i};
    qsort(links, (size_t)count, sizeof *links, by_pair);
    for (int32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && links[end].a == links[first].a && links[end].b == links[first].b;)
            end++;
        put_chain(e, force_row, links + first, end - first);
    }
}

// ---- a frame -------------------------------------------------------------------------------------------------------

static cd_status make_things(cd_export *e)
{
    vtp_state *s = e->state;
    cd_vtk_clear(&s->body);
    cd_vtk_clear(&s->contact);
    cd_vtk_clear(&s->chain);
    if (e->types & CD_BIT(body)) {
        CD_TRY(cd_export_scene_frame(e, &s->scene));
        put_bodies(e);
    }
    const int32_t *force_row = force_rows(e);
    if (e->types & CD_BIT(contact))
        put_contacts(e, force_row);
    if (e->types & CD_BIT(force))
        put_chains(e, force_row);
    return CD_OK;
}

static const cd_vtk *thing_of(const vtp_state *s, cd_record_type type)
{
    return type == CD_REC_body ? &s->body : type == CD_REC_contact ? &s->contact : &s->chain;
}

static void warn(const cd_export *e)
{
    const vtp_state *s = e->state;
    if (s->scene.bodies_left_out)
        cd_warn(e->ctx, "%" PRId64 " times a body has no place or no shape: it is left out", s->scene.bodies_left_out);
}

static cd_status begin(cd_export *e)
{
    vtp_state *s = cd_arena_zalloc(&e->ctx->run, sizeof *s);
    e->state = s;
    s->file.fd = -1;
    make_body_arrays(&s->body);
    make_contact_arrays(&s->contact);
    make_chain_arrays(&s->chain);
    s->contact.cells = CD_VTK_VERTS;
    s->chain.cells = CD_VTK_LINES;
    s->body.cells = CD_VTK_POLYS;
    CD_TRY(cd_output_open(&s->output, e->ctx->output_path, &e->ctx->diag));
    s->has_output = true;
    s->sink = (cd_export_sink){.fd = s->output.fd, .name = cd_output_name(&s->output)};
    return CD_OK;
}

static void close_vtp(cd_export *e)
{
    vtp_state *s = e->state;
    cd_vtk_release(&s->body);
    cd_vtk_release(&s->contact);
    cd_vtk_release(&s->chain);
    cd_buffer_release(&s->sink.out);
    cd_buffer_release(&s->folder_name);
    cd_export_sink_discard(&s->file);
    cd_export_folder_discard(&s->folder);
    if (s->has_output)
        cd_output_discard(&s->output);
}

// ---- vtp -----------------------------------------------------------------------------------------------------------

static cd_status begin_vtp(cd_export *e)
{
    if (e->types & (e->types - 1))
        return cd_fail(&e->ctx->diag, CD_ERR_USAGE, "--type: vtp holds one of body, contact and force; pvd holds all");
    return begin(e);
}

static cd_status frame_vtp(cd_export *e)
{
    vtp_state *s = e->state;
    CD_TRY(make_things(e));
    cd_record_type type = e->types & CD_BIT(body)      ? CD_REC_body
                          : e->types & CD_BIT(contact) ? CD_REC_contact
                                                       : CD_REC_force;
    cd_vtk_write(thing_of(s, type), e->in.frame.time[0], &s->sink.out);
    return CD_OK;
}

static cd_status finish(cd_export *e)
{
    vtp_state *s = e->state;
    CD_TRY(cd_export_flush(&s->sink, true, &e->ctx->diag));
    warn(e);
    return cd_output_commit(&s->output, &e->ctx->diag);
}

// ---- pvd -----------------------------------------------------------------------------------------------------------

static void put_escaped(cd_buffer *out, const char *text)
{
    for (; *text; text++)
        if (strchr("&<>\"", *text))
            cd_buffer_printf(out, "&#%d;", *text);
        else
            cd_buffer_append(out, text, 1);
}

// FILE.pvd has its frames in the folder FILE.
static cd_status begin_pvd(cd_export *e)
{
    const char *path = e->ctx->output_path;
    size_t length = path ? strlen(path) : 0;
    if (length < 5 || strcmp(path + length - 4, ".pvd") || path[length - 5] == '/')
        return cd_fail(&e->ctx->diag, CD_ERR_USAGE, "--to pvd: -o NAME.pvd is required; frames go to the folder NAME");
    CD_TRY(begin(e));
    vtp_state *s = e->state;
    char *folder = cd_arena_text(&e->ctx->run, path, length - 4);
    const char *slash = strrchr(folder, '/');
    put_escaped(&s->folder_name, slash ? slash + 1 : folder);
    CD_TRY(cd_export_folder_open(&s->folder, folder, &e->ctx->diag));
    cd_buffer_text(&s->sink.out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                                 "byte_order=\"LittleEndian\">\n  <Collection>\n");
    return CD_OK;
}

static cd_status frame_pvd(cd_export *e)
{
    static const cd_record_type things[] = {CD_REC_body, CD_REC_contact, CD_REC_force};
    vtp_state *s = e->state;
    CD_TRY(make_things(e));
    for (int part = 0; part < 3; part++) {
        const char *word = cd_records[things[part]].name;
        char time[CD_NUMBER_MAX];
        if (!(e->types >> things[part] & 1))
            continue;
        const char *name = cd_arena_printf(&e->ctx->arena, "%s-%06" PRId64 ".vtp", word, e->frame_count);
        CD_TRY(cd_export_folder_add(&s->folder, name, &s->file, &e->ctx->diag));
        cd_vtk_write(thing_of(s, things[part]), e->in.frame.time[0], &s->file.out);
        CD_TRY(cd_export_sink_close(&s->file, &e->ctx->diag));
        cd_buffer_printf(&s->sink.out, "    <DataSet timestep=\"%.*s\" part=\"%d\" name=\"%s\" file=\"%.*s/%s\"/>\n",
                         cd_number_print(e->in.frame.time[0], time), time, part, word, (int)s->folder_name.size,
                         s->folder_name.data, name);
    }
    return cd_export_flush(&s->sink, false, &e->ctx->diag);
}

static cd_status finish_pvd(cd_export *e)
{
    vtp_state *s = e->state;
    cd_buffer_text(&s->sink.out, "  </Collection>\n</VTKFile>\n");
    CD_TRY(cd_export_folder_commit(&s->folder, &e->ctx->diag));
    return finish(e);
}

#define THINGS (CD_BIT(body) | CD_BIT(contact) | CD_BIT(force))
extern const cd_export_format cd_export_vtp, cd_export_pvd;
const cd_export_format cd_export_vtp = {.name = "vtp",
                                        .about = "VTK PolyData: bodies, contacts or force chains of one frame",
                                        .choice = THINGS,
                                        .usual = CD_BIT(body),
                                        .needs = CD_EXPORT_SCENE_TABLES | THINGS,
                                        .has_defaults = true,
                                        .holds_one_frame = true,
                                        .needs_frame = true,
                                        .is_binary = true,
                                        .begin = begin_vtp,
                                        .frame = frame_vtp,
                                        .finish = finish,
                                        .close = close_vtp};
const cd_export_format cd_export_pvd = {.name = "pvd",
                                        .about = "these of many frames, for ParaView: a list and a folder of vtp",
                                        .choice = THINGS,
                                        .usual = THINGS,
                                        .needs = CD_EXPORT_SCENE_TABLES | THINGS,
                                        .has_defaults = true,
                                        .needs_frame = true,
                                        .begin = begin_pvd,
                                        .frame = frame_pvd,
                                        .finish = finish_pvd,
                                        .close = close_vtp};

// SPDX-License-Identifier: MIT
#include "cd_solids.h"

#include "cd_bodies.h"
#include "cd_pinballs.h"
#include "cd_threads.h"

#include <inttypes.h>

enum { ELEMENTS_PER_THREAD = 500 };  // some 0.3 us each at least, against 30 us for a thread

// ---- once a run ----------------------------------------------------------------------------------------------------

// False: it has no reference.
static bool make_element(const cd_model *in, int32_t row, cd_symmetry symmetry, cd_vec3 *reference, double *share)
{
    cd_element_kind kind = (cd_element_kind)in->element.kind[row];
    if (!cd_element_reference(in, row, reference))
        return false;
    double part[CD_ELEMENT_MAX_NODES];
    int32_t material = in->element.material ? in->element.material[row] : -1;
    double density = material < 0 ? 1 : cd_f64_or(in->material.density, material, 1);
    cd_element_shares(kind, reference, symmetry, part);
    for (int i = 0; i < cd_element_node_count(kind); i++)
        share[i] = density * part[i];
    return true;
}

void cd_solids_make(cd_arena *arena, const cd_model *in, const cd_elements *elements, cd_solids *solids)
{
    const cd_element_rows *rows = &in->element;
    int32_t places = rows->count > 0 ? rows->nodes.offset[rows->count] : 0;
    *solids = (cd_solids){.elements = elements};
    if (cd_i32_or(in->head.symmetry, 0, CD_SYMMETRY_PLANE) == CD_SYMMETRY_AXIAL)
        solids->symmetry = CD_SYMMETRY_AXIAL;
    double *lambda = CD_ARENA_ARRAY(arena, double, rows->count), *mu = CD_ARENA_ARRAY(arena, double, rows->count);
    cd_vec3 *reference = CD_ARENA_ARRAY(arena, cd_vec3, places);
    double *share = CD_ARENA_ARRAY(arena, double, places);
    for (int32_t i = 0; i < rows->count; i++) {
        int32_t first = rows->nodes.offset[i], material = rows->material ? rows->material[i] : -1;
        bool is_there = make_element(in, i, solids->symmetry, reference + first, share + first);
        double bulk = material < 0 ? NAN : cd_f64_or(in->material.bulk, material, NAN);
        double shear = material < 0 ? NAN : cd_f64_or(in->material.shear, material, NAN);
        lambda[i] = is_there ? bulk - shear * 2 / 3 : NAN;
        mu[i] = is_there ? shear : NAN;
    }
    solids->lambda = lambda;
    solids->mu = mu;
    solids->reference = reference;
    solids->share = share;
}

// ---- in a frame ----------------------------------------------------------------------------------------------------

static cd_status check_elastic(const cd_solids *solids, const cd_model *in, int32_t row, cd_diag *diag)
{
    int64_t id = in->element.id[row];
    int32_t kind = in->element.kind[row];
    if (kind != CD_ELEMENT_TRI3 && kind != CD_ELEMENT_TET4)
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "element %" PRId64 ": kind: %s has a reference, but only triangles and tetrahedra are elastic",
                       id, cd_words_ELEMENT[kind]);
    if (isnan(solids->lambda[row]))
        return cd_fail(diag, CD_ERR_FORMAT,
                       "element %" PRId64 ": material: an elastic element needs bulk and shear moduli", id);
    return CD_OK;
}

cd_status cd_solids_place(cd_arena *arena, const cd_solids *solids, const cd_placed_elements *placed, int threads,
                          cd_placed_solids *out, cd_diag *diag)
{
    const cd_model *in = placed->in;
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, in->element.count);
    const int32_t *by_id = cd_body_order_make(arena, &in->body).row;
    *out = (cd_placed_solids){.solids = solids, .placed = placed, .row = row};
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = by_id[rank], parts = cd_elements_of_body(placed, body);
        if (!cd_body_is_moved(in, body))
            continue;
        for (int32_t part = 0; part < parts; part++) {
            int32_t element = cd_element_row(placed, body, part);
            if (!cd_element_has_reference(in, element))
                continue;
            CD_TRY(check_elastic(solids, in, element, diag));
            row[out->count++] = element;
        }
    }
    out->threads = cd_threads_for(threads, out->count, ELEMENTS_PER_THREAD);
    return CD_OK;
}

typedef struct solids_job {
    const cd_placed_solids *solids;
    const double *mass;   // by number in the lists of nodes [kg]
    cd_vec3 (*force)[4];  // by elastic element: of its nodes
    double *value;        // the same: energy [J], or frequency squared [1/s^2]
} solids_job;

// Nodes of the elastic element: rows, and where they are.
static int corners_of(const cd_placed_solids *solids, int32_t k, const int32_t **node, cd_vec3 x[4])
{
    const cd_model *in = solids->placed->in;
    int32_t row = solids->row[k], first = in->element.nodes.offset[row];
    int count = in->element.nodes.offset[row + 1] - first;
    *node = solids->placed->node + first;
    for (int i = 0; i < count; i++)
        x[i] = cd_node_vector(in->node.position, in->dim, (*node)[i]);
    return count;
}

static void force_share(void *context, int worker)
{
    const solids_job *job = context;
    const cd_solids *solids = job->solids->solids;
    const cd_element_rows *rows = &job->solids->placed->in->element;
    cd_share share = cd_threads_share(job->solids->count, job->solids->threads, worker);
    for (int64_t k = share.begin; k < share.end; k++) {
        int32_t row = job->solids->row[k];
        const int32_t *node;
        cd_vec3 x[4];
        corners_of(job->solids, (int32_t)k, &node, x);
        job->value[k] = cd_element_force((cd_element_kind)rows->kind[row], solids->reference + rows->nodes.offset[row],
                                         x, solids->lambda[row], solids->mu[row], solids->symmetry, job->force[k]);
    }
}

double cd_solids_force(cd_arena *scratch, const cd_placed_solids *solids, cd_vec3 *force)
{
    cd_arena_mark before = cd_arena_get_mark(scratch);
    solids_job job = {.solids = solids,
                      .force = cd_arena_alloc(scratch, sizeof(cd_vec3[4]) * (size_t)solids->count),
                      .value = CD_ARENA_ARRAY(scratch, double, solids->count)};
    cd_threads_run(solids->threads, force_share, &job);
    double energy = 0;
    for (int32_t k = 0; k < solids->count; k++) {
        const int32_t *node;
        cd_vec3 x[4];
        int count = corners_of(solids, k, &node, x);
        for (int i = 0; i < count; i++)
            force[node[i]] = cd_add3(force[node[i]], job.force[k][i]);
        energy += job.value[k];
    }
    cd_arena_rewind(scratch, before);
    return energy;
}

// ---- frequencies ---------------------------------------------------------------------------------------------------

// Each element's part of the mass of its nodes, so that the parts add up to the nodes' masses.
static cd_status part_masses(cd_arena *scratch, const cd_placed_solids *solids, double *mass, cd_diag *diag)
{
    const cd_model *in = solids->placed->in;
    const int32_t *offset = in->element.nodes.offset;
    double *sum = CD_ARENA_ZARRAY(scratch, double, in->node.count);
    for (int32_t k = 0; k < solids->count; k++)
        for (int32_t i = offset[solids->row[k]]; i < offset[solids->row[k] + 1]; i++)
            sum[solids->placed->node[i]] += solids->solids->share[i];
    for (int32_t k = 0; k < solids->count; k++)
        for (int32_t i = offset[solids->row[k]]; i < offset[solids->row[k] + 1]; i++) {
            int32_t node = solids->placed->node[i];
            double own = cd_f64_or(in->node.mass, node, NAN);
            if (!cd_node_is_moved(in, node))
                mass[i] = INFINITY;
            else if (isnan(own))
                return cd_fail(diag, CD_ERR_FORMAT, "node %" PRId64 ": mass: required of a dynamic node",
                               in->node.id[node]);
            else
                mass[i] = own * solids->solids->share[i] / sum[node];
        }
    return CD_OK;
}

static void frequency_share(void *context, int worker)
{
    const solids_job *job = context;
    const cd_solids *solids = job->solids->solids;
    const cd_element_rows *rows = &job->solids->placed->in->element;
    cd_share share = cd_threads_share(job->solids->count, job->solids->threads, worker);
    for (int64_t k = share.begin; k < share.end; k++) {
        int32_t row = job->solids->row[k], first = rows->nodes.offset[row];
        const int32_t *node;
        cd_vec3 x[4];
        corners_of(job->solids, (int32_t)k, &node, x);
        job->value[k] =
            cd_element_frequency_sq((cd_element_kind)rows->kind[row], solids->reference + first, x, solids->lambda[row],
                                    solids->mu[row], solids->symmetry, job->mass + first);
    }
}

cd_status cd_solids_frequency_sq(cd_arena *scratch, const cd_placed_solids *solids, double *frequency_sq,
                                 int32_t *element, cd_diag *diag)
{
    const cd_list *nodes = &solids->placed->in->element.nodes;
    *frequency_sq = 0;
    *element = -1;
    if (solids->count == 0)
        return CD_OK;
    cd_arena_mark before = cd_arena_get_mark(scratch);
    double *mass = CD_ARENA_ARRAY(scratch, double, nodes->offset[solids->placed->in->element.count]);
    CD_TRY(part_masses(scratch, solids, mass, diag));
    solids_job job = {.solids = solids, .mass = mass, .value = CD_ARENA_ARRAY(scratch, double, solids->count)};
    cd_threads_run(solids->threads, frequency_share, &job);
    for (int32_t k = 0; k < solids->count; k++)
        if (job.value[k] > *frequency_sq) {
            *frequency_sq = job.value[k];
            *element = solids->row[k];
        }
    cd_arena_rewind(scratch, before);
    return CD_OK;
}

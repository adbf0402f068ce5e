// balls -- stands in for cd-narrow: contacts of balls with one another and with half-spaces, in the plane and in space.
//
//     cc balls.c $(pkg-config --cflags --libs cdstream) -o balls
//     cd-broad | ./balls | cd-peg-assemble | ...
//
// An example of a stage in C; cdstream(3) has what it calls. Parts that are within reach where the frame tries the
// bodies have one contact each.
// SPDX-License-Identifier: MIT
#include <cdstream.h>
#include <math.h>

typedef struct settings {
    double reach;  // [m]; negative: that of the stream
} settings;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Ball a and ball b. Where the centres are one the normal is along x.
static void two_balls(const cds_part *a, const cds_part *b, cds_contact *c)
{
    double between[3] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1], b->centre[2] - a->centre[2]};
    double distance = sqrt(dot(between, between));
    c->gap = distance - a->radius - b->radius;
    for (int k = 0; k < 3; k++) {
        c->normal[k] = distance > 0 ? between[k] / distance : k == 0;
        c->point_a[k] = a->centre[k] + a->radius * c->normal[k];
        c->point_b[k] = b->centre[k] - b->radius * c->normal[k];
    }
}

// Half-space a and ball b.
static void halfspace_ball(const cds_part *a, const cds_part *b, cds_contact *c)
{
    c->gap = dot(a->normal, b->centre) - a->offset - b->radius;
    for (int k = 0; k < 3; k++) {
        c->normal[k] = a->normal[k];
        c->point_b[k] = b->centre[k] - b->radius * a->normal[k];
        c->point_a[k] = c->point_b[k] - c->gap * a->normal[k];
    }
}

static int one_pair(cds_frame *f, const int32_t *a, const int32_t *b, double reach)
{
    cds_contact contact = {.a = {a[0], a[1]}, .b = {b[0], b[1]}, .kind = "analytic", .features = {-1, -1}};
    cds_pose pose_a = cds_get_pose(f, a[0], CDS_TRIAL), pose_b = cds_get_pose(f, b[0], CDS_TRIAL);
    cds_part part_a, part_b;
    if (cds_get_part(f, a[0], a[1], &pose_a, &part_a) || cds_get_part(f, b[0], b[1], &pose_b, &part_b))
        return CDS_INPUT;
    if (part_b.kind == CDS_HALFSPACE && part_a.kind == CDS_SPHERE)  // the library turns what is the wrong way round
        return one_pair(f, b, a, reach);
    if (part_b.kind != CDS_SPHERE)
        return cds_fail(f, CDS_UNSUPPORTED, "body", b[0], "shape", "balls and half-spaces only");
    if (part_a.kind == CDS_SPHERE)
        two_balls(&part_a, &part_b, &contact);
    else if (part_a.kind == CDS_HALFSPACE)
        halfspace_ball(&part_a, &part_b, &contact);
    else
        return cds_fail(f, CDS_UNSUPPORTED, "body", a[0], "shape", "balls and half-spaces only");
    if (contact.gap <= (reach >= 0 ? reach : cds_get_reach(f, a[0], b[0])))
        cds_add_contact(f, &contact);
    return CDS_OK;
}

static int frame(cds_frame *f, void *user)
{
    const settings *s = user;
    cds_column a = cds_get(f, "pair", "a"), b = cds_get(f, "pair", "b");
    for (int32_t p = 0; p < a.rows; p++) {
        int failure = one_pair(f, a.i + 2 * p, b.i + 2 * p, s->reach);
        if (failure)
            return failure;
    }
    return CDS_OK;
}

int main(int argc, char **argv)
{
    static const char *const takes[] = {"pair", 0}, *const makes[] = {"contact", 0};
    settings s = {.reach = -1};
    const cds_option options[] = {
        {CDS_DOUBLE, "reach", &s.reach, "LENGTH", -1, 1e300, 0, "contacts up to this gap [m]; -1: as the stream says"},
        {0}};
    cds_stage stage = {.name = "balls",
                       .version = "1.0",
                       .summary = "contacts of balls and half-spaces",
                       .takes = takes,
                       .makes = makes,
                       .options = options,
                       .frame = frame};
    return cds_main(argc, argv, &stage, &s);
}

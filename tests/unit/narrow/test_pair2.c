// Contacts of shape pairs: feature contacts against formulas written anew, exchange of sides, rigid motions, overlaps
// deeper than the reach; the other modes against the kernels they stand on.
// SPDX-License-Identifier: MIT
#include "cd_closed2.h"
#include "cd_test.h"
#include "cd_motion2.h"
#include "narrow_mode.h"

#include "test_polygon_random.h"

static const double NONE = 1e-9;  // [m] distances that differ from the reach by less are left to rounding

// ---- scenes --------------------------------------------------------------------------------------------------------

typedef struct body_motion {
    cd_leaf2 local;
    cd_state2 start, predicted, current;
} body_motion;

static cd_leaf2 polygon_leaf(cd_polygon polygon)
{
    return (cd_leaf2){.kind = CD_SHAPE_POLYGON, .polygon = polygon, .cosine = 1};
}

static cd_pair2_part placed(const body_motion *body, cd_arena *arena)
{
    cd_leaf2 *leaf = CD_ARENA_ARRAY(arena, cd_leaf2, 3);
    leaf[0] = cd_leaf2_place(arena, &body->local, cd_state2_pose(body->start));
    leaf[1] = cd_leaf2_place(arena, &body->local, cd_state2_pose(body->predicted));
    leaf[2] = cd_leaf2_place(arena, &body->local, cd_state2_pose(body->current));
    return (cd_pair2_part){.start = &leaf[0], .predicted = &leaf[1], .current = &leaf[2]};
}

static cd_state2 random_state(cd_random *random, double spread)
{
    cd_state2 s = {.angle = cd_random_between(random, -3, 3)};
    s.position.x = cd_random_between(random, -spread, spread);
    s.position.y = cd_random_between(random, -spread, spread);
    return s;
}

static cd_state2 near_state(cd_state2 s, cd_random *random, double shift)
{
    s.position.x += cd_random_between(random, -shift, shift);
    s.position.y += cd_random_between(random, -shift, shift);
    s.angle += cd_random_between(random, -shift, shift);
    return s;
}

// Two polygons of diameter about 1 that are near or overlap, moving by up to 0.1.
static cd_pair2_input random_pair(cd_random *random, cd_arena *arena, bool has_trial, body_motion body[2])
{
    for (int k = 0; k < 2; k++) {
        int32_t count = 3 + test_below(random, 6);
        body[k].local = polygon_leaf(test_ellipse_polygon(random, count, (cd_vec2){0, 0}, 0.5, arena));
        body[k].start = random_state(random, 0.45);
        body[k].predicted = near_state(body[k].start, random, 0.1);
        body[k].current = has_trial ? near_state(body[k].start, random, 0.1) : body[k].start;
    }
    cd_pair2_part a = placed(&body[0], arena), b = placed(&body[1], arena);
    return (cd_pair2_input){.a = a, .b = b, .reach = 0.15, .epsilon = 1e-6, .arena = arena};
}

static cd_contacts find(const char *mode, const cd_pair2_input *input)
{
    cd_contacts contacts = {0};
    cd_arena scratch = {0};
    cd_pair2_input with_scratch = *input;
    with_scratch.scratch = &scratch;
    const cd_pair2 *pair = cd_pair2_for(input->a.current->kind, input->b.current->kind);
    cd_narrow_find_mode(mode)->plane(pair, &with_scratch, &contacts);
    cd_arena_release(&scratch);
    return contacts;
}

// ---- formulas, written anew ----------------------------------------------------------------------------------------

static double segment_distance(cd_vec2 p, cd_vec2 a, cd_vec2 b)
{
    double ex = b.x - a.x, ey = b.y - a.y, t = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
    t = fmin(fmax(t, 0), 1);
    return hypot(p.x - a.x - t * ex, p.y - a.y - t * ey);
}

typedef struct expected {
    double psi, applicability, feasible;
    cd_vec2 eta;  // outward
    double distance;
} expected;

static expected formula(cd_polygon p, int32_t v, cd_polygon q, int32_t e)
{
    cd_vec2 a = q.vertex[e], b = q.vertex[(e + 1) % q.count], x = p.vertex[v];
    double length = hypot(b.x - a.x, b.y - a.y), nx = (b.y - a.y) / length, ny = -(b.x - a.x) / length;
    expected r = {.psi = nx * (x.x - a.x) + ny * (x.y - a.y), .applicability = 2, .eta = {nx, ny}};
    r.distance = segment_distance(x, a, b);
    for (int side = -1; side <= 1; side += 2) {
        cd_vec2 k = p.vertex[(v + side + p.count) % p.count];
        double s = (nx * (k.x - x.x) + ny * (k.y - x.y)) / hypot(k.x - x.x, k.y - x.y);
        r.applicability = fmin(r.applicability, s);
    }
    double t = ((x.x - a.x) * (b.x - a.x) + (x.y - a.y) * (b.y - a.y)) / (length * length);
    r.feasible = t >= 0 && t <= 1 ? M_PI_2 : asin(fmin(fmax(r.psi / r.distance, -1), 1));
    return r;
}

static const cd_contact *find_features(const cd_contacts *contacts, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < contacts->count; i++)
        if (contacts->item[i].feature_a == a && contacts->item[i].feature_b == b)
            return &contacts->item[i];
    return NULL;
}

static void check_contact(const cd_contact *c, expected want, cd_vec2 vertex, bool vertex_is_of_a)
{
    double sign = vertex_is_of_a ? -1 : 1;
    CD_CHECK(c->kind == CD_CONTACT_VERTEX_EDGE && c->status == CD_STATUS_CANDIDATE);
    CD_CHECK_NEAR(c->gap, want.psi, 1e-14);
    CD_CHECK_NEAR(c->normal.x, sign * want.eta.x, 1e-14);
    CD_CHECK_NEAR(c->normal.y, sign * want.eta.y, 1e-14);
    CD_CHECK_NEAR(c->applicability, want.applicability, 1e-14);
    CD_CHECK_NEAR(c->feasible, want.feasible, 1e-6);
    cd_vec3 own = vertex_is_of_a ? c->point_a : c->point_b, foot = vertex_is_of_a ? c->point_b : c->point_a;
    CD_CHECK(own.x == vertex.x && own.y == vertex.y);
    CD_CHECK_NEAR(foot.x, vertex.x - want.psi * want.eta.x, 1e-14);
    CD_CHECK_NEAR(foot.y, vertex.y - want.psi * want.eta.y, 1e-14);
    CD_CHECK_NEAR(c->point.x, (own.x + foot.x) / 2, 1e-15);
    // point_b - point_a = gap n
    CD_CHECK_NEAR(c->point_b.x - c->point_a.x, c->gap * c->normal.x, 1e-14);
    CD_CHECK_NEAR(c->point_b.y - c->point_a.y, c->gap * c->normal.y, 1e-14);
}

static const cd_polygon *poses(const cd_pair2_part *part, cd_polygon out[3])
{
    out[0] = part->start->polygon;
    out[1] = part->predicted->polygon;
    out[2] = part->current->polygon;
    return out;
}

static bool inside(cd_vec2 p, cd_polygon q)
{
    for (int32_t e = 0; e < q.count; e++) {
        cd_vec2 a = q.vertex[e], b = q.vertex[(e + 1) % q.count];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) <= 0)
            return false;
    }
    return true;
}

// Vertices of p against edges of q: all pairs within reach are there, with the right values; others only where a
// vertex is inside or the polygons overlap. Returns how many contacts this half has.
static int check_half(const cd_contacts *contacts, const cd_pair2_part *p, const cd_pair2_part *q, double reach,
                      bool vertex_is_of_a, int *beyond_reach)
{
    cd_polygon at_p[3], at_q[3];
    poses(p, at_p);
    poses(q, at_q);
    int found = 0;
    bool overlap = !cd_polygon_disjoint(at_p[0], at_q[0]) || !cd_polygon_disjoint(at_p[2], at_q[2]);
    for (int32_t v = 0; v < at_p[0].count; v++)
        for (int32_t e = 0; e < at_q[0].count; e++) {
            double nearest = INFINITY;
            bool is_inside = false, is_doubtful = false;
            for (int k = 0; k < 3; k++) {
                double distance = formula(at_p[k], v, at_q[k], e).distance;
                nearest = fmin(nearest, distance);
                is_doubtful |= fabs(distance - reach) < NONE;
                is_inside |= inside(at_p[k].vertex[v], at_q[k]);
            }
            int32_t of_v = cd_feature(CD_FEATURE_VERTEX, v), of_e = cd_feature(CD_FEATURE_EDGE, e);
            const cd_contact *c =
                vertex_is_of_a ? find_features(contacts, of_v, of_e) : find_features(contacts, of_e, of_v);
            CD_CHECK(c || nearest > reach || is_doubtful);
            CD_CHECK(!c || nearest <= reach || is_doubtful || is_inside || overlap);
            *beyond_reach += c && nearest > reach;
            found += c != NULL;
            if (c)
                check_contact(c, formula(at_p[2], v, at_q[2], e), at_p[2].vertex[v], vertex_is_of_a);
        }
    return found;
}

static int64_t order_key(const cd_contact *c)
{
    int64_t kind = cd_feature_kind(c->feature_a), index = cd_feature_index(c->feature_a);
    return kind << 40 | index << 20 | c->feature_b;
}

CD_TEST(feature_contacts_agree_with_the_formulas)
{
    cd_arena arena = {0};
    cd_random random = {17};
    int64_t total = 0;
    int beyond_reach = 0;
    for (int round = 0; round < 3000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, round % 2, body);
        cd_contacts contacts = find("features", &input);
        int found = check_half(&contacts, &input.a, &input.b, input.reach, true, &beyond_reach);
        found += check_half(&contacts, &input.b, &input.a, input.reach, false, &beyond_reach);
        CD_CHECK(found == contacts.count);  // no feature pair is there twice
        total += found;
        for (int32_t i = 1; i < contacts.count; i++) {  // canonical order: vertices of a first, then numbers
            CD_CHECK(order_key(&contacts.item[i - 1]) < order_key(&contacts.item[i]));
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(total > 10000);
    CD_CHECK(beyond_reach > 100);
    cd_arena_release(&arena);
}

static bool same_point(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static cd_vec2 in_plane(cd_vec3 p) { return (cd_vec2){p.x, p.y}; }

// All but the judgement, which closed forms do not have.
static bool same_contact(const cd_contact *c, const cd_contact *d)
{
    return c->gap == d->gap && same_point(c->normal, d->normal) && same_point(c->point_a, d->point_a) &&
           same_point(c->point_b, d->point_b) && same_point(c->point, d->point) && c->feature_a == d->feature_a &&
           c->feature_b == d->feature_b && c->kind == d->kind && c->status == d->status;
}

CD_TEST(exchanging_the_sides_exchanges_the_contacts)
{
    cd_arena arena = {0};
    cd_random random = {23};
    for (int round = 0; round < 1000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, round % 2, body), exchanged = input;
        exchanged.a = input.b;
        exchanged.b = input.a;
        cd_contacts one = find("features", &input), other = find("features", &exchanged);
        CD_CHECK(one.count == other.count);
        for (int32_t i = 0; i < one.count; i++) {
            cd_contact flipped = cd_contact_flip(one.item[i]);
            const cd_contact *c = find_features(&other, flipped.feature_a, flipped.feature_b);
            CD_CHECK(c && same_contact(c, &flipped) && c->applicability == flipped.applicability &&
                     c->feasible == flipped.feasible);
        }
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

static cd_state2 moved_state(cd_state2 s, cd_pose2 motion, double angle)
{
    s.position = cd_pose2_apply(motion, s.position);
    s.angle += angle;
    return s;
}

CD_TEST(a_rigid_motion_moves_the_contacts_with_it)
{
    cd_arena arena = {0};
    cd_random random = {29};
    int compared = 0;
    for (int round = 0; round < 1000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, round % 2, body);
        double angle = cd_random_between(&random, -3, 3);
        cd_pose2 motion = cd_pose2_make(random_state(&random, 9).position, angle);
        for (int k = 0; k < 2; k++) {
            body[k].start = moved_state(body[k].start, motion, angle);
            body[k].predicted = moved_state(body[k].predicted, motion, angle);
            body[k].current = moved_state(body[k].current, motion, angle);
        }
        cd_pair2_input moved = input;
        moved.a = placed(&body[0], &arena);
        moved.b = placed(&body[1], &arena);
        cd_contacts here = find("features", &input), there = find("features", &moved);
        CD_CHECK(here.count == there.count);  // none of the seeds' distances is at the reach to within rounding
        for (int32_t i = 0; i < here.count && i < there.count; i++) {
            const cd_contact *c = &here.item[i], *d = &there.item[i];
            cd_vec2 normal = cd_pose2_turn(motion, in_plane(c->normal));
            cd_vec2 point = cd_pose2_apply(motion, in_plane(c->point_a));
            CD_CHECK(c->feature_a == d->feature_a && c->feature_b == d->feature_b);
            CD_CHECK_NEAR(d->gap, c->gap, 1e-13);
            CD_CHECK_NEAR(cd_length2(cd_sub2(in_plane(d->normal), normal)), 0, 1e-13);
            CD_CHECK_NEAR(cd_length2(cd_sub2(in_plane(d->point_a), point)), 0, 1e-13);
            CD_CHECK_NEAR(d->applicability, c->applicability, 1e-13);
            compared++;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(compared > 3000);
    cd_arena_release(&arena);
}

// Two vertices within reach at one of the poses: C1 .. C4 of the vertex-vertex configuration are all there.
CD_TEST(near_vertices_have_all_four_contacts)
{
    cd_arena arena = {0};
    cd_random random = {31};
    int near = 0;
    for (int round = 0; round < 2000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, round % 2, body);
        cd_contacts contacts = find("features", &input);
        cd_polygon a[3], b[3];
        poses(&input.a, a);
        poses(&input.b, b);
        for (int32_t v = 0; v < a[0].count; v++)
            for (int32_t w = 0; w < b[0].count; w++) {
                double nearest = INFINITY;
                for (int k = 0; k < 3; k++)
                    nearest = fmin(nearest, cd_length2(cd_sub2(a[k].vertex[v], b[k].vertex[w])));
                if (nearest > input.reach - NONE)
                    continue;
                near++;
                int32_t in_b = w > 0 ? w - 1 : b[0].count - 1, in_a = v > 0 ? v - 1 : a[0].count - 1;
                CD_CHECK(find_features(&contacts, cd_feature(CD_FEATURE_VERTEX, v), cd_feature(CD_FEATURE_EDGE, in_b)));
                CD_CHECK(find_features(&contacts, cd_feature(CD_FEATURE_VERTEX, v), cd_feature(CD_FEATURE_EDGE, w)));
                CD_CHECK(find_features(&contacts, cd_feature(CD_FEATURE_EDGE, in_a), cd_feature(CD_FEATURE_VERTEX, w)));
                CD_CHECK(find_features(&contacts, cd_feature(CD_FEATURE_EDGE, v), cd_feature(CD_FEATURE_VERTEX, w)));
            }
        cd_arena_reset(&arena);
    }
    CD_CHECK(near > 1000);
    cd_arena_release(&arena);
}

// ---- overlaps deeper than the reach --------------------------------------------------------------------------------

static cd_pair2_input still_pair(cd_leaf2 a, cd_leaf2 b, double reach, cd_arena *arena)
{
    cd_leaf2 *leaf = CD_ARENA_ARRAY(arena, cd_leaf2, 2);
    leaf[0] = a;
    leaf[1] = b;
    return (cd_pair2_input){.a = {&leaf[0], &leaf[0], &leaf[0]},
                            .b = {&leaf[1], &leaf[1], &leaf[1]},
                            .reach = reach,
                            .epsilon = 1e-6,
                            .arena = arena};
}

CD_TEST(a_vertex_deep_inside_has_the_edge_of_least_depth)
{
    cd_arena arena = {0};
    // A thin spike into the right half of a unit square, 0.4 deep from the right, 0.45 from below.
    cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, 3);
    v[0] = (cd_vec2){0.6, 0.45};
    v[1] = (cd_vec2){2, 0.44};
    v[2] = (cd_vec2){2, 0.46};
    cd_leaf2 spike = polygon_leaf((cd_polygon){3, v}), square = polygon_leaf(test_box(0, 0, 1, 1, &arena));
    cd_pair2_input input = still_pair(spike, square, 0.01, &arena);
    cd_contacts contacts = find("features", &input);
    CD_CHECK(contacts.count == 1);
    CD_CHECK(contacts.item[0].feature_a == cd_feature(CD_FEATURE_VERTEX, 0));
    CD_CHECK(contacts.item[0].feature_b == cd_feature(CD_FEATURE_EDGE, 1));
    CD_CHECK_NEAR(contacts.item[0].gap, -0.4, 1e-15);
    CD_CHECK_NEAR(contacts.item[0].normal.x, -1, 1e-15);
    cd_arena_release(&arena);
}

// Whatever the overlap, one contact can push out along the least depth: it is applicable.
CD_TEST(overlapping_polygons_have_an_applicable_contact_of_the_least_depth)
{
    cd_arena arena = {0};
    cd_random random = {43};
    int overlaps = 0;
    for (int round = 0; round < 2000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, false, body);
        input.reach = 0;
        double gap = cd_polygon_distance(input.a.current->polygon, input.b.current->polygon).gap;
        cd_contacts contacts = find("features", &input);
        bool found = false;
        for (int32_t i = 0; i < contacts.count; i++)
            found |= contacts.item[i].applicability > -1e-12 && fabs(contacts.item[i].gap - gap) < 1e-12;
        CD_CHECK(found || gap > -1e-12);
        overlaps += gap < -0.05;
        cd_arena_reset(&arena);
    }
    CD_CHECK(overlaps > 500);
    cd_arena_release(&arena);
}

CD_TEST(crossing_bars_have_the_edge_of_least_depth)
{
    cd_arena arena = {0};
    cd_leaf2 flat = polygon_leaf(test_box(-2, -0.2, 2, 0.2, &arena));
    cd_leaf2 tall = polygon_leaf(test_box(-0.3, -2, 0.3, 2.1, &arena));
    cd_pair2_input input = still_pair(flat, tall, 0.01, &arena);
    cd_contacts contacts = find("features", &input);
    CD_CHECK(contacts.count >= 1);
    double depth = -cd_polygon_distance(flat.polygon, tall.polygon).gap;
    for (int32_t i = 0; i < contacts.count; i++)
        CD_CHECK_NEAR(contacts.item[i].gap, -depth, 1e-15);
    cd_arena_release(&arena);
}

CD_TEST(a_vertex_that_flies_in_meets_the_edge_it_came_from)
{
    cd_arena arena = {0};
    // A diamond at 0.5 over a plate 0.3 thick falls so far that its lowest vertex ends nearest to the plate's lower
    // edge.
    cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, 3);
    v[0] = (cd_vec2){0, 0};
    v[1] = (cd_vec2){0.2, 0.4};
    v[2] = (cd_vec2){-0.2, 0.4};
    cd_state2 above = {.position = {0, 0.5}}, below = {.position = {0, -0.25}};
    body_motion drop = {polygon_leaf((cd_polygon){3, v}), above, below, above};
    cd_leaf2 plate = polygon_leaf(test_box(-3, -0.3, 3, 0, &arena));
    cd_pair2_input input = still_pair(plate, plate, 0.02, &arena);
    input.a = placed(&drop, &arena);
    cd_contacts contacts = find("features", &input);
    CD_CHECK(contacts.count == 1);
    CD_CHECK(contacts.item[0].feature_a == cd_feature(CD_FEATURE_VERTEX, 0));
    CD_CHECK(contacts.item[0].feature_b == cd_feature(CD_FEATURE_EDGE, 2));
    CD_CHECK_NEAR(contacts.item[0].gap, 0.5, 1e-15);  // reported at the current pose
    cd_arena_release(&arena);
}

// ---- other modes and kinds -----------------------------------------------------------------------------------------

static const cd_leaf2 ground = {.kind = CD_SHAPE_HALFSPACE, .normal = {0, 1}, .offset = 0.5};

static cd_leaf2 ellipse(double x, double y, double a, double b, double angle)
{
    return (cd_leaf2){.kind = CD_SHAPE_ELLIPSOID,
                      .centre = {x, y},
                      .semiaxes = {a, b},
                      .cosine = cos(angle),
                      .sine = sin(angle),
                      .extent = fmax(a, b)};
}

static cd_leaf2 circle(double x, double y, double r)
{
    return (cd_leaf2){.kind = CD_SHAPE_SPHERE, .centre = {x, y}, .radius = r};
}

CD_TEST(the_driver_exchanges_sides_for_every_pair_of_the_table)
{
    cd_arena arena = {0};
    cd_leaf2 sample[4] = {polygon_leaf(test_box(-0.3, 0.45, 0.3, 1, &arena)), circle(0.4, 0.7, 0.24),
                          ellipse(0.2, 0.7, 0.5, 0.28, 0.3), ground};
    for (const cd_narrow_mode *mode = cd_narrow_modes; mode->name; mode++) {
        int pairs = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                cd_leaf2 b = sample[j];
                const cd_pair2 *pair = cd_pair2_for(sample[i].kind, b.kind);
                if (!pair || !mode->plane)
                    continue;
                if (i == j)
                    b = i == 0   ? polygon_leaf(test_box(0.2, 0.5, 0.9, 2, &arena))
                        : i == 1 ? circle(0, 0.9, 0.3)
                                 : ellipse(0.1, 0.9, 0.4, 0.3, 2);
                cd_pair2_input input = still_pair(sample[i], b, 0.05, &arena);
                cd_pair2_input exchanged = still_pair(b, sample[i], 0.05, &arena);
                cd_contacts one = find(mode->name, &input), other = find(mode->name, &exchanged);
                CD_CHECK(one.count > 0 && one.count == other.count);
                pairs++;
                for (int32_t k = 0; k < one.count && i != j; k++) {
                    cd_contact flipped = cd_contact_flip(one.item[k]);
                    CD_CHECK(same_contact(&flipped, &other.item[k]));
                    CD_CHECK(strcmp(mode->name, "depth") != 0 || other.item[k].gap < 0);
                }
            }
        CD_CHECK(pairs == (mode->plane ? 15 : 0));
    }
    cd_arena_release(&arena);
}

// Of every pair of kinds: the gap where they overlap or touch, else above 0 and no more.
CD_TEST(the_least_of_a_gap_has_its_sign)
{
    cd_arena arena = {0};
    cd_random random = {21};
    int apart = 0, less = 0, overlapping = 0;
    for (int round = 0; round < 3000; round++) {
        const double x = cd_random_between(&random, -1.5, 1.5), y = cd_random_between(&random, -1.5, 1.5);
        cd_leaf2 sample[] = {polygon_leaf(test_box(-0.3, 0.45, 0.3, 1, &arena)), circle(0.4, 0.7, 0.24), ground,
                             polygon_leaf(test_box(x, y, x + 0.4, y + 0.7, &arena)), circle(x, y, 0.3)};
        for (int i = 0; i < 3; i++)
            for (int j = 3; j < 5; j++) {
                const cd_pair2 *pair = cd_pair2_for(sample[i].kind, sample[j].kind);
                double gap = cd_pair2_gap(pair, &sample[i], &sample[j]).gap;
                double least = cd_pair2_least(pair, &sample[i], &sample[j]);
                CD_CHECK(gap > 0 ? least > 0 && least <= gap * (1 + 1e-12) : least == gap);
                CD_CHECK(least == cd_pair2_least(pair, &sample[j], &sample[i]));
                apart += gap > 0;
                less += least < 0.9 * gap;
                overlapping += gap < 0;
            }
        cd_arena_reset(&arena);
    }
    CD_CHECK(apart > 1000 && less > 500 && overlapping > 1000);
    cd_arena_release(&arena);
}

CD_TEST(distance_and_depth_are_the_signed_distance_within_reach)
{
    cd_arena arena = {0};
    cd_random random = {37};
    int penetrating = 0, apart = 0;
    for (int round = 0; round < 1000; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, true, body);
        cd_distance2 want = cd_polygon_distance(input.a.current->polygon, input.b.current->polygon);
        cd_contacts distance = find("distance", &input), depth = find("depth", &input);
        CD_CHECK(distance.count == (want.gap <= input.reach) && depth.count == distance.count);
        for (int32_t i = 0; i < depth.count; i++) {
            const cd_contact *c = &distance.item[i], *d = &depth.item[i];
            CD_CHECK(c->kind == CD_CONTACT_DISTANCE && d->kind == CD_CONTACT_DEPTH);
            CD_CHECK(c->gap == fmax(want.gap, 0) && d->gap == want.gap);
            CD_CHECK(c->normal.x == want.normal.x && d->normal.y == want.normal.y);
            CD_CHECK(c->status == d->status && same_point(c->point, d->point));
            CD_CHECK_NEAR(cd_dot3(cd_sub3(c->point_b, c->point_a), c->normal), c->gap, 1e-14);
            CD_CHECK((c->status == CD_STATUS_PENETRATING) == (want.gap < -input.epsilon));
            CD_CHECK((c->status == CD_STATUS_CANDIDATE) == (want.gap > input.epsilon));
        }
        penetrating += want.gap < 0;
        apart += want.gap > input.reach;
        cd_arena_reset(&arena);
    }
    CD_CHECK(penetrating > 100 && apart > 50);
    cd_arena_release(&arena);
}

CD_TEST(volume_contacts_carry_the_area_contact)
{
    cd_arena arena = {0};
    cd_random random = {41};
    int found = 0;
    for (int round = 0; round < 500; round++) {
        body_motion body[2];
        cd_pair2_input input = random_pair(&random, &arena, false, body);
        cd_area_contact want =
            cd_polygon_area_contact(input.a.start->polygon, input.b.start->polygon, input.epsilon, &arena);
        cd_contacts contacts = find("volume", &input);
        CD_CHECK(contacts.count == (want.status != CD_AREA_NONE));
        if (contacts.count == 1)
            CD_CHECK((contacts.item->status == CD_STATUS_OUTSIDE) == (want.status == CD_AREA_OUTSIDE));
        if (contacts.count == 1 && want.status != CD_AREA_OUTSIDE) {
            const cd_contact *c = contacts.item;
            found++;
            CD_CHECK(c->kind == CD_CONTACT_VOLUME && c->gap == want.gap && c->area == want.size);
            CD_CHECK(c->point.x == want.point.x && c->normal.y == want.normal.y);
            CD_CHECK(c->surface_a == want.surface_a && c->surface_b == want.surface_b);
            CD_CHECK_NEAR(cd_dot3(cd_sub3(c->point_b, c->point_a), c->normal), c->gap, 1e-15);
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(found > 50);
    cd_arena_release(&arena);
}

CD_TEST(a_polygon_meets_a_halfspace_with_each_near_vertex)
{
    cd_arena arena = {0};
    cd_pair2_input input = still_pair(ground, polygon_leaf(test_box(-0.3, 0.45, 0.3, 1, &arena)), 0.05, &arena);
    cd_contacts contacts = find("features", &input);
    CD_CHECK(contacts.count == 2);
    for (int32_t i = 0; i < contacts.count; i++) {
        CD_CHECK(contacts.item[i].kind == CD_CONTACT_ANALYTIC && contacts.item[i].status == CD_STATUS_PENETRATING);
        CD_CHECK_NEAR(contacts.item[i].gap, -0.05, 1e-15);
        CD_CHECK(contacts.item[i].normal.y == 1);  // from the ground up
        CD_CHECK_NEAR(fabs(contacts.item[i].point.x), 0.3, 1e-15);
    }
    cd_arena_release(&arena);
}

CD_TEST(every_entry_is_that_of_two_kinds_and_can_measure_them)
{
    for (int i = 0; cd_pairs2[i]; i++) {
        int places = 0;
        for (int a = 0; a < CD_SHAPE_KINDS; a++)
            for (int b = a; b < CD_SHAPE_KINDS; b++) {
                places += cd_pair2_for(a, b) == cd_pairs2[i];
                CD_CHECK(cd_pair2_for(a, b) == cd_pair2_for(b, a));
            }
        CD_CHECK(places == 1 && cd_pairs2[i]->name && cd_pairs2[i]->gap);
        CD_CHECK(!cd_pairs2[i]->has_features || cd_pairs2[i]->potential);
        for (int j = 0; j < i; j++)
            CD_CHECK(cd_pairs2[i] != cd_pairs2[j] && strcmp(cd_pairs2[i]->name, cd_pairs2[j]->name) != 0);
    }
    CD_CHECK(!cd_pair2_for(CD_SHAPE_HALFSPACE, CD_SHAPE_HALFSPACE));
}

// ---- ellipses ------------------------------------------------------------------------------------------------------

static double width_of(const cd_leaf2 *e, cd_vec2 n)
{
    const double x = e->cosine * n.x + e->sine * n.y, y = e->cosine * n.y - e->sine * n.x;
    return hypot(e->semiaxes.x * x, e->semiaxes.y * y);
}

// The most that any direction of many separates: of bodies given by their widths and, of polygons, corners.
static double most_separation(const cd_leaf2 *a, const cd_leaf2 *b)
{
    enum { DIRECTIONS = 4000 };
    double most = -INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = 2 * M_PI * k / DIRECTIONS;
        const cd_vec2 n = {cos(angle), sin(angle)};
        double before = -INFINITY;
        for (int32_t v = 0; a->kind == CD_SHAPE_POLYGON && v < a->polygon.count; v++)
            before = fmax(before, cd_dot2(n, a->polygon.vertex[v]));
        if (a->kind != CD_SHAPE_POLYGON)
            before = cd_dot2(n, a->centre) + (a->kind == CD_SHAPE_SPHERE ? a->radius : width_of(a, n));
        most = fmax(most, cd_dot2(n, b->centre) - width_of(b, n) - before);
    }
    return most;
}

CD_TEST(ellipses_are_as_far_apart_as_the_best_direction_says)
{
    cd_arena arena = {0};
    cd_random random = {23};
    int overlaps = 0;
    double worst = 0;
    for (int round = 0; round < 600; round++) {
        const double x = cd_random_between(&random, -1.5, 1.5), y = cd_random_between(&random, -1.5, 1.5);
        const double slim = round % 5 == 0 ? 0.02 : cd_random_between(&random, 0.2, 1);
        const cd_leaf2 b = ellipse(x, y, 0.9, slim, cd_random_between(&random, 0, 6));
        const cd_leaf2 a = round % 3 == 0   ? polygon_leaf(test_box(-0.4, -0.3, 0.5, 0.6, &arena))
                           : round % 3 == 1 ? circle(0.1, -0.1, 0.6)
                                            : ellipse(0.1, 0, 0.2, 0.8, cd_random_between(&random, 0, 6));
        const cd_pair2 *pair = cd_pair2_for(a.kind, b.kind);
        const cd_distance2 found = cd_pair2_gap(pair, &a, &b), other = cd_pair2_gap(pair, &b, &a);
        const double most = most_separation(&a, &b);
        CD_CHECK(found.gap >= most - 1e-14 &&
                 found.gap <= most + (round % 3 == 0 ? 4e-3 : 5e-5));  // corners have a kink
        CD_CHECK(found.gap == other.gap && found.normal.x == -other.normal.x && found.point_a.y == other.point_b.y);
        worst =
            fmax(worst, cd_length2(cd_sub2(cd_sub2(found.point_b, found.point_a), cd_scale2(found.gap, found.normal))));
        // both points are on their bodies: the ellipse's own equation
        const cd_vec2 p = cd_sub2(found.point_b, b.centre);
        const double u = (b.cosine * p.x + b.sine * p.y) / b.semiaxes.x,
                     v = (b.cosine * p.y - b.sine * p.x) / b.semiaxes.y;
        CD_CHECK_NEAR(u * u + v * v, 1, 1e-12);
        overlaps += found.gap < 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(worst < 1e-14 && overlaps > 150 && overlaps < 500);
    cd_arena_release(&arena);
}

CD_TEST(ellipses_have_potential_contacts_of_perram_and_wertham)
{
    cd_arena arena = {0};
    // (1, 2) and (2, 1), 5 apart along x: mu = 5/3, as in space
    cd_pair2_input input = still_pair(ellipse(0, 0, 1, 2, 0), ellipse(5, 0, 2, 1, 0), 3, &arena);
    cd_contacts found = find("features", &input);
    CD_CHECK(found.count == 1 && found.item->kind == CD_CONTACT_ANALYTIC && fabs(found.item->gap - 2) < 1e-15);
    CD_CHECK(fabs(found.item->potential - 25.0 / 9) < 1e-15 && fabs(found.item->lambda - 1.0 / 3) < 1e-15);
    CD_CHECK(fabs(found.item->point.x - 5.0 / 3) < 1e-15 && found.item->normal.x == 1);
    found = find("depth", &input);
    CD_CHECK(found.count == 1 && found.item->kind == CD_CONTACT_DEPTH && found.item->lambda > 0.33);
    // askew: less than the distance; --true-gap has that
    input = still_pair(ellipse(0, 0, 1, 2, 0.3), ellipse(1, 1.5, 2, 0.5, 2), 3, &arena);
    const double distance = find("depth", &input).item->gap, planes = find("features", &input).item->gap;
    CD_CHECK(planes < distance && (planes < 0) == (distance < 0));
    input.wants_true_gap = true;
    CD_CHECK(find("features", &input).item->gap == distance);
    // one centre: flagged, and parted along the shorter axes
    input = still_pair(ellipse(1, 1, 1, 2, 0), ellipse(1, 1, 3, 0.5, 0), 3, &arena);
    found = find("features", &input);
    CD_CHECK(found.item->status == CD_STATUS_DEGENERATE && found.item->potential == 0);
    CD_CHECK(fabs(found.item->gap + 2.5) < 1e-15 && fabs(found.item->lambda - 0.8) < 1e-15);
    found = find("depth", &input);
    CD_CHECK(found.item->status == CD_STATUS_DEGENERATE && fabs(fabs(found.item->normal.y) - 1) < 1e-15);
    input = still_pair(circle(0, 0, 0.25), ellipse(0, 0, 3, 0.5, 0), 3, &arena);
    found = find("depth", &input);
    CD_CHECK(found.item->status == CD_STATUS_DEGENERATE && found.item->gap == -0.75 && found.item->normal.x == 0);
    // over the ground: the closed form, turned by an angle of 3-4-5
    input = still_pair(ellipse(0, 3, 1, 2, atan2(3, 4)), ground, 9, &arena);
    found = find("depth", &input);
    CD_CHECK_NEAR(found.item->gap, 3 - ground.offset - sqrt(0.6 * 0.6 + 1.6 * 1.6), 1e-15);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(feature_contacts_agree_with_the_formulas);
    CD_RUN(exchanging_the_sides_exchanges_the_contacts);
    CD_RUN(a_rigid_motion_moves_the_contacts_with_it);
    CD_RUN(near_vertices_have_all_four_contacts);
    CD_RUN(a_vertex_deep_inside_has_the_edge_of_least_depth);
    CD_RUN(overlapping_polygons_have_an_applicable_contact_of_the_least_depth);
    CD_RUN(crossing_bars_have_the_edge_of_least_depth);
    CD_RUN(a_vertex_that_flies_in_meets_the_edge_it_came_from);
    CD_RUN(the_driver_exchanges_sides_for_every_pair_of_the_table);
    CD_RUN(the_least_of_a_gap_has_its_sign);
    CD_RUN(distance_and_depth_are_the_signed_distance_within_reach);
    CD_RUN(volume_contacts_carry_the_area_contact);
    CD_RUN(a_polygon_meets_a_halfspace_with_each_near_vertex);
    CD_RUN(ellipses_are_as_far_apart_as_the_best_direction_says);
    CD_RUN(ellipses_have_potential_contacts_of_perram_and_wertham);
    CD_RUN(every_entry_is_that_of_two_kinds_and_can_measure_them);
    return cd_test_done();
}

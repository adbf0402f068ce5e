// engine-ccd -- stands in for cd-narrow: contacts by libccd (double precision).
//
// Its conventions, and what becomes of them:
//   order   the direction that parts the bodies moves the second one: from a to b, as ours; without a sign to turn
//   depth   positive, of bodies that overlap: gap = -depth. It has no distance: pairs that are apart have no contact
//   point   one; taken as half way between both surfaces along the normal
//   margin  none. Tolerance of EPA and of the portal: --tolerance (libccd's own default is 1e-4)
// SPDX-License-Identifier: MIT
#include "engine.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <cstring>

static_assert(sizeof(ccd_real_t) == sizeof(double), "libccd in double precision");

using namespace engine;

namespace
{

// Corners with a ball around each, or an ellipsoid's axes.
struct Shape {
    std::vector<Vec> corners;
    double radius;
    bool is_ellipsoid;
    Vec centre, semiaxes;
    ccd_quat_t axes;
};

struct Placed {
    const Shape *shape;
    ccd_vec3_t position;
    ccd_quat_t rotation, back;
};

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *found)
{
    const Placed &placed = *static_cast<const Placed *>(object);
    const Shape &shape = *placed.shape;
    ccd_vec3_t d = *direction;
    ccdQuatRotVec(&d, &placed.back);
    if (shape.is_ellipsoid) {
        ccd_quat_t inverse;
        ccdQuatInvert2(&inverse, &shape.axes);
        ccdQuatRotVec(&d, &inverse);
        double size = 0;
        for (int k = 0; k < 3; k++)
            size += std::pow(shape.semiaxes[k] * d.v[k], 2);
        for (int k = 0; k < 3; k++)
            found->v[k] = shape.semiaxes[k] * shape.semiaxes[k] * d.v[k] / std::sqrt(size);
        ccdQuatRotVec(found, &shape.axes);
        for (int k = 0; k < 3; k++)
            found->v[k] += shape.centre[k];
    } else {
        Vec at = {d.v[0], d.v[1], d.v[2]};
        const Vec *best = &shape.corners[0];
        for (const Vec &corner : shape.corners)
            best = dot(corner, at) > dot(*best, at) ? &corner : best;
        double scale = shape.radius > 0 ? shape.radius / std::sqrt(dot(at, at)) : 0;
        Vec reached = along(*best, scale, at);
        ccdVec3Set(found, reached[0], reached[1], reached[2]);
    }
    ccdQuatRotVec(found, &placed.rotation);
    ccdVec3Add(found, &placed.position);
}

void centre(const void *object, ccd_vec3_t *found)
{
    const Placed &placed = *static_cast<const Placed *>(object);
    ccdVec3Set(found, placed.shape->centre[0], placed.shape->centre[1], placed.shape->centre[2]);
    ccdQuatRotVec(found, &placed.rotation);
    ccdVec3Add(found, &placed.position);
}

void first_direction(const void *a, const void *b, ccd_vec3_t *direction)
{
    ccd_vec3_t p, q;
    centre(a, &p);
    centre(b, &q);
    ccdVec3Sub2(direction, &q, &p);
    if (ccdVec3Len2(direction) == 0)
        ccdVec3Set(direction, 1, 0, 0);
}

ccd_quat_t quat(const double *wxyz)
{
    ccd_quat_t q;
    ccdQuatSet(&q, wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
    return q;
}

struct Detector {
    Shapes<Shape> shapes;
    double tolerance = 1e-6;
    const char *method = "epa";

    std::unique_ptr<Shape> make(const cds_part &part)
    {
        auto shape = std::make_unique<Shape>();
        shape->centre = vec(part.centre);
        shape->radius = part.kind == CDS_SPHERE ? part.radius : part.kind == CDS_TRIANGLE ? 0.5 * part.thickness : 0;
        shape->is_ellipsoid = part.kind == CDS_ELLIPSOID;
        shape->semiaxes = vec(part.semiaxes);
        shape->axes = quat(part.rotation);
        for (int32_t k = 0; k < part.vertex_count; k++)
            shape->corners.push_back(vec(part.vertex + 3 * k));
        if (part.kind == CDS_SPHERE)
            shape->corners.push_back(shape->centre);
        return part.kind == CDS_HALFSPACE ? nullptr : std::move(shape);
    }
    static Placed place(const Shape &shape, const cds_pose &pose)
    {
        Placed placed = {&shape, {}, quat(pose.rotation), {}};
        ccdVec3Set(&placed.position, pose.position[0], pose.position[1], pose.position[2]);
        ccdQuatInvert2(&placed.back, &placed.rotation);
        return placed;
    }
    void collide(const Shape &a, const cds_pose &pose_a, const Shape &b, const cds_pose &pose_b, double,
                 std::vector<Touch> &touches)
    {
        Placed placed_a = place(a, pose_a), placed_b = place(b, pose_b);
        ccd_t ccd;
        CCD_INIT(&ccd);
        ccd.first_dir = first_direction;
        ccd.support1 = ccd.support2 = support;
        ccd.center1 = ccd.center2 = centre;
        ccd.max_iterations = 500;
        ccd.epa_tolerance = ccd.mpr_tolerance = tolerance;
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        auto penetration = strcmp(method, "epa") ? ccdMPRPenetration : ccdGJKPenetration;
        if (penetration(&placed_a, &placed_b, &ccd, &depth, &direction, &position) == 0)
            touches.push_back(touch_between(vec(position.v), vec(direction.v), -depth));
    }
};

}  // namespace

int main(int argc, char **argv)
{
    Detector detector;
    static const char *const methods[] = {"epa", "mpr", nullptr};
    const cds_option options[] = {
        {CDS_CHOICE, "method", &detector.method, "WORD", 0, 0, methods,
         "how depth is found: an expanding polytope, or portal refinement"},
        {CDS_DOUBLE, "tolerance", &detector.tolerance, "LENGTH", 0, 1, nullptr, "at which libccd stops [m]"},
        {},
    };
    return narrow_main(argc, argv, "engine-ccd", "contacts of pairs that overlap, by libccd", options, detector);
}

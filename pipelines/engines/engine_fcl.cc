// engine-fcl -- stands in for cd-narrow: contacts by FCL (double precision).
//
// Its conventions, and what becomes of them:
//   order   normals point from the first object to the second: from a to b, as ours
//   depth   positive, of bodies that overlap: gap = -depth. Apart within reach: its distance and nearest points
//   point   of an overlap one; taken as half way between both surfaces along the normal. Boxes have up to eight
//   margin  none. Tolerance of its solver: --tolerance (FCL's own is 1e-6)
// SPDX-License-Identifier: MIT
#include "engine.h"

#include <cstring>
#include <exception>
#include <fcl/fcl.h>

using namespace engine;

namespace
{

using Transform = fcl::Transform3<double>;
using Vector = fcl::Vector3<double>;

struct Shape {
    std::shared_ptr<fcl::CollisionGeometry<double>> geometry;
    Transform place;  // in the body's frame
    EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

Transform transform(const double *position, const double *rotation)
{
    Transform placed = Transform::Identity();
    placed.linear() =
        Eigen::Quaterniond(rotation[0], rotation[1], rotation[2], rotation[3]).normalized().toRotationMatrix();
    placed.translation() << position[0], position[1], position[2];
    return placed;
}

// About its mean vertex.
std::shared_ptr<fcl::CollisionGeometry<double>> convex(const cds_part &part)
{
    auto vertices = std::make_shared<std::vector<Vector>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int32_t k = 0; k < part.vertex_count; k++)
        vertices->emplace_back(part.vertex[3 * k] - part.centre[0], part.vertex[3 * k + 1] - part.centre[1],
                               part.vertex[3 * k + 2] - part.centre[2]);
    for (int32_t k = 0; k < part.face_count; k++) {
        faces->push_back(part.face_first[k + 1] - part.face_first[k]);
        faces->insert(faces->end(), part.face_vertex + part.face_first[k], part.face_vertex + part.face_first[k + 1]);
    }
    return std::make_shared<fcl::Convex<double>>(vertices, part.face_count, faces);
}

struct Detector {
    Shapes<Shape> shapes;
    double tolerance = 1e-6;
    const char *solver = "libccd";

    std::unique_ptr<Shape> make(const cds_part &part)
    {
        auto shape = std::make_unique<Shape>();
        static const double unturned[4] = {1, 0, 0, 0}, origin[3] = {0, 0, 0};
        bool is_turned = part.kind == CDS_ELLIPSOID || is_box(part);
        shape->place = transform(part.centre, is_turned ? part.rotation : unturned);
        if (is_box(part))
            shape->geometry =
                std::make_shared<fcl::Box<double>>(2 * part.halfsizes[0], 2 * part.halfsizes[1], 2 * part.halfsizes[2]);
        else if (part.kind == CDS_POLYHEDRON)
            shape->geometry = convex(part);
        else if (part.kind == CDS_SPHERE)
            shape->geometry = std::make_shared<fcl::Sphere<double>>(part.radius);
        else if (part.kind == CDS_ELLIPSOID)
            shape->geometry =
                std::make_shared<fcl::Ellipsoid<double>>(part.semiaxes[0], part.semiaxes[1], part.semiaxes[2]);
        else if (part.kind == CDS_HALFSPACE) {
            shape->place = transform(origin, unturned);
            shape->geometry = std::make_shared<fcl::Halfspace<double>>(
                Vector(part.normal[0], part.normal[1], part.normal[2]), part.offset);
        } else
            return nullptr;
        return shape;
    }
    fcl::GJKSolverType solver_type() const { return strcmp(solver, "libccd") ? fcl::GST_INDEP : fcl::GST_LIBCCD; }

    bool overlap(const Shape &a, const Transform &at_a, const Shape &b, const Transform &at_b,
                 std::vector<Touch> &touches)
    {
        fcl::CollisionRequest<double> request(8, true);
        request.gjk_solver_type = solver_type();
        request.gjk_tolerance = tolerance;
        fcl::CollisionResult<double> result;
        fcl::collide(a.geometry.get(), at_a, b.geometry.get(), at_b, request, result);
        std::vector<fcl::Contact<double>> found;
        result.getContacts(found);
        for (const fcl::Contact<double> &contact : found) {
            double sign = contact.o1 == a.geometry.get() || a.geometry == b.geometry ? 1 : -1;
            touches.push_back(
                touch_between({contact.pos[0], contact.pos[1], contact.pos[2]},
                              {sign * contact.normal[0], sign * contact.normal[1], sign * contact.normal[2]},
                              -contact.penetration_depth));
        }
        return result.isCollision();
    }
    void distance(const Shape &a, const Transform &at_a, const Shape &b, const Transform &at_b,
                  std::vector<Touch> &touches)
    {
        fcl::DistanceRequest<double> request(true);
        request.gjk_solver_type = solver_type();
        request.distance_tolerance = tolerance;
        fcl::DistanceResult<double> result;
        double gap = fcl::distance(a.geometry.get(), at_a, b.geometry.get(), at_b, request, result);
        Vector p = result.nearest_points[0], q = result.nearest_points[1], between = q - p;
        double length = between.norm();
        if (gap <= 0 || !(length > 0))  // it calls them touching: no direction
            return;
        between /= length;
        touches.push_back({{between[0], between[1], between[2]}, gap, {p[0], p[1], p[2]}, {q[0], q[1], q[2]}});
    }
    void collide(const Shape &a, const cds_pose &pose_a, const Shape &b, const cds_pose &pose_b, double reach,
                 std::vector<Touch> &touches)
    {
        Transform at_a = transform(pose_a.position, pose_a.rotation) * a.place,
                  at_b = transform(pose_b.position, pose_b.rotation) * b.place;
        try {
            if (!overlap(a, at_a, b, at_b, touches) && reach > 0)
                distance(a, at_a, b, at_b, touches);
        } catch (const std::exception &) {
            throw GivenUp();
        }
    }
};

}  // namespace

int main(int argc, char **argv)
{
    Detector detector;
    static const char *const solvers[] = {"libccd", "indep", nullptr};
    const cds_option options[] = {
        {CDS_CHOICE, "solver", &detector.solver, "WORD", 0, 0, solvers, "that on top of libccd, or FCL's own"},
        {CDS_DOUBLE, "tolerance", &detector.tolerance, "LENGTH", 0, 1, nullptr, "at which it stops [m]"},
        {},
    };
    return narrow_main(argc, argv, "engine-fcl", "contacts of pairs, by FCL", options, detector);
}

// engine-ode -- stands in for cd-narrow: contacts by ODE (double precision).
//
// Its conventions, and what becomes of them:
//   order   the normal points into the first body: turned
//   depth   positive, of bodies that overlap: gap = -depth. It has no distance: pairs that are apart have no contact
//   point   of two boxes up to eight, of others one or a few; where along the normal depends on the shapes: taken as half
//           way between both surfaces
//   margin  none
// SPDX-License-Identifier: MIT
#include "engine_ode.h"

using namespace engine;

namespace
{

// A shape twice, since both bodies of a pair may have it.
struct Shape {
    dGeomID geom[2] = {nullptr, nullptr};
    Vec centre = {0, 0, 0};           // of what ODE has about its own origin, in the body's frame
    dQuaternion axes = {1, 0, 0, 0};  // of a box
    bool is_plane = false;
    Vec normal = {0, 0, 0};
    double offset = 0;
    std::unique_ptr<Hull> hull;

    ~Shape()
    {
        for (dGeomID each : geom)
            if (each)
                dGeomDestroy(each);
    }
};

struct Detector {
    Shapes<Shape> shapes;

    dGeomID geometry(const cds_part &part, Shape &shape)
    {
        if (is_box(part))
            return dCreateBox(nullptr, 2 * part.halfsizes[0], 2 * part.halfsizes[1], 2 * part.halfsizes[2]);
        if (part.kind == CDS_SPHERE)
            return dCreateSphere(nullptr, part.radius);
        if (part.kind == CDS_HALFSPACE)
            return dCreatePlane(nullptr, part.normal[0], part.normal[1], part.normal[2], part.offset);
        return make_convex(nullptr, *shape.hull);
    }
    std::unique_ptr<Shape> make(const cds_part &part)
    {
        if (part.kind != CDS_POLYHEDRON && part.kind != CDS_SPHERE && part.kind != CDS_HALFSPACE)
            return nullptr;
        auto shape = std::make_unique<Shape>();
        if (part.kind == CDS_HALFSPACE) {
            shape->is_plane = true;
            shape->normal = vec(part.normal);
            shape->offset = part.offset;
        } else {
            shape->centre = vec(part.centre);
        }
        if (is_box(part))
            std::copy_n(part.rotation, 4, shape->axes);
        else if (part.kind == CDS_POLYHEDRON)
            shape->hull = hull_of(part);
        for (dGeomID &geom : shape->geom)
            geom = geometry(part, *shape);
        return shape;
    }
    static void place(const Shape &shape, int side, const cds_pose &pose)
    {
        dQuaternion turn = {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]}, both;
        dMatrix3 matrix;
        dRfromQ(matrix, turn);
        dVector3 at;
        const Vec &moved = shape.is_plane ? shape.normal : shape.centre;
        const dReal local[3] = {moved[0], moved[1], moved[2]};
        dMultiply0_331(at, matrix, local);
        if (shape.is_plane) {
            double height = dot(vec(at), vec(pose.position));
            dGeomPlaneSetParams(shape.geom[side], at[0], at[1], at[2], shape.offset + height);
            return;
        }
        dQMultiply0(both, turn, shape.axes);
        dGeomSetQuaternion(shape.geom[side], both);
        dGeomSetPosition(shape.geom[side], pose.position[0] + at[0], pose.position[1] + at[1],
                         pose.position[2] + at[2]);
    }
    void collide(const Shape &a, const cds_pose &pose_a, const Shape &b, const cds_pose &pose_b, double,
                 std::vector<Touch> &touches)
    {
        place(a, 0, pose_a);
        place(b, 1, pose_b);
        dContactGeom found[16];
        int count = dCollide(a.geom[0], b.geom[1], 16, found, sizeof found[0]);
        for (int k = 0; k < count; k++) {
            bool is_turned = found[k].g1 != a.geom[0];
            Vec normal = vec(found[k].normal);
            for (double &x : normal)
                x = is_turned ? x : -x;
            touches.push_back(touch_between(vec(found[k].pos), normal, -found[k].depth));
        }
    }
};

}  // namespace

int main(int argc, char **argv)
{
    dInitODE2(0);
    Detector detector;
    const cds_option options[] = {{}};
    return narrow_main(argc, argv, "engine-ode", "contacts of pairs that overlap, by ODE", options, detector);
}

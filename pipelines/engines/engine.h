// What the stages around engines share: pairs of parts in the place of cd-narrow.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cdstream.h>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace engine
{

using Vec = std::array<double, 3>;

inline double dot(const Vec &a, const Vec &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec along(const Vec &p, double s, const Vec &n) { return {p[0] + s * n[0], p[1] + s * n[1], p[2] + s * n[2]}; }
inline Vec vec(const double *p) { return {p[0], p[1], p[2]}; }

// A contact as an engine has it, in world coordinates; sides as they were given.
struct Touch {
    Vec normal;            // unit, from a to b
    double gap;            // [m] negative: penetration
    Vec point_a, point_b;  // [m]
};

// Of a point half way between both surfaces.
inline Touch touch_between(const Vec &middle, const Vec &normal, double gap)
{
    return {normal, gap, along(middle, -0.5 * gap, normal), along(middle, 0.5 * gap, normal)};
}

// A part in its body's frame; copies what lies in the memory of the run.
inline int part_of(cds_frame *f, int32_t body, int32_t number, cds_part *part)
{
    return cds_get_part(f, body, number, nullptr, part);
}

inline int refused(cds_frame *f, int32_t body, const char *kind)
{
    return cds_fail(f, CDS_UNSUPPORTED, "body", body, "shape", "this engine has no %s", kind);
}

// Shapes of an engine, made once a part. `make` gives NULL for a kind that the engine does not have.
template <class Shape> class Shapes
{
  public:
    // NULL: cds_fail was called.
    template <class Make> Shape *of(cds_frame *f, int32_t body, int32_t number, Make make)
    {
        cds_column shape = cds_get(f, "body", "shape");
        std::unique_ptr<Shape> &known = shapes[{shape.width ? shape.i[body] : -1, number}];
        if (known)
            return known.get();
        cds_part part;
        if (part_of(f, body, number, &part))
            return nullptr;
        known = make(part);
        if (!known)
            refused(f, body, kind_name(part.kind));
        return known.get();
    }
    static const char *kind_name(cds_kind kind)
    {
        switch (kind) {
        case CDS_POLYGON:
            return "polygon";
        case CDS_POLYHEDRON:
            return "polyhedron";
        case CDS_SPHERE:
            return "sphere";
        case CDS_ELLIPSOID:
            return "ellipsoid";
        case CDS_HALFSPACE:
            return "halfspace";
        default:
            return "facets";
        }
    }

  private:
    std::map<std::pair<int32_t, int32_t>, std::unique_ptr<Shape>> shapes;
};

inline bool is_box(const cds_part &part) { return part.halfsizes[0] > 0; }

// A row of pair as [body, part] of each side; false where a body does not take part.
inline bool pair_of(cds_frame *f, int32_t row, const int32_t **a, const int32_t **b)
{
    *a = cds_get(f, "pair", "a").i + 2 * row;
    *b = cds_get(f, "pair", "b").i + 2 * row;
    return cds_takes_part(f, (*a)[0]) && cds_takes_part(f, (*b)[0]);
}

inline bool is_contact(const Touch &touch)
{
    double sum = touch.gap;
    for (int k = 0; k < 3; k++)
        sum += touch.point_a[k] + touch.point_b[k];
    return std::isfinite(sum) && std::fabs(std::sqrt(dot(touch.normal, touch.normal)) - 1) < 1e-6;
}

// What an engine cannot do with a pair, it throws.
struct GivenUp {
};

// Each pair of the frame: detector.collide(shape a, pose a, shape b, pose b, reach, touches), detector.make(part).
// Answers that are no contact, a normal that is none or a number that is none, and pairs that it gives up are left out
// and counted in the metric `given-up`, which `makes` names beside `contact`.
template <class Detector> int narrow(cds_frame *f, Detector &detector)
{
    if (cds_get_run(f).dim != 3)
        return cds_fail(f, CDS_UNSUPPORTED, nullptr, 0, nullptr, "this engine is of space, the stream is of the plane");
    std::vector<Touch> touches;
    int64_t given_up = 0;
    auto make = [&](const cds_part &part) { return detector.make(part); };
    for (int32_t row = 0; row < cds_rows(f, "pair"); row++) {
        const int32_t *a, *b;
        if (!pair_of(f, row, &a, &b))
            continue;
        auto *shape_a = detector.shapes.of(f, a[0], a[1], make);
        auto *shape_b = shape_a ? detector.shapes.of(f, b[0], b[1], make) : nullptr;
        if (!shape_b)
            return CDS_UNSUPPORTED;
        double reach = cds_get_reach(f, a[0], b[0]);
        touches.clear();
        try {
            detector.collide(*shape_a, cds_get_pose(f, a[0], CDS_TRIAL), *shape_b, cds_get_pose(f, b[0], CDS_TRIAL),
                             reach, touches);
        } catch (const GivenUp &) {
            given_up++;
        }
        for (const Touch &touch : touches) {
            if (!is_contact(touch)) {
                given_up++;
                continue;
            }
            if (touch.gap > reach)
                continue;
            cds_contact contact = {};
            std::copy_n(a, 2, contact.a);
            std::copy_n(b, 2, contact.b);
            contact.kind = "depth";
            std::copy_n(touch.point_a.data(), 3, contact.point_a);
            std::copy_n(touch.point_b.data(), 3, contact.point_b);
            std::copy_n(touch.normal.data(), 3, contact.normal);
            contact.gap = touch.gap;
            contact.features[0] = contact.features[1] = -1;
            cds_add_contact(f, &contact);
        }
    }
    cds_add_metric(f, "given-up", static_cast<double>(given_up), -1, -1);
    return CDS_OK;
}

// The stage around it; `options` end with {}.
template <class Detector>
int narrow_main(int argc, char **argv, const char *name, const char *summary, const cds_option *options,
                Detector &detector)
{
    static const char *const takes[] = {"pair", nullptr}, *const makes[] = {"contact", "metric", nullptr};
    auto frame = [](cds_frame *f, void *user) { return narrow(f, *static_cast<Detector *>(user)); };
    const cds_stage stage = {name, nullptr, summary, takes, makes, options, nullptr, nullptr, frame, nullptr};
    return cds_main(argc, argv, &stage, &detector);
}

}  // namespace engine

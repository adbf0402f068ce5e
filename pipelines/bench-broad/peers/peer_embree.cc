// Embree rtcCollide of a scene of user primitives with itself, one thread, two qualities of the tree.
// SPDX-License-Identifier: MIT
#include "peers.h"

#if PEER_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace {

class Embree : public Peer {
public:
    explicit Embree(RTCBuildQuality q) : quality(q), device(rtcNewDevice("threads=1,set_affinity=0")) {}
    ~Embree() override { rtcReleaseDevice(device); }
    void build(const Box *boxes, uint32_t count) override
    {
        scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, quality);
        if (quality == RTC_BUILD_QUALITY_LOW)
            rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, count);
        rtcSetGeometryUserData(geometry, const_cast<Box *>(boxes));
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcSetGeometryBuildQuality(geometry, quality);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
    }
    void find(Sink &sink) override { rtcCollide(scene, scene, report, &sink); }
    void clear() override { rtcReleaseScene(scene); }

private:
    static void bounds(const RTCBoundsFunctionArguments *arguments)
    {
        const Box &box = static_cast<const Box *>(arguments->geometryUserPtr)[arguments->primID];
        RTCBounds *out = arguments->bounds_o;
        out->lower_x = float_below(box.min[0]);
        out->lower_y = float_below(box.min[1]);
        out->lower_z = float_below(box.min[2]);
        out->upper_x = float_above(box.max[0]);
        out->upper_y = float_above(box.max[1]);
        out->upper_z = float_above(box.max[2]);
    }
    // A scene that meets itself reports each pair both ways.
    static void report(void *user, RTCCollision *collision, unsigned int count)
    {
        Sink *sink = static_cast<Sink *>(user);
        for (unsigned int i = 0; i < count; i++)
            if (collision[i].primID0 < collision[i].primID1)
                sink->test(collision[i].primID0, collision[i].primID1);
    }
    RTCBuildQuality quality;
    RTCDevice device;
    RTCScene scene = nullptr;
};

template <RTCBuildQuality quality> std::unique_ptr<Peer> make() { return std::unique_ptr<Peer>(new Embree(quality)); }

}  // namespace

std::vector<Peer_kind> embree_peers()
{
    return {{"embree-low", "Embree", "rtcCollide, tree of low build quality", false, UINT32_MAX,
             make<RTC_BUILD_QUALITY_LOW>},
            {"embree-medium", "Embree", "rtcCollide, tree of medium build quality", false, UINT32_MAX,
             make<RTC_BUILD_QUALITY_MEDIUM>}};
}

// peers -- times the broad phase of another library on the boxes of a stream, as broad_kernel does with those of
// cd-broad.
//
//   usage: peers                       lists the peers that are built in: name, library, most boxes, what it is
//          peers NAME STREAM [REPEATS] one JSON line
//
// find is the median of the CPU seconds from boxes in memory to pairs in memory, build that of its first part alone. Of
// a stream of several frames, the first is built and the others are updates; medians are those of the updates.
// memory_kib is the peak of one run beyond boxes and pairs.
// SPDX-License-Identifier: MIT
#include "box_stream.h"
#include "peers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

const double enough_seconds = 2;  // of repeats: slow runs scatter less

struct Times {
    std::vector<double> find, build;
    uint64_t sum = 0;
    size_t pairs = 0;
    long memory_kib = 0;
};

void take_boxes(const box_frame &frame, std::vector<Box> &boxes)
{
    boxes.resize(static_cast<size_t>(frame.count));
    for (int32_t i = 0; i < frame.count; i++) {
        boxes[i] = Box{{0, 0, 0}, {0, 0, 1}};  // in the plane all overlap along the third axis
        for (int k = 0; k < frame.dim; k++) {
            boxes[i].min[k] = frame.min[static_cast<int64_t>(frame.dim) * i + k];
            boxes[i].max[k] = frame.max[static_cast<int64_t>(frame.dim) * i + k];
        }
    }
}

void run_once(Peer &peer, const std::vector<Box> &boxes, bool is_update, bool is_counted, Sink &sink, Times &times)
{
    uint32_t count = static_cast<uint32_t>(boxes.size());
    sink.start(boxes.data(), 14 * boxes.size());
    long before = box_now_kib();
    if (times.find.empty())
        box_peak_reset();
    double start = box_cpu_seconds();
    if (is_update)
        peer.update(boxes.data(), count);
    else
        peer.build(boxes.data(), count);
    double built = box_cpu_seconds();
    peer.find(sink);
    double found = box_cpu_seconds();
    if (times.find.empty())
        times.memory_kib = box_peak_kib() - before;
    times.find.push_back(found - start);
    times.build.push_back(built - start);
    if (!is_counted)
        return;
    times.pairs += sink.count;
    for (size_t i = 0; i < sink.count; i++)
        times.sum += box_pair_hash(static_cast<int32_t>(sink.pairs[i].a), static_cast<int32_t>(sink.pairs[i].b));
}

double median(std::vector<double> values, bool without_first)
{
    if (without_first)
        values.erase(values.begin());
    return box_median(values.data(), static_cast<int>(values.size()));
}

int list()
{
    for (const Peer_kind &kind : all_peers())
        std::printf("%s\t%s\t%u\t%s\n", kind.name, kind.library, kind.most, kind.what);
    return 0;
}

int time_peer(const Peer_kind &kind, const char *path, int repeats)
{
    std::unique_ptr<Peer> peer = kind.make();
    std::vector<Box> boxes;
    Sink sink;
    Times times;
    int frames = 0;
    box_frame frame;
    box_stream *stream = box_stream_open(path);
    while (box_stream_next(stream, &frame)) {
        take_boxes(frame, boxes);
        run_once(*peer, boxes, frames > 0, true, sink, times);
        frames++;
    }
    box_stream_close(stream);
    double spent = 0;
    for (double find : times.find)
        spent += find;
    for (int r = 1; frames == 1 && r < repeats && spent < enough_seconds; r++) {
        peer->clear();
        run_once(*peer, boxes, false, false, sink, times);
        spent += times.find.back();
    }
    std::printf("{\"program\":\"%s\",\"method\":\"%s\",\"exact\":%s,\"file\":\"%s\",\"boxes\":%zu,\"frames\":%d,"
                "\"pairs\":%zu,\"sum\":\"%016llx\","
                "\"find\":%.6f,\"build\":%.6f,\"memory_kib\":%ld}\n",
                kind.library, kind.name, kind.is_exact ? "true" : "false", path, boxes.size(), frames, times.pairs,
                static_cast<unsigned long long>(times.sum), median(times.find, frames > 1),
                median(times.build, frames > 1), times.memory_kib);
    std::fflush(stdout);
    _exit(0);  // taking a million objects of a library down one by one takes its time
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc == 1)
        return list();
    int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
    for (const Peer_kind &kind : all_peers())
        if (argc > 2 && repeats > 0 && !std::strcmp(kind.name, argv[1]))
            return time_peer(kind, argv[2], repeats);
    std::fprintf(stderr, "usage: peers [NAME STREAM [REPEATS]]; peers alone lists the names\n");
    return 2;
}

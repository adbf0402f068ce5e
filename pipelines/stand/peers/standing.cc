// A peer's program around its world.
// SPDX-License-Identifier: MIT
#include "standing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>

namespace {

[[noreturn]] void fail(const char *reason)
{
    fprintf(stderr, "stand: %s\n", reason);
    exit(3);
}

double number()
{
    double value;
    if (scanf("%lf", &value) != 1)
        fail("the scene is cut, or has a word where a number is due");
    return value;
}

std::vector<double> numbers(size_t count)
{
    std::vector<double> list(count);
    for (double &value : list)
        value = number();
    return list;
}

Body read_body(int dim)
{
    Body body;
    body.id = static_cast<long>(number());
    body.moves = number() != 0;
    body.mass = number();
    body.mu = number();
    body.inertia = numbers(dim == 2 ? 1 : 6);
    body.position = numbers(dim);
    body.rotation = numbers(dim == 2 ? 1 : 4);
    size_t pieces = static_cast<size_t>(number());
    for (size_t k = 0; k < pieces; k++) {
        bool is_box = number() != 0;
        size_t count = static_cast<size_t>(number());
        body.pieces.push_back({is_box, numbers(count * dim)});
    }
    return body;
}

Scene read_scene(int dim)
{
    Scene scene;
    scene.dim = static_cast<int>(number());
    if (scene.dim != dim)
        fail("the scene has another dimension");
    scene.step = number();
    scene.gravity = numbers(dim);
    size_t count = static_cast<size_t>(number());
    for (size_t k = 0; k < count; k++)
        scene.bodies.push_back(read_body(dim));
    return scene;
}

void write_bodies(const Scene &scene, const World &world, long frame)
{
    printf("frame %ld\n", frame);
    std::vector<double> position(scene.dim), rotation(scene.dim == 2 ? 1 : 4);
    for (size_t k = 0; k < scene.bodies.size(); k++) {
        world.pose(k, position, rotation);
        printf("%ld", scene.bodies[k].id);
        for (const std::vector<double> *list : {&position, &rotation})
            for (double value : *list)
                printf(" %.17g", value);
        printf("\n");
    }
}

double cpu()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

} // namespace

int stand(int argc, char **argv, int dim, std::unique_ptr<World> (*make)(const Scene &))
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s STEPS LANDING LAST EVERY <scene >bodies\n", argv[0]);
        return 2;
    }
    long steps = atol(argv[1]), landing = atol(argv[2]), last = atol(argv[3]), every = std::max(1L, atol(argv[4]));
    Scene scene = read_scene(dim);
    std::unique_ptr<World> world = make(scene);
    double landed = 0, rested = 0, whole = 0;
    for (long k = 0; k < steps; k++) {
        if (k % every == 0)
            write_bodies(scene, *world, k);
        double begun = cpu();
        world->step();
        double taken = cpu() - begun;
        whole += taken;
        landed += k < landing ? taken : 0;
        rested += k >= steps - last ? taken : 0;
    }
    write_bodies(scene, *world, steps);
    double fastest = 0;
    for (size_t k = 0; k < scene.bodies.size(); k++)
        fastest = std::max(fastest, scene.bodies[k].moves ? world->speed(k) : 0);
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "{\"landing_ms\":%.6g,\"rest_ms\":%.6g,\"run_ms\":%.6g,\"speed\":%.6g,\"peak_kib\":%ld}\n", 1e3 * landed / std::max(1L, landing),
            1e3 * rested / std::max(1L, last), 1e3 * whole / std::max(1L, steps), fastest, used.ru_maxrss);
    return 0;
}

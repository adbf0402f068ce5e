// Generators of scenes: their contract, their statistics, and where they put what.
// SPDX-License-Identifier: MIT
#include "test_scenes.h"

#include "cd_random.h"

#include <stdlib.h>
#include <unistd.h>

CD_TEST(random_polygons_are_what_the_paper_says)
{
    cd_model m = build("step: 0.01\nseed: 3\ngenerate: [{generator: random-polygons}]");
    CD_CHECK(m.body.count == 20 && m.shape.count == 20);
    for (int i = 0; i < 20; i++) {
        cd_polygon p = polygon_of(&m, m.body.shape[i]);
        CD_CHECK(cd_polygon_check(p.vertex, p.count).kind == CD_POLYGON_OK && p.count >= 3 && p.count <= 10);
        long double area = 0, x = 0, y = 0;  // fan of triangles from the origin
        for (int v = 0; v < p.count; v++) {
            cd_vec2 a = p.vertex[v], b = p.vertex[cd_polygon_next(p, v)];
            long double cross = (long double)a.x * b.y - (long double)a.y * b.x;
            area += cross / 2;
            x += cross * (a.x + b.x) / 6;
            y += cross * (a.y + b.y) / 6;
        }
        CD_CHECK_NEAR((double)(x / area), 0, 1e-16);
        CD_CHECK_NEAR((double)(y / area), 0, 1e-16);
        cd_aabb box = cd_polygon_bounds(p);
        CD_CHECK(box.max[0] - box.min[0] <= 0.25 && box.max[1] - box.min[1] <= 0.25);
        CD_CHECK(m.body.mass[i] == 0.25 && m.body.inertia[i] == 0.003 && m.body.spin[i] == 0 &&
                 m.body.motion[i] == CD_MOTION_DYNAMIC);
        CD_CHECK(m.body.position[2 * i] == (i % 2 ? 0.5 : -0.5) && m.body.position[2 * i + 1] == 0.8);
        CD_CHECK(m.body.velocity[2 * i] == (i % 2 ? -0.7 : 0.7) && m.body.velocity[2 * i + 1] == 0);
        CD_CHECK(m.body.rotation[i] >= 0 && m.body.rotation[i] < 2 * M_PI);
    }
}

CD_TEST(releases_fall_on_frames_and_nothing_else_depends_on_the_step)
{
    // round(250 / ms), halves away from zero, worked out by hand
    static const int every[] = {250, 125, 83, 63, 50, 42, 36, 31, 28, 25, 23, 21, 19, 18, 17, 16};
    cd_model first = build("step: 0.001\nseed: 5\ngenerate: [{generator: random-polygons}]");
    for (int ms = 1; ms <= 16; ms++) {
        char text[128];
        snprintf(text, sizeof text, "step: %.3f\nseed: 5\ngenerate: [{generator: random-polygons}]", ms / 1000.0);
        cd_model m = build(text);
        double step = m.frame.step[0];
        for (int k = 0; k < 20; k++)
            CD_CHECK(m.body.release[k] == (double)((int64_t)k * every[ms - 1]) * step);
        CD_CHECK(!memcmp(m.shape.vertices.offset, first.shape.vertices.offset, 21 * sizeof(int32_t)));
        CD_CHECK(!memcmp(m.shape.vertices.f64, first.shape.vertices.f64,
                         sizeof(double) * 2 * (size_t)m.shape.vertices.offset[20]));
        CD_CHECK(!memcmp(m.body.rotation, first.body.rotation, 20 * sizeof(double)));
    }
    cd_model other = build("step: 0.001\nseed: 6\ngenerate: [{generator: random-polygons}]");
    CD_CHECK(memcmp(other.body.rotation, first.body.rotation, 20 * sizeof(double)) != 0);
    cd_model more = build("step: 0.001\nseed: 5\ngenerate: [{generator: random-polygons, count: 30}]");
    CD_CHECK(!memcmp(more.body.rotation, first.body.rotation, 20 * sizeof(double)));
}

CD_TEST(hulls_obey_the_laws_of_random_hulls)
{
    // Efron 1965: E[vertices of the hull of n + 1 points] = (n + 1) (1 - E[area of the hull of n points] / area of the
    // square). Of 4000 hulls the mean number has a deviation of 1.2/sqrt(4000) = 0.02, eleven times the mean area one
    // of 0.02.
    enum { N = 4000 };
    static const char scene[] =
        "step: 1\ngenerate:\n- {generator: random-polygons, count: 4000, points: 10, scale: 1, density: 1}\n"
        "- {generator: random-polygons, count: 4000, points: 11, scale: 1, density: 1}";
    cd_model m = build(scene);
    double area = 0, vertices = 0, turn = 0;
    for (int i = 0; i < N; i++) {
        area += m.body.mass[i] / N;
        vertices += (double)polygon_of(&m, m.body.shape[N + i]).count / N;
        turn += m.body.rotation[i] / N;
    }
    CD_CHECK_NEAR(vertices, 11 * (1 - area), 0.12);
    CD_CHECK_NEAR(turn, M_PI, 4 * 2 * M_PI / sqrt(12.0 * N));  // uniform in a full turn
    // Triangles of three uniform points: mean area 11/144 (Sylvester's problem in the square), deviation about 0.066.
    cd_model t =
        build("step: 1\ngenerate: [{generator: random-polygons, count: 4000, points: 3, scale: 1, density: 1}]");
    double mean = 0;
    for (int i = 0; i < N; i++)
        mean += t.body.mass[i] / N;
    CD_CHECK_NEAR(mean, 11.0 / 144, 5 * 0.066 / sqrt(N));
}

CD_TEST(grid_is_in_rows_and_columns)
{
    cd_model m = build("generate: [{generator: grid, count: [3, 2], spacing: [2, 5], origin: [1, 1], stagger: 0.5, "
                       "body: {shape: {circle: 1}, mass: 1}}]");
    static const double expected[] = {1, 1, 3, 1, 5, 1, 2, 6, 4, 6, 6, 6};
    CD_CHECK(m.body.count == 6 && m.shape.count == 1 && !memcmp(m.body.position, expected, sizeof expected));
    cd_model s = build("dim: 3\ngenerate: [{generator: grid, count: [2, 1, 2], spacing: [2, 5, 7], body: {shape: "
                       "{sphere: 1}, motion: fixed}}]");
    CD_CHECK(s.body.count == 4 && s.body.position[3] == 2 && s.body.position[6] == 0 && s.body.position[8] == 7);
    cd_model j = build("generate: [{generator: grid, count: [30, 30], spacing: [1, 1], jitter: 0.1, turn: 0.2, body: "
                       "{shape: {circle: 1}, mass: 1}}]");
    double largest[2] = {0, 0};
    for (int i = 0; i < 900; i++) {
        largest[0] = fmax(largest[0], fabs(j.body.position[2 * i] - i % 30));
        largest[1] = fmax(largest[1], fabs(j.body.rotation[i]));
    }
    CD_CHECK(largest[0] <= 0.1 + 1e-14 && largest[0] > 0.099 && largest[1] <= 0.2 && largest[1] > 0.198);
    cd_model p =
        build("generate: [{generator: grid, count: [5, 1], spacing: [1, 1], points: 8, scale: 2, body: {density: 1}}]");
    CD_CHECK(p.shape.count == 5 && polygon_of(&p, 0).vertex[0].x != polygon_of(&p, 1).vertex[0].x &&
             p.body.position[2] == 1);
}

static char table_path[64];
static const char *write_table(const char *text)
{
    static char scene[256];
    FILE *file = fopen(table_path, "w");
    CD_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    snprintf(scene, sizeof scene, "generate: [{generator: particles, file: %s, body: {density: 2, group: p}}]",
             table_path);
    return scene;
}

CD_TEST(particles_come_from_a_table)
{
    cd_model m = build(write_table("id,y,x,radius,vx,vy\r\n7, 2,1,0.5,3,4\r\n3,20,10,1,0,-1e-3\n-4,0,0,0.5,0,0"));
    CD_CHECK(m.body.count == 3 && m.shape.count == 2 && m.body.id[0] == 7 && m.body.id[2] == -4);
    CD_CHECK(m.body.position[0] == 1 && m.body.position[1] == 2 && m.body.velocity[3] == -1e-3 &&
             m.body.shape[2] == m.body.shape[0]);
    CD_CHECK(m.shape.radius[m.body.shape[1]] == 1 && m.body.mass[1] == 2 * M_PI);
    cd_buffer many = {0};
    cd_buffer_text(&many, "x,y,radius,mass\n");
    for (int i = 0; i < 5000; i++)
        cd_buffer_printf(&many, "%d,0,%.17g,%d\n", i, 0.1 + (i * 37 % 1000) * 1e-3, i + 1);
    cd_buffer_append(&many, "", 1);
    m = build(write_table(many.data));
    CD_CHECK(m.body.count == 5000 && m.shape.count == 1000);
    for (int i = 0; i < 5000; i++)
        CD_CHECK(m.shape.radius[m.body.shape[i]] == 0.1 + (i * 37 % 1000) * 1e-3 && m.body.mass[i] == i + 1 &&
                 m.body.id[i] == i + 1);
    cd_buffer_release(&many);
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", ": empty"},
        {"x,y\n1,2\n", ":1: radius: the column is missing, and so is the generator's key"},
        {"x,radius\n1,2\n", ":1: y: the column is missing"},
        {"x,y,radius,x\n", ":1: x: the column is there twice"},
        {"x,y,radius,z\n", ":1: z: needs dim: 3"},
        {"x,y,radius,colour\n", ":1: \"colour\" is no column (known: id, x, y, z, radius, vx, vy, vz, mass)"},
        {"x,y,radius\n1,2,3\n1,2\n", ":3: radius: the value is missing"},
        {"x,y,radius\n1,2,3,4\n", ":2: more values than columns"},
        {"x,y,radius\n1,nan,3\n", ":2: y: nan is not a finite number"},
        {"x,y,radius\n1,2,0\n", ":2: radius: must be greater than 0"},
        {"x,y,radius\n1,2,3\n\n", ":3: x: needs a number, not \"\""},
        {"id,x,y,radius\n1,1,2,3\n2,0,0,1\n1,0,0,1\n", ":4: id: 1 is there twice, first in line 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *said = refusal(write_table(bad[i].text));
        CD_CHECK(!strncmp(said, table_path, strlen(table_path)));
        CD_CHECK_TEXT(said + strlen(table_path), bad[i].reason);
    }
}

// What binds every generator: the same bytes again for the same seed, no generator disturbs another, and a line for
// every fault.
CD_TEST(generators_keep_their_contract)
{
    int known = 0;
    write_table("x,y,radius\n1,2,3\n");
    static const char *const params[][2] = {
        {"random-polygons", "count: 3"},
        {"grid", "count: [2, 2], spacing: [1, 1], points: 5, jitter: 1, body: {mass: 1}"},
        {"particles", "body: {mass: 1}, file: "},
        {"boxes", "kind: uniform, count: 7"},
        {"random-hulls", "count: 3"},
        {"platonic", "count: [3, 1, 1], spacing: [1, 1, 1], turn: random"},
        {"bricks", "count: [2, 1, 2], size: [1, 1, 1]"},
        {"brick-elements", "count: [2, 1, 1], size: [1, 1, 1]"},
        {"arch", "count: 8, span: 4, rise: 2, thickness: 0.5, width: 0.5"}};
    for (int g = 0; cd_generators[g]; g++) {
        for (size_t p = 0; p < sizeof params / sizeof params[0]; p++) {
            if (strcmp(params[p][0], cd_generators[g]->name))
                continue;
            char one[512], after[1024];
            bool in_space = cd_generators[g]->dim == 3;
            const char *top = in_space ? "dim: 3\nstep: 1\nseed: 9" : "step: 1\nseed: 9",
                       *other = in_space ? "random-hulls" : "random-polygons";
            size_t dim = in_space ? 3 : 2, turns = in_space ? 4 : 1;
            known++;
            snprintf(one, sizeof one, "{generator: %s, %s%s}", params[p][0], params[p][1], p == 2 ? table_path : "");
            snprintf(after, sizeof after, "%s\ngenerate: [%s, {generator: %s}]", top, one, other);
            cd_model a = build(after), b = build(after);
            CD_CHECK(a.body.count == b.body.count && a.body.count > 20);
            CD_CHECK(!memcmp(a.body.position, b.body.position, dim * sizeof(double) * (size_t)a.body.count));
            CD_CHECK(!memcmp(a.body.rotation, b.body.rotation, turns * sizeof(double) * (size_t)a.body.count));
            snprintf(after, sizeof after, "%s\ngenerate: [{generator: %s, count: 1}, {generator: %s}]", top, other,
                     other);
            cd_model c = build(after);
            CD_CHECK(!memcmp(a.body.rotation + turns * (size_t)(a.body.count - 20), c.body.rotation + turns,
                             20 * turns * sizeof(double)));
            snprintf(after, sizeof after, "dim: %d\ngenerate:\n- {generator: %s, no_such_key: 1}", (int)dim,
                     params[p][0]);
            CD_CHECK(!strncmp(refusal(after), "t:3: no_such_key: unknown key", 29));
        }
    }
    int count = 0;
    while (cd_generators[count])
        count++;
    CD_CHECK(known == count);  // a new generator needs its line in `params`
}

int main(void)
{
    snprintf(table_path, sizeof table_path, "/tmp/cd-test-scene-%ld.csv", (long)getpid());
    CD_RUN(random_polygons_are_what_the_paper_says);
    CD_RUN(releases_fall_on_frames_and_nothing_else_depends_on_the_step);
    CD_RUN(hulls_obey_the_laws_of_random_hulls);
    CD_RUN(grid_is_in_rows_and_columns);
    CD_RUN(particles_come_from_a_table);
    CD_RUN(generators_keep_their_contract);
    remove(table_path);
    cd_arena_release(&arena);
    return cd_test_done();
}

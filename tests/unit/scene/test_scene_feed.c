// Bodies that are made while they are written, against the same scene whose bodies are all in memory: equal to the bit.
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_refs.h"
#include "cd_rows.h"
#include "cd_scene.h"
#include "cd_test.h"
#include "scene_generators.h"

static cd_arena arena;

static cd_model build(const char *text, cd_scene_feed *feed)
{
    cd_diag diag = {.text = ""};
    const cd_yaml_node *root;
    cd_scene_warnings warnings = {0};
    cd_model model = {0};
    cd_scene_settings settings = {.step = NAN,
                                  .reach = NAN,
                                  .epsilon = NAN,
                                  .seed = -1,
                                  .max_rows = 100000,
                                  .generators = cd_generators,
                                  .feed = feed};
    CD_CHECK(cd_yaml_parse(&arena, "t", text, strlen(text), &root, &diag) == CD_OK);
    CD_CHECK(cd_scene_build(&arena, root, &settings, &model, &warnings, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    return model;
}

static void print_row(const cd_model *model, cd_record_type type, const cd_rows *rows, int32_t row, cd_buffer *text)
{
    cd_refs refs = {0};
    CD_CHECK(cd_refs_add_table(&refs, CD_REC_shape, (const cd_rows *)&model->shape, NULL) == CD_OK);
    CD_CHECK(cd_refs_add_table(&refs, CD_REC_material, (const cd_rows *)&model->material, NULL) == CD_OK);
    text->size = 0;
    cd_json_encode(&cd_records[type], model->dim, &refs, rows, row, 1, text);
    cd_refs_release(&refs);
}

static void check_row(const cd_model *listed, const cd_model *fed, const cd_scene_feed *feed, int32_t row)
{
    cd_body_rows part;
    const int32_t alike[] = {0, 0};
    cd_buffer expected = {0}, actual = {0};
    CD_CHECK(fed->body.count == 1);
    cd_rows_select(&arena, &cd_records[CD_REC_body], fed->dim, (cd_rows *)&part, (const cd_rows *)&fed->body, alike, 2);
    // The second of two rows: no row may depend on where a part begins.
    part.id[1] = (int64_t)row + 1;
    feed->fill(feed->source, 0, row - 1, (cd_rows *)&part);
    print_row(listed, CD_REC_body, (const cd_rows *)&listed->body, row, &expected);
    print_row(fed, CD_REC_body, (const cd_rows *)&part, 1, &actual);
    CD_CHECK(expected.size == actual.size && !memcmp(expected.data, actual.data, actual.size));
    cd_buffer_release(&expected);
    cd_buffer_release(&actual);
}

static void check_fed(const char *text, int32_t count)
{
    cd_scene_feed feed = {0};
    cd_model listed = build(text, NULL), fed = build(text, &feed);
    CD_CHECK(feed.frames == 1 && feed.count == count && !feed.has_bounds && listed.body.count == count);
    CD_CHECK(listed.shape.count == fed.shape.count);
    CD_CHECK(listed.head.length[0] == fed.head.length[0] && listed.head.epsilon[0] == fed.head.epsilon[0]);
    for (int32_t row = 1; feed.frames && row < count; row += row < 100 || row > count - 100 ? 1 : 97)
        check_row(&listed, &fed, &feed, row);
    cd_arena_reset(&arena);
}

CD_TEST(boxes_are_fed_as_they_are_listed)
{
    check_fed("dim: 3\ngenerate: [{generator: boxes, kind: uniform, count: 20001}]", 20001);
    check_fed("dim: 3\ngenerate: [{generator: boxes, kind: clustered, count: 30000, seed: 5}]", 30000);
    check_fed("generate: [{generator: boxes, kind: touching, count: 22500, body: {group: g, mass: 2, inertia: 3}}]",
              22500);
    check_fed("step: 0.1\nmaterials: {m: {density: 3}}\n"
              "generate: [{generator: boxes, kind: moving, count: 25000, body: {material: m, mu: 0.5, force: [1, 2]}}]",
              25000);
}

CD_TEST(a_grid_is_fed_as_it_is_listed)
{
    check_fed(
        "seed: 7\nshapes:\n"
        "  bent: {compound: [{shape: {box: [0.1, 0.2]}, position: [0.3, 0]}, {shape: {circle: 0.1}, position: [0, "
        "0]}]}\n"
        "generate:\n"
        "- {generator: grid, count: [201, 150], spacing: [1, 1.1], origin: [-3, 4], jitter: 0.1, turn: 1, stagger: 0.5,"
        " body: {shape: bent, rotation: 0.3, density: 2}}\n",
        201 * 150);
    check_fed("dim: 3\nshapes:\n"
              "  bent: {compound: [{shape: {box: [0.1, 0.2, 0.3]}, position: [0.3, 0, 1]}, {shape: {sphere: 0.1}, "
              "position: [0, 0, 0]}]}\n"
              "defaults: {density: 3, shape: bent}\n"
              "generate:\n"
              "- {generator: grid, count: [30, 29, 28], spacing: [1, 1.1, 1.2], jitter: 0.1, body: {rotation: [0.6, "
              "0.8, 0, 0], spin: [1, 2, 3]}}\n",
              30 * 29 * 28);
}

// What a template does not say of all bodies, or what stands beside them, is listed.
CD_TEST(other_scenes_are_listed)
{
    static const char *const scenes[] = {
        "generate: [{generator: boxes, kind: uniform, count: 20000}]",
        "generate: [{generator: boxes, kind: uniform, count: 20001, place: {position: [1, 0]}}]",
        "generate: [{generator: boxes, kind: polydisperse, count: 20001}]",
        "generate: [{generator: boxes, kind: giant, count: 20001}]",
        "generate: [{generator: boxes, kind: uniform, count: 20001}, {generator: boxes, kind: uniform, count: 5}]",
        "bodies: [{shape: {circle: 1}, mass: 1}]\ngenerate: [{generator: boxes, kind: uniform, count: 20001}]",
        "groups: [{generate: [{generator: boxes, kind: uniform, count: 20001}]}]",
        "generate: [{generator: boxes, kind: uniform, count: 20001, body: {load: [{time: 0, force: [1, 0]}]}}]",
        "generate: [{generator: grid, count: [200, 101], spacing: [1, 1], points: 5, body: {density: 1}}]"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        cd_scene_feed feed = {0};
        cd_model model = build(scenes[i], &feed);
        CD_CHECK(feed.frames == 0 && model.body.count >= 20000);
        cd_arena_reset(&arena);
    }
}

int main(void)
{
    CD_RUN(boxes_are_fed_as_they_are_listed);
    CD_RUN(a_grid_is_fed_as_it_is_listed);
    CD_RUN(other_scenes_are_listed);
    cd_arena_release(&arena);
    return cd_test_done();
}

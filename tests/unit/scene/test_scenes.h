// test_scenes -- a scene of a test as tables, what it is refused with, and its polygons in the world.
// SPDX-License-Identifier: MIT
#ifndef TEST_SCENES_H
#define TEST_SCENES_H

#include "cd_scene.h"

#include "cd_polygon.h"
#include "cd_test.h"
#include "scene_generators.h"

static cd_arena arena;  // of a test's scenes; its main releases it
static cd_diag diag;
static cd_scene_warnings warnings;

static inline cd_scene_settings no_settings(void)
{
    return (cd_scene_settings){
        .step = NAN, .reach = NAN, .epsilon = NAN, .seed = -1, .max_rows = 100000, .generators = cd_generators};
}

static inline cd_status build_with(const char *text, cd_scene_settings settings, cd_model *model)
{
    const cd_yaml_node *root;
    memset(model, 0, sizeof *model);
    warnings = (cd_scene_warnings){0};
    diag.text[0] = '\0';
    CD_TRY(cd_yaml_parse(&arena, "t", text, strlen(text), &root, &diag));
    return cd_scene_build(&arena, root, &settings, model, &warnings, &diag);
}

static inline cd_model build(const char *text)
{
    cd_model model;
    cd_status status = build_with(text, no_settings(), &model);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    CD_CHECK(status == CD_OK);
    return model;
}

static inline const char *refusal(const char *text)
{
    cd_model model;
    CD_CHECK(build_with(text, no_settings(), &model) == CD_ERR_FORMAT);
    return diag.text;
}

static inline cd_polygon polygon_of(const cd_model *model, int32_t shape)
{
    const cd_list *v = &model->shape.vertices;
    return (cd_polygon){v->offset[shape + 1] - v->offset[shape], (const cd_vec2 *)v->f64 + v->offset[shape]};
}

static inline cd_vec2 world_vertex(const cd_model *model, int32_t body, int32_t vertex)
{
    cd_pose2 pose = cd_pose2_make(cd_vec2_at(model->body.position + 2 * body), model->body.rotation[body]);
    return cd_pose2_apply(pose, polygon_of(model, model->body.shape[body]).vertex[vertex]);
}

#endif

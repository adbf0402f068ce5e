// What holds between bodies of two materials.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include <math.h>

typedef struct interaction_keys {
    const char *a, *b;
    double mu, restitution, rolling, spinning;  // NaN: not given
    int32_t law;                                // CD_ABSENT: not given
} interaction_keys;

static const cd_yaml_key keys[] = {CD_YAML_KEY_NEEDED(interaction_keys, a, CD_YAML_TEXT, 0, 0, "material"),
                                   CD_YAML_KEY_NEEDED(interaction_keys, b, CD_YAML_TEXT, 0, 0, "material"),
                                   CD_YAML_KEY(interaction_keys, mu, CD_YAML_DOUBLE, 0, INFINITY, NULL),
                                   CD_YAML_KEY(interaction_keys, restitution, CD_YAML_DOUBLE, 0, 1, NULL),
                                   {.name = "law",
                                    .type = CD_YAML_WORD,
                                    .offset = offsetof(interaction_keys, law),
                                    .words = cd_words_RESTITUTION,
                                    .help = "of restitution"},
                                   CD_YAML_KEY(interaction_keys, rolling, CD_YAML_DOUBLE, 0, INFINITY, "[m]"),
                                   CD_YAML_KEY(interaction_keys, spinning, CD_YAML_DOUBLE, 0, INFINITY, "[m] 3-D"),
                                   CD_YAML_KEYS_END};

static cd_status read_interaction(const cd_scene *scene, const cd_yaml_node *node, cd_interaction_rows *table,
                                  int32_t row, cd_diag *diag)
{
    interaction_keys given = {.mu = NAN, .restitution = NAN, .rolling = NAN, .spinning = NAN, .law = CD_ABSENT};
    CD_TRY(cd_yaml_want(node, "interactions", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, scene->dim, &given, diag));
    CD_TRY(cd_scene_find_material(scene, node, given.a, &table->a[row], diag));
    CD_TRY(cd_scene_find_material(scene, node, given.b, &table->b[row], diag));
    for (int32_t i = 0; i < row; i++)
        if ((table->a[i] == table->a[row] && table->b[i] == table->b[row]) ||
            (table->a[i] == table->b[row] && table->b[i] == table->a[row]))
            return cd_yaml_fail(node, diag, "interactions: %.60s and %.60s are there twice", given.a, given.b);
    if (scene->dim == 2 && given.spinning > 0)
        return cd_yaml_fail(node, diag, "spinning: in 2-D nothing turns about a normal");
    table->mu[row] = given.mu;
    table->restitution[row] = given.restitution;
    table->law[row] = given.law;
    table->rolling[row] = given.rolling;
    table->spinning[row] = given.spinning;
    return CD_OK;
}

cd_status cd_scene_read_interactions(cd_scene *scene, const cd_yaml_node *list, cd_model *model, cd_diag *diag)
{
    if (!list)
        return CD_OK;
    CD_TRY(cd_yaml_want(list, "interactions", CD_YAML_LIST, diag));
    cd_interaction_rows *table = &model->interaction;
    table->count = list->count;
    CD_COLUMN(scene->arena, scene->dim, interaction, table, a);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, b);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, mu);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, restitution);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, law);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, rolling);
    CD_COLUMN(scene->arena, scene->dim, interaction, table, spinning);
    for (int32_t i = 0; i < list->count; i++)
        CD_TRY(read_interaction(scene, list->item[i], table, i, diag));
    return CD_OK;
}

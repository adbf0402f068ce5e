// SPDX-License-Identifier: MIT
#include "cd_contact_model.h"

#include <string.h>

const cd_contact_model cd_contact_models[] = {
#define X(identifier, name, wants) {name, CD_CONTACT_WANT_##wants},
#include "contact_models.def"
#undef X
    {0},
};

const char *const cd_contact_model_names[] = {
#define X(identifier, name, wants) name,
#include "contact_models.def"
#undef X
    NULL,
};

const cd_contact_model *cd_contact_model_find(const char *name)
{
    for (const cd_contact_model *model = cd_contact_models; model->name; model++)
        if (!strcmp(model->name, name))
            return model;
    return NULL;
}

bool cd_contact_is_unwanted(cd_contact_kind kind, cd_contact_want wants)
{
    bool is_of_features =
        kind == CD_CONTACT_VERTEX_EDGE || kind == CD_CONTACT_VERTEX_FACE || kind == CD_CONTACT_EDGE_EDGE;
    switch (wants) {
    case CD_CONTACT_WANT_FEATURES:
        return kind == CD_CONTACT_SEPARATING;
    case CD_CONTACT_WANT_SEPARATORS:
        return is_of_features;
    case CD_CONTACT_WANT_DEPTHS:
        break;
    }
    return is_of_features || kind == CD_CONTACT_SEPARATING;
}

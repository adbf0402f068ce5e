// SPDX-License-Identifier: MIT
#include "cd_run_model.h"

#include <string.h>

cd_status cd_run_model(const cd_model *in, const char *option, const cd_contact_model **model, cd_diag *diag)
{
    const char *wish = in->frame.model ? in->frame.model[0] : NULL, *run = in->head.model ? in->head.model[0] : NULL;
    bool is_asked = strcmp(option, "auto") != 0;
    const char *name = wish ? wish : is_asked ? option : run ? run : CD_CONTACT_MODEL_DEFAULT;
    *model = cd_contact_model_find(name);
    if (*model)
        return CD_OK;
    return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: model: \"%.60s\" is not one this program knows",
                   wish ? "frame" : "head", name);
}

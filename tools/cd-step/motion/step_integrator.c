// SPDX-License-Identifier: MIT
#include "step_integrator.h"

#include "step_impulses.h"

#define X(name, text) extern const cd_step_integrator cd_step_##name;
#include "step_integrators.def"
#undef X

const cd_step_integrator *const cd_step_integrators[] = {
#define X(name, text) &cd_step_##name,
#include "step_integrators.def"
#undef X
    NULL};

const char *const cd_step_integrator_names[] = {
#define X(name, text) text,
#include "step_integrators.def"
#undef X
    NULL};

const cd_step_integrator *cd_step_integrator_find(const char *name)
{
    for (int i = 0; cd_step_integrators[i]; i++)
        if (!strcmp(cd_step_integrators[i]->name, name))
            return cd_step_integrators[i];
    return NULL;
}

void cd_step_print_integrators(cd_buffer *out)
{
    cd_buffer_text(out, "Methods (--integrator; order: of the error in free flight):\n");
    for (int i = 0; cd_step_integrators[i]; i++) {
        const cd_step_integrator *m = cd_step_integrators[i];
        cd_buffer_printf(out, "  %-20s %s\n      order   %d\n      source  %s\n", m->name, m->summary, m->order,
                         m->source);
    }
    cd_buffer_printf(out, "The method %s is also that of the predicted poses, which the stages before go by.\n",
                     cd_step_integrators[0]->name);
}

cd_status cd_step_integrator_check(const cd_step_integrator *integrator, const cd_model *in, cd_diag *diag)
{
    const char *table = in->value.count > 0 && !(integrator->needs & CD_BIT(value))      ? "value"
                        : cd_step_forces_act(in) && !(integrator->needs & CD_BIT(force)) ? "force"
                                                                                         : NULL;
    if (table)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: --integrator %s cannot use this table", table, integrator->name);
    return CD_OK;
}

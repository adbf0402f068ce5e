// SPDX-License-Identifier: MIT
#include "lcp_solver.h"

#include <stdio.h>

#define X(name) extern const cd_lcp_solver cd_lcp_solver_##name;
#include "lcp_solvers.def"
#undef X

const cd_lcp_solver *const cd_lcp_solvers[] = {
#define X(name) &cd_lcp_solver_##name,
#include "lcp_solvers.def"
#undef X
    NULL};

const char *const cd_lcp_solver_names[] = {
#define X(name) #name,
#include "lcp_solvers.def"
#undef X
    NULL};

const cd_lcp_solver *cd_lcp_find_solver(const char *name)
{
    for (int i = 0; cd_lcp_solvers[i]; i++) {
        if (strcmp(cd_lcp_solvers[i]->name, name) == 0)
            return cd_lcp_solvers[i];
    }
    return NULL;
}

const char *cd_lcp_status_name(cd_lcp_status status)
{
    static const char *const word[] = {
#define X(name, text) text,
        CD_LCP_STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < CD_LCP_STATUS_COUNT ? word[status] : "unknown";
}

static const char *yes(bool is) { return is ? "yes" : "-"; }

// What decides between the methods, one line each. Dense methods get upper bounds as further rows.
static void help_table(cd_buffer *out)
{
    cd_buffer_text(out, "What a solver can be given (dense: up to --max-dense, 7300 rows by default):\n"
                        "           friction  bounds  any matrix  rows of an island\n");
    for (int i = 0; cd_lcp_solvers[i]; i++) {
        const cd_lcp_solver *s = cd_lcp_solvers[i];
        const bool is_dense = !s->solve_structure && !s->choose;
        char most[16];
        snprintf(most, sizeof most, "up to %d", s->most_rows);
        cd_buffer_printf(out, "  %-8s %-9s %-7s %-11s %s\n", s->name, yes(s->takes & CD_LCP_TAKES_DISCS),
                         yes(is_dense || s->takes & CD_LCP_TAKES_ROOMS), yes(s->takes & CD_LCP_TAKES_GENERAL),
                         s->most_rows ? most
                         : is_dense   ? "dense"
                                      : "any");
    }
    cd_buffer_text(out, "\n");
}

void cd_lcp_help(cd_buffer *out)
{
    help_table(out);
    cd_buffer_text(out, "Solvers:\n");
    for (int i = 0; cd_lcp_solvers[i]; i++) {
        const cd_lcp_solver *s = cd_lcp_solvers[i];
        cd_buffer_printf(out, "  %-8s %s\n      cost       %s\n      guarantee  %s\n", s->name, s->summary, s->cost,
                         s->guarantee);
        for (int k = 0; s->answers && s->answers[k]; k++)
            cd_buffer_printf(out, k ? ", %s" : "      answers    %s", s->answers[k]);
        cd_buffer_text(out, s->answers ? "\n" : "");
        if (s->source[0])
            cd_buffer_printf(out, "      source     %s\n", s->source);
    }
}

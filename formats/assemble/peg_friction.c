// SPDX-License-Identifier: MIT
#include "peg_friction.h"

#include <math.h>
#include <stdlib.h>

const char *const cd_peg_friction_names[] = {"auto", "off", "pyramid", "disc", NULL};

// One rule "A:B=VALUE" of `length` bytes.
static cd_status parse_rule(cd_arena *arena, const char *text, size_t length, cd_peg_mu_rule *rule, cd_diag *diag)
{
    char *a = cd_arena_text(arena, text, length), *colon = strchr(a, ':'), *equals = strrchr(a, '='), *end;
    if (!colon || !equals || equals < colon || colon == a || equals == colon + 1 || !equals[1])
        return cd_fail(diag, CD_ERR_USAGE, "--mu: wanted A:B=VALUE, got \"%.60s\"", a);
    double mu = strtod(equals + 1, &end);
    if (*end || !(mu >= 0) || isinf(mu))
        return cd_fail(diag, CD_ERR_USAGE, "--mu: \"%.60s\" is no coefficient >= 0", equals + 1);
    *colon = *equals = 0;
    *rule = (cd_peg_mu_rule){{a, colon + 1}, mu};
    return CD_OK;
}

cd_status cd_peg_mu_rules_parse(cd_arena *arena, const char *text, cd_peg_mu_rules *rules, cd_diag *diag)
{
    *rules = (cd_peg_mu_rules){0};
    if (!text)
        return CD_OK;
    int32_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    cd_peg_mu_rule *rule = CD_ARENA_ARRAY(arena, cd_peg_mu_rule, count);
    for (int32_t i = 0; i < count; i++) {
        size_t length = strcspn(text, ",");
        CD_TRY(parse_rule(arena, text, length, &rule[i], diag));
        text += length + 1;
    }
    *rules = (cd_peg_mu_rules){count, rule};
    return CD_OK;
}

static bool is_of(const char *group, const char *name) { return group && !strcmp(group, name); }

cd_status cd_peg_mu_rules_check(const cd_peg_mu_rules *rules, const char *const *group, int32_t bodies, cd_diag *diag)
{
    for (int32_t i = 0; i < 2 * rules->count; i++) {
        const char *name = rules->rule[i / 2].group[i % 2];
        int32_t body = 0;
        while (body < bodies && !is_of(group ? group[body] : NULL, name))
            body++;
        if (body == bodies)
            return cd_fail(diag, CD_ERR_USAGE, "--mu: no body is of group %.60s", name);
    }
    return CD_OK;
}

double cd_peg_mu_of(const cd_peg_mu_rules *rules, const char *group_a, const char *group_b, double otherwise)
{
    for (int32_t i = 0; rules && i < rules->count; i++) {
        const cd_peg_mu_rule *rule = &rules->rule[i];
        if ((is_of(group_a, rule->group[0]) && is_of(group_b, rule->group[1])) ||
            (is_of(group_a, rule->group[1]) && is_of(group_b, rule->group[0])))
            return rule->mu;
    }
    return otherwise;
}

// SPDX-License-Identifier: MIT
#include "loop_check.h"

#include "cd_records.h"
#include "filter_provenance.h"
#include "loop_split.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MILLISECONDS = 5000 };  // [ms] a stage that has not answered by then is not asked any more

typedef struct asked {
    const char *text;
    pid_t pid;  // 0: not asked
    int from;
    bool is_told;
    uint64_t lives_on, reads, writes;
} asked;

// Where the arguments of a stage begin that can be asked; 0: it cannot.
static size_t arguments_of(const char *text)
{
    size_t start = 0;
    while (cd_loop_is_blank(text[start]))
        start++;
    size_t end = start;
    while (text[end] && !cd_loop_is_blank(text[end]))
        end++;
    size_t name = end;
    while (name > start && text[name - 1] != '/')
        name--;
    return !strncmp(text + name, "cd-", 3) && !strchr(text, '>') ? end : 0;
}

static void ask(cd_arena *arena, asked *stage)
{
    size_t end = arguments_of(stage->text);
    int answer[2];
    if (end == 0 || pipe2(answer, O_CLOEXEC) != 0)
        return;
    const char *command = cd_arena_printf(arena, "%.*s --json-usage%s", (int)end, stage->text, stage->text + end);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    if (posix_spawn(&stage->pid, "/bin/sh", &actions, &attributes, argv, environ) != 0)
        stage->pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(answer[1]);
    stage->from = answer[0];
    if (stage->pid == 0)
        close(answer[0]);
}

static uint64_t tables_of(const cJSON *names)
{
    uint64_t tables = 0;
    const cJSON *name;
    cJSON_ArrayForEach(name, names)
    {
        cd_record_type type =
            cJSON_IsString(name) ? cd_record_find(name->valuestring, strlen(name->valuestring)) : CD_REC_UNKNOWN;
        if (type != CD_REC_UNKNOWN)
            tables |= UINT64_C(1) << type;
    }
    return tables;
}

static void take_answer(asked *stage, const cd_buffer *text)
{
    cJSON *usage = cJSON_ParseWithLength(text->data, text->size);
    const cJSON *writes = cJSON_GetObjectItem(usage, "writes");
    stage->is_told = cJSON_IsArray(writes) || cJSON_IsNull(writes);
    stage->lives_on = tables_of(cJSON_GetObjectItem(usage, "lives_on"));
    stage->reads = tables_of(cJSON_GetObjectItem(usage, "reads"));
    stage->writes = tables_of(writes);
    cJSON_Delete(usage);
}

static void hear(asked *stage)
{
    enum { MOST = 1 << 20 };  // [bytes] far more than any usage
    if (stage->pid == 0)
        return;
    cd_buffer text = {0};
    char part[4096];
    struct pollfd ready = {.fd = stage->from, .events = POLLIN};
    ssize_t length = 0;
    while (text.size < MOST && poll(&ready, 1, ANSWER_MILLISECONDS) == 1 &&
           (length = read(stage->from, part, sizeof part)) > 0)
        cd_buffer_append(&text, part, (size_t)length);
    bool has_ended = text.size < MOST && length == 0 && poll(&ready, 1, 0) == 1;
    if (!has_ended)
        kill(-stage->pid, SIGKILL);
    int ended;
    bool is_well = waitpid(stage->pid, &ended, 0) == stage->pid && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    close(stage->from);
    if (has_ended && is_well && text.size > 0)
        take_answer(stage, &text);
    cd_buffer_release(&text);
}

static cd_status missing(const asked *stage, int32_t place, uint64_t tables, cd_diag *diag)
{
    char names[96] = "";
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((tables >> type & 1) && strlen(names) + strlen(cd_records[type].name) + 5 < sizeof names) {
            strcat(names, names[0] ? " or " : "");
            strcat(names, cd_records[type].name);
        }
    const char *maker = filter_maker_of(tables), *text = stage->text;
    while (cd_loop_is_blank(*text))
        text++;
    int length = (int)strlen(text);
    while (length > 0 && cd_loop_is_blank(text[length - 1]))
        length--;
    return cd_fail(diag, CD_ERR_USAGE, "stage %d, `%.*s`: it reads %s, which no stage before it makes: is %s missing?",
                   (int)place + 1, length < 60 ? length : 60, text, names, maker ? maker : "one");
}

// Tables of later ranks go when a stage writes (cd_filter.h).
static uint64_t after(uint64_t made, const asked *stage)
{
    cd_rank rank = cd_lowest_rank(stage->writes);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].rank > CD_RANK_INPUT && cd_records[type].rank >= rank && rank < CD_RANK_METRIC)
            made &= ~(UINT64_C(1) << type);
    return made | stage->writes;
}

static cd_status check(const asked *stages, int32_t count, uint64_t made, cd_diag *diag)
{
    const uint64_t answer = CD_BIT(next) | CD_BIT(verdict);
    for (int32_t i = 0; i < count; i++) {
        const asked *stage = &stages[i];
        if (!stage->is_told) {
            made = ~UINT64_C(0);
            continue;
        }
        if (stage->lives_on && !(made & stage->lives_on))
            return missing(stage, i, stage->lives_on, diag);
        // Rows without a solution end the run at the first contact.
        if ((stage->reads & CD_BIT(solution)) && (made & CD_BIT(row)) && !(made & CD_BIT(solution)))
            return missing(stage, i, CD_BIT(solution), diag);
        made = after(made, stage);
    }
    if ((made & answer) != answer)
        return cd_fail(diag, CD_ERR_USAGE, "the pipeline: no stage makes next and verdict: is %s missing?",
                       filter_maker_of(CD_BIT(next)));
    return CD_OK;
}

cd_status cd_loop_check_stages(const char *command, uint64_t given, cd_diag *diag)
{
    cd_arena arena = {0};
    cd_stage_list list = cd_loop_split(&arena, command);
    asked *stages = CD_ARENA_ZARRAY(&arena, asked, list.list.count);
    for (int32_t i = 0; i < list.list.count; i++) {
        stages[i].text = list.list.item[i];
        ask(&arena, &stages[i]);
    }
    for (int32_t i = 0; i < list.list.count; i++)
        hear(&stages[i]);
    cd_status status = check(stages, list.list.count, given, diag);
    cd_arena_release(&arena);
    return status;
}

// SPDX-License-Identifier: MIT
#include "narrow_set.h"

#include "box_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- reading -------------------------------------------------------------------------------------------------------

static void stop(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

static void *take(FILE *file, const char *path, size_t count, size_t size)
{
    void *memory = malloc(count * size + 1);
    if (!memory || fread(memory, size, count, file) != count)
        stop(path, "cut short");
    return memory;
}

static narrow_body read_body(FILE *file, const char *path)
{
    int32_t counts[3];
    if (fread(counts, sizeof counts, 1, file) != 1 || counts[0] < 4 || counts[1] < 4 || counts[2] < 3 * counts[1])
        stop(path, "no body where one was expected");
    narrow_body body = {.vertex_count = counts[0], .face_count = counts[1]};
    body.vertex = take(file, path, 3 * (size_t)counts[0], sizeof(double));
    body.face_first = take(file, path, (size_t)counts[1] + 1, sizeof(int32_t));
    body.face_vertex = take(file, path, (size_t)counts[2], sizeof(int32_t));
    return body;
}

static double diameter_of(const narrow_body *body)
{
    double mean[3] = {0, 0, 0}, most = 0;
    for (int32_t i = 0; i < 3 * body->vertex_count; i++)
        mean[i % 3] += body->vertex[i] / body->vertex_count;
    for (int32_t i = 0; i < body->vertex_count; i++) {
        const double *v = body->vertex + 3 * i;
        most = fmax(most, hypot(hypot(v[0] - mean[0], v[1] - mean[1]), v[2] - mean[2]));
    }
    return 2 * most;
}

narrow_set narrow_set_read(const char *path)
{
    narrow_set set = {0};
    char magic[8];
    FILE *file = fopen(path, "rb");
    if (!file)
        stop(path, "cannot open");
    if (fread(magic, sizeof magic, 1, file) != 1 || memcmp(magic, "cdpairs1", sizeof magic) != 0 ||
        fread(&set.count, sizeof set.count, 1, file) != 1 || fread(&set.vertices, sizeof set.vertices, 1, file) != 1 ||
        fread(set.kind, sizeof set.kind, 1, file) != 1 || set.count < 1)
        stop(path, "no set of pairs");
    set.kind[sizeof set.kind - 1] = 0;
    set.pair = malloc((size_t)set.count * sizeof *set.pair);
    for (int32_t i = 0; i < set.count; i++) {
        narrow_pair *pair = &set.pair[i];
        double answers[5];
        pair->body[0] = read_body(file, path);
        pair->body[1] = read_body(file, path);
        if (fread(answers, sizeof answers, 1, file) != 1)
            stop(path, "cut short");
        memcpy(pair->inner, answers, sizeof pair->inner);
        pair->gap = answers[3];
        pair->volume = answers[4];
        pair->scale = fmax(diameter_of(&pair->body[0]), diameter_of(&pair->body[1]));
    }
    fclose(file);
    return set;
}

// ---- judging -------------------------------------------------------------------------------------------------------

#define WRONG 1e-6  // [1] of the scale, of a volume: from here on an answer is wrong
#define VOLUME_NOISE \
    1e-12  // [1] of the scale cubed: volumes below it are no volumes to a library that works in doubles

static const char *const question_name[NARROW_QUESTIONS] = {"overlap", "distance", "depth",
                                                            "signed",  "volume",   "contact"};

typedef struct verdict {
    int32_t judged, wrong, missed, invented, failed;
    double worst, median;  // of the answers that were given
} verdict;

static double error_of(narrow_question question, const narrow_pair *pair, double answer)
{
    switch (question) {
    case NARROW_OVERLAP:
        return 0;
    case NARROW_DISTANCE:
        return fabs(answer - fmax(pair->gap, 0)) / pair->scale;
    case NARROW_DEPTH:
        return fabs(answer - fmax(-pair->gap, 0)) / pair->scale;
    case NARROW_SIGNED:
        return fabs(answer - pair->gap) / pair->scale;
    default: {
        double off = fabs(answer - pair->volume), noise = VOLUME_NOISE * pair->scale * pair->scale * pair->scale;
        return pair->volume > noise ? off / pair->volume : off > noise ? off / noise : 0;
    }
    }
}

static bool tells_overlap(narrow_question question, double answer)
{
    return question == NARROW_DISTANCE ? answer <= 0 : question == NARROW_SIGNED ? answer < 0 : answer > 0;
}

static verdict judge(narrow_question question, const narrow_set *set, const double *answer)
{
    verdict v = {0};
    double *error = malloc((size_t)set->count * sizeof *error);
    int32_t errors = 0;
    for (int32_t i = 0; i < set->count; i++) {
        const narrow_pair *pair = &set->pair[i];
        if (isnan(question >= NARROW_VOLUME ? pair->volume : pair->gap))
            continue;
        v.judged++;
        if (isnan(answer[i])) {
            v.failed++;
            v.wrong++;
            continue;
        }
        bool is_apart = pair->gap > WRONG * pair->scale, is_overlap = pair->gap < -WRONG * pair->scale;
        bool missed = is_overlap && !tells_overlap(question, answer[i]);
        bool invented = is_apart && tells_overlap(question, answer[i]);
        double off = error_of(question, pair, answer[i]);
        if (question == NARROW_DISTANCE && is_overlap)  // a distance within the tolerance of 0 says so too
            missed = off > WRONG;
        error[errors++] = off;
        v.worst = off > v.worst ? off : v.worst;
        v.missed += missed;
        v.invented += invented;
        v.wrong += missed || invented || off > WRONG;
    }
    v.median = errors ? box_median(error, errors) : 0;
    free(error);
    return v;
}

// ---- timing --------------------------------------------------------------------------------------------------------

enum { MOST_PASSES = 1000 };
#define LEAST_SECONDS 0.03  // of passes: less, and what is measured is how a program begins

void narrow_program_run(const narrow_program *program, const narrow_set *set, int repeats, double seconds)
{
    static double pass[MOST_PASSES];
    double *answer = malloc((size_t)set->count * sizeof *answer), spent = 0;
    memset(answer, 0, (size_t)set->count * sizeof *answer);
    void *prepared = program->prepare(set);
    int passes = 0;
    long before = box_now_kib();
    box_peak_reset();
    while (passes < MOST_PASSES && ((passes < repeats && (passes == 0 || spent < seconds)) || spent < LEAST_SECONDS)) {
        double start = box_cpu_seconds();
        for (int32_t i = 0; i < set->count; i++)
            answer[i] = program->ask(prepared, i);
        pass[passes] = box_cpu_seconds() - start;
        spent += pass[passes++];
    }
    long memory = box_peak_kib() - before;
    verdict v = judge(program->question, set, answer);
    printf("{\"library\":\"%s\",\"name\":\"%s\",\"question\":\"%s\",\"pairs\":%d,\"passes\":%d,\"per_pair\":%.9g,"
           "\"memory_kib\":%ld,\"judged\":%d,\"wrong\":%d,\"missed\":%d,\"false\":%d,\"failed\":%d,\"worst\":%.3g,"
           "\"median\":%.3g}\n",
           program->library, program->name, question_name[program->question], set->count, passes,
           box_median(pass, passes) / set->count, memory > 0 ? memory : 0, v.judged, v.wrong, v.missed, v.invented,
           v.failed, isfinite(v.worst) ? v.worst : 1e300, v.median);
}

void narrow_program_print(const narrow_program *program)
{
    printf("%s\t%s\t%s\t%s\n", program->name, program->library, question_name[program->question], program->what);
}

int narrow_program_main(const narrow_program *table, int argc, char **argv)
{
    int repeats = argc > 3 ? atoi(argv[3]) : 5;
    double seconds = argc > 4 ? atof(argv[4]) : 1;
    for (const narrow_program *program = table; program->name; program++) {
        if (argc == 1)
            narrow_program_print(program);
        if (argc > 2 && repeats > 0 && !strcmp(program->name, argv[1])) {
            narrow_set set = narrow_set_read(argv[2]);
            narrow_program_run(program, &set, repeats, seconds);
            fflush(stdout);
            _exit(0);  // taking a library's objects down one by one takes its time
        }
    }
    if (argc == 1)
        return 0;
    fprintf(stderr, "usage: %s [NAME SET [REPEATS [SECONDS]]]; alone it lists the names\n", argv[0]);
    return 2;
}

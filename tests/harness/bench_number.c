// bench_number -- how fast numbers are printed, ours against cJSON's printer, on the same doubles, and how many of them
// come back with all their bits. One line a set: "set printer million/s wrong-bits", then the ratio; exit 1 where one
// of ours does not.
//
//   usage: bench_number [COUNT]      numbers of each set (default 1000000)
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "cd_random.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TEXT_MAX = 64, COUNT_USUAL = 1000000, COUNT_MOST = 10000000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double print_ours(int count, const double *number, char (*text)[TEXT_MAX])
{
    double start = now();
    for (int i = 0; i < count; i++)
        text[i][cd_number_print(number[i], text[i])] = '\0';
    return count / (now() - start) * 1e-6;
}

static double print_cjson(int count, const double *number, char (*text)[TEXT_MAX])
{
    double start = now();
    cJSON item = {.type = cJSON_Number};
    for (int i = 0; i < count; i++) {
        item.valuedouble = number[i];
        item.valueint = fabs(number[i]) < INT32_MAX ? (int)number[i] : INT32_MAX;
        if (!cJSON_PrintPreallocated(&item, text[i], TEXT_MAX, 0))
            exit(1);
    }
    return count / (now() - start) * 1e-6;
}

static int wrong_bits(int count, const double *number, char (*text)[TEXT_MAX])
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        double back = strtod(text[i], NULL);
        wrong += memcmp(&back, &number[i], sizeof back) != 0;
    }
    return wrong;
}

static int compare(const char *set, int count, const double *number, char (*text)[TEXT_MAX])
{
    double ours = print_ours(count, number, text);
    int ours_wrong = wrong_bits(count, number, text);
    double theirs = print_cjson(count, number, text);
    printf("%-10s cdtools %8.2f M/s %8d wrong\n", set, ours, ours_wrong);
    printf("%-10s cJSON   %8.2f M/s %8d wrong\n", set, theirs, wrong_bits(count, number, text));
    printf("%-10s ratio   %8.2f\n", set, ours / theirs);
    return ours_wrong;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : COUNT_USUAL;
    if (argc > 2 || count < 1 || count > COUNT_MOST) {
        fprintf(stderr, "usage: bench_number [COUNT]: 1 to %d numbers\n", COUNT_MOST);
        return 2;
    }
    double *number = cd_alloc((size_t)count * sizeof *number);
    char(*text)[TEXT_MAX] = cd_alloc((size_t)count * TEXT_MAX);
    memset(text, 0, (size_t)count * TEXT_MAX);  // page faults are not part of the comparison
    cd_random random = {1};
    for (int i = 0; i < count; i++) {
        do {
            uint64_t bits = cd_random_bits(&random);
            memcpy(&number[i], &bits, sizeof bits);
        } while (!isfinite(number[i]));
    }
    int wrong = compare("all-bits", count, number, text);
    for (int i = 0; i < count; i++)
        number[i] = cd_random_between(&random, -5, 5);
    wrong += compare("plus-minus-5", count, number, text);
    for (int i = 0; i < count; i++)
        number[i] = (double)(cd_random_bits(&random) % 100000) / 1000;
    wrong += compare("thousandths", count, number, text);
    cd_free(number);
    cd_free(text);
    return wrong ? 1 : 0;
}

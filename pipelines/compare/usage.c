// usage FILE COMMAND: runs the shell command and writes to FILE one line: its exit status, CPU time and wall time [s],
// and the peak memory of its largest process [KiB]. A process of its own, because a program starts with the peak of the
// one that started it.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: usage FILE COMMAND\n");
        return 2;
    }
    struct timespec begun, ended;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", argv[2], (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror("usage: cannot run");
        return 4;
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    FILE *file = fopen(argv[1], "w");
    double wall = (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec);
    if (!file ||
        fprintf(file, "%d %.6f %.6f %ld\n", code, seconds(used.ru_utime) + seconds(used.ru_stime), wall,
                used.ru_maxrss) < 0 ||
        fclose(file)) {
        perror("usage: cannot write");
        return 4;
    }
    return 0;
}

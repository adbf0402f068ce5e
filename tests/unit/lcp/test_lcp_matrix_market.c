// Matrix Market files: what is read, what is refused and with which sentence, and the way back.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "matrix_market.h"

#include <stdlib.h>
#include <unistd.h>

static cd_arena arena;
static char path[] = "/tmp/cd-test-mm-XXXXXX";

static void put_bytes(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    CD_CHECK(file && fwrite(text, 1, size, file) == size);
    if (file)
        fclose(file);
}

static void put(const char *text) { put_bytes(text, strlen(text)); }

static void check_matrix(const char *text, int n, const double *expected)
{
    cd_diag diag = {{0}};
    cd_mm_matrix m = {0};
    double dense[16] = {0};
    put(text);
    CD_CHECK(cd_mm_read_matrix(path, &arena, &m, &diag) == CD_OK);
    CD_CHECK_TEXT(diag.text, "");
    CD_CHECK(m.rows == n && m.columns == n);
    for (int32_t k = 0; k < m.entry_count; k++)
        dense[m.row[k] * n + m.col[k]] += m.value[k];
    for (int i = 0; i < n * n; i++)
        CD_CHECK(dense[i] == expected[i]);
}

CD_TEST(every_form_of_a_matrix)
{
    const double general[4] = {1.5, -2, 0, 3e-3}, symmetric[4] = {1, 4, 4, 0}, skew[4] = {0, -7, 7, 0};
    check_matrix(
        "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 2 3\n1 1 1.5\n1 2 -2\n% another\n2 2 3e-3\n",
        2, general);
    check_matrix(
        "%%matrixmarket MATRIX Coordinate Real General\r\n2 2 4\r\n2 2 1e-3\r\n2 2 2e-3\r\n1 1 +1.5\r\n1 2 -2.0\r\n", 2,
        general);
    // columns; no last newline
    check_matrix("%%MatrixMarket matrix array real general\n2 2\n1.5\n0\n-2\n.003", 2, general);
    check_matrix("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 1\n2 1 4\n", 2, symmetric);
    check_matrix("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n4\n0\n", 2, symmetric);
    check_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n", 2, skew);
    check_matrix("%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n", 2, skew);
    check_matrix("%%MatrixMarket matrix coordinate real general\n0 0 0\n", 0, general);
    const double three[9] = {1, 2, 4, 2, 3, 5, 4, 5, 6};
    check_matrix("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n4\n3\n5\n6\n", 3, three);
    const double three_skew[9] = {0, -1, -2, 1, 0, -3, 2, 3, 0};
    check_matrix("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, three_skew);
    cd_arena_reset(&arena);
}

static const struct {
    const char *text, *sentence;
    cd_status status;
} refused[] = {
    {"", "1: the file is empty", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real\n", "1: the first line must be", CD_ERR_FORMAT},
    {"%MatrixMarket matrix array real general\n", "1: the first line must be", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix sparse real general\n", "1: format is neither", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array complex general\n", "1: field is neither", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate pattern general\n", "1: field is neither", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real hermitian\n", "1: symmetry is none", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n% only comments\n", "3: the size line is missing", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n2 2 4\n", "2: the size line must be: ROWS COLUMNS", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2\n", "2: the size line must be: ROWS COLUMNS ENTRIES",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n-2 2 1\n", "2: the number of rows is not a whole number",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2.0 1\n", "2: the number of columns is not a whole number",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 99999999999 1\n", "the most is 1000000", CD_ERR_LIMIT},
    {"%%MatrixMarket matrix coordinate real general\n2 99999999999999999999999 1\n", "not a whole number",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1000000 1000000\n", "the most is 200000000", CD_ERR_LIMIT},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "must be square", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "3: entry (3, 1) lies outside 2 x 2",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "3: the row is 0, the least is 1", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "not in the lower triangle", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "not in the lower triangle",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "3: an entry line must be: ROW COLUMN VALUE",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1 1\n", "3: an entry line must be", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\n1 1\n", "3: an entry line must be: VALUE", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "2 entries announced, 1 found", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", "4: more than the announced 1",
     CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\nnan\n", "3: not a number: nan", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\ninf\n", "3: not a number: inf", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\n0x10\n", "3: not a number: 0x10", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\n1e999\n", "3: too large", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array real general\n1 1\n1,5\n", "3: not a number: 1,5", CD_ERR_FORMAT},
    {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", "3: not a whole number: 1.5", CD_ERR_FORMAT},
};

CD_TEST(refused_matrices)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        cd_diag diag = {{0}};
        cd_mm_matrix m;
        put(refused[k].text);
        CD_CHECK(cd_mm_read_matrix(path, &arena, &m, &diag) == refused[k].status);
        bool says_so = strstr(diag.text, refused[k].sentence) && strncmp(diag.text, path, strlen(path)) == 0;
        if (!says_so)
            printf("# case %zu says \"%s\"\n", k, diag.text);
        CD_CHECK(says_so);
    }
    cd_diag diag;
    cd_mm_matrix m;
    CD_CHECK(cd_mm_read_matrix("/nonexistent/m.mtx", &arena, &m, &diag) == CD_ERR_IO);
    const char nul[] = "%%MatrixMarket matrix array real general\n1 1\n1\0\n";
    put_bytes(nul, sizeof nul - 1);
    CD_CHECK(cd_mm_read_matrix(path, &arena, &m, &diag) == CD_ERR_FORMAT);
    char *longest = malloc(10000);
    memset(longest, 'x', 9999);
    longest[9999] = '\0';
    put(longest);
    CD_CHECK(cd_mm_read_matrix(path, &arena, &m, &diag) == CD_ERR_LIMIT);
    free(longest);
    cd_arena_reset(&arena);
}

CD_TEST(vectors)
{
    cd_diag diag = {{0}};
    double *x;
    put("%%MatrixMarket matrix array real general\n3 1\n-inf\n1\n+INF\n");
    CD_CHECK(cd_mm_read_vector(path, 3, true, &arena, &x, &diag) == CD_OK);
    CD_CHECK(x[0] == -INFINITY && x[1] == 1 && x[2] == INFINITY);
    CD_CHECK(cd_mm_read_vector(path, 3, false, &arena, &x, &diag) == CD_ERR_FORMAT);
    CD_CHECK(cd_mm_read_vector(path, 4, true, &arena, &x, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, "3 numbers, the matrix has 4 rows") != NULL);
    put("%%MatrixMarket matrix coordinate real general\n1 3 1\n1 3 2.5\n");
    CD_CHECK(cd_mm_read_vector(path, 3, false, &arena, &x, &diag) == CD_OK && x[0] == 0 && x[2] == 2.5);
    put("%%MatrixMarket matrix array real general\n1 1\n4\n");
    CD_CHECK(cd_mm_read_vector(path, 1, false, &arena, &x, &diag) == CD_OK && x[0] == 4);
    put("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
    CD_CHECK(cd_mm_read_vector(path, 2, false, &arena, &x, &diag) == CD_ERR_FORMAT);
    put("%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 inf\n1 1 -inf\n");
    CD_CHECK(cd_mm_read_vector(path, 2, true, &arena, &x, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, ":4: repeated entries of row 1 add up to inf - inf") != NULL);
    put("%%MatrixMarket matrix coordinate real general\n2 1 2\n2 1 1e308\n2 1 1e308\n");
    CD_CHECK(cd_mm_read_vector(path, 2, false, &arena, &x, &diag) == CD_ERR_FORMAT);
    CD_CHECK(strstr(diag.text, ":4: repeated entries of row 2 add up to no finite double") != NULL);
    cd_arena_reset(&arena);
}

CD_TEST(lines_of_entries)
{
    cd_diag diag = {{0}};
    cd_mm_matrix m;
    cd_mm_source source;
    double *x;
    int32_t length;
    put("%%MatrixMarket matrix coordinate real symmetric\n\n% a comment\n3 3 3\n1 1 1\n% another\n3 1 2\n\n3 3 4\n");
    CD_CHECK(cd_mm_read_matrix(path, &arena, &m, &diag) == CD_OK && m.entry_count == 4);
    const int32_t lines[] = {5, 7, 7, 9};
    CD_CHECK(m.source.size_line == 4 && !memcmp(m.source.line, lines, sizeof lines));
    CD_CHECK_TEXT(m.source.name, path);
    put("%%MatrixMarket matrix coordinate real general\n3 1 3\n3 1 1\n1 1 2\n% another\n3 1 2\n");
    CD_CHECK(cd_mm_read_any_vector(path, &arena, &x, &length, &source, &diag) == CD_OK && length == 3 && x[2] == 3);
    const int32_t last[] = {4, 0, 6};
    CD_CHECK(source.size_line == 2 && !memcmp(source.line, last, sizeof last));
    put("%%MatrixMarket matrix array real general\n1 3\n0\n7\n0\n");  // zeros of an array are left out
    CD_CHECK(cd_mm_read_any_vector(path, &arena, &x, &length, &source, &diag) == CD_OK && length == 3 && x[1] == 7);
    const int32_t middle[] = {0, 4, 0};
    CD_CHECK(source.size_line == 2 && !memcmp(source.line, middle, sizeof middle));
    put("%%MatrixMarket matrix array real general\n1 1\ninf\n");
    CD_CHECK(cd_mm_read_any_vector(path, &arena, &x, &length, &source, &diag) == CD_ERR_FORMAT);
    cd_arena_reset(&arena);
}

CD_TEST(writing_keeps_every_bit)
{
    double x[1000], *back;
    cd_random random = {41};
    cd_buffer text = {0};
    cd_diag diag;
    for (int i = 0; i < 1000; i++)
        x[i] = ldexp(cd_random_between(&random, -1, 1), (int)cd_random_between(&random, -300, 300));
    x[0] = 0;
    x[1] = 0x1p-1074;
    cd_mm_write_vector(&text, 1000, x);
    put_bytes(text.data, text.size);
    CD_CHECK(cd_mm_read_vector(path, 1000, false, &arena, &back, &diag) == CD_OK);
    CD_CHECK(memcmp(x, back, sizeof x) == 0);
    cd_buffer_release(&text);
    cd_arena_reset(&arena);
}

int main(void)
{
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return 2;
    close(descriptor);
    CD_RUN(every_form_of_a_matrix);
    CD_RUN(refused_matrices);
    CD_RUN(vectors);
    CD_RUN(lines_of_entries);
    CD_RUN(writing_keeps_every_bit);
    unlink(path);
    cd_arena_release(&arena);
    return cd_test_done();
}

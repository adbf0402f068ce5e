// SPDX-License-Identifier: MIT
#include "coulomb_fclib.h"

#include <dlfcn.h>
#include <math.h>

// What is used of libhdf5, under its names. Types as in its 1.10 and later: ids are 64 bits, statuses negative on
// failure.
typedef int64_t hid;
typedef struct hdf5 {
    int (*H5open)(void);
    int (*H5get_libversion)(unsigned *major, unsigned *minor, unsigned *release);
    int (*H5Eset_auto2)(hid stack, void *function, void *data);
    hid (*H5Fopen)(const char *path, unsigned flags, hid access);
    int (*H5Fclose)(hid file);
    int (*H5Lexists)(hid place, const char *name, hid access);
    hid (*H5Dopen2)(hid place, const char *name, hid access);
    int (*H5Dclose)(hid set);
    hid (*H5Dget_space)(hid set);
    int64_t (*H5Sget_simple_extent_npoints)(hid space);
    int (*H5Sclose)(hid space);
    int (*H5Dread)(hid set, hid type, hid memory, hid space, hid transfer, void *out);
    const hid *H5T_NATIVE_INT_g, *H5T_NATIVE_DOUBLE_g;
} hdf5;

static const char *const names[] = {"libhdf5.so.103", "libhdf5_serial.so.103", "libhdf5.so", "libhdf5_serial.so",
                                    "libhdf5.so.200", "libhdf5.so.310",        NULL};

// memcpy, for a pointer to an object is not one to a function.
static bool find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static cd_status load(const char *path, hdf5 *h, cd_diag *diag)
{
    void *library = NULL;
    for (int k = 0; names[k] && !library; k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: an HDF5 file, and libhdf5 is not installed", path);
    bool is_whole = true;
#define FIND(name) is_whole = find(library, #name, &h->name) && is_whole
    FIND(H5open);
    FIND(H5get_libversion);
    FIND(H5Eset_auto2);
    FIND(H5Fopen);
    FIND(H5Fclose);
    FIND(H5Lexists);
    FIND(H5Dopen2);
    FIND(H5Dclose);
    FIND(H5Dget_space);
    FIND(H5Sget_simple_extent_npoints);
    FIND(H5Sclose);
    FIND(H5Dread);
    FIND(H5T_NATIVE_INT_g);
    FIND(H5T_NATIVE_DOUBLE_g);
#undef FIND
    unsigned version[3] = {0};
    if (!is_whole || h->H5open() < 0 || h->H5get_libversion(&version[0], &version[1], &version[2]) < 0 ||
        version[0] < 1 || (version[0] == 1 && version[1] < 10))
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: an HDF5 file, and libhdf5 is older than 1.10", path);
    h->H5Eset_auto2(0, NULL, NULL);  // what it prints of its own is no sentence of ours
    return CD_OK;
}

typedef struct reader {
    const hdf5 *h;
    hid file;
    const char *path, *group;  // "fclib_local"
    cd_arena *arena;
    cd_diag *diag;
} reader;

static bool exists(const reader *r, const char *name)
{
    // A path is asked for link by link: a missing one in the middle is an error of the library.
    const char *slash = strchr(name, '/');
    if (slash &&
        r->h->H5Lexists(r->file, cd_arena_printf(r->arena, "%s/%.*s", r->group, (int)(slash - name), name), 0) <= 0)
        return false;
    return r->h->H5Lexists(r->file, cd_arena_printf(r->arena, "%s/%s", r->group, name), 0) > 0;
}

static cd_status fail(const reader *r, const char *name, const char *reason)
{
    return cd_fail(r->diag, CD_ERR_FORMAT, "%s: %s/%s: %s", r->path, r->group, name, reason);
}

// The numbers of a dataset, as ints or doubles: from least to most of them.
static cd_status read_numbers(const reader *r, const char *name, bool as_int, int64_t least, int64_t most, void **out)
{
    const hdf5 *h = r->h;
    if (!exists(r, name))
        return fail(r, name, "missing");
    const hid set = h->H5Dopen2(r->file, cd_arena_printf(r->arena, "%s/%s", r->group, name), 0);
    if (set < 0)
        return fail(r, name, "not a dataset");
    const hid space = h->H5Dget_space(set);
    const int64_t count = space < 0 ? -1 : h->H5Sget_simple_extent_npoints(space);
    cd_status status = CD_OK;
    if (count < least || count > most) {
        status = cd_fail(r->diag, CD_ERR_FORMAT, "%s: %s/%s: %lld numbers, not %lld", r->path, r->group, name,
                         (long long)count, (long long)least);
    } else {
        *out = cd_arena_zalloc(r->arena, (size_t)count * (as_int ? sizeof(int) : sizeof(double)));
        if (h->H5Dread(set, as_int ? *h->H5T_NATIVE_INT_g : *h->H5T_NATIVE_DOUBLE_g, 0, 0, 0, *out) < 0)
            status = fail(r, name, "cannot be read as numbers");
    }
    if (space >= 0)
        h->H5Sclose(space);
    h->H5Dclose(set);
    return status;
}

// Of a matrix: at least so many, for what is allocated for it (nzmax) may be stored.
static cd_status read_set(const reader *r, const char *name, bool as_int, int64_t least, void **out)
{
    return read_numbers(r, name, as_int, least, CD_MM_ENTRIES_MOST, out);
}

// One for each row or contact, no more: a longer one is of another problem.
static cd_status read_vector(const reader *r, const char *name, int64_t count, double **out)
{
    return read_numbers(r, name, false, count, count, (void **)out);
}

static cd_status read_int(const reader *r, const char *name, int64_t least, int64_t most, int32_t *out)
{
    int *value;
    CD_TRY(read_set(r, name, true, 1, (void **)&value));
    if (value[0] < least || value[0] > most)
        return cd_fail(r->diag, CD_ERR_FORMAT, "%s: %s/%s: %d, not from %lld to %lld", r->path, r->group, name,
                       value[0], (long long)least, (long long)most);
    *out = value[0];
    return CD_OK;
}

static bool all_below(const int *x, int32_t count, int32_t most)
{
    for (int32_t k = 0; k < count; k++) {
        if (x[k] < 0 || x[k] >= most)
            return false;
    }
    return true;
}

// p of a compressed matrix: ascending from 0.
static bool is_ascending(const int *p, int32_t lines)
{
    bool ok = p[0] == 0 && p[lines] <= CD_MM_ENTRIES_MOST;
    for (int32_t k = 0; k < lines; k++)
        ok = ok && p[k] <= p[k + 1];
    return ok;
}

static cd_status read_matrix(const reader *r, const char *name, cd_mm_matrix *out)
{
    enum { COLUMNS = -1, ROWS = -2 };
    int32_t nz;
#define PART(part) cd_arena_printf(r->arena, "%s/" part, name)
    CD_TRY(read_int(r, PART("m"), 0, CD_MM_ROWS_MOST, &out->rows));
    CD_TRY(read_int(r, PART("n"), 0, CD_MM_ROWS_MOST, &out->columns));
    CD_TRY(read_int(r, PART("nz"), ROWS, CD_MM_ENTRIES_MOST, &nz));
    const int32_t lines = nz == COLUMNS ? out->columns : out->rows, other = nz == COLUMNS ? out->rows : out->columns;
    int *p, *i;
    CD_TRY(read_set(r, PART("p"), true, nz >= 0 ? nz : (int64_t)lines + 1, (void **)&p));
    if (nz < 0 && !is_ascending(p, lines))
        return fail(r, PART("p"), "does not ascend from 0");
    out->entry_count = nz >= 0 ? nz : p[lines];
    CD_TRY(read_set(r, PART("i"), true, out->entry_count, (void **)&i));
    CD_TRY(read_set(r, PART("x"), false, out->entry_count, (void **)&out->value));
    if (nz >= 0) {
        const bool is_usual = all_below(i, nz, out->rows) && all_below(p, nz, out->columns);
        out->row = is_usual ? i : p;
        out->col = is_usual ? p : i;
        if (!all_below(out->row, nz, out->rows) || !all_below(out->col, nz, out->columns))
            return fail(r, PART("i"), "an entry lies outside the matrix");
        return CD_OK;
    }
    if (!all_below(i, out->entry_count, other))
        return fail(r, PART("i"), "an entry lies outside the matrix");
#undef PART
    int32_t *line = CD_ARENA_ARRAY(r->arena, int32_t, out->entry_count);
    for (int32_t k = 0; k < lines; k++) {
        for (int32_t e = p[k]; e < p[k + 1]; e++)
            line[e] = k;
    }
    out->row = nz == COLUMNS ? i : line;
    out->col = nz == COLUMNS ? line : i;
    return CD_OK;
}

// A square matrix with entries on one side of the diagonal alone is the half of a symmetric one: M and W are symmetric.
static void add_other_half(const reader *r, cd_mm_matrix *a)
{
    const int32_t count = a->entry_count;
    int32_t above = 0, below = 0;
    for (int32_t k = 0; k < count; k++) {
        above += a->row[k] < a->col[k] && a->value[k] != 0;
        below += a->row[k] > a->col[k] && a->value[k] != 0;
    }
    if ((above > 0) == (below > 0))
        return;
    int32_t *row = CD_ARENA_ARRAY(r->arena, int32_t, 2 * (size_t)count),
            *col = CD_ARENA_ARRAY(r->arena, int32_t, 2 * (size_t)count);
    double *value = CD_ARENA_ARRAY(r->arena, double, 2 * (size_t)count);
    int32_t total = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int side = 0; side < (a->row[k] == a->col[k] ? 1 : 2); side++) {
            row[total] = side == 0 ? a->row[k] : a->col[k];
            col[total] = side == 0 ? a->col[k] : a->row[k];
            value[total++] = a->value[k];
        }
    }
    *a = cd_mm_entries(a->rows, a->columns, total, row, col, value);
}

// Unknowns beside the contacts: none are fine, as a group without columns too.
static cd_status refuse_more(const reader *r, const char *name, const char *what)
{
    int32_t columns = 0;
    if (exists(r, name))
        CD_TRY(read_int(r, cd_arena_printf(r->arena, "%s/n", name), 0, INT32_MAX, &columns));
    return columns == 0
               ? CD_OK
               : cd_fail(r->diag, CD_ERR_UNSUPPORTED, "%s: %s/%s: %s are not supported", r->path, r->group, name, what);
}

static cd_status read_problem(reader *r, cd_coulomb *out)
{
    out->is_reduced = r->h->H5Lexists(r->file, "fclib_local", 0) > 0;
    const bool is_rolling = r->h->H5Lexists(r->file, "fclib_local_rolling", 0) > 0 ||
                            r->h->H5Lexists(r->file, "fclib_global_rolling", 0) > 0;
    if (is_rolling)
        return cd_fail(r->diag, CD_ERR_UNSUPPORTED, "%s: rolling friction is not supported", r->path);
    if (!out->is_reduced && r->h->H5Lexists(r->file, "fclib_global", 0) <= 0)
        return cd_fail(r->diag, CD_ERR_FORMAT, "%s: neither fclib_local nor fclib_global: not a problem of FCLIB",
                       r->path);
    r->group = out->is_reduced ? "fclib_local" : "fclib_global";
    CD_TRY(read_int(r, "spacedim", 2, 3, &out->dimension));
    CD_TRY(out->is_reduced ? refuse_more(r, "V", "unknowns beside the contacts")
                           : refuse_more(r, "G", "equality constraints"));
    CD_TRY(read_matrix(r, out->is_reduced ? "W" : "M", &out->matrix));
    add_other_half(r, &out->matrix);
    int32_t rows = out->matrix.rows;
    if (!out->is_reduced) {
        cd_mm_matrix H;
        CD_TRY(read_matrix(r, "H", &H));
        out->jacobian = cd_mm_entries(H.columns, H.rows, H.entry_count, H.col, H.row, H.value);
        rows = H.columns;
        CD_TRY(read_vector(r, "vectors/f", out->matrix.rows, &out->force));
    }
    out->contacts = rows / out->dimension;
    if (rows % out->dimension != 0)
        return fail(r, "spacedim", "the rows are no whole number of contacts");
    CD_TRY(read_vector(r, out->is_reduced ? "vectors/q" : "vectors/w", rows, &out->rhs));
    return read_vector(r, "vectors/mu", out->contacts, &out->mu);
}

bool cd_coulomb_is_hdf5(const char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0;
}

cd_status cd_coulomb_read_fclib(const char *path, cd_arena *arena, cd_coulomb *out, cd_diag *diag)
{
    hdf5 h;
    *out = (cd_coulomb){.name = path};
    CD_TRY(load(path, &h, diag));
    const hid file = h.H5Fopen(path, 0, 0);
    if (file < 0)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: libhdf5 cannot open it: damaged, or cut", path);
    reader r = {.h = &h, .file = file, .path = path, .arena = arena, .diag = diag};
    cd_status status = read_problem(&r, out);
    h.H5Fclose(file);
    return status;
}

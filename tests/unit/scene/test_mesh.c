// Mesh files: the same cube from every format and encoding; what each may hold beside it; and refusals with their
// place: cut files, counts that announce too much, numbers that are none. Cut at every byte, no file may be taken for a
// whole one.
// SPDX-License-Identifier: MIT
#include "cd_mesh.h"

#include "cd_polyhedron_check.h"
#include "cd_test.h"

static cd_arena arena;
static cd_diag diag;

static cd_status parse(const char *format, const char *bytes, size_t size, cd_mesh *mesh)
{
    char name[16];
    snprintf(name, sizeof name, "a.%s", format);
    diag.text[0] = '\0';
    // A copy of its own size, so that sanitizers see a read behind the end.
    char *copy = cd_alloc(size);
    memcpy(copy, bytes, size);
    cd_status status =
        cd_mesh_parse(&arena, cd_mesh_importer_of(name), (cd_mesh_text){name, copy, size}, 1000, mesh, &diag);
    cd_free(copy);
    return status;
}

static cd_mesh good(const char *format, const char *text)
{
    cd_mesh mesh = {0};
    cd_status status = parse(format, text, strlen(text), &mesh);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    CD_CHECK(status == CD_OK);
    return mesh;
}

static const char *refusal(const char *format, const char *text)
{
    cd_mesh mesh;
    CD_CHECK(parse(format, text, strlen(text), &mesh) == CD_ERR_FORMAT);
    return diag.text;
}

static cd_polyhedron polyhedron_of(const cd_mesh *mesh)
{
    return (cd_polyhedron){mesh->vertex_count, mesh->face_count, mesh->vertex, mesh->face_first, mesh->face_vertex};
}

static bool is_closed_convex(const cd_mesh *mesh)
{
    cd_status status = cd_polyhedron_check_convex(polyhedron_of(mesh), 1e-6, &arena, &diag);
    if (status != CD_OK)
        printf("# %s\n", diag.text);
    return status == CD_OK;
}

static const char cube_off[] = "OFF\n# a cube\n8 6 12\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n"
                               "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5 255 0 0\n";
static const char cube_obj[] =
    "# a cube\no box\nv 0 0 0\nv 1 0 0\nv 0 1 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
    "vt 0 0\nvn 0 0 1\nusemtl x\ns off\nf 1 3 4 2\nf 5/1 6/1 8/1 7/1\nf 1//1 2//1 6//1 5//1\nf 3/1/1 7/1/1 8/1/1 \\\n "
    "4/1/1\n"
    "f 1 5 7 3\r\nf -7 -5 -1 -3\n";
static const char cube_ply[] =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 8\nproperty uchar red\nproperty float x\n"
    "property double y\nproperty float z\nelement face 6\nproperty list uchar int vertex_indices\nproperty float w\n"
    "element edge 1\nproperty int a\nend_header\n9 0 0 0\n9 1 0 0\n9 0 1 0\n9 1 1 0\n9 0 0 1\n9 1 0 1\n9 0 1 1\n9 1 1 "
    "1\n"
    "4 0 2 3 1 0.5\n4 4 5 7 6 0.5\n4 0 1 5 4 0.5\n4 2 6 7 3 0.5\n4 0 4 6 2 0.5\n4 1 3 7 5 0.5\n7\n";

static const int cube_face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void put_bytes(cd_buffer *out, const void *value, int size, bool big)
{
    char bytes[8];
    memcpy(bytes, value, (size_t)size);
    for (int i = 0; i < size; i++)  // the tests run on little-endian machines
        cd_buffer_append(out, &bytes[big ? size - 1 - i : i], 1);
}

static void put_float(cd_buffer *out, float value, bool big) { put_bytes(out, &value, 4, big); }
static void put_int(cd_buffer *out, uint32_t value, bool big) { put_bytes(out, &value, 4, big); }

static cd_buffer binary_stl(const char *header)
{
    cd_buffer out = {0};
    char head[80] = {0};
    strncpy(head, header, sizeof head - 1);
    cd_buffer_append(&out, head, sizeof head);
    put_int(&out, 12, false);
    for (int t = 0; t < 12; t++) {
        const int *f = cube_face[t / 2];
        const int corner[3] = {f[0], f[t % 2 ? 2 : 1], f[t % 2 ? 3 : 2]};
        for (int k = 0; k < 3; k++)
            put_float(&out, 0, false);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                put_float(&out,
                          (float)(corner[c] >> k & 1) * (t % 2 ? 1.0f : -0.0f) +
                              (float)(corner[c] >> k & 1) * (t % 2 ? 0.0f : 1.0f),
                          false);
        cd_buffer_append(&out, "xy", 2);
    }
    return out;
}

static cd_buffer text_stl(void)
{
    cd_buffer out = {0};
    cd_buffer_text(&out, "solid a cube\n");
    for (int t = 0; t < 12; t++) {
        const int *f = cube_face[t / 2];
        const int corner[3] = {f[0], f[t % 2 ? 2 : 1], f[t % 2 ? 3 : 2]};
        cd_buffer_text(&out, "  facet normal 0 0 0\n    outer loop\n");
        for (int c = 0; c < 3; c++)
            cd_buffer_printf(&out, "      vertex %d %d.0e0 %s\n", corner[c] & 1, corner[c] >> 1 & 1,
                             corner[c] >> 2 ? "1" : "-0.0");
        cd_buffer_text(&out, "    endloop\n  endfacet\n");
    }
    cd_buffer_text(&out, "endsolid a cube\n");
    return out;
}

static cd_buffer binary_ply(bool big)
{
    cd_buffer out = {0};
    cd_buffer_printf(
        &out,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty double z\n"
        "property list ushort short q\nelement face 6\nproperty uint8 flag\nproperty list uint8 uint32 "
        "vertex_index\nend_header\n",
        big ? "big" : "little");
    for (int i = 0; i < 8; i++) {
        double z = i >> 2;
        uint16_t two = 2, q = 0xfff0;
        put_float(&out, (float)(i & 1), big);
        put_float(&out, (float)(i >> 1 & 1), big);
        put_bytes(&out, &z, 8, big);
        put_bytes(&out, &two, 2, big);
        put_bytes(&out, &q, 2, big);
        put_bytes(&out, &q, 2, big);
    }
    for (int f = 0; f < 6; f++) {
        cd_buffer_append(&out, "\1\4", 2);
        for (int k = 0; k < 4; k++)
            put_int(&out, (uint32_t)cube_face[f][k], big);
    }
    return out;
}

CD_TEST(the_same_cube_from_every_format)
{
    static const char *const format[] = {"off", "OBJ", "ply"}, *const triangles = "stl";
    static const char *const text[] = {cube_off, cube_obj, cube_ply};
    for (int i = 0; cd_mesh_importers[i]; i++) {  // a new importer needs its cube
        bool is_tested = strcmp(cd_mesh_importers[i]->name, triangles) == 0;
        for (int k = 0; k < 3; k++)
            is_tested = is_tested || strcasecmp(cd_mesh_importers[i]->name, format[k]) == 0;
        CD_CHECK(is_tested);
    }
    for (int i = 0; i < 3; i++) {
        cd_mesh m = good(format[i], text[i]);
        CD_CHECK(m.vertex_count == 8 && m.face_count == 6 && m.face_first[6] == 24 && is_closed_convex(&m));
        for (int v = 0; v < 8; v++)
            CD_CHECK(m.vertex[v].x == (v & 1) && m.vertex[v].y == (v >> 1 & 1) && m.vertex[v].z == (v >> 2 & 1));
        for (int k = 0; k < 24; k++)
            CD_CHECK(m.face_vertex[k] == cube_face[k / 4][k % 4]);
    }
    for (int big = 0; big < 2; big++) {
        cd_buffer bytes = binary_ply(big);
        cd_mesh m;
        CD_CHECK(parse("ply", bytes.data, bytes.size, &m) == CD_OK && m.vertex_count == 8 && m.face_count == 6 &&
                 is_closed_convex(&m));
        cd_buffer_release(&bytes);
    }
    cd_buffer stl[] = {binary_stl("made by a test"), binary_stl("solid, and yet binary"), text_stl()};
    for (int i = 0; i < 3; i++) {
        cd_mesh m;
        CD_CHECK(parse(triangles, stl[i].data, stl[i].size, &m) == CD_OK && m.vertex_count == 8 && m.face_count == 12 &&
                 is_closed_convex(&m));
        cd_buffer_release(&stl[i]);
    }
    cd_arena_reset(&arena);
}

// What remains after a cut is refused, but for line ends and the last numbers of text, which may be cut to shorter
// numbers.
static int accepted_cuts(const char *format, const char *bytes, size_t size, size_t text_end)
{
    int accepted = 0;
    cd_mesh m;
    for (size_t cut = 0; cut < size - text_end; cut++) {
        cd_status status = parse(format, bytes, cut, &m);
        accepted += status == CD_OK;
        CD_CHECK(status == CD_OK || (status == CD_ERR_FORMAT && diag.text[0]));
    }
    cd_arena_reset(&arena);
    return accepted;
}

CD_TEST(cut_files_are_refused)
{
    cd_buffer b[] = {binary_stl("x"), text_stl(), binary_ply(false), binary_ply(true)};
    CD_CHECK(accepted_cuts("off", cube_off, strlen(cube_off), 22) == 0);
    CD_CHECK(accepted_cuts("ply", cube_ply, strlen(cube_ply), 2) == 0);
    CD_CHECK(accepted_cuts("stl", b[0].data, b[0].size, 0) == 0);
    CD_CHECK(accepted_cuts("stl", b[1].data, b[1].size, 8) == 0);
    CD_CHECK(accepted_cuts("ply", b[2].data, b[2].size, 0) == 0);
    CD_CHECK(accepted_cuts("ply", b[3].data, b[3].size, 0) == 0);
    for (int i = 0; i < 4; i++)
        cd_buffer_release(&b[i]);
}

CD_TEST(faults_have_their_place)
{
    CD_CHECK_TEXT(refusal("off", "COFF\n"), "a.off:1: does not begin with OFF");
    CD_CHECK_TEXT(refusal("off", "OFF 4 x 0\n"), "a.off:1: number of faces: \"x\" is not a whole number");
    CD_CHECK_TEXT(refusal("off", "OFF\n4 4 0\n0 0 nan\n"), "a.off:3: vertex: \"nan\" is not a finite decimal number");
    CD_CHECK_TEXT(refusal("off", "OFF\n4 4 0\n0 0 0x1\n"), "a.off:3: vertex: \"0x1\" is not a finite decimal number");
    CD_CHECK_TEXT(refusal("off", "OFF\n4 4 0\n0 0 1e999\n"),
                  "a.off:3: vertex: \"1e999\" is not a finite decimal number");
    CD_CHECK_TEXT(refusal("off", "OFF\n4 4 0\n0 0 0 1\n"), "a.off:3: \"1\" is too much on this line");
    CD_CHECK_TEXT(refusal("off", "OFF\n9000000000000000000 4 0\n0 0 0\n"),
                  "a.off:4: ends after 1 of 9000000000000000000 vertices");
    CD_CHECK_TEXT(refusal("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
                  "a.off: face 0 names vertex 3, counted from 0; there are 3");
    CD_CHECK_TEXT(refusal("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n"),
                  "a.off:6: face: has 2 corners, fewer than 3");
    CD_CHECK_TEXT(refusal("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n"),
                  "a.off:7: more lines than vertices and faces");
    CD_CHECK_TEXT(refusal("obj", "v 0 0\n"), "a.obj:1: v: needs 3 numbers, has 2");
    CD_CHECK_TEXT(refusal("obj", "v 0 0 0\nf 1 2\n"), "a.obj:2: face: has 2 corners, fewer than 3");
    CD_CHECK_TEXT(refusal("obj", "v 0 0 0\n\n# x\nf 1 -2 1\n"), "a.obj:4: f: there is no vertex -2");
    CD_CHECK_TEXT(refusal("obj", "v 0 0 0\nf 1 0 1\n"), "a.obj:2: f: \"0\" is not a vertex number, from 1");
    CD_CHECK_TEXT(refusal("obj", "v 0 0 0\nf 1/a 2 1\n"), "a.obj:2: f: \"1\" is not a vertex number, from 1");
    CD_CHECK_TEXT(refusal("obj", "v 0 0 0 2\n"), "a.obj:1: v: weights other than 1 are not understood");
    CD_CHECK_TEXT(refusal("obj", "curv 1 2\n"), "a.obj:1: \"curv\" is not understood");
    CD_CHECK_TEXT(refusal("stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"),
                  "a.stl:4: vertex: needs 3 numbers, has 2");
    CD_CHECK_TEXT(refusal("stl", "solid x\nendsolid\n"), "a.stl:3: has no triangles");
    CD_CHECK_TEXT(refusal("stl", "stone\n"), "a.stl: byte 6: ends within its header of 84 bytes");
    CD_CHECK_TEXT(refusal("ply", "ply\nformat ascii 2.0\n"), "a.ply:2: format: \"ascii 2.0\" is not understood");
    CD_CHECK_TEXT(refusal("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"),
                  "a.ply:5: element vertex with properties x, y, z is missing");
    CD_CHECK_TEXT(refusal("ply", "ply\nformat ascii 1.0\nelement a 999999999999\nend_header\n"),
                  "a.ply:4: element: \"a\" has no properties");
    CD_CHECK_TEXT(refusal("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\n"),
                  "a.ply:4: property: the length of a list must be a whole number");
    CD_CHECK_TEXT(refusal("off", ""), "a.off: is empty");
    cd_buffer bytes = binary_stl("x");
    cd_mesh m;
    bytes.data[80] = 13;
    CD_CHECK(parse("stl", bytes.data, bytes.size, &m) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "a.stl: byte 80: announces 13 triangles, which take 734 bytes; the file has 684");
    bytes.data[80] = 12;
    memset(bytes.data + 84 + 50 + 12, 0xff, 4);
    CD_CHECK(parse("stl", bytes.data, bytes.size, &m) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "a.stl: byte 134: vertex: corner 0 of this triangle is not finite");
    cd_buffer_release(&bytes);
    bytes = binary_ply(false);
    cd_buffer_append(&bytes, "x", 1);
    CD_CHECK(parse("ply", bytes.data, bytes.size, &m) == CD_ERR_FORMAT &&
             strstr(diag.text, ": more data than the header announces"));
    cd_buffer_release(&bytes);
    CD_CHECK(!cd_mesh_importer_of("mesh") && !cd_mesh_importer_of("a.vtk") &&
             cd_mesh_importer_of("dir.x/b.StL") == &cd_mesh_stl);
    cd_arena_reset(&arena);
}

CD_TEST(limits_are_kept)
{
    cd_buffer many = {0};
    for (int i = 0; i < 1001; i++)
        cd_buffer_text(&many, "v 0 0 0\n");
    cd_mesh m;
    CD_CHECK(parse("obj", many.data, many.size, &m) == CD_ERR_LIMIT);
    CD_CHECK_TEXT(diag.text, "a.obj: more than 1000 vertices (--max-rows)");
    cd_buffer_release(&many);
    cd_arena_reset(&arena);
}

// Random bytes changed, removed and doubled: a sentence or a mesh with legal numbers, never a crash.
CD_TEST(damage_is_survived)
{
    uint64_t state = 1;
    cd_buffer b[] = {binary_stl("x"), text_stl(), binary_ply(false), binary_ply(true), {0}, {0}, {0}};
    static const char *const format[] = {"stl", "stl", "ply", "ply", "off", "obj", "ply"};
    cd_buffer_text(&b[4], cube_off);
    cd_buffer_text(&b[5], cube_obj);
    cd_buffer_text(&b[6], cube_ply);
    for (int trial = 0; trial < 20000; trial++) {
        char bytes[4096];
        const cd_buffer *from = &b[trial % 7];
        size_t size = from->size < sizeof bytes ? from->size : sizeof bytes;
        memcpy(bytes, from->data, size);
        for (int change = 0; change < 1 + trial % 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            static const char likely[] = "0123456789-+.eE \n/#x\xff";
            bytes[(state >> 33) % size] =
                (state >> 20 & 1) ? (char)(state >> 56) : likely[(state >> 40) % (sizeof likely - 1)];
        }
        cd_mesh m;
        if (parse(format[trial % 7], bytes, size - (state >> 60 == 0 ? 3 : 0), &m) == CD_OK) {
            for (int32_t k = 0; k < m.face_first[m.face_count]; k++)
                CD_CHECK(m.face_vertex[k] >= 0 && m.face_vertex[k] < m.vertex_count);
        } else
            CD_CHECK(diag.text[0]);
        cd_arena_reset(&arena);
    }
    for (int i = 0; i < 7; i++)
        cd_buffer_release(&b[i]);
}

int main(void)
{
    CD_RUN(the_same_cube_from_every_format);
    CD_RUN(cut_files_are_refused);
    CD_RUN(faults_have_their_place);
    CD_RUN(limits_are_kept);
    CD_RUN(damage_is_survived);
    cd_arena_release(&arena);
    return cd_test_done();
}

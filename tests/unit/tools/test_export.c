// cd-export: tables with lists, ids in the place of rows, absent values; surfaces against areas and volumes; a ZIP
// entry against zlib.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "export_surface.h"
#include "export_table.h"
#include "export_zip.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static cd_arena arena;
static cd_diag diag;

// ---- tables --------------------------------------------------------------------------------------------------------

static const cd_export_column *column(const cd_export_table *table, const char *name)
{
    for (int i = 0; i < table->column_count; i++)
        if (!strcmp(table->column[i].name, name))
            return &table->column[i];
    return NULL;
}

static int64_t number(const cd_buffer *list, int i) { return cd_export_numbers(list)[i]; }

static const char *text(const cd_export_column *c, int i)
{
    const cd_export_text *place = (const void *)c->number.data;
    return place[i].length < 0 ? NULL : cd_arena_text(&arena, c->text.data + place[i].start, (size_t)place[i].length);
}

static cd_refs refs;

// Contacts 70, 90, 80 are rows 0, 1, 2.
static void make_refs(void)
{
    static const int64_t id[] = {70, 90, 80};
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_contact, id, 3, &diag) == CD_OK);
}

CD_TEST(references_are_ids_and_lists_go_on_over_frames)
{
    int32_t offset[] = {0, 2, 2}, items[] = {2, 0}, kind[] = {CD_CONSTRAINT_I, CD_CONSTRAINT_U};
    int64_t id[] = {0, 1}, index[] = {5};
    double time[] = {0.25};
    const cd_frame_rows frame = {.count = 1, .index = index, .time = time};
    cd_constraint_rows rows = {.count = 2, .id = id, .kind = kind, .primary = {.offset = offset, .i32 = items}};
    cd_export_table table;
    make_refs();
    cd_export_table_make(&arena, CD_REC_constraint, 3, &table);
    CD_CHECK(table.has_lists);
    for (int k = 0; k < 2; k++)
        cd_export_table_add(&table, (const cd_rows *)&rows, &refs, &frame);
    const cd_export_column *primary = column(&table, "primary"), *secondary = column(&table, "secondary");
    static const int64_t wanted[] = {80, 70, 80, 70}, ends[] = {0, 2, 2, 4, 4};
    CD_CHECK(table.row_count == 4 && cd_export_items(&table, primary) == 4 && cd_export_items(&table, secondary) == 0);
    for (int i = 0; i < 4; i++)
        CD_CHECK(number(&primary->number, i) == wanted[i] && number(&column(&table, "frame.index")->number, i) == 5);
    for (int i = 0; i < 5; i++)
        CD_CHECK(number(&primary->offset, i) == ends[i] && number(&secondary->offset, i) == 0);
    CD_CHECK_TEXT(text(column(&table, "kind"), 3), "U");
    cd_export_table_release(&table);
}

CD_TEST(lists_of_lists_begin_where_the_ones_before_end)
{
    int32_t outer[] = {0, 1, 3}, inner[] = {0, 3, 6, 10}, items[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    int32_t kind[] = {CD_SHAPE_POLYHEDRON, CD_SHAPE_POLYHEDRON};
    int64_t id[] = {1, 2};
    cd_shape_rows rows = {.count = 2, .id = id, .kind = kind, .faces = {outer, inner, items}};
    cd_export_table table;
    cd_export_table_make(&arena, CD_REC_shape, 3, &table);
    cd_export_table_add(&table, (const cd_rows *)&rows, &refs, NULL);
    cd_export_table_add(&table, (const cd_rows *)&rows, &refs, NULL);
    const cd_export_column *faces = column(&table, "faces");
    static const int64_t lists[] = {0, 1, 3, 4, 6}, starts[] = {0, 3, 6, 10, 13, 16, 20};
    CD_CHECK(cd_export_items(&table, faces) == 20 && number(&faces->number, 19) == 9);
    for (int i = 0; i < 5; i++)
        CD_CHECK(number(&faces->offset, i) == lists[i]);
    for (int i = 0; i < 7; i++)
        CD_CHECK(number(&faces->inner, i) == starts[i]);
    cd_export_table_release(&table);
}

CD_TEST(absent_values_are_nan_or_no_number_or_no_text)
{
    int64_t id[] = {3};
    int32_t features[] = {(int32_t)cd_feature(CD_FEATURE_VERTEX, 7), CD_FEATURE_NONE}, side[] = {0, 0};
    cd_contact_rows rows = {.count = 1, .id = id, .features = features, .a = side, .b = side};
    static const int64_t body[] = {11};
    int64_t index[] = {0};
    double time[] = {0};
    const cd_frame_rows frame = {.count = 1, .index = index, .time = time};
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_body, body, 1, &diag) == CD_OK);
    cd_export_table table;
    cd_export_table_make(&arena, CD_REC_contact, 2, &table);
    CD_CHECK(!table.has_lists);
    cd_export_table_add(&table, (const cd_rows *)&rows, &refs, &frame);
    CD_CHECK(isnan(((const double *)(const void *)column(&table, "normal")->number.data)[1]));
    CD_CHECK(column(&table, "normal")->width == 2);
    CD_CHECK(number(&column(&table, "surfaces")->number, 0) == CD_ABSENT_I64);
    CD_CHECK(number(&column(&table, "a")->number, 0) == 11 && number(&column(&table, "a")->number, 1) == 0);
    CD_CHECK_TEXT(text(column(&table, "features"), 0), "v7");
    CD_CHECK(!text(column(&table, "features"), 1) && !text(column(&table, "kind"), 0));
    cd_export_table_release(&table);
}

// ---- surfaces ------------------------------------------------------------------------------------------------------

typedef struct measure {
    double area, volume, worst;  // worst: of the corners' distances from where they should be
} measure;

// Of the surface of one shape of radius-like sizes `axes`: fans of its faces from their first corners.
static measure measure_of(const cd_export_surface *s, cd_vec3 axes)
{
    measure m = {0};
    for (int32_t f = 0; f < s->face.count; f++) {
        int32_t first = s->face.item[f].first;
        cd_vec3 o = s->point.item[s->corner.item[first]];
        for (int32_t k = first + 2; k < cd_export_face_end(s, f); k++) {
            cd_vec3 p = s->point.item[s->corner.item[k - 1]], q = s->point.item[s->corner.item[k]];
            cd_vec3 n = cd_cross3(cd_sub3(p, o), cd_sub3(q, o));
            m.area += cd_length3(n) / 2;
            m.volume += cd_dot3(n, o) / 6;
        }
    }
    for (int32_t i = 0; i < s->point.count; i++) {
        cd_vec3 p = s->point.item[i];
        double r = sqrt(p.x * p.x / axes.x / axes.x + p.y * p.y / axes.y / axes.y + p.z * p.z / axes.z / axes.z);
        m.worst = fmax(m.worst, fabs(r - 1));
    }
    return m;
}

// The surfaces of shapes: a ball of radius 2, an ellipsoid, a box, a half-space.
static cd_export_surface *space(int segments)
{
    static int64_t id[] = {1, 2, 3, 4};
    static int32_t kind[] = {CD_SHAPE_SPHERE, CD_SHAPE_ELLIPSOID, CD_SHAPE_BOX, CD_SHAPE_HALFSPACE};
    static double radius[] = {2, NAN, NAN, NAN}, offset[] = {NAN, NAN, NAN, 0.5}, reach = 3;
    static double axes[] = {NAN, NAN, NAN, 3, 1, 0.5, NAN, NAN, NAN, NAN, NAN, NAN};
    static double half[] = {NAN, NAN, NAN, NAN, NAN, NAN, 1, 2, 3, NAN, NAN, NAN};
    static double normal[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0.6, 0, 0.8};
    static cd_model in;
    in = (cd_model){.dim = 3,
                    .shape = {.count = 4,
                              .id = id,
                              .kind = kind,
                              .radius = radius,
                              .semiaxes = axes,
                              .halfsizes = half,
                              .normal = normal,
                              .offset = offset}};
    cd_leaves leaves;
    CD_CHECK(cd_leaves_make(&arena, &in, &refs, &leaves, &diag) == CD_OK);
    return cd_export_surfaces_make(&arena, &in, &leaves, (cd_export_detail){segments, reach});
}

CD_TEST(curved_surfaces_hold_their_volume_and_lie_on_the_shape)
{
    const double pi = acos(-1);
    const cd_vec3 unit_box = {1, 2, 3};
    cd_export_surface *s = space(200);
    measure ball = measure_of(&s[0], (cd_vec3){2, 2, 2}), egg = measure_of(&s[1], (cd_vec3){3, 1, 0.5});
    CD_CHECK(ball.worst < 1e-14 && egg.worst < 1e-14);
    CD_CHECK(ball.volume < 4.0 / 3 * pi * 8 && egg.volume < 4.0 / 3 * pi * 1.5);
    CD_CHECK_NEAR(ball.volume, 4.0 / 3 * pi * 8, 0.02);
    CD_CHECK_NEAR(ball.area, 4 * pi * 4, 0.02);
    CD_CHECK_NEAR(egg.volume, 4.0 / 3 * pi * 1.5, 0.005);
    measure box = measure_of(&s[2], unit_box);
    CD_CHECK_NEAR(box.volume, 48, 1e-13);
    CD_CHECK_NEAR(box.area, 88, 1e-13);
    CD_CHECK_NEAR(box.worst, sqrt(3) - 1, 1e-14);
    CD_CHECK_NEAR(measure_of(&s[3], unit_box).area, 36, 1e-13);  // a square of twice the reach
    for (int32_t i = 0; i < s[3].point.count; i++)
        CD_CHECK_NEAR(cd_dot3(s[3].point.item[i], (cd_vec3){0.6, 0, 0.8}), 0.5, 1e-15);
}

// Euler: corners - edges + faces = 2, and each edge has a face on both sides that goes along it the other way.
CD_TEST(curved_surfaces_are_closed)
{
    for (int segments = 6; segments < 12; segments++) {
        cd_export_surface *s = space(segments);
        for (int shape = 0; shape < 3; shape++) {
            int32_t directed = 0, met = 0;
            for (int32_t f = 0; f < s[shape].face.count; f++) {
                int32_t first = s[shape].face.item[f].first, end = cd_export_face_end(&s[shape], f);
                for (int32_t k = first; k < end; k++) {
                    int32_t from = s[shape].corner.item[k], to = s[shape].corner.item[k + 1 < end ? k + 1 : first];
                    directed++;
                    for (int32_t g = 0; g < s[shape].face.count; g++) {
                        int32_t begin = s[shape].face.item[g].first, stop = cd_export_face_end(&s[shape], g);
                        for (int32_t j = begin; j < stop; j++)
                            met += s[shape].corner.item[j] == to &&
                                   s[shape].corner.item[j + 1 < stop ? j + 1 : begin] == from;
                    }
                }
            }
            CD_CHECK(met == directed && s[shape].point.count - directed / 2 + s[shape].face.count == 2);
        }
    }
}

// ---- ZIP -----------------------------------------------------------------------------------------------------------

static uint32_t word(const unsigned char *b) { return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24; }

CD_TEST(an_entry_is_deflated_or_stored)
{
    char path[] = "/tmp/test_export_XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    cd_export_sink sink = {.fd = fd, .name = "zip"};
    cd_export_zip zip = {.sink = &sink, .level = 6};
    char *long_text = memset(cd_arena_alloc(&arena, 100000), 'x', 100000);
    const cd_export_piece pieces[2] = {{long_text, 99990}, {"0123456789", 10}};
    CD_CHECK(cd_export_zip_add(&zip, "long", pieces, 2, &diag) == CD_OK);
    CD_CHECK(cd_export_zip_add(&zip, "short", pieces + 1, 1, &diag) == CD_OK);
    CD_CHECK(cd_export_zip_finish(&zip, &diag) == CD_OK);

    unsigned char bytes[4096], *plain = cd_arena_alloc(&arena, 100000);
    ssize_t size = pread(fd, bytes, sizeof bytes, 0);
    CD_CHECK(size > 100 && word(bytes) == 0x04034b50 && bytes[8] == 8 && word(bytes + 22) == 100000);
    z_stream stream = {.next_in = bytes + 34, .avail_in = word(bytes + 18), .next_out = plain, .avail_out = 100000};
    CD_CHECK(inflateInit2(&stream, -15) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0);
    inflateEnd(&stream);
    CD_CHECK(plain[99989] == 'x' && !memcmp(plain + 99990, "0123456789", 10));
    CD_CHECK(crc32(0, plain, 100000) == word(bytes + 14));
    const unsigned char *second = bytes + 34 + word(bytes + 18);
    CD_CHECK(word(second) == 0x04034b50 && second[8] == 0 && !memcmp(second + 35, "0123456789", 10));
    const unsigned char *end = bytes + size - 22;
    CD_CHECK(word(end) == 0x06054b50 && end[10] == 2 && word(bytes + word(end + 16)) == 0x02014b50);
    close(fd);
    cd_buffer_release(&sink.out);
    cd_export_zip_release(&zip);
}

int main(void)
{
    CD_RUN(references_are_ids_and_lists_go_on_over_frames);
    CD_RUN(lists_of_lists_begin_where_the_ones_before_end);
    CD_RUN(absent_values_are_nan_or_no_number_or_no_text);
    CD_RUN(curved_surfaces_hold_their_volume_and_lie_on_the_shape);
    CD_RUN(curved_surfaces_are_closed);
    CD_RUN(an_entry_is_deflated_or_stored);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    return cd_test_done();
}

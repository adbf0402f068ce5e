// Reader and writer: every record type there and back in both encodings, every cut and every flipped bit, order,
// counts, limits.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "test_stream_builder.h"

#include <zlib.h>

static const uint64_t ALL = CD_ALL_RECORDS;

// Under AddressSanitizer, which makes each read tens of times slower, a share of the bits and cuts.
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 13 };
#else
enum { STRIDE = 1 };
#endif

static bool is_refusal(cd_status status)
{
    int code = cd_status_exit_code(status);
    return code == 3 || code == 6;
}

// ---- there and back ------------------------------------------------------------------------------------------------

static bool same_model(cd_arena *arena, uint64_t set, const cd_model *a, const cd_model *b)
{
    bool same = true;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_rows *p = cd_model_rows((cd_model *)(uintptr_t)a, (cd_record_type)type);
        const cd_rows *q = cd_model_rows((cd_model *)(uintptr_t)b, (cd_record_type)type);
        if (!(set >> type & 1) || type == CD_REC_fend || type == CD_REC_end)
            continue;
        bool table = p->count == q->count && same_rows(arena, &cd_records[type], a->dim, p, 0, q);
        if (!table)
            printf("# table %s differs (%d and %d rows)\n", cd_records[type].name, p->count, q->count);
        same = same && table;
    }
    return same;
}

static void check_read(const char *what, test_bytes bytes, const cd_model *model)
{
    cd_arena arena = {0};
    cd_model read = {0};
    cd_diag diag = {""};
    cd_status status = read_bytes(bytes.data, bytes.size, DECODE_ALL, &arena, &read, &diag);
    CD_CHECK(status == CD_OK);
    if (status != CD_OK)
        printf("# %s: %s\n", what, diag.text);
    else
        CD_CHECK(same_model(&arena, ALL, model, &read));
    cd_arena_release(&arena);
}

CD_TEST(every_table_survives_both_encodings_and_the_way_between_them)
{
    for (int seed = 0; seed < 12; seed++) {
        cd_arena arena = {0};
        cd_model model;
        cd_refs refs = {0};
        cd_diag diag = {""};
        random_model(&arena, ALL, 2 + seed % 2, 2 + 4 * (seed % 4), (uint64_t)(100 * seed), seed > 3, seed % 3 == 1,
                     &model, &refs);
        test_bytes json = write_model(&model, ALL, &refs, CD_ENCODING_JSON, 0), json2, binary2;
        test_bytes raw = write_model(&model, ALL, &refs, CD_ENCODING_BINARY, 0);
        test_bytes packed = write_model(&model, ALL, &refs, CD_ENCODING_BINARY, 6);
        check_read("JSON", json, &model);
        check_read("binary", raw, &model);
        check_read("packed", packed, &model);
        CD_CHECK(transcode(raw, CD_ENCODING_JSON, 0, &json2, &diag) == CD_OK);
        CD_CHECK(json2.size == json.size && !memcmp(json2.data, json.data, json.size));
        CD_CHECK(transcode(json, CD_ENCODING_BINARY, 0, &binary2, &diag) == CD_OK);
        CD_CHECK(binary2.size == raw.size && !memcmp(binary2.data, raw.data, raw.size));
        if (diag.text[0])
            printf("# %s\n", diag.text);
        test_bytes *all[] = {&json, &json2, &raw, &packed, &binary2};
        for (int i = 0; i < 5; i++)
            cd_free(all[i]->data);
        cd_refs_release(&refs);
        cd_arena_release(&arena);
    }
}

CD_TEST(tables_larger_than_a_block_come_back_whole)
{
    enum { ROWS = 70000 };  // several blocks, several JSON chunks
    cd_arena arena = {0};
    cd_model model;
    cd_refs refs = {0};
    uint64_t set = with_targets(CD_BIT(contact)) | CD_BIT(head) | CD_BIT(frame);
    random_model(&arena, set, 2, ROWS, 5, true, false, &model, &refs);
    for (int k = 0; k < 3; k++) {
        test_bytes bytes = write_model(&model, set, &refs, k ? CD_ENCODING_BINARY : CD_ENCODING_JSON, k == 2);
        cd_arena read_arena = {0};
        cd_model read = {0};
        cd_diag diag = {""};
        CD_CHECK(read_bytes(bytes.data, bytes.size, DECODE_ALL, &read_arena, &read, &diag) == CD_OK);
        CD_CHECK(same_model(&read_arena, set, &model, &read));
        cd_arena_release(&read_arena);
        cd_free(bytes.data);
    }
    cd_refs_release(&refs);
    cd_arena_release(&arena);
}

typedef struct blocks_seen {
    int32_t blocks, rows;
    uint64_t largest;  // [bytes]
} blocks_seen;

static void see_block(void *context, const cd_block_header *header, const void *stored)
{
    blocks_seen *seen = context;
    (void)stored;
    seen->blocks++;
    seen->rows += (int32_t)header->row_count;
    seen->largest = header->raw_size > seen->largest ? header->raw_size : seen->largest;
}

// By the mean of their sizes thousands of such rows would be one block, which no reader takes.
CD_TEST(rows_of_very_different_size_do_not_make_a_block_that_readers_refuse)
{
    enum { ROWS = 6, LONG = 20 << 20 };
    char *text = cd_alloc(LONG + 1);
    memset(text, 'm', LONG);
    text[LONG] = '\0';
    const char *tool[ROWS] = {"t", "t", "t", "t", "t", "t"}, *name[ROWS] = {text, text, text, text, "a", "b"};
    double value[ROWS] = {1, 2, 3, 4, 5, 6};
    cd_metric_rows metric = {.count = ROWS, .tool = tool, .name = name, .value = value};
    cd_diag diag = {""};
    cd_writer *writer = NULL;
    cd_writer_options options = {.encoding = CD_ENCODING_BINARY, .limits = test_limits};
    int fd = memory_file("", 0);
    CD_CHECK(cd_writer_open_fd(fd, &options, &writer, &diag) == CD_OK);
    blocks_seen seen = {0};
    cd_writer_watch(writer, see_block, &seen);
    CD_CHECK(cd_writer_rows(writer, CD_REC_metric, 2, NULL, (cd_rows *)&metric, &diag) == CD_OK);
    CD_CHECK(seen.blocks == 2 && seen.rows == ROWS);
    CD_CHECK(seen.largest > LONG && seen.largest <= CD_WRITER_BLOCK_MOST);
    cd_writer_close(writer);
    close(fd);
    cd_free(text);
}

// ---- damage --------------------------------------------------------------------------------------------------------

static test_bytes small_stream(uint64_t set, cd_encoding encoding, int level, uint64_t seed)
{
    cd_arena arena = {0};
    cd_model model;
    cd_refs refs = {0};
    random_model(&arena, set, 2, 2, seed, true, false, &model, &refs);
    test_bytes bytes = write_model(&model, set, &refs, encoding, level);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    return bytes;
}

static test_bytes gzipped(test_bytes from)
{
    z_stream z = {0};
    test_bytes to = {cd_alloc(from.size + 1000), from.size + 1000};
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (unsigned char *)from.data;
    z.avail_in = (unsigned)from.size;
    z.next_out = (unsigned char *)to.data;
    z.avail_out = (unsigned)to.size;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    to.size = z.total_out;
    deflateEnd(&z);
    return to;
}

static void check_all_cuts(test_bytes bytes, bool is_json)
{
    cd_arena arena = {0};
    for (size_t size = 0; size < bytes.size; size += STRIDE)
        for (int use = PASS_ONLY; use <= DECODE_ALL; use++) {
            cd_diag diag;
            cd_status status = read_bytes(bytes.data, size, (test_use)use, &arena, NULL, &diag);
            bool told = status == CD_ERR_TRUNCATED || (status == CD_ERR_FORMAT && size < 8);
            if (!told || !diag.text[0])
                printf("# cut at %zu of %zu (%s): status %d: %s\n", size, bytes.size, is_json ? "JSON" : "binary",
                       status, diag.text);
            CD_CHECK(told && diag.text[0]);
            cd_arena_reset(&arena);
        }
    cd_diag diag;
    CD_CHECK(read_bytes(bytes.data, bytes.size, DECODE_ALL, &arena, NULL, &diag) == CD_OK);
    cd_arena_release(&arena);
}

CD_TEST(every_cut_is_noticed)
{
    for (int k = 0; k < 3; k++) {
        test_bytes bytes = small_stream(ALL, k ? CD_ENCODING_BINARY : CD_ENCODING_JSON, k == 2 ? 9 : 0, 11),
                   packed = gzipped(bytes);
        check_all_cuts(bytes, k == 0);
        check_all_cuts(packed, k == 0);
        cd_free(bytes.data);
        cd_free(packed.data);
    }
}

typedef struct block_list {
    size_t start[64], size[64];
    char type[64][17];  // as in cd_block_header
    int count;
} block_list;

static block_list find_blocks(test_bytes bytes)
{
    block_list list = {.count = 0};
    for (size_t at = CD_MAGIC_SIZE; at < bytes.size;) {
        cd_block_header header;
        cd_diag diag;
        if (cd_block_header_read((const unsigned char *)bytes.data + at, &test_limits, &header, &diag) != CD_OK)
            abort();
        memcpy(list.type[list.count], header.type, sizeof header.type);
        list.start[list.count] = at;
        list.size[list.count++] = CD_BLOCK_HEADER_SIZE + (size_t)header.stored_size;
        at += CD_BLOCK_HEADER_SIZE + (size_t)header.stored_size;
    }
    return list;
}

// The blocks of record type `type`; those of no record type (the index of frames) go with the end.
static bool is_own(const char *block, cd_record_type type)
{
    bool known = false;
    for (int k = 0; k < CD_REC_COUNT; k++)
        known = known || !strcmp(block, cd_records[k].name);
    return !strcmp(block, cd_records[type].name) || (!known && type == CD_REC_end);
}

// Bits of `bytes` from byte `from` to `to`: all for the reader alone, which notices by checksums; every eleventh with
// all tables decoded.
static int missed_flips(const char *name, test_bytes bytes, size_t from, size_t to)
{
    cd_arena arena = {0};
    int missed = 0, file = memory_file(bytes.data, bytes.size);
    for (size_t bit = 8 * from; bit < 8 * to; bit += STRIDE) {
        char flipped = (char)(bytes.data[bit / 8] ^ (1 << bit % 8));
        if (pwrite(file, &flipped, 1, (off_t)(bit / 8)) != 1)
            abort();
        for (int use = PASS_ONLY; use <= (bit % 11 ? PASS_ONLY : DECODE_ALL); use++) {
            cd_diag diag = {""};
            lseek(file, 0, SEEK_SET);
            cd_status status = read_stream(dup(file), (test_use)use, &test_limits, &arena, NULL, &diag);
            cd_arena_reset(&arena);
            if (is_refusal(status) && diag.text[0])
                continue;
            missed++;
            printf("# %s: bit %zu of byte %zu: status %d: %s\n", name, bit % 8, bit / 8, status, diag.text);
        }
        if (pwrite(file, &bytes.data[bit / 8], 1, (off_t)(bit / 8)) != 1)
            abort();
    }
    close(file);
    cd_arena_release(&arena);
    return missed;
}

// A type's own blocks alone: those of head, frame and of what its rows refer to, which its stream has too, have their
// turn by themselves, and the magic goes with the head.
CD_TEST(every_flipped_bit_of_every_record_type_is_noticed)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        for (int level = 0; level <= 9; level += 9) {
            test_bytes bytes = small_stream(with_targets(UINT64_C(1) << type) | CD_BIT(head) | CD_BIT(frame),
                                            CD_ENCODING_BINARY, level, (uint64_t)(31 * type));
            block_list list = find_blocks(bytes);
            const char *name = cd_records[type].name;
            int own = 0, missed = type == CD_REC_head ? missed_flips(name, bytes, 0, CD_MAGIC_SIZE) : 0;
            for (int k = 0; k < list.count; k++)
                if (is_own(list.type[k], (cd_record_type)type)) {
                    own++;
                    missed += missed_flips(name, bytes, list.start[k], list.start[k] + list.size[k]);
                }
            CD_CHECK(own > 0 && missed == 0);
            cd_free(bytes.data);
        }
}

CD_TEST(every_flipped_bit_of_gzip_is_noticed_or_harmless)
{
    test_bytes bytes = small_stream(with_targets(CD_BIT(row)) | CD_BIT(head) | CD_BIT(frame), CD_ENCODING_BINARY, 0, 3),
               packed = gzipped(bytes);
    cd_arena arena = {0};
    cd_model model = {0};
    cd_diag diag;
    CD_CHECK(read_bytes(packed.data, packed.size, DECODE_ALL, &arena, &model, &diag) == CD_OK);
    for (size_t bit = 0; bit < 8 * packed.size; bit++) {
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
        test_bytes passed;
        cd_status status = transcode(packed, CD_ENCODING_BINARY, 0, &passed, &diag);
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
        // Some bits carry nothing (the time in gzip's header), or say the same in another way (a copy from farther
        // back).
        bool same = passed.size == bytes.size && !memcmp(passed.data, bytes.data, bytes.size);
        if (!is_refusal(status) && !(status == CD_OK && same))
            printf("# bit %zu of byte %zu of %zu: status %d: %s\n", bit % 8, bit / 8, packed.size, status, diag.text);
        CD_CHECK(is_refusal(status) || (status == CD_OK && same));
        cd_free(passed.data);
    }
    cd_arena_release(&arena);
    cd_free(bytes.data);
    cd_free(packed.data);
}

// ---- gzip ----------------------------------------------------------------------------------------------------------

CD_TEST(gzip_members_join_and_rubbish_behind_them_is_refused)
{
    test_bytes bytes = small_stream(ALL, CD_ENCODING_JSON, 0, 17);
    cd_buffer joined = {0};
    for (size_t at = 0; at < bytes.size;) {  // members of growing size, an empty one among them
        size_t size = at * 2 < bytes.size - at ? at * 2 : bytes.size - at;
        test_bytes member = gzipped((test_bytes){bytes.data + at, size});
        cd_buffer_append(&joined, member.data, member.size);
        cd_free(member.data);
        at += size;
        if (size == 0) {
            member = gzipped((test_bytes){bytes.data, 1});
            cd_buffer_append(&joined, member.data, member.size);
            cd_free(member.data);
            at = 1;
        }
    }
    cd_arena arena = {0};
    cd_diag diag;
    CD_CHECK(read_bytes(joined.data, joined.size, DECODE_ALL, &arena, NULL, &diag) == CD_OK);
    cd_buffer_append(&joined, "rubbish", 7);
    CD_CHECK(read_bytes(joined.data, joined.size, DECODE_ALL, &arena, NULL, &diag) == CD_ERR_FORMAT);
    cd_buffer_release(&joined);
    cd_arena_release(&arena);
    cd_free(bytes.data);
}

// ---- blocks moved about --------------------------------------------------------------------------------------------

static void add_block(cd_buffer *out, test_bytes bytes, const block_list *list, int index)
{
    cd_buffer_append(out, bytes.data + list->start[index], list->size[index]);
}

CD_TEST(removed_doubled_and_swapped_blocks_are_noticed)
{
    test_bytes bytes = small_stream(ALL, CD_ENCODING_BINARY, 0, 23);
    block_list list = find_blocks(bytes);
    CD_CHECK(list.count > 20);
    for (int victim = 0; victim < list.count; victim++)
        for (int kind = 0; kind < 3; kind++) {
            cd_buffer out = {0};
            cd_buffer_append(&out, bytes.data, CD_MAGIC_SIZE);
            for (int i = 0; i < list.count; i++) {
                if (kind == 0 && i == victim)
                    continue;
                bool swapped = kind == 2 && (i == victim || i == (victim + 1) % list.count);
                add_block(&out, bytes, &list, !swapped ? i : i == victim ? (victim + 1) % list.count : victim);
                if (kind == 1 && i == victim)
                    add_block(&out, bytes, &list, i);
            }
            cd_arena arena = {0};
            cd_diag diag;
            cd_status status = read_bytes(out.data, out.size, PASS_ONLY, &arena, NULL, &diag);
            CD_CHECK(status == CD_ERR_FORMAT || status == CD_ERR_TRUNCATED);
            cd_arena_release(&arena);
            cd_buffer_release(&out);
        }
    cd_free(bytes.data);
}

// ---- foreign blocks ------------------------------------------------------------------------------------------------

// The stream with one more block of a foreign type in its frame, numbers and counts put right.
static test_bytes with_foreign_block(const char *type, uint32_t flags, uint32_t rows, const void *payload, size_t size)
{
    cd_arena arena = {0};
    cd_refs refs = {0};
    cd_model model;
    uint64_t set = CD_BIT(head) | CD_BIT(frame);
    random_model(&arena, set, 2, 1, 1, false, false, &model, &refs);
    test_bytes bytes = write_model(&model, set, &refs, CD_ENCODING_BINARY, 0);
    block_list list = find_blocks(bytes);
    cd_buffer out = {0}, columns = {0};
    cd_buffer_append(&out, bytes.data, list.start[2]);
    cd_block_write((cd_block_label){type, flags, 2, rows}, payload, size, 0, &out);
    const char *text = cd_arena_printf(&arena, "{\"%s\":%u}", type, rows);
    cd_fend_rows fend = {.count = 1, .rows = &text};
    int64_t one = 1, records = 3 + (int64_t)rows;
    cd_end_rows end = {.count = 1, .frames = &one, .records = &records};
    cd_columns_encode(&cd_records[CD_REC_fend], 2, (cd_rows *)&fend, 0, 1, &columns);
    cd_block_write((cd_block_label){"fend", CD_BLOCK_CRITICAL, 3, 1}, columns.data, columns.size, 0, &out);
    columns.size = 0;
    cd_columns_encode(&cd_records[CD_REC_end], 2, (cd_rows *)&end, 0, 1, &columns);
    cd_block_write((cd_block_label){"end", CD_BLOCK_CRITICAL, 4, 1}, columns.data, columns.size, 0, &out);
    cd_buffer_release(&columns);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_free(bytes.data);
    return (test_bytes){out.data, out.size};
}

CD_TEST(foreign_blocks_pass_as_they_stand_and_critical_ones_are_refused)
{
    static const char payload[40] = "anything at all, not even columns";
    cd_arena arena = {0};
    cd_diag diag = {""};
    test_bytes known = with_foreign_block("my-table", CD_BLOCK_PRIVATE, 7, payload, sizeof payload), passed;
    CD_CHECK(transcode(known, CD_ENCODING_BINARY, 0, &passed, &diag) == CD_OK);
    size_t end = find_blocks(known).start[4];  // a file has an index before it
    CD_CHECK(passed.size > known.size && !memcmp(passed.data, known.data, end));
    cd_free(passed.data);
    CD_CHECK(is_refusal(transcode(known, CD_ENCODING_JSON, 0, &passed, &diag)));  // no columns: cannot become lines
    cd_free(passed.data);
    test_bytes critical =
        with_foreign_block("my-table", CD_BLOCK_PRIVATE | CD_BLOCK_CRITICAL, 7, payload, sizeof payload);
    CD_CHECK(read_bytes(critical.data, critical.size, PASS_ONLY, &arena, NULL, &diag) == CD_ERR_UNSUPPORTED);
    cd_free(known.data);
    cd_free(critical.data);
    cd_arena_release(&arena);
}

CD_TEST(rows_without_bytes_do_not_unfold)
{
    static const char no_columns[8] = {0};
    cd_diag diag = {""};
    test_bytes many = with_foreign_block("my-table", CD_BLOCK_PRIVATE, 150000000, no_columns, sizeof no_columns), lines;
    CD_CHECK(is_refusal(transcode(many, CD_ENCODING_JSON, 0, &lines, &diag)));
    CD_CHECK(lines.size < 1 << 24);
    cd_free(many.data);
    cd_free(lines.data);
}

// ---- what JSON-lines must not say ----------------------------------------------------------------------------------

#define HEAD "{\"type\":\"head\",\"cds\":[1,0],\"dim\":2}\n"
#define FRAME "{\"type\":\"frame\",\"index\":0,\"time\":0}\n"
#define BODY "{\"type\":\"body\",\"id\":1,\"position\":[0,0]}\n"
#define FEND "{\"type\":\"fend\"}\n"
#define END "{\"type\":\"end\"}\n"
#define PROG "{\"type\":\"prog\",\"id\":1,\"tool\":\"x\"}\n"
#define SHAPE "{\"type\":\"shape\",\"id\":1,\"kind\":\"sphere\",\"radius\":1}\n"

static const struct {
    const char *text, *sentence;  // part of it; NULL: the stream is right
    cd_status status;
} line_cases[] = {
    {HEAD END, NULL, CD_OK},
    {HEAD PROG SHAPE FRAME BODY FEND END, NULL, CD_OK},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{\"body\":1}}\n{\"type\":\"end\",\"frames\":1,\"records\":4}\n", NULL,
     CD_OK},
    {HEAD "{\"type\":\"note\"}\n" PROG SHAPE END, NULL, CD_OK},
    {HEAD "{\"type\":\"note\"}\n" FRAME FEND "{\"type\":\"note\"}\n" END, NULL, CD_OK},
    {"", "test: empty input", CD_ERR_TRUNCATED},
    {" \n", "neither JSON-lines nor a binary", CD_ERR_FORMAT},
    {FRAME, "test:1: frame: the first record must be head", CD_ERR_FORMAT},
    {"{\"type\":\"note\"}\n" HEAD END, "test:1: note: the first record must be head", CD_ERR_FORMAT},
    {HEAD HEAD END, "test:2: head: a stream has exactly one head", CD_ERR_FORMAT},
    {HEAD BODY END, "test:2: body: belongs inside a frame", CD_ERR_FORMAT},
    {HEAD SHAPE PROG END, "test:3: prog: belongs before the head tables", CD_ERR_FORMAT},
    {HEAD FRAME SHAPE FEND END, "test:3: shape: belongs before the first frame", CD_ERR_FORMAT},
    {HEAD FRAME FEND SHAPE END, "test:4: shape: belongs before the first frame", CD_ERR_FORMAT},
    {HEAD FRAME PROG FEND END, "test:3: prog: belongs before the head tables", CD_ERR_FORMAT},
    {HEAD FRAME FEND BODY END, "test:4: body: belongs inside a frame", CD_ERR_FORMAT},
    {HEAD FRAME FRAME FEND END, "test:3: frame: the frame before has no fend", CD_ERR_FORMAT},
    {HEAD FRAME BODY END, "test:4: end: the last frame has no fend", CD_ERR_FORMAT},
    {HEAD FEND END, "test:2: fend: closes exactly one open frame", CD_ERR_FORMAT},
    {HEAD FRAME FEND FEND END, "test:4: fend: closes exactly one open frame", CD_ERR_FORMAT},
    {HEAD END BODY, "there are bytes behind the end record", CD_ERR_FORMAT},
    {HEAD END END, "there are bytes behind the end record", CD_ERR_FORMAT},
    {HEAD END "\n", "there are bytes behind the end record", CD_ERR_FORMAT},
    {HEAD FRAME BODY FEND, "test:4: no end record: the stream is cut", CD_ERR_TRUNCATED},
    {HEAD "{\"type\":\"end\"}", "test:2: last line without newline", CD_ERR_TRUNCATED},
    {HEAD "\n" END, "test:2: ", CD_ERR_FORMAT},
    {HEAD "[]\n" END, "test:2: ", CD_ERR_FORMAT},
    {HEAD "{}\n" END, "test:2: ", CD_ERR_FORMAT},
    {HEAD "{\"type\":3}\n" END, "test:2: ", CD_ERR_FORMAT},
    {HEAD "{\"type\":\"Body\"}\n" END, "test:2: type: wanted 1 to 16 characters", CD_ERR_FORMAT},
    {HEAD "{\"type\":\"a-name-of-seventeen\"}\n" END, "test:2: type: wanted 1 to 16 characters", CD_ERR_FORMAT},
    {"{\"type\":\"head\",\"cds\":[2,0],\"dim\":2}\n" END, "stream version 2; this program reads version 1",
     CD_ERR_UNSUPPORTED},
    {"{\"type\":\"head\",\"cds\":[1,0],\"dim\":4}\n" END, "test:1: head: dim: ", CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{\"body\":2}}\n" END,
     "test:4: fend: rows: body: 2 announced, 1 arrived", CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{\"body\":1,\"row\":1}}\n" END, "row: 1 announced, 0 arrived",
     CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{}}\n" END, "a table arrived that is not announced", CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{\"body\":1,\"body\":1}}\n" END, "fend: ", CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":[1]}\n" END, "wanted an object of counts", CD_ERR_FORMAT},
    {HEAD FRAME BODY "{\"type\":\"fend\",\"rows\":{\"body\":\"1\"}}\n" END, "fend: rows: body", CD_ERR_FORMAT},
    {HEAD FRAME FEND "{\"type\":\"end\",\"frames\":2}\n", "test:4: end: frames: 2 announced, 1 arrived", CD_ERR_FORMAT},
    {HEAD FRAME FEND "{\"type\":\"end\",\"records\":2}\n", "test:4: end: records: 2 announced, 3 arrived",
     CD_ERR_FORMAT},
};

CD_TEST(order_and_counts_of_lines)
{
    for (size_t i = 0; i < sizeof line_cases / sizeof line_cases[0]; i++) {
        cd_arena arena = {0};
        cd_diag diag;
        cd_status status = read_bytes(line_cases[i].text, strlen(line_cases[i].text), DECODE_ALL, &arena, NULL, &diag);
        bool right =
            status == line_cases[i].status && (!line_cases[i].sentence || strstr(diag.text, line_cases[i].sentence));
        if (!right)
            printf("# case %zu: status %d: \"%s\", wanted %d \"%s\"\n", i, status, diag.text, line_cases[i].status,
                   line_cases[i].sentence ? line_cases[i].sentence : "");
        CD_CHECK(right);
        cd_arena_release(&arena);
    }
}

// ---- limits --------------------------------------------------------------------------------------------------------

static cd_status read_limited(const char *text, size_t size, const cd_limits *limits, cd_diag *diag)
{
    cd_arena arena = {0};
    cd_status status = read_stream(memory_file(text, size), DECODE_ALL, limits, &arena, NULL, diag);
    cd_arena_release(&arena);
    return status;
}

CD_TEST(limits_hold_exactly)
{
    cd_diag diag;
    cd_limits limits = test_limits;
    static const char text[] = HEAD FRAME BODY FEND END;
    limits.line = (int64_t)strlen(BODY) - 1;  // the longest line, newline not counted
    CD_CHECK(read_limited(text, sizeof text - 1, &limits, &diag) == CD_OK);
    limits.line--;
    CD_CHECK(read_limited(text, sizeof text - 1, &limits, &diag) == CD_ERR_LIMIT);
    CD_CHECK(strstr(diag.text, "--max-line") != NULL);
    limits = test_limits;
    static const char two[] = HEAD FRAME BODY "{\"type\":\"body\",\"id\":2,\"position\":[0,0]}\n" FEND END;
    limits.rows = 2;
    CD_CHECK(read_limited(two, sizeof two - 1, &limits, &diag) == CD_OK);
    limits.rows = 1;
    CD_CHECK(read_limited(two, sizeof two - 1, &limits, &diag) == CD_ERR_LIMIT);
    test_bytes bytes =
        small_stream(with_targets(CD_BIT(body)) | CD_BIT(head) | CD_BIT(frame), CD_ENCODING_BINARY, 0, 2);
    block_list list = find_blocks(bytes);
    size_t largest = 0;
    for (int i = 0; i < list.count; i++)
        largest = list.size[i] - CD_BLOCK_HEADER_SIZE > largest ? list.size[i] - CD_BLOCK_HEADER_SIZE : largest;
    limits = test_limits;
    limits.block = (int64_t)largest;
    CD_CHECK(read_limited(bytes.data, bytes.size, &limits, &diag) == CD_OK);
    limits.block--;
    CD_CHECK(read_limited(bytes.data, bytes.size, &limits, &diag) == CD_ERR_LIMIT);
    cd_free(bytes.data);
}

CD_TEST(foreign_types_are_limited)
{
    cd_buffer text = {0};
    cd_buffer_text(&text, HEAD FRAME);
    for (int i = 0; i < 3000; i++)
        cd_buffer_printf(&text, "{\"type\":\"x%d\"}\n", i);
    cd_buffer_text(&text, FEND END);
    cd_diag diag;
    CD_CHECK(read_limited(text.data, text.size, &test_limits, &diag) == CD_ERR_LIMIT);
    cd_buffer_release(&text);
}

// ---- a long line, read in many pieces through a pipe, costs what it holds ------------------------------------------

CD_TEST(lines_longer_than_the_window)
{
    cd_buffer text = {0};
    cd_buffer_text(&text, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":2,\"note\":\"");
    for (int i = 0; i < 3000000; i++)
        cd_buffer_append(&text, "x", 1);
    cd_buffer_text(&text, "\"}\n" END);
    cd_diag diag;
    CD_CHECK(read_limited(text.data, text.size, &test_limits, &diag) == CD_OK);
    cd_buffer_release(&text);
}

int main(void)
{
    CD_RUN(every_table_survives_both_encodings_and_the_way_between_them);
    CD_RUN(tables_larger_than_a_block_come_back_whole);
    CD_RUN(rows_of_very_different_size_do_not_make_a_block_that_readers_refuse);
    CD_RUN(every_cut_is_noticed);
    CD_RUN(every_flipped_bit_of_every_record_type_is_noticed);
    CD_RUN(every_flipped_bit_of_gzip_is_noticed_or_harmless);
    CD_RUN(gzip_members_join_and_rubbish_behind_them_is_refused);
    CD_RUN(removed_doubled_and_swapped_blocks_are_noticed);
    CD_RUN(foreign_blocks_pass_as_they_stand_and_critical_ones_are_refused);
    CD_RUN(rows_without_bytes_do_not_unfold);
    CD_RUN(order_and_counts_of_lines);
    CD_RUN(limits_hold_exactly);
    CD_RUN(foreign_types_are_limited);
    CD_RUN(lines_longer_than_the_window);
    return cd_test_done();
}

// cd_records -- the record model in memory, made from records.def.
//
// A table holds the rows of one record type as a structure of arrays: `cd_body_rows body; body.position[dim * i]`.
// A column that is NULL is absent for all rows (absent scalars inside a column: see records.def). Row indices are
// int32 within a frame; references are row indices (the codecs turn user ids into them). `json` holds, per row, a JSON
// object ("{\"colour\":3}") of the members this program does not know, or NULL: they are carried along.
// Columns live in the arena of whoever decoded or built them. cd_model gathers one table of each type.
// SPDX-License-Identifier: MIT
#ifndef CD_RECORDS_H
#define CD_RECORDS_H

#include "cd_absent.h"
#include "cd_contact_words.h"
#include "cd_element_kind.h"
#include "cd_feature_code.h"
#include "cd_memory.h"
#include "cd_shape_kind.h"
#include "cd_status.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A list per row: row i holds items offset[i] .. offset[i+1]-1; an item is cd_field_width numbers of the type's
// base (field_types.def). offset NULL: absent.
typedef struct cd_list {
    int32_t *offset;
    union {
        void *data;
        double *f64;
        int32_t *i32;
        const char **text;
    };
} cd_list;

// A list of lists of int per row: row i holds the inner lists offset[i]..offset[i+1]-1; inner list k holds
// data[inner[k]] .. data[inner[k+1]-1].
typedef struct cd_list2 {
    int32_t *offset, *inner, *data;
} cd_list2;

// ---- vocabularies: enum { CD_MOTION_DYNAMIC, ... CD_MOTION_COUNT } -------------------------------------------------
#define CD_VOCAB(vocab) enum {
#define CD_WORD(vocab, word, text) CD_##vocab##_##word,
#define CD_VOCAB_END(vocab) \
    CD_##vocab##_COUNT      \
    }                       \
    ;
#define CD_NAMES(vocab)  // enumerators of libcommon
#define CD_NAME(vocab, word, text)
#define CD_NAMES_END(vocab, count)
#include "records.def"
// The words of each, by enumerator, ended by NULL: cd_words_MOTION[CD_MOTION_FIXED] is "fixed".
#define CD_VOCAB(vocab) extern const char *const cd_words_##vocab[];
#include "records.def"

// ---- record types and ranks ----------------------------------------------------------------------------------------
#define CD_RECORD(record, scope, rank, doc) CD_REC_##record,
typedef enum cd_record_type {
#include "records.def"
    CD_REC_COUNT,
    CD_REC_UNKNOWN = -1  // a record type of someone else: passed through
} cd_record_type;

#define CD_BIT(record) (UINT64_C(1) << CD_REC_##record)  // sets of record types are 64-bit masks
#define CD_ALL_RECORDS ((UINT64_C(1) << CD_REC_COUNT) - 1)

// Order in which tables derive from one another: a stage deletes its own rank's tables and all above before it writes.
typedef enum cd_rank {
    CD_RANK_RUN,
    CD_RANK_INPUT,
    CD_RANK_BOUNDS,
    CD_RANK_PAIR,
    CD_RANK_CONTACT,
    CD_RANK_CONSTRAINT,
    CD_RANK_ROW,
    CD_RANK_SOLUTION,
    CD_RANK_FORCE,
    CD_RANK_NEXT,
    CD_RANK_METRIC,
    CD_RANK_END
} cd_rank;

// ---- the tables: typedef struct cd_body_rows {...} -----------------------------------------------------------------
// The member of a field's type: double *, int32_t * ... (depth 0), cd_list (1), cd_list2 (2).
#define CD_C_F64 double
#define CD_C_I32 int32_t
#define CD_C_I64 int64_t
#define CD_C_U8 uint8_t
#define CD_C_TEXT const char *
#define CD_MEMBER_0(base) CD_C_##base *
#define CD_MEMBER_1(base) cd_list
#define CD_MEMBER_2(base) cd_list2
#define CD_FIELD_TYPE(type, base, depth, width, kind, form) typedef CD_MEMBER_##depth(base) cd_member_##type;
#include "field_types.def"

#define CD_RECORD(record, scope, rank, doc) \
    typedef struct cd_##record##_rows {     \
        int32_t count, capacity;            \
        const char **json;
#define CD_FIELD(record, member, json, type, target, need, value, range, doc) cd_member_##type member;
#define CD_RECORD_END(record) \
    }                         \
    cd_##record##_rows;
#include "records.def"

// Places of the fields in a record: enum { CD_AT_body_id, ... CD_AT_body_COUNT }.
#define CD_RECORD(record, scope, rank, doc) enum {
#define CD_FIELD(record, member, json, type, target, need, value, range, doc) CD_AT_##record##_##member,
#define CD_RECORD_END(record) \
    CD_AT_##record##_COUNT    \
    }                         \
    ;
#include "records.def"

#define CD_FIELD_BIT(record, member) \
    (UINT64_C(1) << CD_AT_##record##_##member)  // sets of a record's fields are 64-bit masks

// One table of each type. Head tables have run lifetime, the others frame lifetime.
typedef struct cd_model {
    int dim;  // 2 or 3, from head; 0 before it
#define CD_RECORD(record, scope, rank, doc) cd_##record##_rows record;
#include "records.def"
} cd_model;

// ---- descriptors: generic access for codecs, digest, views ---------------------------------------------------------
#define CD_FIELD_TYPE(type, base, depth, width, kind, form) CD_TYPE_##type,
typedef enum cd_field_type {
#include "field_types.def"
    CD_TYPE_COUNT
} cd_field_type;
// What an item of a column means, thus how it is read and written: see field_types.def.
typedef enum cd_field_kind {
    CD_KIND_NUMBER,
    CD_KIND_INTEGER,
    CD_KIND_ID,
    CD_KIND_BOOL,
    CD_KIND_WORD,
    CD_KIND_TEXT,
    CD_KIND_JSON,
    CD_KIND_REFERENCE,
    CD_KIND_SITE,
    CD_KIND_FEATURE
} cd_field_kind;
typedef enum cd_range {
    CD_RANGE_ANY,
    CD_RANGE_POS,
    CD_RANGE_NONNEG,
    CD_RANGE_UNIT,
    CD_RANGE_BOUND,
    CD_RANGE_MOMENTS,
} cd_range;
typedef enum cd_base { CD_BASE_F64, CD_BASE_I32, CD_BASE_I64, CD_BASE_U8, CD_BASE_TEXT } cd_base;

typedef struct cd_vocab {
    const char *name;
    int32_t count;
    const char *const *word;
} cd_vocab;

typedef struct cd_field {
    const char *member;  // C name
    const char *name;    // JSON and binary name, "group.field" for members of objects in a list
    cd_field_type type;
    cd_field_kind kind;
    const char *form;       // how the value looks in JSON, for people
    cd_base base;           // of one number (or text) of the column
    int depth;              // 0 fixed width, 1 list per row, 2 list of lists per row
    cd_record_type target;  // REF, REFS, SITE: table referred to; else CD_REC_UNKNOWN
    const cd_vocab *vocab;  // ENUM
    bool required;
    double default_value;  // NaN: none
    cd_range range;
    const char *doc;
    size_t offset;  // of the member in the record's struct
} cd_field;

typedef struct cd_record {
    const char *name;
    cd_record_type type;
    bool is_head;  // run lifetime
    cd_rank rank;
    const char *doc;
    size_t size;          // of its struct
    size_t model_offset;  // of the table in cd_model
    const cd_field *field;
    int32_t field_count;
} cd_record;

extern const cd_record cd_records[CD_REC_COUNT];

// What a row is about, whatever its number: a text with "{member}" for a value, a reference by the key of its row.
typedef struct cd_record_key {
    const char *text;       // NULL: the row is known by its id, or is the only one of its frame
    const char *otherwise;  // "", or the key of a row without any of the optional members that `text` names
} cd_record_key;

extern const cd_record_key cd_record_keys[CD_REC_COUNT];

// Header shared by every rows struct: generic code sees a table as this.
typedef struct cd_rows {
    int32_t count;
    int32_t capacity;  // rows the columns have room for; 0: they are as long as count and may be borrowed
    const char **json;
} cd_rows;

// The types of `set` (bits of CD_BIT) and all that their references can lead to.
uint64_t cd_types_with_targets(uint64_t set);
cd_record_type cd_record_find(const char *name, size_t length);  // CD_REC_UNKNOWN when none
// Does the record have a user id? Then it is the first field ("id", I64).
static inline bool cd_record_has_id(const cd_record *record)
{
    return record->field_count > 0 && record->field[0].type == CD_TYPE_I64 && record->field[0].name[0] == 'i' &&
           record->field[0].name[1] == 'd' && !record->field[0].name[2];
}
static inline cd_rows *cd_model_rows(cd_model *model, cd_record_type type)
{
    return (cd_rows *)((char *)model + cd_records[type].model_offset);
}
// The record type that a name of 5 letters or more, which is none, was meant for: its plural, or one a letter away from
// it, of 8 letters or more two; NULL when there is none.
const cd_record *cd_record_near(const char *name, size_t length);
const cd_field *cd_record_field(const cd_record *record, const char *name, size_t length);  // NULL when none
// Numbers in one item of a column: the width of its type in field_types.def.
int cd_field_width(const cd_field *field, int dim);
size_t cd_base_size(cd_base base);
// The column pointer of a depth-0 field (data, may be NULL) and the lists of depth 1 and 2.
static inline void **cd_field_column(const cd_field *field, const cd_rows *rows)
{
    return (void **)((char *)rows + field->offset);
}
static inline cd_list *cd_field_list(const cd_field *field, const cd_rows *rows)
{
    return (cd_list *)((char *)rows + field->offset);
}
static inline cd_list2 *cd_field_list2(const cd_field *field, const cd_rows *rows)
{
    return (cd_list2 *)((char *)rows + field->offset);
}
static inline bool cd_field_is_reference(const cd_field *field)  // absent is -1
{
    return field->type == CD_TYPE_REF || field->type == CD_TYPE_SITE || field->type == CD_TYPE_FEATX2;
}
// Is the row of a depth-0 column that begins with number `number` of its data absent? A vector is when all its numbers
// are NaN: one NaN among numbers is a wrong result, which must stay one that the next reader refuses.
static inline bool cd_is_absent(const cd_field *field, int width, const void *data, size_t number)
{
    switch (field->base) {
    case CD_BASE_F64:
        for (int k = 0; k < width; k++)
            if (!isnan(((const double *)data)[number + (size_t)k]))
                return false;
        return true;
    case CD_BASE_I32:
        return ((const int32_t *)data)[number] == (cd_field_is_reference(field) ? -1 : CD_ABSENT);
    case CD_BASE_I64:
        return ((const int64_t *)data)[number] == CD_ABSENT_I64;
    case CD_BASE_U8:
        return ((const uint8_t *)data)[number] == CD_ABSENT_BOOL;
    case CD_BASE_TEXT:
        return ((const char *const *)data)[number] == NULL;
    }
    return false;
}
// A number of row `row` of a column that may be NULL; `otherwise` where it is absent.
static inline double cd_f64_or(const double *column, int32_t row, double otherwise)
{
    return column && !isnan(column[row]) ? column[row] : otherwise;
}
static inline int32_t cd_i32_or(const int32_t *column, int32_t row, int32_t otherwise)
{
    return column && column[row] != CD_ABSENT ? column[row] : otherwise;
}
int32_t cd_vocab_find(const cd_vocab *vocab, const char *word, size_t length);  // -1 when it is not one of the words

// A depth-0 column of rows->count rows, filled with "absent"; @owns arena. CD_COLUMN sets the member and yields it:
//     double *gap = CD_COLUMN(arena, dim, contact, &out->contact, gap);
void *cd_column_new(cd_arena *arena, const cd_field *field, int dim, int32_t count);
// Writes "absent" into the numbers first..last-1 (not rows) of a depth-0 column.
void cd_column_fill_absent(const cd_field *field, void *data, size_t first, size_t last);
// Of the rows first .. first+count-1 of a depth-0 column.
int32_t cd_column_count_absent(const cd_field *field, int dim, const void *data, int32_t first, int32_t count);
const cd_field *cd_field_by_offset(cd_record_type type, size_t offset);
#define CD_COLUMN(arena, dim, record, rows, member) \
    ((rows)->member = cd_column_new(                \
         (arena), cd_field_by_offset(CD_REC_##record, offsetof(cd_##record##_rows, member)), (dim), (rows)->count))

// A table that is made while it is written, part by part: for results larger than anybody wants to hold.
typedef struct cd_parts {
    int32_t count;  // of rows; `make` NULL: there is no such table
    const void *context;
    // Sets the columns of rows first .. first+count-1; memory from the arena, until the next part. The same rows each
    // time.
    void (*make)(const void *context, cd_arena *arena, int32_t first, int32_t count, cd_rows *rows);
} cd_parts;

// Puts each field's default where a value is absent (adds the column when it is NULL). ROT: the identity.
void cd_rows_fill_defaults(cd_arena *arena, const cd_record *record, int dim, cd_rows *rows);
// The same, but columns of `bare` fields that are NULL stay so.
void cd_rows_fill_defaults_but(cd_arena *arena, const cd_record *record, int dim, uint64_t bare, cd_rows *rows);
// Makes the columns and lists of `fields` NULL; what they point to stays where it is.
void cd_rows_leave_out(const cd_record *record, uint64_t fields, cd_rows *rows);
// How many of the first numbers of a tensor of inertia are moments, the others products: CD_RANGE_MOMENTS holds of
// these.
static inline int cd_moments_of(int width) { return width == 1 ? 1 : 3; }
// The first depth-0 field with a number that no reader takes (a NaN, unless the value is optional and absent; an
// infinity where none is allowed) and its row; NULL when there is none. One pass over the numbers.
const cd_field *cd_rows_bad_number(const cd_record *record, int dim, const cd_rows *rows, int32_t *row);
// Puts the frame's name in front of a failure that was described, and returns its status: "frame 3: ", of one that is
// sent again or is a part of its step "frame 3 (round 2, substep 1): ".
cd_status cd_fail_in_frame(cd_diag *diag, cd_status status, const cd_frame_rows *frame);

#endif

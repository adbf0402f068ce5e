// cdstream -- a stage of one's own for cdtools: a filter that takes tables of a stream and makes others.
//
// cds_main owns the command line, reading, writing, errors, exit codes and provenance. The stage says which tables it
// takes and which it makes, and gives a function that is called once a frame. All else passes through; what it makes,
// and everything derived from that, is dropped before (cd-stream(5)). Both encodings are read and written. Types of
// records and their fields are those of cd-stream(5); `cd-view --fields` prints them.
//
//     static int frame(cds_frame *f, void *user)
//     {
//         cds_column position = cds_get(f, "body", "position");
//         for (int32_t i = 0; i < position.rows; i++) ...
//         return CDS_OK;
//     }
//     int main(int argc, char **argv)
//     {
//         static const char *const takes[] = {"pair", NULL}, *const makes[] = {"contact", NULL};
//         cds_stage stage = {.name = "my-narrow", .takes = takes, .makes = makes, .frame = frame};
//         return cds_main(argc, argv, &stage, NULL);
//     }
//
//     cc my-narrow.c $(pkg-config --cflags --libs cdstream) -o my-narrow
//
// SI units, world frame, radians. Vectors have as many numbers as the stream has dimensions. Rows count from 0, and
// references are rows, never ids. What was asked for wrongly (a table or field that does not exist, a row out of range)
// is kept: the call gives an empty answer, and the frame fails with the first of these mistakes when the stage returns.
// Memory that a call gives lives until the frame is over, that of head tables until the run is. One run a process.
// SPDX-License-Identifier: MIT
#ifndef CDSTREAM_H
#define CDSTREAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CDS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CDS_PRINTF(text, first)
#endif

// What a stage returns: 0, or how it failed, which is the exit code of the process.
enum {
    CDS_OK = 0,
    CDS_CHECK = 1,        // a check failed; the stream is complete all the same
    CDS_USAGE = 2,        // the command line, or the stage itself, is wrong
    CDS_INPUT = 3,        // the stream is
    CDS_IO = 4,           // a file or memory
    CDS_NUMERIC = 5,      // no solution was found
    CDS_UNSUPPORTED = 6,  // a shape or version that the stage does not know
};

typedef struct cds_frame cds_frame;  // the frame that is there, and the head of the run

// ---- the stage -----------------------------------------------------------------------------------------------------

typedef enum cds_option_kind {
    CDS_FLAG = 1,  // target int *: 1 when given
    CDS_INT,       // target int64_t *
    CDS_DOUBLE,    // target double *
    CDS_TEXT,      // target const char **
    CDS_CHOICE,    // target const char **: points into `choices`
} cds_option_kind;

// An option --NAME of the stage. Its target holds the default before.
typedef struct cds_option {
    cds_option_kind kind;
    const char *name;  // without dashes
    void *target;
    const char *argument;        // its name in --help, "LENGTH"; of a flag NULL
    double low, high;            // closed range of CDS_INT and CDS_DOUBLE; both 0: any
    const char *const *choices;  // NULL-ended
    const char *help;            // one line; the unit in [brackets]
} cds_option;

typedef struct cds_stage {
    const char *name;     // of the program: in messages, in its record `prog`
    const char *version;  // "1.0"; NULL: that of cdtools
    const char *summary;  // one line for --help; NULL: none
    // Tables that are read, NULL-ended; head, shape, frame, body and trial always are. Where a single one of them is
    // made by stages (bounds to next), a stream that has it in no frame, and no record of a program that could have
    // made it, is refused (exit code 3).
    const char *const *takes;
    const char *const *makes;               // tables that are written, NULL-ended
    const cds_option *options;              // ended by an entry of kind 0; NULL: none
    const char *notes;                      // more text of --help; NULL: none
    int (*begin)(cds_frame *, void *user);  // once, head tables are complete and no frame is there; may be NULL
    int (*frame)(cds_frame *, void *user);  // once a frame, in order
    void (*end)(void *user);                // last of all, after failures too; may be NULL
} cds_stage;

// Runs the stage over standard input, or the file named, to standard output. Returns the exit code.
int cds_main(int argc, char **argv, const cds_stage *stage, void *user);

// ---- what the stream says of the run and the frame -----------------------------------------------------------------

typedef struct cds_run {
    int dim;            // 2 or 3
    double gravity[3];  // [m/s^2]
    double epsilon;     // [m] points closer than it are one
    double length;      // [m] characteristic size
    const char *model;  // contact model of the run
    int64_t index;      // of the frame
    double time, step;  // [s] at its start, to the next frame; step 0: the frame states none, nothing moves
    int threads;        // -t
} cds_run;
// Within `begin` index, time and step are 0 and epsilon and length are those of the head, NaN where it has none.
cds_run cds_get_run(cds_frame *f);

// ---- tables that are read ------------------------------------------------------------------------------------------

typedef enum cds_type { CDS_DOUBLES = 1, CDS_INTS, CDS_LONGS, CDS_BOOLS, CDS_TEXTS } cds_type;

// A field of all rows of a table. Row r has the `width` numbers from `width * r`. Of a list (offset not NULL) row r has
// the items offset[r] .. offset[r + 1] - 1, of `width` numbers each. Of a list of lists (inner not NULL, too) these are
// lists themselves: k holds the numbers inner[k] .. inner[k + 1] - 1.
// Absent: NaN, CDS_ABSENT, CDS_ABSENT_LONG, 2, NULL; of references and features -1. Fields with a default have it.
typedef struct cds_column {
    cds_type type;
    int32_t rows;   // of the table
    int32_t width;  // numbers of an item; 0: no row has a value, and all pointers are NULL
    const double *d;
    const int32_t *i;  // numbers, words (index into `words`), rows of another table, features, [body row, part]
    const int64_t *l;  // user ids
    const uint8_t *b;
    const char *const *t;
    const int32_t *offset, *inner;
    const char *const *words;  // NULL-ended; of fields that are words of a closed list
} cds_column;

#define CDS_ABSENT INT32_MIN
#define CDS_ABSENT_LONG INT64_MIN

int32_t cds_rows(cds_frame *f, const char *table);
cds_column cds_get(cds_frame *f, const char *table, const char *field);
// The word of a row; NULL where it is absent.
const char *cds_word(const cds_column *column, int32_t row);
int64_t cds_id(cds_frame *f, const char *table, int32_t row);  // user id of a row of a table that has ids

// A feature of a polytope, as the numbers of fields `features` and `facet` are.
typedef enum cds_feature_kind { CDS_VERTEX = 0, CDS_EDGE = 1, CDS_FACE = 2, CDS_CHILD = 3 } cds_feature_kind;
static inline int32_t cds_feature(cds_feature_kind kind, int32_t number) { return 4 * number + (int32_t)kind; }

// ---- bodies: where they are, what they are made of -----------------------------------------------------------------

typedef struct cds_pose {
    double position[3];  // [m] centre of mass; z 0 in the plane
    double rotation[4];  // unit quaternion [w, x, y, z]; not looked at in the plane
    double angle;        // [rad] in the plane, 0 in space
} cds_pose;

// The states of a step: its start; its end in free motion, without contacts; where a repeated frame tries it (the start
// where there is no trial).
typedef enum cds_when { CDS_START, CDS_PREDICTED, CDS_TRIAL } cds_when;
cds_pose cds_get_pose(cds_frame *f, int32_t body, cds_when when);

int cds_takes_part(cds_frame *f, int32_t body);  // 0: it is not released yet
int cds_is_dynamic(cds_frame *f, int32_t body);  // 1: impulses move it; takes part, and is neither fixed nor prescribed
// [m] Distance within which parts of two bodies are to have contacts in this frame.
double cds_get_reach(cds_frame *f, int32_t body_a, int32_t body_b);

typedef enum cds_kind {
    CDS_POLYGON = 1,  // of the plane: vertices counter-clockwise
    CDS_POLYHEDRON,   // of space, convex: vertices and faces
    CDS_SPHERE,       // in the plane a circle
    CDS_ELLIPSOID,    // in the plane an ellipse
    CDS_HALFSPACE,    // solid where normal.x <= offset
    CDS_TRIANGLE,     // of a surface, and all within half the thickness of it: 3 vertices
} cds_kind;

// A convex part of a body's shape, placed. Compounds are expanded: parts are numbered as in pairs and contacts.
// Boxes are polygons of 4 vertices or polyhedra of 8.
typedef struct cds_part {
    cds_kind kind;
    int32_t shape;                            // row of `shape` that it is of
    double centre[3];                         // [m] of sphere, ellipsoid, box; else the mean of the vertices
    double rotation[4];                       // of ellipsoid and box: their axes, a quaternion (in the plane about z)
    double angle;                             // [rad] the same in the plane
    double radius;                            // [m] of a sphere
    double semiaxes[3];                       // [m] of an ellipsoid
    double halfsizes[3];                      // [m] of a box; else 0
    double normal[3];                         // outward, of a halfspace
    double offset;                            // [m] of a halfspace
    double thickness;                         // [m] of a triangle, full
    int32_t vertex_count;                     // of polygon, polyhedron, triangle; else 0
    const double *vertex;                     // [m] dim numbers each
    int32_t face_count;                       // of a polyhedron; else 0
    const int32_t *face_first, *face_vertex;  // face k: face_vertex[face_first[k]] .. [face_first[k + 1] - 1],
                                              // counter-clockwise from outside
} cds_part;

// 0 for a body that takes no part or has no shape.
int32_t cds_part_count(cds_frame *f, int32_t body);
// pose NULL: in the body's frame. Returns CDS_OK or a failure, which the stage hands on.
int cds_get_part(cds_frame *f, int32_t body, int32_t part, const cds_pose *pose, cds_part *result);

// ---- tables that are made ------------------------------------------------------------------------------------------

// Appends rows, every value absent; returns the first of them. An `id` that stays absent becomes the number of its row.
int32_t cds_add(cds_frame *f, const char *table, int32_t rows);
// The column of a field for all rows added so far, to be written: valid until rows are added. NULL when the field has
// other numbers.
double *cds_doubles(cds_frame *f, const char *table, const char *field);
int32_t *cds_ints(cds_frame *f, const char *table, const char *field);
// One row: the numbers of a field, one number of a field of one, a text or word (copied).
void cds_put(cds_frame *f, const char *table, int32_t row, const char *field, const double *numbers);
void cds_put_number(cds_frame *f, const char *table, int32_t row, const char *field, double number);
void cds_put_ints(cds_frame *f, const char *table, int32_t row, const char *field, const int32_t *numbers);
void cds_put_int(cds_frame *f, const char *table, int32_t row, const char *field, int64_t number);
void cds_put_text(cds_frame *f, const char *table, int32_t row, const char *field, const char *text);
// The list of one row: `count` items, double or int32_t as the numbers of the field are (copied).
void cds_put_list(cds_frame *f, const char *table, int32_t row, const char *field, const void *items, int32_t count);
// A row of the table `metric`, which `makes` names; bodies of a pair, or -1.
void cds_add_metric(cds_frame *f, const char *name, double value, int32_t body_a, int32_t body_b);

// A contact as an engine has it. Sides may stand in any order: the library turns those whose ids stand the other way,
// sorts all contacts of the frame and numbers them.
typedef struct cds_contact {
    int32_t a[2], b[2];             // [row of body, part]
    const char *kind;               // "distance", "depth", "vertex-face" ...
    double point_a[3], point_b[3];  // [m] on the surface of either; z 0 in the plane
    double normal[3];               // unit, from a to b
    double gap;                     // [m] negative: penetration
    int32_t features[2];            // cds_feature of a and b; {-1, -1}: none
    const char *status;             // NULL: "penetrating", "touching" within epsilon, else "candidate"
    int has_force;                  // then `makes` names `force`
    double force[3];                // [N] mean over the step, on b
} cds_contact;
void cds_add_contact(cds_frame *f, const cds_contact *contact);

// ---- messages ------------------------------------------------------------------------------------------------------

// Fails the stage: keeps the line "frame 3: body 7: shape: TEXT" for stderr and returns `code`, which the stage hands
// on. table NULL: of the whole frame; field may be NULL.
int cds_fail(cds_frame *f, int code, const char *table, int32_t row, const char *field, const char *format, ...)
    CDS_PRINTF(6, 7);
// "NAME: TEXT" on stderr, unless -q.
void cds_warn(cds_frame *f, const char *format, ...) CDS_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif

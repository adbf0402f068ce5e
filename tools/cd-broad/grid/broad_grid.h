// What the parts of the method `grid` share: the classes of boxes, their lattices and rows, and the scan at one
// vector level.
//
// Boxes of like extents form a class, and each class has a grid of its own: cells on two axes, the row axes, make
// rows that run along the third, the axis of `along`. A box lies in the row of its lower corner, at the place its
// lower face has along the row: in one of `buckets` equal parts of the range, in any order within a bucket. Cells are
// at least as wide as the greatest extent of the class, so a box meets only boxes of its own row and of the eight
// around it. Of its own row it looks at one run of buckets, from itself up to the bucket of its upper face; of the four
// rows around that come later at one too, which begins by the greatest extent before its lower face.
//
// Faces are compared as 16-bit numbers, 16 boxes in one instruction of AVX-512. A face becomes a lattice point by
// trunc((face - low) * scale), clamped to the range of the class: every step is monotone, so a <= b implies
// q(a) <= q(b), and q(a) < q(b) implies a < b. Overlaps on the lattice are therefore a superset, and only those with an
// equal pair of lattice points need a second look at the doubles. Along the row the lattice has 65534 points over the
// range. Across it there are GRID_CELL points a cell, of which the lowest 16 bits are kept: boxes of neighbouring rows
// differ by less than 3 * GRID_CELL points, so their difference modulo 65536 is the right one.
//
// The two faces of a box along an axis are kept in one word of 32 bits, the upper one above the lower one negated. The
// word of one box plus that of another with its halves exchanged is
//     (upper of one - lower of other, upper of other - lower of one):
// one addition, along the rows a saturating one, compares two boxes along an axis, and they overlap when neither half
// is negative.
//
// Where boxes have balls, the difference of the two halves is twice that of the boxes' centres, to three lattice
// points. With the radii in single precision, a distance that is surely below or surely above their sum decides; what
// is between, some pairs in a hundred, takes the second look at doubles. A ball that is not centred in its box has
// radius NaN there and always takes that look.
//
// Where each ball lies within its box (spheres), balls that surely overlap have boxes that do, and boxes need not be
// compared. Centres then have a lattice of their own, alike along all axes, of which 16 bits are kept, and so have
// radii: 32 balls a step, in a third of the instructions.
// SPDX-License-Identifier: MIT
#ifndef BROAD_GRID_H
#define BROAD_GRID_H

#include "broad_method.h"

#include <math.h>

enum {
    GRID_CELL_BITS = 13,
    GRID_CELL = 1 << GRID_CELL_BITS,  // lattice points a cell: differences over three cells fit a signed 16-bit number
    GRID_POINTS = 65534,              // lattice points along a row
    GRID_MIDDLE = 32767,              // what words along a row are counted from; also beyond the last point
    GRID_PADDING = 32,                // words behind each row that overlap nothing, for loads by the vector
    GRID_PIECE = 4096,                // boxes that are scanned in one go
    GRID_MOST_CLASSES = 32,
};

typedef struct grid_class {
    int32_t count;
    double low[3], high[3];                 // [m] of its boxes' faces, finite
    double extent_mean[3], extent_most[3];  // [m] halved, so that a box over all doubles has a finite one
    double scale[3], top[3];                // [1/m] lattice points a metre; the last lattice point
    int32_t reach[3];                       // [points] the greatest extent, rounded up
    int32_t rows[3];                        // cells along the row axes, 1 for the other
    int32_t buckets;
    bool is_round;                  // are balls compared on the lattice? No where sums of two extents would saturate
    double unit;                    // [m] of the three below
    float pitch[3], doubt;          // half a lattice point; how far off the distance of two centres can be
    int32_t first_row, first_cell;  // of its rows among all rows, of its buckets among all
    int targets;                    // classes in whose grids the boxes of this one look for theirs
    int target[GRID_MOST_CLASSES];
} grid_class;

// What the scan reads of a box, as scattered to its row. 16 bytes.
typedef struct grid_record {
    uint32_t faces[3];  // grid_word, along the rows from GRID_MIDDLE; numbered as grid_job.axis
    int32_t item;
} grid_record;

// A ball on the lattice of centres: coordinates modulo 2^16, and the radius in eighths of a point.
typedef struct grid_ball {
    uint16_t centre[3], radius;
} grid_ball;

enum {
    GRID_SNUG_RADIUS = 1024,  // [points] the greatest radius: eighths of two of them, squared, over 2^16, fit 16 bits
    GRID_SNUG_FAR = 4700,     // [points] differences count as no more: three of their squares fit 16 bits too
    // [1/8 point] three coordinates that are off by less than a point each, and two radii by half an eighth
    GRID_SNUG_DOUBT = 16,
    GRID_LOOSE = 0xffff,  // radius of a ball that is not about the middle of its box and within it
};

// Up to GRID_PIECE boxes of one row.
typedef struct grid_piece {
    int32_t class, row;  // the row among all rows
    int32_t begin, end;
} grid_piece;

typedef uint8_t grid_lanes[8];  // numbers of vector lanes that are in a mask, first to last; 0 behind them

typedef struct grid_job {
    const cd_broad_run *run;
    const cd_broad_input *input;
    int threads;   // that scan
    int builders;  // that build
    int axis[3];   // of the input: along the rows, and the two across
    grid_class class[GRID_MOST_CLASSES];
    int classes;
    int splits;               // times that crowds were split off
    int32_t rows, cells;      // of all classes; a row has one cell more than buckets
    uint8_t *class_room;      // [count]
    const uint8_t *class_of;  // [count], NULL with one class
    int32_t *row_of;          // [count], until the records are scattered: shares its memory with `item`
    int32_t **place;          // [builders][rows] how many boxes of the worker's share lie in the row, then where to
    int32_t **bucket_count;   // [builders][most buckets of a class]
    int64_t *crowding;        // [builders] sum of the squares of the numbers of boxes in a bucket
    int32_t *row_begin;       // [rows + 1]
    grid_record *record;      // [count] in order of rows
    int32_t *start;           // [cells] where a bucket's boxes begin; after the buckets of a row, where the row ends
    uint32_t *faces[3];       // [places] in order of buckets, GRID_PADDING places after each row
    int32_t *item;            // [places]
    grid_piece *piece;
    int32_t pieces;
    int64_t next;                 // counter of the workers
    const grid_lanes *compress;   // AVX2: [mask] the lanes in the mask
    const grid_lanes *paired;     // AVX2: [mask] the first four of them, each twice; [256 + mask] those after them
    bool has_rounds;              // balls are compared by the vector
    float *record_radius;         // [count] beside `record`; in units of the class
    float *radius;                // [places]
    bool is_snug;                 // instead of these two:
    double snug_scale;            // [points/m]
    grid_ball *record_ball;       // [count] beside `record`
    uint16_t *centre[3], *reach;  // [places] columns of grid_ball
} grid_job;

// In units of a class: beyond all distances on its lattice, and its square is a float.
#define GRID_VAST 1e18f

// The radius of an item's ball in a class's unit, at most GRID_VAST; NaN when the ball is not centred in the box.
static inline float grid_radius(const grid_job *job, const grid_class *class, int32_t item)
{
    const cd_broad_input *input = job->input;
    int dim = input->dim;
    const double *ball = input->ball + ((int64_t)dim + 1) * item;
    for (int k = 0; k < dim; k++)
        if (ball[k] != input->min[(int64_t)dim * item + k] / 2 + input->max[(int64_t)dim * item + k] / 2)
            return NAN;
    double radius = ball[dim] / class->unit;
    return radius < (double)GRID_VAST ? (float)radius : GRID_VAST;
}

// With one class. A ball within its box but for a millionth: far less than what the lattice leaves in doubt.
static inline grid_ball grid_ball_of(const grid_job *job, int32_t item)
{
    const grid_class *class = &job->class[0];
    int dim = job->input->dim;
    int64_t row = (int64_t)dim * item;
    const double *ball = job->input->ball + row + item, *min = job->input->min + row, *max = job->input->max + row;
    bool is_snug = true;
    for (int k = 0; k < dim; k++) {
        int axis = job->axis[k];
        is_snug &= (ball[axis] == min[axis] / 2 + max[axis] / 2) &
                   (2 * ball[dim] <= (1 + 1e-6) * (max[axis] - min[axis])) & (min[axis] >= class->low[k]) &
                   (max[axis] <= class->high[k]);
    }
    if (!is_snug)
        return (grid_ball){{0, 0, 0}, GRID_LOOSE};
    grid_ball result = {.radius = (uint16_t)(8 * job->snug_scale * ball[dim] + 0.5)};
    for (int k = 0; k < dim; k++)
        result.centre[k] = (uint16_t)(uint32_t)((ball[job->axis[k]] - class->low[k]) * job->snug_scale);
    return result;
}

static inline int32_t grid_lattice(const grid_class *class, int axis, double face)
{
    double point = (face - class->low[axis]) * class->scale[axis];
    point = point > 0 ? point : 0;
    return (int32_t)(point < class->top[axis] ? point : class->top[axis]);
}

static inline uint32_t grid_word(int32_t low, int32_t high) { return (uint32_t)high << 16 | ((uint32_t)-low & 0xffff); }
static inline uint32_t grid_word_along(int32_t low, int32_t high)
{
    return grid_word(low - GRID_MIDDLE, high - GRID_MIDDLE);
}

// The buckets of the two faces of a box along the row: monotone.
static inline int32_t grid_bucket_low(uint32_t buckets, uint32_t word)
{
    return (int32_t)(((GRID_MIDDLE - word) & 0xffff) * buckets >> 16);
}
// The first one in which a box may lie that meets it, if none reaches farther than `reach` [points] along the row.
static inline int32_t grid_bucket_before(uint32_t buckets, uint32_t word, uint32_t reach)
{
    uint32_t low = (GRID_MIDDLE - word) & 0xffff;
    return (int32_t)((low > reach ? low - reach : 0) * buckets >> 16);
}
static inline int32_t grid_bucket_high(uint32_t buckets, uint32_t word)
{
    return (int32_t)((((word >> 16) + GRID_MIDDLE) & 0xffff) * buckets >> 16);
}

// Sets classes and class_of.
void cd_grid_classify(grid_job *job);

// After cd_grid_build. True: there were crowds and classes changed; all that came after them must be made anew.
bool cd_grid_split_crowds(grid_job *job);

// Sets is_snug and snug_scale.
void cd_grid_plan_snug(grid_job *job);

void cd_grid_build(grid_job *job);  // record .. pieces from the classes (broad_grid_build.c)

// Records of the boxes begin .. end-1, of one class in space, and their balls where is_snug: to where place[row] says,
// which counts on. The same bits at every level.
void cd_grid_scatter_avx2(const grid_job *job, int32_t begin, int32_t end, int32_t *place);
void cd_grid_scatter_avx512(const grid_job *job, int32_t begin, int32_t end, int32_t *place);

// All that comes before the scan: at least two boxes. The memory belongs to the run's arena.
grid_job cd_grid_prepare(const cd_broad_run *run);

// All pairs of the pieces that the worker takes. Same pairs at every level.
void cd_grid_scan_portable(void *job, int worker);
void cd_grid_scan_avx2(void *job, int worker);
void cd_grid_scan_avx512(void *job, int worker);

#endif

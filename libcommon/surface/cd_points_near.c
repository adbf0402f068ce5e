// SPDX-License-Identifier: MIT
#include "cd_points_near.h"

typedef struct range {
    int32_t begin, end;
    int axis;
} range;

enum { RANGES = 64 };  // a range halves at each level

static double along(cd_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// Hoare's selection: afterwards no point before `middle` is greater along the axis, and none behind it is less.
static void select_middle(const cd_points_near *tree, range r, int32_t middle)
{
    int32_t *order = tree->order;
    for (int32_t low = r.begin, high = r.end - 1; low < high;) {
        double pivot = along(tree->point[order[low + (high - low) / 2]], r.axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (along(tree->point[order[i]], r.axis) < pivot)
                i++;
            while (along(tree->point[order[j]], r.axis) > pivot)
                j--;
            if (i > j)
                break;
            int32_t swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

void cd_points_near_sort(cd_points_near *tree)
{
    range stack[RANGES];
    int count = 0;
    stack[count++] = (range){0, tree->count, 0};
    while (count > 0) {
        range r = stack[--count];
        int32_t middle = r.begin + (r.end - r.begin) / 2;
        if (r.end - r.begin < 2)
            continue;
        select_middle(tree, r, middle);
        int next = (r.axis + 1) % 3;
        stack[count++] = (range){r.begin, middle, next};
        stack[count++] = (range){middle + 1, r.end, next};
    }
}

void cd_points_near_in(const cd_points_near *tree, cd_vec3 low, cd_vec3 high, cd_points_near_found *found,
                       void *context)
{
    range stack[RANGES];
    int count = 0;
    stack[count++] = (range){0, tree->count, 0};
    while (count > 0) {
        range r = stack[--count];
        int32_t middle = r.begin + (r.end - r.begin) / 2;
        if (r.end <= r.begin)
            continue;
        cd_vec3 p = tree->point[tree->order[middle]];
        if (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z)
            found(context, tree->order[middle]);
        int next = (r.axis + 1) % 3;
        if (along(p, r.axis) <= along(high, r.axis))
            stack[count++] = (range){middle + 1, r.end, next};
        if (along(p, r.axis) >= along(low, r.axis))
            stack[count++] = (range){r.begin, middle, next};
    }
}

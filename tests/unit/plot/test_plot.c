// The pure parts of cd-plot: axes, clipping, arrangement of panels, thinning of lines.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "plot_ask.h"
#include "plot_series.h"
#include "plot_view.h"

#include <stdlib.h>

// A tick label as a number: typographic minus, "a×10^{b}".
static double label_value(const char *label)
{
    char text[128];
    size_t n = 0;
    for (const char *c = label; *c && n < sizeof text - 2; c++) {
        if (!strncmp(c, "\xe2\x88\x92", 3)) {
            text[n++] = '-';
            c += 2;
        } else if (!strncmp(c,
                            "\xc3\x97"
                            "10^{",
                            6)) {
            text[n++] = 'e';
            c += 5;
        } else if (!strncmp(c, "10^{", 4)) {
            text[n++] = '1';
            text[n++] = 'e';
            c += 3;
        } else if (*c != '}') {
            text[n++] = *c;
        }
    }
    text[n] = 0;
    return strtod(text, NULL);
}

static void check_ticks(const cd_plot_axis *axis, int want)
{
    CD_CHECK(axis->tick_count >= 2 && axis->tick_count <= 2 * want + 2);
    double step = axis->tick[1].value - axis->tick[0].value;
    for (int i = 0; i < axis->tick_count; i++) {
        double at = cd_plot_axis_place(axis, axis->tick[i].value);
        CD_CHECK(at > -1e-6 && at < 1 + 1e-6);
        CD_CHECK_NEAR(label_value(axis->tick[i].text), axis->tick[i].value,
                      1e-6 * step + 1e-15 * fabs(axis->tick[i].value));
        if (i > 0) {
            CD_CHECK_NEAR(axis->tick[i].value - axis->tick[i - 1].value, step, 1e-3 * step);
            CD_CHECK(strcmp(axis->tick[i].text, axis->tick[i - 1].text) != 0);
        }
    }
}

CD_TEST(linear_ticks_are_even_and_say_their_value)
{
    cd_random random = {1};
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, cd_random_between(&random, -200, 200)), middle = cd_random_between(&random, -1, 1) * size;
        double span = size * pow(10, cd_random_between(&random, -7, 2));
        int want = 2 + (int)cd_random_between(&random, 0, 10);
        cd_plot_axis axis = cd_plot_axis_linear(middle - span / 2, middle + span / 2, 0.02, want);
        if (axis.tick_count > 1)
            check_ticks(&axis, want);
        CD_CHECK(axis.tick_count >= 1);
        CD_CHECK(cd_plot_axis_place(&axis, middle - span / 2) > 0 && cd_plot_axis_place(&axis, middle + span / 2) < 1);
    }
}

CD_TEST(linear_labels_read_well)
{
    cd_plot_axis axis = cd_plot_axis_linear(0, 0.3, 0, 4);
    CD_CHECK(axis.tick_count == 4);
    CD_CHECK_TEXT(axis.tick[0].text, "0");
    CD_CHECK_TEXT(axis.tick[3].text, "0.3");
    CD_CHECK(axis.tick[3].value == 0.3);
    axis = cd_plot_axis_linear(-2e-7, 2e-7, 0, 4);
    CD_CHECK_TEXT(axis.tick[0].text, "\xe2\x88\x92"
                                     "2\xc3\x97"
                                     "10^{\xe2\x88\x92"
                                     "7}");
    axis = cd_plot_axis_linear(0, 4e6, 0, 4);
    CD_CHECK_TEXT(axis.tick[1].text, "1\xc3\x97"
                                     "10^{6}");
    axis = cd_plot_axis_linear(1e6, 1e6 + 2, 0, 4);
    CD_CHECK_TEXT(axis.tick[1].text, "1000000.5");
}

CD_TEST(axes_bear_any_number)
{
    const double value[] = {0, 5e-324, 1e-310, 1, 1e15, 1e300, 1.7e308, -1e300, -5e-324};
    const int count = sizeof value / sizeof value[0];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            cd_plot_axis axis = cd_plot_axis_linear(value[i], value[k], 0.04, 8);
            CD_CHECK(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high && axis.tick_count >= 1);
            double at = cd_plot_axis_place(&axis, cd_plot_clamp(value[i]));
            CD_CHECK(at >= 0 && at <= 1);
            if (!(value[i] > 0 && value[k] >= value[i]))
                continue;
            axis = cd_plot_axis_log(value[i], value[k], true, 8);
            CD_CHECK(axis.tick_count >= (value[k] > 1e-306 ? 2 : 1) && axis.low < axis.high);
            at = cd_plot_axis_place(&axis, cd_plot_clamp(value[i]));
            CD_CHECK(at > cd_plot_axis_place(&axis, 0) && at <= 1);
        }
}

CD_TEST(decades_are_evenly_spaced_and_zero_is_below_them)
{
    cd_plot_axis axis = cd_plot_axis_log(3e-8, 2e-3, true, 12);
    double step = cd_plot_axis_place(&axis, 1e-6) - cd_plot_axis_place(&axis, 1e-7);
    for (int decade = -8; decade < -3; decade++)
        CD_CHECK_NEAR(cd_plot_axis_place(&axis, pow(10, decade + 1)) - cd_plot_axis_place(&axis, pow(10, decade)), step,
                      1e-12);
    double floor = cd_plot_axis_place(&axis, 0);
    CD_CHECK(floor > 0 && floor < cd_plot_axis_place(&axis, 1e-8) - 0.03);
    CD_CHECK(cd_plot_axis_place(&axis, -1) == floor);
    CD_CHECK_TEXT(axis.tick[0].text, "0");
    CD_CHECK_TEXT(axis.tick[1].text, "10^{\xe2\x88\x92"
                                     "8}");
    for (int i = 1; i < axis.tick_count; i++)
        CD_CHECK_NEAR(label_value(axis.tick[i].text) / axis.tick[i].value, 1, 1e-12);
}

static cd_polygon random_polygon(cd_random *random, cd_arena *arena, double spread)
{
    cd_vec2 *point = CD_ARENA_ARRAY(arena, cd_vec2, 12);
    cd_vec2 middle = {cd_random_between(random, -spread, spread), cd_random_between(random, -spread, spread)};
    for (int i = 0; i < 12; i++)
        point[i] = (cd_vec2){middle.x + cd_random_between(random, -1, 1), middle.y + cd_random_between(random, -1, 1)};
    return cd_hull2(point, 12, arena, NULL);
}

CD_TEST(clipped_polygons_have_the_area_of_the_intersection)
{
    cd_random random = {2};
    cd_arena arena = {0};
    const cd_plot_box box = {{-1, -0.5}, {1, 0.7}};
    const cd_vec2 corner[4] = {{-1, -0.5}, {1, -0.5}, {1, 0.7}, {-1, 0.7}};
    for (int i = 0; i < 5000; i++) {
        cd_polygon polygon = random_polygon(&random, &arena, 2);
        cd_polygon part = cd_plot_clip_polygon(&arena, box, polygon.vertex, polygon.count);
        double area = part.count >= 3 ? cd_polygon_area(part) : 0;
        CD_CHECK_NEAR(area, cd_polygon_overlap_area(polygon, (cd_polygon){4, corner}, &arena), 1e-12);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(halfspaces_and_their_complements_fill_the_box)
{
    cd_random random = {3};
    cd_arena arena = {0};
    const cd_plot_box box = {{-1, -0.5}, {1, 0.7}};
    for (int i = 0; i < 5000; i++) {
        double angle = cd_random_between(&random, 0, 7), offset = cd_random_between(&random, -1.5, 1.5);
        cd_vec2 normal = {cos(angle), sin(angle)};
        cd_polygon inside = cd_plot_clip_halfspace(&arena, box, normal, offset);
        cd_polygon outside = cd_plot_clip_halfspace(&arena, box, cd_negate2(normal), -offset);
        double sum =
            (inside.count >= 3 ? cd_polygon_area(inside) : 0) + (outside.count >= 3 ? cd_polygon_area(outside) : 0);
        CD_CHECK_NEAR(sum, 2 * 1.2, 1e-12);
        for (int k = 0; k < inside.count; k++)
            CD_CHECK(cd_dot2(normal, inside.vertex[k]) <= offset + 1e-12);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(clipped_segments_agree_with_points_along_them)
{
    cd_random random = {4};
    const cd_plot_box box = {{-1, -0.5}, {1, 0.7}};
    for (int i = 0; i < 3000; i++) {
        cd_vec2 a = {cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)};
        cd_vec2 b = i % 5 ? (cd_vec2){cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)}
                          : (cd_vec2){a.x, -a.y};
        cd_vec2 p = a, q = b;
        bool hit = cd_plot_clip_segment(box, &p, &q);
        double length = cd_length2(cd_sub2(b, a)), inside = 0;
        for (int k = 0; k < 1000; k++)
            inside += cd_plot_box_holds(box, cd_lerp2(a, b, (k + 0.5) / 1000)) / 1000.0;
        CD_CHECK_NEAR(hit ? cd_length2(cd_sub2(q, p)) : 0, inside * length, 0.0021 * length);
    }
}

CD_TEST(views_show_huge_and_empty_boxes)
{
    const double value[] = {0, 1, 1e20, 1e300, 1.7e308, 1e-320};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            cd_plot_box box = cd_plot_box_add(cd_plot_box_add(cd_plot_box_empty(), (cd_vec2){-value[i], value[k]}),
                                              (cd_vec2){value[k], value[i]});
            box = cd_plot_box_fit(box, 0.05, 4);
            double width = box.max.x - box.min.x, height = box.max.y - box.min.y;
            CD_CHECK(isfinite(width) && isfinite(height) && width > 0 && height > 0 && width / height < 4.1 &&
                     height / width < 4.1);
            cd_plot_view view = cd_plot_view_make(box, (cd_plot_rect){10, 20, 300, 300 * height / width});
            cd_vec2 low = cd_plot_to_px(&view, box.min), high = cd_plot_to_px(&view, box.max);
            CD_CHECK_NEAR(low.x, 10, 1e-6);
            CD_CHECK_NEAR(high.x, 310, 1e-6);
            CD_CHECK_NEAR(high.y, 20, 1e-3);
        }
    cd_plot_box unit = cd_plot_box_fit(cd_plot_box_empty(), 0, 4);
    CD_CHECK(unit.min.x == -0.5 && unit.max.y == 0.5);
}

CD_TEST(grids_hold_all_panels_and_are_the_largest)
{
    for (int panels = 1; panels <= 64; panels++)
        for (double ratio = 0.2; ratio < 5; ratio *= 1.7) {
            cd_plot_grid grid = cd_plot_grid_fit(panels, ratio, 900, 600, 10, 30, 0);
            CD_CHECK(grid.columns * grid.rows >= panels && grid.columns * (grid.rows - 1) < panels);
            CD_CHECK(grid.columns * grid.width + (grid.columns - 1) * 10 < 900 + 1e-9);
            CD_CHECK(grid.rows * grid.height + (grid.rows - 1) * 30 < 600 + 1e-9);
            for (int columns = 1; columns <= panels; columns++)
                CD_CHECK(cd_plot_grid_fit(panels, ratio, 900, 600, 10, 30, columns).width <= grid.width);
        }
}

CD_TEST(thinned_lines_keep_the_extremes_of_every_pixel)
{
    enum { COUNT = 50000, PIXELS = 300 };
    static double x[COUNT], y[COUNT];
    static int64_t index[COUNT];
    cd_random random = {5};
    for (int i = 0; i < COUNT; i++) {
        x[i] = i == 0 ? 0 : x[i - 1] + (i % 7 == 0 ? 0 : cd_random_unit(&random));
        y[i] = sin(0.01 * i) + (i % 997 == 0 ? 5 * cd_random_unit(&random) : 0);
    }
    int64_t kept = cd_plot_thin(x, y, COUNT, PIXELS, index);
    CD_CHECK(kept > 2 * PIXELS && kept <= 4 * (PIXELS + 1));
    CD_CHECK(index[0] == 0 && index[kept - 1] == COUNT - 1);
    static double low[2][PIXELS + 1], high[2][PIXELS + 1];
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k <= PIXELS; k++)
            low[pass][k] = INFINITY, high[pass][k] = -INFINITY;
        for (int64_t i = 0; i < (pass ? kept : COUNT); i++) {
            int64_t at = pass ? index[i] : i;
            CD_CHECK(!pass || i == 0 || index[i - 1] < at);
            int pixel = (int)floor(x[at] / x[COUNT - 1] * PIXELS);
            low[pass][pixel] = fmin(low[pass][pixel], y[at]);
            high[pass][pixel] = fmax(high[pass][pixel], y[at]);
        }
    }
    for (int k = 0; k <= PIXELS; k++)
        CD_CHECK(low[0][k] == low[1][k] && high[0][k] == high[1][k]);
}

CD_TEST(metrics_are_named_with_and_without_their_tool)
{
    CD_CHECK(cd_plot_metric_matches("overlap", "cd-overlap-metric", "overlap"));
    CD_CHECK(cd_plot_metric_matches("cd-overlap-metric:overlap", "cd-overlap-metric", "overlap"));
    CD_CHECK(!cd_plot_metric_matches("cd-lcp:overlap", "cd-overlap-metric", "overlap"));
    CD_CHECK(!cd_plot_metric_matches("over", "cd-overlap-metric", "overlap"));
    CD_CHECK(!cd_plot_metric_matches("cd-overlap-metric:", "cd-overlap-metric", "overlap"));
    CD_CHECK(cd_plot_metric_matches("a:b", "c", "a:b"));
}

CD_TEST(frames_are_chosen_by_ranges_with_both_ends)
{
    cd_plot_ask ask = {.range = {{.first = 10, .last = 40, .step = 10}, {.first = 5, .last = 5, .step = 1}},
                       .range_count = 2};
    int chosen = 0;
    for (int64_t i = 0; i < 100; i++)
        chosen += cd_plot_ask_has_frame(&ask, i);
    CD_CHECK(chosen == 5);
    CD_CHECK(cd_plot_ask_has_frame(&ask, 10) && cd_plot_ask_has_frame(&ask, 40) && cd_plot_ask_has_frame(&ask, 5));
    CD_CHECK(!cd_plot_ask_has_frame(&ask, 15) && !cd_plot_ask_has_frame(&ask, 50));
}

int main(void)
{
    CD_RUN(linear_ticks_are_even_and_say_their_value);
    CD_RUN(linear_labels_read_well);
    CD_RUN(axes_bear_any_number);
    CD_RUN(decades_are_evenly_spaced_and_zero_is_below_them);
    CD_RUN(clipped_polygons_have_the_area_of_the_intersection);
    CD_RUN(halfspaces_and_their_complements_fill_the_box);
    CD_RUN(clipped_segments_agree_with_points_along_them);
    CD_RUN(views_show_huge_and_empty_boxes);
    CD_RUN(grids_hold_all_panels_and_are_the_largest);
    CD_RUN(thinned_lines_keep_the_extremes_of_every_pixel);
    CD_RUN(metrics_are_named_with_and_without_their_tool);
    CD_RUN(frames_are_chosen_by_ranges_with_both_ends);
    return cd_test_done();
}

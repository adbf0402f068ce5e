// SPDX-License-Identifier: MIT
#include "why_story.h"

#include <stdarg.h>
#include <stdio.h>

cd_why_section *cd_why_open(cd_why_story *story, const char *key, const char *title)
{
    cd_why_section *section = CD_ARENA_ZARRAY(story->arena, cd_why_section, 1);
    section->key = key;
    section->title = title;
    cd_list_push(story->arena, &story->section, section);
    return section;
}

static cd_why_section *last_section(cd_why_story *story) { return story->section.item[story->section.count - 1]; }

cd_why_value cd_why_vector(const double *data, int count)
{
    if (!data || isnan(data[0]))
        return cd_why_nothing();
    cd_why_value value = {.kind = CD_WHY_NUMBERS, .count = count, .is_vector = true};
    for (int k = 0; k < count; k++)
        value.number[k] = data[k];
    return value;
}

void cd_why_say(cd_why_story *story, const char *key, const char *label, cd_why_value value, const char *unit,
                const char *note)
{
    cd_why_fact fact = {key, label, value, unit, note};
    cd_list_push(story->arena, &last_section(story)->fact, fact);
}

cd_why_table *cd_why_tabulate(cd_why_story *story, const char *key, const char *title, int columns,
                              const cd_why_column *column)
{
    cd_why_table *table = CD_ARENA_ZARRAY(story->arena, cd_why_table, 1);
    table->key = key;
    table->title = title;
    table->columns = columns;
    memcpy(table->column, column, (size_t)columns * sizeof *column);
    table->shown = INT32_MAX;
    cd_list_push(story->arena, &last_section(story)->table, table);
    return table;
}

void cd_why_add(cd_why_story *story, cd_why_table *table, const cd_why_value *cells)
{
    cd_why_row row = {.count = table->columns};
    memcpy(row.cell, cells, (size_t)table->columns * sizeof *cells);
    cd_list_push(story->arena, &table->row, row);
}

static const char *sentence_of(cd_arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = cd_arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    return text;
}

void cd_why_differ(cd_why_story *story, const char *stage, const char *record, const char *fault, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    cd_why_difference difference = {stage, record, fault, sentence_of(story->arena, format, arguments)};
    va_end(arguments);
    cd_list_push(story->arena, &story->difference, difference);
}

void cd_why_conclude(cd_why_story *story, const char *verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    story->verdict = verdict;
    story->sentence = sentence_of(story->arena, format, arguments);
    va_end(arguments);
}

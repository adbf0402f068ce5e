// The story as text for people and as JSON.
// SPDX-License-Identifier: MIT
#include "cd_codec.h"
#include "why_story.h"

#include <stdio.h>

// ---- text ----------------------------------------------------------------------------------------------------------

enum { ALL_DIGITS = 17 };

static double largest_of(const cd_why_value *value)
{
    double largest = 0;
    for (int k = 0; k < value->count; k++)
        largest = fmax(largest, isinf(value->number[k]) ? 0 : fabs(value->number[k]));
    return largest;
}

// Of a vector, what is rounding beside its largest number is 0 for people, unless they ask for all digits.
static void print_value(cd_buffer *out, const cd_why_value *value, int digits)
{
    switch (value->kind) {
    case CD_WHY_NOTHING:
        cd_buffer_text(out, "-");
        return;
    case CD_WHY_TEXT:
        cd_buffer_text(out, value->text);
        return;
    case CD_WHY_YES_NO:
        cd_buffer_text(out, value->yes ? "yes" : "no");
        return;
    case CD_WHY_NUMBERS:
        for (int k = 0; k < value->count; k++) {
            const bool is_rounding = digits < ALL_DIGITS && fabs(value->number[k]) < 1e-12 * largest_of(value);
            cd_buffer_printf(out, "%s%.*g", k > 0 ? " " : "", digits, is_rounding ? 0 : value->number[k] + 0.0);
        }
    }
}

static int width_of(const cd_why_value *value, int digits)
{
    cd_buffer text = {0};
    print_value(&text, value, digits);
    int width = (int)text.size;
    cd_buffer_release(&text);
    return width;
}

static void pad(cd_buffer *out, int count) { cd_buffer_printf(out, "%*s", count > 0 ? count : 0, ""); }

static void print_facts(const cd_why_section *section, int digits, cd_buffer *out)
{
    int width = 0;
    for (int32_t i = 0; i < section->fact.count; i++) {
        const char *label = section->fact.item[i].label;
        width = label && (int)strlen(label) > width ? (int)strlen(label) : width;
    }
    for (int32_t i = 0; i < section->fact.count; i++) {
        const cd_why_fact *fact = &section->fact.item[i];
        if (!fact->label)
            continue;
        cd_buffer_printf(out, "  %-*s  ", width, fact->label);
        print_value(out, &fact->value, digits);
        if (fact->unit && fact->value.kind != CD_WHY_NOTHING)
            cd_buffer_printf(out, " %s", fact->unit);
        if (fact->note)
            cd_buffer_printf(out, "  (%s)", fact->note);
        cd_buffer_text(out, "\n");
    }
}

// Numbers stand at the right, and so does what stands over numbers alone.
static bool is_left(const cd_why_table *table, int column, const cd_why_row *row)
{
    if (row)
        return row->cell[column].kind == CD_WHY_TEXT || row->cell[column].is_vector;
    for (int32_t i = 0; i < table->row.count; i++)
        if (table->row.item[i].cell[column].kind == CD_WHY_TEXT || table->row.item[i].cell[column].is_vector)
            return true;
    return false;
}

static void print_cells(const cd_why_table *table, const cd_why_row *row, const int *width, int digits, cd_buffer *out)
{
    int behind = 0;  // blanks that only a further cell needs
    cd_buffer_text(out, "  ");
    for (int k = 0; k < table->columns; k++) {
        if (!table->column[k].title)
            continue;
        const cd_why_value title = cd_why_text(table->column[k].title), *value = row ? &row->cell[k] : &title;
        const int blank = width[k] - width_of(value, digits);
        const bool left = is_left(table, k, row);
        pad(out, behind + (left ? 0 : blank));
        print_value(out, value, digits);
        behind = (left ? blank : 0) + 2;
    }
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
    cd_buffer_text(out, "\n");
}

static void print_table(const cd_why_table *table, int digits, cd_buffer *out)
{
    int width[CD_WHY_COLUMNS] = {0};
    const int32_t shown = table->row.count < table->shown ? table->row.count : table->shown;
    if (table->title)
        cd_buffer_printf(out, "  %s\n", table->title);
    if (shown == 0)
        return;
    for (int k = 0; k < table->columns; k++) {
        width[k] = table->column[k].title ? (int)strlen(table->column[k].title) : 0;
        for (int32_t i = 0; i < shown; i++) {
            const int own = width_of(&table->row.item[i].cell[k], digits);
            width[k] = own > width[k] ? own : width[k];
        }
    }
    print_cells(table, NULL, width, digits, out);
    for (int32_t i = 0; i < shown; i++)
        print_cells(table, &table->row.item[i], width, digits, out);
    if (table->row.count > shown)
        cd_buffer_printf(out, "  ... and %d more (-j has them all)\n", (int)(table->row.count - shown));
}

void cd_why_print_text(const cd_why_story *story, int digits, cd_buffer *out)
{
    cd_buffer_printf(out, "%s\n", story->title);
    for (int32_t i = 0; i < story->section.count; i++) {
        const cd_why_section *section = story->section.item[i];
        if (!section->title)
            continue;
        cd_buffer_printf(out, "\n%s\n", section->title);
        print_facts(section, digits, out);
        for (int32_t k = 0; k < section->table.count; k++)
            print_table(section->table.item[k], digits, out);
    }
    if (story->difference.count > 0)
        cd_buffer_printf(out, "\nstream and bodies differ (%d)\n", (int)story->difference.count);
    for (int32_t i = 0; i < story->difference.count; i++) {
        const cd_why_difference *d = &story->difference.item[i];
        cd_buffer_printf(out, "  %s, %s: %s\n", d->stage, d->record, d->sentence);
    }
    cd_buffer_printf(out, "\n%s\n", story->sentence);
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void json_number(cd_buffer *out, double number)
{
    char text[CD_NUMBER_MAX];
    if (isfinite(number))
        cd_buffer_append(out, text, (size_t)cd_number_print(number + 0.0, text));
    else
        cd_buffer_text(out, isnan(number) ? "null" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static void json_value(cd_buffer *out, const cd_why_value *value)
{
    switch (value->kind) {
    case CD_WHY_NOTHING:
        cd_buffer_text(out, "null");
        return;
    case CD_WHY_TEXT:
        cd_json_string(out, value->text);
        return;
    case CD_WHY_YES_NO:
        cd_buffer_text(out, value->yes ? "true" : "false");
        return;
    case CD_WHY_NUMBERS:
        if (value->is_vector)
            cd_buffer_text(out, "[");
        for (int k = 0; k < value->count; k++) {
            if (k > 0)
                cd_buffer_text(out, ",");
            json_number(out, value->number[k]);
        }
        if (value->is_vector)
            cd_buffer_text(out, "]");
    }
}

static void json_key(cd_buffer *out, const char *key, bool *is_first)
{
    cd_buffer_printf(out, "%s\"%s\":", *is_first ? "" : ",", key);
    *is_first = false;
}

static void json_table(cd_buffer *out, const cd_why_table *table)
{
    cd_buffer_text(out, "[");
    for (int32_t i = 0; i < table->row.count; i++) {
        bool is_first = true;
        cd_buffer_text(out, i > 0 ? ",{" : "{");
        for (int k = 0; k < table->columns; k++) {
            json_key(out, table->column[k].key, &is_first);
            json_value(out, &table->row.item[i].cell[k]);
        }
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, "]");
}

static void json_section(cd_buffer *out, const cd_why_section *section)
{
    bool is_first = true;
    cd_buffer_text(out, "{");
    for (int32_t k = 0; k < section->fact.count; k++) {
        json_key(out, section->fact.item[k].key, &is_first);
        json_value(out, &section->fact.item[k].value);
    }
    for (int32_t k = 0; k < section->table.count; k++) {
        if (!section->table.item[k]->key)
            continue;
        json_key(out, section->table.item[k]->key, &is_first);
        json_table(out, section->table.item[k]);
    }
    cd_buffer_text(out, "}");
}

static void json_texts(cd_buffer *out, int count, const char *const *key, const char *const *text)
{
    bool is_first = true;
    cd_buffer_text(out, "{");
    for (int k = 0; k < count; k++) {
        json_key(out, key[k], &is_first);
        cd_json_string(out, text[k]);
    }
    cd_buffer_text(out, "}");
}

void cd_why_print_json(const cd_why_story *story, cd_buffer *out)
{
    static const char *const keys[] = {"stage", "record", "fault", "sentence"};
    bool is_first = true;
    cd_buffer_text(out, "{");
    for (int32_t i = 0; i < story->section.count; i++) {
        json_key(out, story->section.item[i]->key, &is_first);
        json_section(out, story->section.item[i]);
    }
    json_key(out, "differences", &is_first);
    cd_buffer_text(out, "[");
    for (int32_t i = 0; i < story->difference.count; i++) {
        const cd_why_difference *d = &story->difference.item[i];
        cd_buffer_text(out, i > 0 ? "," : "");
        json_texts(out, 4, keys, (const char *const[]){d->stage, d->record, d->fault, d->sentence});
    }
    cd_buffer_text(out, "]");
    json_key(out, "verdict", &is_first);
    cd_json_string(out, story->verdict);
    json_key(out, "sentence", &is_first);
    cd_json_string(out, story->sentence);
    cd_buffer_text(out, "}\n");
}

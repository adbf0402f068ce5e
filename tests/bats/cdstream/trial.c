// trial -- a stage for cdstream.bats: says what it sees of parts and states, copies tables through every call, makes
// one mistake at a time.
// SPDX-License-Identifier: MIT
#include <cdstream.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *mode, *fields, *said;
    int64_t number;
    int calm;
    FILE *out;
} settings;

// ---- parts ---------------------------------------------------------------------------------------------------------

static void say(FILE *out, const char *name, const double *value, int count)
{
    fprintf(out, ",\"%s\":[", name);
    for (int k = 0; k < count; k++)
        fprintf(out, "%s%.17g", k ? "," : "", value[k]);
    fprintf(out, "]");
}

static int say_parts(cds_frame *f, const settings *s)
{
    cds_run run = cds_get_run(f);
    for (int32_t body = 0; body < cds_rows(f, "body"); body++) {
        cds_pose pose[3];
        for (int when = CDS_START; when <= CDS_TRIAL && cds_takes_part(f, body); when++)
            pose[when] = cds_get_pose(f, body, (cds_when)when);
        for (int32_t part = 0; part < cds_part_count(f, body); part++) {
            cds_part p;
            int failure = cds_get_part(f, body, part, s->number < 3 ? &pose[s->number] : NULL, &p);
            if (failure)
                return failure;
            fprintf(s->out, "{\"body\":%lld,\"part\":%d,\"kind\":%d,\"dynamic\":%d,\"faces\":%d,\"reach\":%.17g",
                    (long long)cds_id(f, "body", body), part, p.kind, cds_is_dynamic(f, body), p.face_count,
                    cds_get_reach(f, body, 0));
            say(s->out, "run", (double[]){run.dim, run.epsilon, run.length, run.time, run.step, run.gravity[1]}, 6);
            say(s->out, "centre", p.centre, 3);
            say(s->out, "rotation", p.rotation, 4);
            say(s->out, "sizes", (double[]){p.radius, p.offset, p.thickness, p.angle}, 4);
            say(s->out, "semiaxes", p.semiaxes, 3);
            say(s->out, "halfsizes", p.halfsizes, 3);
            say(s->out, "normal", p.normal, 3);
            say(s->out, "vertices", p.vertex, run.dim * p.vertex_count);
            fprintf(s->out, "}\n");
        }
    }
    return CDS_OK;
}

// ---- tables through every call -------------------------------------------------------------------------------------

static void copy_row(cds_frame *f, const cds_column *c, const char *table, const char *field, int32_t r)
{
    if (c->offset && c->type == CDS_DOUBLES)
        cds_put_list(f, table, r, field, c->d + c->width * c->offset[r], c->offset[r + 1] - c->offset[r]);
    else if (c->offset)
        cds_put_list(f, table, r, field, c->i + c->width * c->offset[r], c->offset[r + 1] - c->offset[r]);
    else if (c->words && cds_word(c, r))
        cds_put_text(f, table, r, field, cds_word(c, r));
    else if (c->type == CDS_TEXTS && c->t[r])
        cds_put_text(f, table, r, field, c->t[r]);
    else if (c->type == CDS_DOUBLES && c->width == 1)
        cds_put_number(f, table, r, field, c->d[r]);
    else if (c->type == CDS_DOUBLES)
        cds_put(f, table, r, field, c->d + c->width * r);
    else if (c->type == CDS_LONGS && c->l[r] != CDS_ABSENT_LONG)
        cds_put_int(f, table, r, field, c->l[r]);
    else if (c->type == CDS_BOOLS && c->b[r] != 2)
        cds_put_int(f, table, r, field, c->b[r]);
    else if (c->type == CDS_INTS && !c->words && c->width == 1)
        cds_put_int(f, table, r, field, c->i[r]);
    else if (c->type == CDS_INTS && !c->words)
        cds_put_ints(f, table, r, field, c->i + c->width * r);
}

static void copy_metrics(cds_frame *f)
{
    cds_column name = cds_get(f, "metric", "name"), value = cds_get(f, "metric", "value");
    cds_column a = cds_get(f, "metric", "a"), b = cds_get(f, "metric", "b");
    for (int32_t r = 0; r < name.rows; r++)
        cds_add_metric(f, name.t[r], value.d[r], a.width ? a.i[r] : -1, b.width ? b.i[r] : -1);
}

// Fields "contact.a contact.b ...", those of a table one behind the other. Rows come in two goes, so that columns grow.
static int copy_fields(cds_frame *f, const settings *s)
{
    char table[32], field[32], last[32] = "";
    int length;
    for (const char *at = s->fields; sscanf(at, " %31[^.].%31s%n", table, field, &length) == 2; at += length) {
        cds_column c = cds_get(f, table, field);
        int32_t half = c.rows / 2, from = 0;
        if (strcmp(table, last)) {
            cds_add(f, table, half);
            for (; c.width && from < half; from++)
                copy_row(f, &c, table, field, from);
            cds_add(f, table, c.rows - half);
            strcpy(last, table);
        }
        for (; c.width && from < c.rows; from++)
            copy_row(f, &c, table, field, from);
    }
    copy_metrics(f);
    return CDS_OK;
}

// Gaps by whole columns, and contacts as an engine gives them: the sides the other way, the last one first.
static int turn_contacts(cds_frame *f)
{
    cds_column a = cds_get(f, "contact", "a"), b = cds_get(f, "contact", "b"), gap = cds_get(f, "contact", "gap");
    cds_column pa = cds_get(f, "contact", "point_a"), pb = cds_get(f, "contact", "point_b");
    cds_column normal = cds_get(f, "contact", "normal"), kind = cds_get(f, "contact", "kind");
    cds_column of = cds_get(f, "force", "contact"), force = cds_get(f, "force", "vector");
    for (int32_t r = a.rows - 1; r >= 0; r--) {
        cds_contact c = {.a = {b.i[2 * r], b.i[2 * r + 1]}, .b = {a.i[2 * r], a.i[2 * r + 1]}};
        c.kind = cds_word(&kind, r);
        c.gap = gap.d[r];
        c.features[0] = c.features[1] = -1;
        for (int k = 0; k < normal.width; k++) {
            c.point_a[k] = pb.d[pb.width * r + k];
            c.point_b[k] = pa.d[pa.width * r + k];
            c.normal[k] = -normal.d[normal.width * r + k];
        }
        for (int32_t i = 0; i < of.rows; i++)
            if (of.i[i] == r) {
                c.has_force = 1;
                for (int k = 0; k < force.width; k++)
                    c.force[k] = -force.d[force.width * i + k];
            }
        cds_add_contact(f, &c);
    }
    return CDS_OK;
}

static int fill_columns(cds_frame *f)
{
    int32_t n = cds_rows(f, "body");
    if (cds_add(f, "next", n) != 0)
        return CDS_NUMERIC;
    int32_t *body = cds_ints(f, "next", "body");
    cds_column position = cds_get(f, "body", "position");
    double *to = cds_doubles(f, "next", "position"), *turn = cds_doubles(f, "next", "rotation");
    double *velocity = cds_doubles(f, "next", "velocity"), *spin = cds_doubles(f, "next", "spin");
    for (int32_t i = 0; i < n; i++) {
        body[i] = i;
        turn[i] = spin[i] = 0;
        for (int k = 0; k < 2; k++) {
            to[2 * i + k] = position.d[2 * i + k] + k;
            velocity[2 * i + k] = k;
        }
    }
    int32_t row = cds_add(f, "verdict", 1);
    cds_put_int(f, "verdict", row, "accept", 1);
    return CDS_OK;
}

// ---- mistakes and failures -----------------------------------------------------------------------------------------

// Of a table, a field or a row.
static void table_mistake(cds_frame *f, int64_t number)
{
    switch (number) {
    case 1:
        cds_get(f, "contcat", "gap");
        break;
    case 2:
        cds_get(f, "body", "colour");
        break;
    case 3:
        cds_get(f, "node", "position");
        break;
    case 4:
        cds_add(f, "body", 1);
        break;
    case 5:
        cds_add(f, "contact", -1);
        break;
    case 6:
        cds_doubles(f, "contact", "a");
        break;
    case 7:
        cds_put_text(f, "contact", 0, "kind", "kissing");
        break;
    case 8:
        cds_put_number(f, "contact", 2, "gap", 0);
        break;
    case 9:
        cds_put_number(f, "contact", 0, "normal", 0);
        break;
    case 10:
        cds_put_int(f, "contact", 0, "kind", INT64_C(1) << 40);
        break;
    case 11:
        cds_put_list(f, "contact", 0, "normal", &number, 1);
        break;
    default:
        break;
    }
}

static int mistake(cds_frame *f, int64_t number)
{
    cds_contact self = {.a = {0, 0}, .b = {0, 1}}, far = {.a = {99, 0}};
    if (number != 19)
        cds_add(f, "contact", 2);
    table_mistake(f, number);
    switch (number) {
    case 12:
        cds_get_pose(f, 99, CDS_START);
        break;
    case 13:
        cds_add_contact(f, &self);
        break;
    case 14:
        cds_add_contact(f, &far);
        break;
    case 15:
        cds_id(f, "pair", 0);
        break;
    case 16:
        cds_add_metric(f, "m", 1, 99, -1);
        break;
    case 17:
        return cds_get_part(f, 0, 7, NULL, &(cds_part){.radius = 0});
    case 18:
        return cds_fail(f, CDS_NUMERIC, "body", 1, "mass", "%d is too many", 5);
    case 19:
        return cds_fail(f, CDS_CHECK, NULL, 0, NULL, "above %g", 0.5);
    case 20:
        return 17;
    case 21:
        break;  // rows without what contacts must have
    default:
        return number < 12 ? CDS_OK : CDS_UNSUPPORTED;
    }
    return CDS_OK;
}

static int frame(cds_frame *f, void *user)
{
    const settings *s = user;
    if (!s->calm)
        cds_warn(f, "mode %s", s->mode);
    return !strcmp(s->mode, "parts")     ? say_parts(f, s)
           : !strcmp(s->mode, "copy")    ? copy_fields(f, s)
           : !strcmp(s->mode, "turn")    ? turn_contacts(f)
           : !strcmp(s->mode, "columns") ? fill_columns(f)
                                         : mistake(f, s->number);
}

static int begin(cds_frame *f, void *user)
{
    settings *s = user;
    cds_run run = cds_get_run(f);
    s->out = fopen(s->said, "w");
    return s->out && run.step == 0 && cds_rows(f, "shape") > 0 ? CDS_OK : CDS_IO;
}

static void end(void *user)
{
    settings *s = user;
    if (s->out)
        fclose(s->out);
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"parts", "copy", "turn", "columns", "mistake", 0};
    static const char *const takes[] = {"contact", "constraint", "row",  "entry",       "solution", "value",  "force",
                                        "next",    "verdict",    "pair", "certificate", "metric",   "bounds", 0};
    static const char *const all[] = {"contact", "constraint", "row",     "entry",       "solution", "value",
                                      "force",   "next",       "verdict", "certificate", "metric",   0};
    static const char *const ends[] = {"next", "verdict", 0}, *const none[] = {"certificate", 0};
    settings s = {.mode = "parts", .fields = "", .said = "said", .number = 3};
    const cds_option options[] = {{CDS_CHOICE, "mode", &s.mode, 0, 0, 0, modes, "what is tried"},
                                  {CDS_TEXT, "fields", &s.fields, "LIST", 0, 0, 0, "fields that are copied"},
                                  {CDS_TEXT, "said", &s.said, "FILE", 0, 0, 0, "what parts and states are"},
                                  {CDS_INT, "number", &s.number, "N", 0, 100, 0, "of a pose or a mistake"},
                                  {CDS_FLAG, "calm", &s.calm, 0, 0, 0, 0, "no warning"},
                                  {0}};
    cds_stage stage = {.name = "trial", .takes = takes, .options = options, .begin = begin, .frame = frame, .end = end};
    // The mode says what is made: it is found before options are parsed.
    const char *mode = "--mode=parts";
    for (int i = 1; i < argc; i++)
        mode = strncmp(argv[i], "--mode=", 7) ? mode : argv[i];
    stage.makes = !strcmp(mode, "--mode=columns") ? ends : !strcmp(mode, "--mode=parts") ? none : all;
    return cds_main(argc, argv, &stage, &s);
}

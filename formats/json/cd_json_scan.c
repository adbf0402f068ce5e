// SPDX-License-Identifier: MIT
#include "cd_json_scan.h"

#include "cd_codec.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum {
    NUMBER_LONGEST = 63,  // [characters] of a number; cJSON 1.7.15 copies this many into its buffer and drops the rest
    SHOWN_KEY = 40,       // [bytes] of a key in a sentence
    // A number of 63 characters without an exponent of three digits is below 1e63 times 1e99: no double ends there.
    EXPONENT_OF_LARGE = 3,
};

typedef struct scanner {
    const char *start, *at, *end;
    cd_diag *diag;
    int depth;
} scanner;

typedef enum byte_class { BYTE_PLAIN, BYTE_QUOTE, BYTE_ESCAPE, BYTE_CONTROL, BYTE_HIGH } byte_class;

static inline byte_class class_of(unsigned char byte)
{
    if (byte >= 0x80)
        return BYTE_HIGH;
    if (byte < 0x20)
        return BYTE_CONTROL;
    return byte == '"' ? BYTE_QUOTE : byte == '\\' ? BYTE_ESCAPE : BYTE_PLAIN;
}

static cd_status refuse(const scanner *s, const char *reason)
{
    return cd_fail(s->diag, CD_ERR_FORMAT, "byte %zu: %s", (size_t)(s->at - s->start) + 1, reason);
}

static inline void skip_spaces(scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n'))
        s->at++;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The four hexadecimal digits behind "\u", or -1.
static int scan_hex4(scanner *s)
{
    int code = 0;
    if (s->end - s->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(s->at[i]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    s->at += 4;
    return code;
}

static cd_status scan_escape(scanner *s)
{
    s->at++;
    if (s->at == s->end)
        return refuse(s, "the line stops inside a string");
    char c = *s->at++;
    if (c != 'u')
        return c && strchr("\"\\/bfnrt", c) ? CD_OK : refuse(s, "a string has an unknown escape");
    int code = scan_hex4(s);
    if (code < 0)
        return refuse(s, "\\u wants four hexadecimal digits");
    if (code == 0)
        return refuse(s, "a string has a NUL character");
    if (code >= 0xdc00 && code <= 0xdfff)
        return refuse(s, "a string has a lone surrogate");
    if (code >= 0xd800 && code <= 0xdbff) {
        if (s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
            return refuse(s, "a string has a lone surrogate");
        s->at += 2;
        int low = scan_hex4(s);
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(s, "a string has a lone surrogate");
    }
    return CD_OK;
}

// Well-formed byte sequences of Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
static cd_status scan_utf8(scanner *s)
{
    const unsigned char *byte = (const unsigned char *)s->at;
    size_t left = (size_t)(s->end - s->at);
    unsigned char first = byte[0], least = 0x80, most = 0xbf;
    size_t length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first == 0xe0)
        least = 0xa0;
    else if (first == 0xed)
        most = 0x9f;
    else if (first == 0xf0)
        least = 0x90;
    else if (first == 0xf4)
        most = 0x8f;
    bool is_valid = length && left >= length && byte[1] >= least && byte[1] <= most;
    for (size_t i = 2; is_valid && i < length; i++)
        is_valid = byte[i] >= 0x80 && byte[i] <= 0xbf;
    if (!is_valid)
        return refuse(s, "not UTF-8");
    s->at += length;
    return CD_OK;
}

static cd_status scan_string(scanner *s)
{
    s->at++;
    while (s->at < s->end) {
        switch (class_of((unsigned char)*s->at)) {
        case BYTE_PLAIN:
            s->at++;
            break;
        case BYTE_QUOTE:
            s->at++;
            return CD_OK;
        case BYTE_ESCAPE:
            CD_TRY(scan_escape(s));
            break;
        case BYTE_HIGH:
            CD_TRY(scan_utf8(s));
            break;
        case BYTE_CONTROL:
            return refuse(s, *s->at ? "a raw control character in a string" : "a NUL byte");
        }
    }
    return refuse(s, "the line stops inside a string");
}

static inline bool is_digit(const scanner *s) { return s->at < s->end && *s->at >= '0' && *s->at <= '9'; }

static cd_status scan_digits(scanner *s)
{
    if (!is_digit(s))
        return refuse(s, "a number wants a digit here");
    while (is_digit(s))
        s->at++;
    return CD_OK;
}

// Is the rest of the line the word (in any case)? Other programs print NaN and Infinity bare.
static bool starts_with(const scanner *s, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(s->end - s->at) >= length && !strncasecmp(s->at, word, length);
}

// What stands from `first` to here as a double: the text ends where the line goes on, or the line does.
static bool is_finite_double(const scanner *s, const char *first)
{
    char text[NUMBER_LONGEST + 1];
    size_t length = (size_t)(s->at - first);
    memcpy(text, first, length);
    text[length] = '\0';
    return isfinite(strtod(text, NULL));
}

static cd_status scan_number(scanner *s)
{
    const char *first = s->at;
    bool may_be_infinite = false;
    if (*s->at == '-')
        s->at++;
    if (!is_digit(s)) {
        if (starts_with(s, "inf"))
            return refuse(s, "a bare Infinity is no JSON number");
        if (starts_with(s, "nan"))
            return cd_fail(s->diag, CD_ERR_FORMAT, "NaN is refused");
        return refuse(s, "a number wants a digit here");
    }
    if (*s->at == '0') {
        s->at++;
        if (is_digit(s))
            return refuse(s, "a number may not start with 0");
    } else {
        CD_TRY(scan_digits(s));
    }
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        CD_TRY(scan_digits(s));
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        bool is_small = s->at < s->end && *s->at == '-';
        if (is_small || (s->at < s->end && *s->at == '+'))
            s->at++;
        const char *exponent = s->at;
        CD_TRY(scan_digits(s));
        may_be_infinite = !is_small && s->at - exponent >= EXPONENT_OF_LARGE;
    }
    if (s->at - first > NUMBER_LONGEST)
        return cd_fail(s->diag, CD_ERR_FORMAT, "a number of %zu characters; at most %d are read",
                       (size_t)(s->at - first), NUMBER_LONGEST);
    if (may_be_infinite && !is_finite_double(s, first))
        return cd_fail(s->diag, CD_ERR_FORMAT, "a number too large for a double");
    return CD_OK;
}

static cd_status scan_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return refuse(s, "wanted a JSON value");
    s->at += length;
    return CD_OK;
}

static cd_status scan_value(scanner *s);

static cd_status scan_key(scanner *s, cd_json_member *member)
{
    if (s->at == s->end || *s->at != '"')
        return refuse(s, s->at == s->end ? "the line stops inside an object" : "wanted a member name in quotes");
    member->key = s->at + 1;
    CD_TRY(scan_string(s));
    if (s->at - 1 - member->key > INT32_MAX)
        return cd_fail(s->diag, CD_ERR_LIMIT, "a member name above 2 GiB");
    member->key_length = (int32_t)(s->at - 1 - member->key);
    skip_spaces(s);
    if (s->at == s->end || *s->at != ':')
        return refuse(s, s->at == s->end ? "the line stops inside an object" : "wanted ':' after a member name");
    s->at++;
    skip_spaces(s);
    return CD_OK;
}

// After an item: true in *more when a comma stood there, false when the closing bracket did.
static cd_status scan_separator(scanner *s, char closing, bool *more)
{
    skip_spaces(s);
    if (s->at == s->end)
        return refuse(s, closing == '}' ? "the line stops inside an object" : "the line stops inside an array");
    if (*s->at != ',' && *s->at != closing)
        return refuse(s, closing == '}' ? "wanted ',' or '}'" : "wanted ',' or ']'");
    *more = *s->at++ == ',';
    skip_spaces(s);
    return CD_OK;
}

static cd_status enter(scanner *s, char closing, bool *more)
{
    if (++s->depth > CD_MAX_DEPTH)
        return cd_fail(s->diag, CD_ERR_LIMIT, "nested deeper than %d", CD_MAX_DEPTH);
    s->at++;
    skip_spaces(s);
    *more = s->at == s->end || *s->at != closing;
    s->at += !*more;
    return CD_OK;
}

static cd_status scan_array(scanner *s)
{
    bool more;
    CD_TRY(enter(s, ']', &more));
    while (more) {
        CD_TRY(scan_value(s));
        CD_TRY(scan_separator(s, ']', &more));
    }
    s->depth--;
    return CD_OK;
}

static cd_status scan_object(scanner *s)
{
    bool more;
    cd_json_member member;
    CD_TRY(enter(s, '}', &more));
    while (more) {
        CD_TRY(scan_key(s, &member));
        CD_TRY(scan_value(s));
        CD_TRY(scan_separator(s, '}', &more));
    }
    s->depth--;
    return CD_OK;
}

static cd_status scan_value(scanner *s)
{
    if (s->at == s->end)
        return refuse(s, "the line stops where a value is wanted");
    switch (*s->at) {
    case '"':
        return scan_string(s);
    case '[':
        return scan_array(s);
    case '{':
        return scan_object(s);
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
    case 'N':
        if (starts_with(s, "nan"))
            return cd_fail(s->diag, CD_ERR_FORMAT, "NaN is refused");
        return scan_word(s, "null");
    case 'I':
    case '-':
        return scan_number(s);
    case '\0':
        return refuse(s, "a NUL byte");
    default:
        return is_digit(s) ? scan_number(s) : refuse(s, "wanted a JSON value");
    }
}

cd_status cd_json_scan(cd_arena *arena, const char *line, size_t length, cd_json_members *members, cd_diag *diag)
{
    scanner s = {line, line, line + length, diag, 0};
    members->count = 0;
    skip_spaces(&s);
    if (s.at == s.end)
        return cd_fail(diag, CD_ERR_FORMAT, "an empty line is no record");
    if (*s.at != '{')
        return refuse(&s, "a record is a JSON object {...}");
    bool more;
    CD_TRY(enter(&s, '}', &more));
    while (more) {
        cd_json_member member;
        CD_TRY(scan_key(&s, &member));
        member.value = s.at;
        cd_status status = scan_value(&s);
        if (status != CD_OK)
            return cd_fail_at(diag, status, "%.*s", cd_json_shown(member.key, (size_t)member.key_length, SHOWN_KEY),
                              member.key);
        member.value_length = (size_t)(s.at - member.value);
        cd_list_push(arena, members, member);
        CD_TRY(scan_separator(&s, '}', &more));
    }
    skip_spaces(&s);
    return s.at == s.end ? CD_OK : refuse(&s, "text behind the record");
}

int cd_json_shown(const char *text, size_t length, size_t most)
{
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    return (int)length;
}

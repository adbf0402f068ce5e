// Lines of JSON: the sentences that wrong ones are refused with, what is kept as it came, cut, changed, deep and long
// ones.
// SPDX-License-Identifier: MIT
#include "test_json_line.h"

#include "cd_random.h"

CD_TEST(sentences_about_members)
{
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1}", "position: required");
    check_refused(CD_REC_body, 2, "{\"id\":1,\"position\":[0,0]}", "type: required");
    check_refused(CD_REC_body, 2, "{\"type\":\"node\",\"id\":1,\"position\":[0,0]}", "type: wanted \"body\"");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"type\":\"body\"}", "type: is there twice");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"id\":1}", "id: is there twice");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"\\u0069d\":1}", "id: is there twice");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"position\":[0,0],\"x\":1,\"y\":2,\"x\":3}",
                  "x: is there twice");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"position\":[0,0],\"mass\":null}",
                  "mass: null is refused; an absent member is left out");
    check_refused(CD_REC_element, 2, "{\"type\":\"element\",\"id\":1,\"kind\":\"tri3\"}", "nodes: required");
}

CD_TEST(sentences_about_numbers)
{
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"position\":[0,0,0]}",
                  "position: wanted 2 numbers, got 3");
    check_refused(CD_REC_node, 3, "{\"type\":\"node\",\"id\":1,\"position\":[0,0]}",
                  "position: wanted 3 numbers, got 2");
    check_refused(CD_REC_node, 3, "{\"type\":\"node\",\"id\":1,\"position\":7}",
                  "position: wanted 3 numbers, got a number");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"position\":[0,\"1\"]}",
                  "position: wanted a number, got a string");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"position\":[0,null]}",
                  "position: wanted a number, got null");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[\"NaN\",0]}", "velocity: NaN is refused");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[NaN,0]}", "velocity: NaN is refused");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[-nan,0]}", "velocity: NaN is refused");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[\"-Infinity\",0]}",
                  "velocity: infinite values are refused");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[-Infinity,0]}",
                  "velocity: byte 36: a bare Infinity is no JSON number");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"velocity\":[1e999,0]}",
                  "velocity: a number too large for a double");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"mass\":0}", "mass: 0 is not above 0");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"mu\":-0.25}", "mu: -0.25 is below 0");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"rotation\":[1,0,0,0]}",
                  "rotation: wanted a number, got an array");
    check_refused(CD_REC_body, 3, "{\"type\":\"body\",\"id\":1,\"rotation\":[1,0.1,0,0]}",
                  "rotation: length 1.00498756211 is not 1");
    check_refused(CD_REC_body, 3, "{\"type\":\"body\",\"id\":1,\"inertia\":[1,1,1]}",
                  "inertia: wanted 6 numbers, got 3");
    check_refused(CD_REC_body, 3, "{\"type\":\"body\",\"id\":1,\"inertia\":[1,1,0,0,0,0]}",
                  "inertia: 0 is not above 0");
    check_refused(CD_REC_body, 3, "{\"type\":\"body\",\"id\":1,\"motion\":\"fixed\",\"inertia\":[-1,1,1,0,0,0]}",
                  "inertia: -1 is not above 0");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"inertia\":-0.5}", "inertia: -0.5 is not above 0");
    check_written(CD_REC_body, 3, "{\"type\":\"body\",\"id\":1,\"inertia\":[1,2,3,-0.5,0,0.1]}",
                  "{\"type\":\"body\",\"id\":1,\"inertia\":[1,2,3,-0.5,0,0.1]}");
    check_refused(CD_REC_shape, 2, "{\"type\":\"shape\",\"id\":3,\"normal\":[0,1.00000001]}",
                  "normal: length 1.00000001 is not 1");
    check_written(CD_REC_shape, 2, "{\"type\":\"shape\",\"id\":3,\"kind\":\"halfspace\",\"normal\":[0,1.0000000001]}",
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"halfspace\",\"normal\":[0,1.0000000001]}");
    check_written(CD_REC_bounds, 2,
                  "{\"type\":\"bounds\",\"a\":[1,0],\"min\":[\"-Infinity\",0],\"max\":[1e0,\"Infinity\"]}",
                  "{\"type\":\"bounds\",\"a\":[1,0],\"min\":[\"-Infinity\",0],\"max\":[1,\"Infinity\"]}");
    check_refused(CD_REC_bounds, 2, "{\"type\":\"bounds\",\"a\":[1,0],\"min\":[\"NaN\",0]}", "min: NaN is refused");
    check_written(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1,\"position\":[1e-400,-0.0]}",
                  "{\"type\":\"node\",\"id\":1,\"position\":[0,-0]}");
}

// In a member that is known, in one that is not, deep in one, and whatever the exponent is written like; the last
// number below the middle between the largest double and 2^1024 is one, as are those whose exponent only looks large.
CD_TEST(numbers_beyond_doubles)
{
    static const char *const beyond[] = {
        "1e400",
        "-1e400",
        "1E+400",
        "1e0000400",
        "1.7976931348623159e308",
        "17976931348623159000e289",
        "0.00000000000000000000000000000000000000000000000000001e400",
        "1e99999999999999999999999999999999999999999999999999999999",
    };
    static const char *const within[][2] = {
        {"1e-400", "0"},
        {"-1e-400", "-0"},
        {"1.7976931348623158e308", "1.7976931348623157e308"},
        {"0e400", "0"},
        {"0.0000000000000000000000000000000000000000000000000001e300", "1e248"},
        {"1e000000001", "10"},
        {"1e-99999999999999999999999999999999999999999999999999999999", "0"},
    };
    char line[256];
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        snprintf(line, sizeof line, "{\"type\":\"node\",\"id\":1,\"position\":[0,%s]}", beyond[i]);
        check_refused(CD_REC_node, 2, line, "position: a number too large for a double");
        snprintf(line, sizeof line, "{\"type\":\"node\",\"id\":1,\"position\":[0,0],\"x\":{\"y\":[%s]}}", beyond[i]);
        check_refused(CD_REC_node, 2, line, "x: a number too large for a double");
    }
    for (size_t i = 0; i < sizeof within / sizeof within[0]; i++) {
        char wanted[256];
        snprintf(line, sizeof line, "{\"type\":\"node\",\"id\":1,\"position\":[0,%s],\"x\":%s}", within[i][0],
                 within[i][0]);
        snprintf(wanted, sizeof wanted, "{\"type\":\"node\",\"id\":1,\"position\":[0,%s],\"x\":%s}", within[i][1],
                 within[i][0]);
        check_written(CD_REC_node, 2, line, wanted);
    }
}

CD_TEST(sentences_about_integers)
{
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1.5}", "id: 1.5 is not an integer");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":9007199254740993}",
                  "id: an integer of 2^53 or more is written as a string");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1e308}",
                  "id: an integer of 2^53 or more is written as a string");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":1e400}", "id: a number too large for a double");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":\"012\"}", "id: \"012\" is not an integer of 64 bits");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":\"9223372036854775808\"}",
                  "id: \"9223372036854775808\" is not an integer of 64 bits");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":\"-9223372036854775808\"}",
                  "id: \"-9223372036854775808\" is not an integer of 64 bits");
    check_refused(CD_REC_node, 2, "{\"type\":\"node\",\"id\":[1]}", "id: wanted an integer, got an array");
    check_refused(CD_REC_prog, 2, "{\"type\":\"prog\",\"id\":0}", "id: 0 is not above 0");
    check_refused(CD_REC_frame, 2, "{\"type\":\"frame\",\"index\":-1}", "index: -1 is below 0");
    check_refused(CD_REC_frame, 2, "{\"type\":\"frame\",\"index\":0,\"time\":0,\"round\":2147483648}",
                  "round: 2147483648 is out of range");
    check_refused(CD_REC_element, 2, "{\"type\":\"element\",\"id\":1,\"nodes\":[1,-2147483648]}",
                  "nodes: -2147483648 is out of range");
    check_refused(CD_REC_frame, 2, "{\"type\":\"frame\",\"index\":0,\"time\":0,\"round\":\"1\"}",
                  "round: wanted an integer, got a string");
    check_written(CD_REC_node, 2, "{\"type\":\"node\",\"id\":\"-9223372036854775807\",\"position\":[1.0,2]}",
                  "{\"type\":\"node\",\"id\":\"-9223372036854775807\",\"position\":[1,2]}");
    check_written(CD_REC_node, 2, "{\"type\":\"node\",\"id\":9007199254740991,\"position\":[1,2]}",
                  "{\"type\":\"node\",\"id\":9007199254740991,\"position\":[1,2]}");
    check_written(CD_REC_node, 2, "{\"type\":\"node\",\"id\":\"9007199254740992\",\"position\":[1,2]}",
                  "{\"type\":\"node\",\"id\":\"9007199254740992\",\"position\":[1,2]}");
}

CD_TEST(sentences_about_words_and_references)
{
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"motion\":\"flying\"}",
                  "motion: \"flying\" is not one of dynamic, fixed, prescribed");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"motion\":\"\"}",
                  "motion: \"\" is not one of dynamic, fixed, prescribed");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"motion\":\"Dynamic\"}",
                  "motion: \"Dynamic\" is not one of dynamic, fixed, prescribed");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"motion\":0}", "motion: wanted a word, got a number");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"group\":1}", "group: wanted a string, got a number");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"shape\":9}", "shape: no shape has id 9");
    check_refused(CD_REC_body, 2, "{\"type\":\"body\",\"id\":1,\"shape\":-1}", "shape: no shape has id -1");
    check_refused(CD_REC_pair, 2, "{\"type\":\"pair\",\"a\":[8,0],\"b\":[1,0]}", "a: no body has id 8");
    check_refused(CD_REC_pair, 2, "{\"type\":\"pair\",\"a\":[1,-1],\"b\":[1,0]}", "a: -1 is out of range");
    check_refused(CD_REC_pair, 2, "{\"type\":\"pair\",\"a\":[1],\"b\":[1,0]}", "a: wanted [body id, part]");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[\"v1\",\"x2\"]}",
                  "features: \"x2\" is not a feature (v, e, f or p and a number)");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[\"v-1\"]}",
                  "features: \"v-1\" is not a feature (v, e, f or p and a number)");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[\"v536870912\"]}",
                  "features: \"v536870912\" is not a feature (v, e, f or p and a number)");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[\"\"]}",
                  "features: \"\" is not a feature (v, e, f or p and a number)");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[3]}",
                  "features: wanted features such as \"v3\", got a number");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"features\":[]}",
                  "features: wanted one or two features in [ ]");
    check_refused(CD_REC_contact, 2, "{\"type\":\"contact\",\"surfaces\":[1]}", "surfaces: wanted 2 integers, got 1");
    check_refused(CD_REC_verdict, 2, "{\"type\":\"verdict\",\"accept\":1}",
                  "accept: wanted true or false, got a number");
    check_refused(CD_REC_constraint, 2, "{\"type\":\"constraint\",\"id\":0,\"kind\":\"U\",\"primary\":[5]}",
                  "primary: no contact has id 5");
    check_refused(CD_REC_constraint, 2, "{\"type\":\"constraint\",\"id\":0,\"kind\":\"U\",\"primary\":1}",
                  "primary: wanted an array, got a number");
    check_written(CD_REC_contact, 2,
                  "{\"type\":\"contact\",\"id\":0,\"a\":[1,0],\"b\":[2,3],\"kind\":\"separating\",\"point\":[0,0],"
                  "\"normal\":[1,0],"
                  "\"gap\":0,\"facet\":[\"f536870911\"],\"side\":\"b\"}",
                  "{\"type\":\"contact\",\"id\":0,\"a\":[1,0],\"b\":[2,3],\"kind\":\"separating\",\"point\":[0,0],"
                  "\"normal\":[1,0],"
                  "\"gap\":0,\"facet\":[\"f536870911\"],\"side\":\"b\"}");
}

CD_TEST(sentences_about_lists_and_groups)
{
    const char *start = "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",";
    static const char *const cases[][2] = {
        {"\"parts\":7}", "parts: wanted an array of objects, got a number"},
        {"\"parts\":[7]}", "parts: wanted an array of objects, got a number in it"},
        {"\"parts\":[{}]}", "parts.shape: required"},
        {"\"parts\":[{\"shape\":1,\"shape\":1}]}", "parts.shape: is there twice"},
        {"\"parts\":[{\"shape\":1,\"colour\":1}]}", "parts: unknown member \"colour\""},
        {"\"parts\":[{\"shape\":5}]}", "parts.shape: no shape has id 5"},
        {"\"parts\":[{\"shape\":1,\"position\":[1]}]}", "parts.position: wanted 2 numbers, got 1"},
        {"\"parts\":[],\"parts\":[]}", "parts: is there twice"},
        {"\"faces\":[1]}", "faces: wanted an array of arrays, got a number in it"},
        {"\"faces\":[[0,-1]]}", "faces: -1 is below 0"},
        {"\"adjacent\":[[0,1,2]]}", "adjacent: wanted 2 integers, got 3"},
        {"\"vertices\":[[0,0],[1,\"a\"]]}", "vertices: wanted a number, got a string"},
    };
    char line[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "%s%s", start, cases[i][0]);
        check_refused(CD_REC_shape, 2, line, cases[i][1]);
    }
    check_refused(
        CD_REC_shape, 3,
        "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",\"parts\":[{\"shape\":2,\"rotation\":[1,0,0,1]}]}",
        "parts.rotation: length 1.41421356237 is not 1");
    check_written(
        CD_REC_shape, 2,
        "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",\"parts\":[{\"shape\":2},{\"rotation\":0.5,\"shape\":1}]}",
        "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",\"parts\":[{\"shape\":2,\"position\":[0,0],\"rotation\":0},"
        "{\"shape\":1,\"position\":[0,0],\"rotation\":0.5}]}");
    check_written(CD_REC_shape, 3,
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",\"parts\":[{\"shape\":2,\"position\":[1,2,3]}]}",
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"compound\",\"parts\":[{\"shape\":2,\"position\":[1,2,3],"
                  "\"rotation\":[1,0,0,0]}]}");
    check_written(CD_REC_shape, 2,
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"polygon\",\"parts\":[],\"vertices\":[],\"faces\":[]}",
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"polygon\"}");
    check_written(CD_REC_shape, 3, "{\"type\":\"shape\",\"id\":3,\"kind\":\"polyhedron\",\"faces\":[[0,1,2],[],[3]]}",
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"polyhedron\",\"faces\":[[0,1,2],[],[3]]}");
    check_written(CD_REC_constraint, 2,
                  "{\"type\":\"constraint\",\"id\":0,\"kind\":\"U\",\"primary\":[],\"secondary\":[]}",
                  "{\"type\":\"constraint\",\"id\":0,\"kind\":\"U\",\"primary\":[]}");
}

CD_TEST(head_brings_its_own_dimension)
{
    check_written(CD_REC_head, 0, "{\"type\":\"head\",\"gravity\":[0,-9.81],\"dim\":2,\"cds\":[1,0]}",
                  "{\"type\":\"head\",\"cds\":[1,0],\"dim\":2,\"gravity\":[0,-9.81]}");
    check_written(CD_REC_head, 0, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":3,\"gravity\":[0,0,-9.81]}",
                  "{\"type\":\"head\",\"cds\":[1,0],\"dim\":3,\"gravity\":[0,0,-9.81]}");
    check_refused(CD_REC_head, 0, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":3,\"gravity\":[0,-9.81]}",
                  "gravity: wanted 3 numbers, got 2");
    check_refused(CD_REC_head, 0, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":4}", "dim: wanted 2 or 3");
    check_refused(CD_REC_head, 0, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":\"2\"}", "dim: wanted 2 or 3");
    check_refused(CD_REC_head, 0, "{\"type\":\"head\",\"cds\":[1,0]}", "dim: required");
    check_refused(CD_REC_head, 3, "{\"type\":\"head\",\"cds\":[1,0],\"dim\":2}", "dim: 2, but the stream has dim 3");
}

CD_TEST(unknown_members_keep_their_text)
{
    check_written(
        CD_REC_fend, 2,
        " { \"zeta\" : [ 1.50 , \"a \\\" b\\\\\" ] , \"type\" : \"fend\",\t\"rows\": { \"body\" : 2 }, \"a\":1E+2 } ",
        "{\"type\":\"fend\",\"rows\":{\"body\":2},\"zeta\":[1.50,\"a \\\" b\\\\\"],\"a\":1E+2}");
    check_written(CD_REC_fend, 2,
                  "{\"type\":\"fend\",\"deep\":{\"type\":null,\"long\":0.1000000000000000055511151231257827}}",
                  "{\"type\":\"fend\",\"deep\":{\"type\":null,\"long\":0.1000000000000000055511151231257827}}");
    // A key that looks like the binary name of a group's member is not that member.
    check_written(CD_REC_shape, 2, "{\"type\":\"shape\",\"id\":3,\"kind\":\"sphere\",\"parts.shape\":\"x\"}",
                  "{\"type\":\"shape\",\"id\":3,\"kind\":\"sphere\",\"parts.shape\":\"x\"}");
}

CD_TEST(compound_refers_to_shapes_of_the_same_run)
{
    const char *text[] = {
        "{\"type\":\"shape\",\"id\":70,\"kind\":\"sphere\",\"radius\":1}",
        "{\"type\":\"shape\",\"id\":60,\"kind\":\"sphere\",\"radius\":1}",
        "{\"type\":\"shape\",\"id\":80,\"kind\":\"compound\",\"parts\":[{\"shape\":60},{\"shape\":5},{\"shape\":70}]}",
        "{\"type\":\"shape\",\"id\":81,\"kind\":\"compound\",\"parts\":[{\"shape\":81}]}",
        "{\"type\":\"shape\",\"id\":60,\"kind\":\"sphere\",\"radius\":1}"};
    size_t length[5];
    for (int i = 0; i < 5; i++)
        length[i] = strlen(text[i]);
    cd_arena arena = {0};
    cd_refs refs = {0};
    int64_t id = 5;
    CD_CHECK(cd_refs_add_ids(&refs, CD_REC_shape, &id, 1, NULL) == CD_OK);
    cd_shape_rows rows;
    cd_diag diag = {""};
    int32_t bad_line = -1;
    CD_CHECK(cd_json_decode(&arena, (cd_row_form){&cd_records[CD_REC_shape], 2, &refs}, (cd_lines){text, length, 3},
                            (cd_rows *)&rows, &bad_line, &diag) == CD_OK);
    CD_CHECK(rows.parts_shape.offset[2] == 0 && rows.parts_shape.offset[3] == 3);
    CD_CHECK(rows.parts_shape.i32[0] == 2 && rows.parts_shape.i32[1] == 0 && rows.parts_shape.i32[2] == 1);
    CD_CHECK(cd_json_decode(&arena, (cd_row_form){&cd_records[CD_REC_shape], 2, &refs}, (cd_lines){text, length, 4},
                            (cd_rows *)&rows, &bad_line, &diag) == CD_ERR_FORMAT);
    CD_CHECK(bad_line == 3);
    CD_CHECK_TEXT(diag.text, "parts.shape: no shape has id 81");
    text[3] = text[4];
    length[3] = length[4];
    CD_CHECK(cd_json_decode(&arena, (cd_row_form){&cd_records[CD_REC_shape], 2, &refs}, (cd_lines){text, length, 4},
                            (cd_rows *)&rows, &bad_line, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "shape: id 60 is there twice");
    cd_refs_release(&refs);
    cd_arena_release(&arena);
}

// ---- hostile lines -------------------------------------------------------------------------------------------------

CD_TEST(what_is_not_json)
{
    static const char *const cases[][2] = {
        {"", "an empty line is no record"},
        {"   ", "an empty line is no record"},
        {"[]", "byte 1: a record is a JSON object {...}"},
        {"\xef\xbb\xbf{}", "byte 1: a record is a JSON object {...}"},
        {"{}", "type: required"},
        {"{\"type\":\"fend\"} x", "byte 17: text behind the record"},
        {"{\"type\":\"fend\"}{}", "byte 16: text behind the record"},
        {"{\"type\":\"fend\"", "byte 15: the line stops inside an object"},
        {"{\"type\":\"fend", "type: byte 14: the line stops inside a string"},
        {"{\"type\":\"fend\\", "type: byte 15: the line stops inside a string"},
        {"{\"type\":", "type: byte 9: the line stops where a value is wanted"},
        {"{\"type\"", "byte 8: the line stops inside an object"},
        {"{", "byte 2: the line stops inside an object"},
        {"{\"a\":[1", "a: byte 8: the line stops inside an array"},
        {"{\"a\":1,}", "byte 8: wanted a member name in quotes"},
        {"{\"a\":[1,]}", "a: byte 9: wanted a JSON value"},
        {"{\"a\":[1 2]}", "a: byte 9: wanted ',' or ']'"},
        {"{\"a\" 1}", "byte 6: wanted ':' after a member name"},
        {"{a:1}", "byte 2: wanted a member name in quotes"},
        {"{\"a\":01}", "a: byte 7: a number may not start with 0"},
        {"{\"a\":1.}", "a: byte 8: a number wants a digit here"},
        {"{\"a\":.5}", "a: byte 6: wanted a JSON value"},
        {"{\"a\":+1}", "a: byte 6: wanted a JSON value"},
        {"{\"a\":-}", "a: byte 7: a number wants a digit here"},
        {"{\"a\":1e}", "a: byte 8: a number wants a digit here"},
        {"{\"a\":0x10}", "byte 7: wanted ',' or '}'"},
        {"{\"a\":nul}", "a: byte 6: wanted a JSON value"},
        {"{\"a\":True}", "a: byte 6: wanted a JSON value"},
        {"{\"a\":'b'}", "a: byte 6: wanted a JSON value"},
        {"{\"a\":\"\t\"}", "a: byte 7: a raw control character in a string"},
        {"{\"a\":\"\\x41\"}", "a: byte 9: a string has an unknown escape"},
        {"{\"a\":\"\\u12G4\"}", "a: byte 9: \\u wants four hexadecimal digits"},
        {"{\"a\":\"\\u0000\"}", "a: byte 13: a string has a NUL character"},
        {"{\"a\":\"\\ud800\"}", "a: byte 13: a string has a lone surrogate"},
        {"{\"a\":\"\\udc00\"}", "a: byte 13: a string has a lone surrogate"},
        {"{\"a\":\"\\ud800\\ud800\"}", "a: byte 19: a string has a lone surrogate"},
        {"{\"a\":\"\xc0\xaf\"}", "a: byte 7: not UTF-8"},
        {"{\"a\":\"\x80\"}", "a: byte 7: not UTF-8"},
        {"{\"a\":\"\xed\xa0\x80\"}", "a: byte 7: not UTF-8"},
        {"{\"a\":\"\xf4\x90\x80\x80\"}", "a: byte 7: not UTF-8"},
        {"{\"a\":\"\xe2\x82\"}", "a: byte 7: not UTF-8"},
        {"{\"a\":\"\xe2\x82", "a: byte 7: not UTF-8"},
        {"{\"a\":0.1234567890123456789012345678901234567890123456789012345678901}", NULL},  // 63 characters: the most
        {"{\"a\":0.12345678901234567890123456789012345678901234567890123456789012}",
         "a: a number of 64 characters; at most 63 are read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(CD_REC_fend, 2, cases[i][0], cases[i][1] ? cases[i][1] : "type: required");
    static const char with_nul[] = "{\"type\":\"fend\"\0}", nul_inside[] = "{\"a\":\"x\0y\"}";
    outcome result = decode_bytes(CD_REC_fend, 2, with_nul, sizeof with_nul - 1);
    CD_CHECK_TEXT(result.diag.text, "byte 15: wanted ',' or '}'");
    result = decode_bytes(CD_REC_fend, 2, nul_inside, sizeof nul_inside - 1);
    CD_CHECK_TEXT(result.diag.text, "a: byte 8: a NUL byte");
}

CD_TEST(every_cut_of_a_line_is_refused)
{
    const char *line = "{\"type\":\"body\",\"id\":1,\"shape\":1,\"position\":[0.5,-1e-3],\"group\":\"\\u00e4\xc3\xa4\","
                       "\"k\":[true,null,{\"a\":\"b\"}]}";
    size_t length = strlen(line);
    outcome whole = decode_bytes(CD_REC_body, 2, line, length);
    CD_CHECK(whole.status == CD_OK);
    cd_buffer_release(&whole.out);
    for (size_t cut = 0; cut < length; cut++) {
        outcome result = decode_bytes(CD_REC_body, 2, line, cut);
        CD_CHECK(result.status == CD_ERR_FORMAT && result.diag.text[0]);
        cd_buffer_release(&result.out);
    }
}

// One byte changed at random: refused with a sentence, or taken and written as something that is taken again.
CD_TEST(changed_bytes_never_crash_and_stay_stable)
{
    const char *line = "{\"type\":\"contact\",\"id\":7,\"a\":[1,0],\"b\":[2,3],\"kind\":\"vertex-edge\",\"point\":[0.5,"
                       "2],\"normal\":[0.6,0.8],"
                       "\"gap\":-1e-3,\"features\":[\"v1\",\"e2\"],\"status\":\"touching\",\"note\":{\"x\":[1,2.50]}}";
    cd_random random = {5};
    char text[512];
    int taken = 0;
    for (int i = 0; i < 20000; i++) {
        size_t length = strlen(line);
        memcpy(text, line, length);
        for (unsigned changes = 1 + (unsigned)(cd_random_bits(&random) % 2); changes > 0; changes--)
            text[cd_random_bits(&random) % length] = cd_random_bits(&random) % 2
                                                         ? (char)cd_random_bits(&random)
                                                         : "{}[]\",:0123456789-e.\\"[cd_random_bits(&random) % 21];
        outcome result = decode_bytes(CD_REC_contact, 2, text, length);
        if (result.status == CD_OK) {
            outcome again = decode_bytes(CD_REC_contact, 2, result.out.data, strlen(result.out.data));
            taken++;
            CD_CHECK(again.status == CD_OK && !strcmp(again.out.data, result.out.data));
            cd_buffer_release(&again.out);
        } else {
            CD_CHECK((result.status == CD_ERR_FORMAT || result.status == CD_ERR_LIMIT) && result.diag.text[0]);
        }
        cd_buffer_release(&result.out);
    }
    CD_CHECK(taken > 100);
}

CD_TEST(deep_and_long_lines)
{
    size_t size = 1 << 20;
    char *line = cd_alloc(size + 100);
    for (int depth = 63; depth <= 10000; depth += depth < 64 ? 1 : 9936) {
        int used = sprintf(line, "{\"type\":\"fend\",\"k\":");
        memset(line + used, '[', (size_t)depth);
        memset(line + used + depth, ']', (size_t)depth);
        sprintf(line + used + 2 * depth, "}");
        outcome result = decode_bytes(CD_REC_fend, 2, line, strlen(line));
        if (depth + 1 <= CD_MAX_DEPTH) {
            CD_CHECK_TEXT(result.out.data, line);
        } else {
            CD_CHECK(result.status == CD_ERR_LIMIT);
            CD_CHECK_TEXT(result.diag.text, "k: nested deeper than 64");
        }
        cd_buffer_release(&result.out);
    }
    int used = sprintf(line, "{\"type\":\"prog\",\"id\":1,\"tool\":\"");
    memset(line + used, 'x', size);
    sprintf(line + used + size, "\"}");
    outcome result = decode_bytes(CD_REC_prog, 2, line, strlen(line));
    CD_CHECK_TEXT(result.diag.text, "");
    CD_CHECK(result.out.data && !strcmp(result.out.data, line));
    cd_buffer_release(&result.out);
    memset(line + 2, 'k', size);
    sprintf(line + 2 + size, "\":1}");
    result = decode_bytes(CD_REC_prog, 2, line, strlen(line));
    CD_CHECK_TEXT(result.diag.text, "type: required");
    cd_free(line);
}

CD_TEST(many_unknown_members_are_checked_in_time)
{
    cd_buffer line = {0};
    cd_buffer_text(&line, "{\"type\":\"fend\"");
    for (int i = 0; i < 200000; i++)
        cd_buffer_printf(&line, ",\"m%d\":%d", i, i);
    cd_buffer_text(&line, "}");
    cd_buffer_append(&line, "", 1);
    outcome result = decode_bytes(CD_REC_fend, 2, line.data, line.size - 1);
    CD_CHECK(result.status == CD_OK && !strcmp(result.out.data, line.data));
    cd_buffer_release(&result.out);
    line.size -= 2;
    cd_buffer_text(&line, ",\"m777\":0}");
    result = decode_bytes(CD_REC_fend, 2, line.data, line.size);
    CD_CHECK_TEXT(result.diag.text, "m777: is there twice");
    cd_buffer_release(&line);
}

int main(void)
{
    CD_RUN(sentences_about_members);
    CD_RUN(sentences_about_numbers);
    CD_RUN(numbers_beyond_doubles);
    CD_RUN(sentences_about_integers);
    CD_RUN(sentences_about_words_and_references);
    CD_RUN(sentences_about_lists_and_groups);
    CD_RUN(head_brings_its_own_dimension);
    CD_RUN(unknown_members_keep_their_text);
    CD_RUN(compound_refers_to_shapes_of_the_same_run);
    CD_RUN(what_is_not_json);
    CD_RUN(every_cut_of_a_line_is_refused);
    CD_RUN(changed_bytes_never_crash_and_stay_stable);
    CD_RUN(deep_and_long_lines);
    CD_RUN(many_unknown_members_are_checked_in_time);
    return cd_test_done();
}

"""Files to documents: what is read, and what is said of what cannot be read."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from toolscore_otel.contracts.source import MAX_BYTES, read_file, read_text
from toolscore_otel.contracts.tree import MAX_DEPTH
from toolscore_otel.errors import ContractError, Location


def said(text, name="c.yaml", **how):
    with pytest.raises(ContractError) as caught:
        read_text(text, name, **how)
    return str(caught.value)


def data(text, **how):
    (document,) = read_text(text, "c.yaml", **how)
    return document.data


def test_core_scalars_only():
    assert data("a: no\nb: 12:30\nc: 2026-01-01\nd: 1.5\ne: 'x'\nf:\ng: true") == {
        "a": "no",
        "b": "12:30",
        "c": "2026-01-01",
        "d": 1.5,
        "e": "x",
        "f": None,
        "g": True,
    }


def test_a_key_is_text_as_it_is_written():
    assert data("200: a\ntrue: b\n~: c") == {"200": "a", "true": "b", "~": "c"}


def test_a_file_holds_several_documents_and_empty_ones_do_not_count():
    documents = read_text("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n---\n", "c.yaml")
    assert [document.data for document in documents] == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "---\n---\n"])
def test_a_file_without_content_has_no_document(text):
    assert read_text(text, "c.yaml") == ()


def test_an_alias_is_what_its_anchor_names():
    assert data("a: &x [1, {b: 2}]\nc: *x") == {"a": [1, {"b": 2}], "c": [1, {"b": 2}]}


def test_two_escapes_of_one_character_become_that_character():
    assert data('"\\ud83d\\ude00"') == "😀"


def test_every_value_has_its_line():
    text = "a:\n  - x\n  - b: 1\n    c: {d:\n        2}\ne: 3\n"
    (document,) = read_text(text, "c.yaml")
    assert {
        path: document.where(path).line
        for path in [
            (),
            ("a",),
            ("a", 0),
            ("a", 1),
            ("a", 1, "b"),
            ("a", 1, "c"),
            ("a", 1, "c", "d"),
            ("e",),
        ]
    } == {
        (): 1,
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 3,
        ("a", 1, "b"): 3,
        ("a", 1, "c"): 4,
        ("a", 1, "c", "d"): 4,
        ("e",): 6,
    }


def test_a_path_to_nothing_has_the_line_of_what_is_nearest():
    (document,) = read_text("a:\n  b: 1\n", "c.yaml")
    assert document.where(("a", "b", "c", 3)) == Location("c.yaml", 2)
    assert document.where(("x",)) == Location("c.yaml", 1)


def test_the_second_document_counts_lines_from_the_top_of_the_file():
    _, second = read_text("a: 1\n---\nb: 2\n", "c.yaml")
    assert second.where(("b",)).line == 3


def test_all_keys_that_stand_twice_are_said_at_once():
    assert said("a: 1\nb: {c: 1, c: 2}\na: 3\n") == snapshot("""\
c.yaml:2: the key `c` stands twice in one mapping (first on line 2)
c.yaml:3: the key `a` stands twice in one mapping (first on line 1)\
""")


def test_a_key_that_stands_twice_in_the_first_document_is_said_beside_the_fault_in_the_second():
    assert said("a: 1\na: 2\n---\nb: [\n") == snapshot("""\
c.yaml:2: the key `a` stands twice in one mapping (first on line 1)
c.yaml:5: is no YAML: expected the node content, but found '<stream end>': something is opened and not closed\
""")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n\tb: 1\n", snapshot("c.yaml:2: a tab cannot indent in YAML: use spaces")),
        (
            "reason: never: ever\n",
            snapshot(
                "c.yaml:1: is no YAML: mapping values are not allowed here: text that holds `: ` needs quotes"
            ),
        ),
        (
            "a: [1,\n\n2\n",
            snapshot(
                "c.yaml:4: is no YAML: expected ',' or ']', but got '<stream end>', while parsing a flow sequence that begins on line 1: something is opened and not closed"
            ),
        ),
        (
            "a: 'x\n\n",
            snapshot(
                "c.yaml:3: is no YAML: found unexpected end of stream, while scanning a quoted scalar that begins on line 1: a quote is opened and not closed"
            ),
        ),
        (
            "- a\nb: c\n",
            snapshot(
                "c.yaml:2: is no YAML: expected <block end>, but found '?', while parsing a block collection that begins on line 1: this line does not fit the indentation of those above"
            ),
        ),
        (
            'regex: "\\d"\n',
            snapshot(
                "c.yaml:1: is no YAML: found unknown escape character 'd': in double quotes a backslash is written twice, in single quotes once"
            ),
        ),
        (
            "a: @b\n",
            snapshot(
                "c.yaml:1: is no YAML: found character '@' that cannot start any token: text that begins so needs quotes"
            ),
        ),
        ("a: 1\nb: \x07\n", snapshot("c.yaml:2: the character U+0007 cannot stand in YAML")),
        (
            "a: !!str 5\n",
            snapshot(
                "c.yaml:1: the tag `!!str` is not supported: put text in quotes, leave it out elsewhere"
            ),
        ),
        (
            "a: &x {b: 1}\nc:\n  <<: *x\n",
            snapshot("c.yaml:3: merge keys (`<<`) are not part of YAML 1.2: write the keys out"),
        ),
        ("a: *x\n", snapshot("c.yaml:1: the alias `*x` has no anchor `&x` before it")),
        ("a: &x [*x]\n", snapshot("c.yaml:1: the alias `*x` stands inside what it names")),
        (
            "a: .inf\n",
            snapshot(
                "c.yaml:1: `.inf` is no number that JSON knows: put it in quotes if it is text"
            ),
        ),
        (
            "[a]: 1\n",
            snapshot("c.yaml:1: a key must be a text: a mapping, a list or an alias stands there"),
        ),
        (
            "&x a: 1\n*x : 2\n",
            snapshot("c.yaml:2: a key must be a text: a mapping, a list or an alias stands there"),
        ),
        (
            "%YAML 1.1\n---\na: no\n",
            snapshot("c.yaml:2: contracts are YAML 1.2: leave the `%YAML` line out"),
        ),
        (
            'a: "\\ud83d"\n',
            snapshot("c.yaml:1: an escape in this text stands for half a character"),
        ),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(text, expected):
    message = said(text)
    assert "\n" not in message
    assert message == expected


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000])
def test_deep_nesting_is_a_problem_and_no_crash(text):
    assert f"more than {MAX_DEPTH} levels" in said(text)


def test_nesting_up_to_the_limit_is_read():
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert data(text) == data(text, is_json=True)


def test_aliases_do_not_make_a_few_lines_stand_for_millions_of_values():
    names = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join([f'*{above}'] * 10)}]" for above, name in pairwise(names)
    ]
    assert said("\n".join(lines)) == snapshot(
        "c.yaml:6: more than 200000 values in one document (aliases count each time)"
    )


def test_aliases_do_not_go_around_the_limit_of_depth():
    lines = ["a0: &a0 [x]"] + [f"a{n + 1}: &a{n + 1} [*a{n}]" for n in range(MAX_DEPTH + 1)]
    assert f"more than {MAX_DEPTH} levels" in said("\n".join(lines))


def test_json_keeps_its_own_rules():
    text = '{\n\t"a": ["\\ud83d\\ude00\\/", 1.0, -2e1, true, null, "no"],\n\t"b:{}": {}}'
    assert data(text, is_json=True) == json.loads(text)


def test_json_has_lines_too():
    (document,) = read_text('{"a": 1,\n "b": [\n  2,\n  3]}', "c.json", is_json=True)
    assert tuple(document.where(path).line for path in [("a",), ("b",), ("b", 0), ("b", 1)]) == (
        1,
        2,
        3,
        4,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"a": 1,\n "a": 2}',
            snapshot("c.json:2: the key `a` stands twice in one mapping (first on line 1)"),
        ),
        ('{"a": 1,\n "b" 2}', snapshot("c.json:2: is no JSON: expected ':'")),
        ('{"a": ', snapshot("c.json:1: is no JSON: Input data was truncated")),
        ('{"a": 1}\n}', snapshot("c.json:2: is no JSON: trailing characters")),
        ('{"a": NaN}', snapshot("c.json:1: is no JSON: invalid character")),
        ("", snapshot("c.json:1: is no JSON: Input data was truncated")),
        (
            "[" * 100_000,
            snapshot(
                "c.json:1: is no JSON that can be read: it nests too deeply, or holds half a character"
            ),
        ),
    ],
)
def test_broken_json_is_said_in_one_line(text, expected):
    assert said(text, "c.json", is_json=True) == expected


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(min_value=-(10**15), max_value=10**15)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(codec="utf-8")),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
        ),
    )
)
def test_json_is_read_as_it_was_written(value):
    documents = read_text(json.dumps(value, indent=1), "c.json", is_json=True)
    expected = [] if value is None else [value]
    assert expected == [document.data for document in documents]


@given(st.text(st.sampled_from("ab:- \n\t[]{}&*#'\"|>!%,?\\0~")))
def test_whatever_stands_in_a_file_is_read_or_is_a_problem_with_a_line(text):
    for is_json in (False, True):
        for problem in problems_of(text, is_json=is_json):
            assert problem.where.line
            assert "\n" not in problem.message


def problems_of(text, *, is_json):
    try:
        read_text(text, "c.yaml", is_json=is_json)
    except ContractError as error:
        return error.problems
    return ()


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    file = tmp_path / "c.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: \xc3\xa4\r\n")
    assert [document.data for document in read_file(file)] == [{"a": "ä"}]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: 1\nb: \xff\n", "c.yaml:2: is not UTF-8 text"),
        (b"a: 1\n" * (MAX_BYTES // 5 + 1), f"c.yaml: is larger than {MAX_BYTES} bytes"),
    ],
)
def test_a_file_that_is_no_text_or_too_large_is_said(tmp_path: Path, content, expected):
    (tmp_path / "c.yaml").write_bytes(content)
    with pytest.raises(ContractError) as caught:
        read_file(tmp_path / "c.yaml", "c.yaml")
    assert expected == str(caught.value)


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path):
    circle = tmp_path / "circle.yaml"
    circle.symlink_to(circle)
    for file, why in [
        (tmp_path, "it is a folder"),
        (tmp_path / "none.yaml", "there is no such file"),
        (circle, "too many levels of symbolic links"),
    ]:
        with pytest.raises(ContractError) as caught:
            read_file(file, "here")
        assert f"here: cannot be read: {why}" == str(caught.value)

from __future__ import annotations

import json

import pytest

from toolscore_otel.secrets.document import is_document, leaves, leaves_at, leaves_called_at


def all_leaves(text: str, name: str | None = None):
    return list(leaves(text, name, lambda _start, _raw: True, None))


def test_strings_at_places_come_with_their_names_where_no_walk_is_needed():
    text = json.dumps({"a": "x", "b": {"c": "y"}})
    points = [text.index('"x') + 1, text.index('"c') + 1, text.index('"y') + 1]
    assert [leaf.name for leaf in leaves_called_at(text, points, ()) or ()] == ["a", None, "c"]


@pytest.mark.parametrize(
    "value", [{"a": ["y", "x"]}, {"name": "b", "value": "x"}, {"cookies": {}, "b": "x"}]
)
def test_where_a_walk_is_needed_for_a_name_none_is_told(value):
    text = json.dumps(value)
    assert leaves_called_at(text, [text.index('"x') + 1], ()) is None


def test_strings_come_with_their_paths_and_names():
    text = json.dumps({"a": [1, "x", {"b": "y"}], "c": "z"})
    told = [(leaf.path, leaf.name, leaf.text) for leaf in all_leaves(text) if not leaf.is_key]
    assert told == [(("a", 1), "a", "x"), (("a", 2, "b"), "b", "y"), (("c",), "c", "z")]


def test_a_key_comes_with_the_path_of_its_object_and_no_name():
    told = [
        (leaf.path, leaf.name, leaf.text) for leaf in all_leaves('{"a": {"b": 1}}') if leaf.is_key
    ]
    assert told == [((), None, "a"), (("a",), None, "b")]


def test_a_bare_string_has_the_name_it_is_given():
    assert [(leaf.path, leaf.name, leaf.text) for leaf in all_leaves('"x"', "token")] == [
        ((), "token", "x")
    ]


def test_a_value_is_called_after_the_name_beside_it():
    text = json.dumps({"name": "DB_PASSWORD", "value": "x"})
    assert all_leaves(text)[-1].name == "DB_PASSWORD"


def test_an_item_is_called_after_the_flag_before_it():
    told = [
        leaf.name
        for leaf in all_leaves(json.dumps({"args": ["-v", "--token", "x", "y"]}))
        if not leaf.is_key
    ]
    assert told == ["args", "v", "token", "args"]


PLACES = {
    r"x\u00e9\ud83d\ude00\nXY": "XY",
    r"x XY": "XY",
    r"XY": "XY",
    r"\nXY\n": "XY",
    r"a\u0058Y\nXY": "XY",
    r"a\\\nXY": "XY",
    r"a\u00e9e9XY": "e9XY",
    r"\u00e9 e9": "e9",
    r"a\nX\\Y": "X\\Y",
    r"n\nnX": "nX",
}


@pytest.mark.parametrize("raw", PLACES)
def test_places_count_escapes_and_surrogate_pairs(raw):
    text = f'{{"a": "{raw}"}}'
    leaf = all_leaves(text)[-1]
    value = leaf.text
    at = value.rindex(PLACES[raw])
    start, end = leaf.place(at, at + len(PLACES[raw]), value)
    assert json.loads(f'"{text[start:end]}"') == PLACES[raw]
    assert json.loads(f'"{text[leaf.start : start]}"') == value[:at]


def test_only_wanted_strings_come():
    text = json.dumps({"a": "x", "token": "y"})
    assert [
        leaf.text for leaf in leaves(text, None, lambda _s, _r: False, lambda name: name == "token")
    ] == ["y"]


@pytest.mark.parametrize(
    "text", ['{"a": "x', "prose", "[" * 100_000, "[" * 100_000 + "]", '{"a": x}', "[x]"]
)
def test_cut_text_and_prose_are_no_documents(text):
    assert not is_document(text)


@pytest.mark.parametrize("value", [float("nan"), -float("inf"), "\ud83d", "x"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_as_python_writes_it_is_a_document(value, ascii_only):
    assert is_document(json.dumps({"a": value, "b": "x"}, ensure_ascii=ascii_only))


def test_a_json_string_is_a_document():
    assert is_document(' "x" ')


def test_the_strings_at_some_places_come_with_their_paths():
    text = json.dumps(
        {"a": [1, ["x", {"n": 1}, "y"], {"b\n": "z"}], "c": {"d": [[], '"w']}, "e": 2}
    )
    told = {leaf.start: (leaf.path, leaf.is_key, leaf.text) for leaf in all_leaves(text)}
    points = sorted(start for start in told)
    found = {leaf.start: (*leaf.where(text), leaf.text) for leaf in leaves_at(text, points, [])}
    assert found == told
    assert ("a", 1, 2) in [path for path, _, _ in found.values()]


def test_places_outside_of_strings_and_a_second_one_in_a_string_give_nothing_more():
    text = '{"abc": 12, "d": "efg"}'
    points = [0, 2, 3, 4, 8, 9, len(text) - 4]
    assert [leaf.text for leaf in leaves_at(text, points, [])] == ["abc", "efg"]


def test_a_bare_string_is_at_no_path():
    assert [(*leaf.where('"x"'), leaf.text) for leaf in leaves_at('"x"', [1], [])] == [
        ((), False, "x")
    ]


def test_strings_with_a_sign_are_found_among_the_points():
    text = json.dumps({"a": "x+", "b": "y", "c": ["z", "-"], "d": "-"})
    points = [text.index("y"), text.index("z")]
    told = [leaf.text for leaf in leaves_at(text, points, ["+", "-", "="])]
    assert told == ["x+", "y", "z", "-", "-"]

"""Messages with one attribute per value."""

from toolscore_otel.conventions.flattened import Flattened


def test_numbers_in_names_are_places_in_lists():
    attributes = {
        "m.0.role": "user",
        "m.10.calls.1.id": "b",
        "m.10.calls.0.id": "a",
        "m.2.role": "tool",
        "other.0.role": "x",
    }
    found = Flattened(attributes, "m.")
    assert list(found) == [
        {"role": "user"},
        {"role": "tool"},
        {"calls": [{"id": "a"}, {"id": "b"}]},
    ]
    assert found[1:] == [found[1], found[2]]


def test_names_of_another_form_are_left_out():
    attributes = {"m.x.role": 1, "m.0": 2, "m.": 3, f"m.{'9' * 30}.role": 4, "m.1.role": 5}
    assert list(Flattened(attributes, "m.")) == [{}, {"role": 5}]


def test_a_value_where_an_object_stands_gives_way_to_it():
    assert list(Flattened({"m.0.a": 1, "m.0.a.b": 2}, "m.")) == [{"a": {"b": 2}}]
    assert list(Flattened({"m.0.a.b": 2, "m.0.a": 1}, "m.")) == [{"a": 1}]


def test_a_name_of_very_many_parts_is_cut_off():
    (message,) = Flattened({"m.0." + "a." * 1000 + "b": 1}, "m.")
    assert str(message).count("a") >= 1000

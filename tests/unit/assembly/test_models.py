"""The models that a trajectory names."""

from __future__ import annotations


def test_models_are_those_that_model_calls_name_each_once(say, rebuilt):
    trajectory = rebuilt(
        say.agent("a", None, "Clerk"),
        say.model("m1", "a", model="small"),
        say.model("m2", "a", model="large"),
        say.model("m3", "a", model="small"),
        say.model("m4", "a"),
    )
    assert trajectory.models == ("large", "small")


def test_what_a_second_span_tells_of_a_model_call_is_no_other_model(say, rebuilt):
    trajectory = rebuilt(
        say.model("m1", None, model="gpt-5", input_tokens=3, response_id="r1"),
        say.model("m2", "m1", model="gpt-5-2026-01-01", input_tokens=3, response_id="r1"),
    )
    assert len(trajectory.models) == 1


def test_a_trace_without_a_model_call_names_none(say, rebuilt):
    assert rebuilt(say.tool("t")).models == ()

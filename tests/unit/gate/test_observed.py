import pytest

from toolscore_otel.gate import observed
from toolscore_otel.gate.expectations import fingerprint_of
from toolscore_otel.gate.observed import model_of
from toolscore_otel.model import Score, ToolCall, Trajectory
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample


def score(name, value, trace="t1", contract="desk"):
    return Score(name=name, value=value, trace_id=trace, contract=contract)


def seen(contract, runs, scores):
    return observed([contract], runs, scores, Scanner())


def test_runs_are_put_together_by_contract_model_and_scenario(expecting):
    contract = expecting({"calls": []})
    runs = [
        Trajectory(trace_id="t1", scenario="a", models=("m1",)),
        Trajectory(trace_id="t2", scenario="a", models=("m1",)),
        Trajectory(trace_id="t3", scenario="b", models=("m1",)),
        Trajectory(trace_id="t4"),
    ]
    found = seen(contract, runs, [score("order", 1.0, run.trace_id) for run in runs])

    assert [(e.model, e.scenario, [run.run for run in e.runs]) for e in found] == [
        ("m1", "a", ["t1", "t2"]),
        ("m1", "b", ["t3"]),
        ("unknown", "", ["t4"]),
    ]
    assert {(e.contract, e.expectations) for e in found} == {
        ("desk", fingerprint_of(contract, "a"))
    }


def test_a_run_has_the_scores_of_the_engine_and_the_three_of_its_choice(expecting):
    runs = [Trajectory(trace_id="t1")]
    scores = [score("order", 1.0), score("order", 0.5), score("order", None), score("f1", None)]
    (found,) = seen(expecting({"calls": []}), runs, scores)

    assert found.runs[0].scores == {
        "right_tool": 1.0,
        "right_args": 1.0,
        "calls_per_task": 0.0,
        "order": 0.75,
        "f1": None,
    }


def test_a_run_that_the_contract_does_not_apply_to_has_no_entry(expecting):
    others = [
        score("order", 1.0, trace="t2"),
        score("order", 1.0, contract="other"),
        Score(name="order", value=1.0, contract="desk", conversation_id="c1"),
        Score(name="order", value=1.0, trace_id="t1"),
    ]
    assert seen(expecting({"calls": []}), [Trajectory(trace_id="t1")], others) == ()


@pytest.mark.parametrize(
    ("models", "calls", "name"),
    [
        ((), (), "unknown"),
        (("m2", "m1"), (), "m1 + m2"),
        (("m1",), (ToolCall(tool="a", model="m3"), ToolCall(tool="b")), "m1 + m3"),
    ],
)
def test_models_are_those_that_calls_and_model_calls_name(models, calls, name):
    assert model_of(Trajectory(models=models, calls=calls)) == name


def test_a_secret_in_a_name_is_not_kept(expecting):
    secret = make_sample("github_token_classic", 3)
    run = Trajectory(trace_id="t1", scenario=f"of {secret}", models=(secret,))
    (found,) = seen(expecting({"calls": []}), [run], [score("order", 1.0)])

    assert secret not in repr(found)
    assert "REDACTED" in found.scenario
    assert "REDACTED" in found.model

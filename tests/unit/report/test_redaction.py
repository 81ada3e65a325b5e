import json

from toolscore_otel import Contract, ToolCall
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.model import AgentTotal, ContentState, Trajectory, Turn
from toolscore_otel.report.calls_json import FIELDS, call_object
from toolscore_otel.report.json_line import json_line
from toolscore_otel.report.redaction import redacted, redacted_trajectory
from toolscore_otel.secrets.samples import make_sample


def contract(name: str, *patterns: tuple[str, str]) -> Contract:
    listed = [{"name": kind, "regex": regex} for kind, regex in patterns]
    return Contract.from_dict({"contract": name, "language": 1, "secrets": {"patterns": listed}})


def test_a_secret_is_replaced_wherever_a_call_holds_one() -> None:
    secret = make_sample("github_token_classic", 1)
    call = ToolCall(
        tool="push",
        args={"token": secret, "branch": "main"},
        result=[f"pushed with {secret}"],
        error_message=f"refused {secret}",
    )
    text = json_line(call_object(redacted(call, scanner_of([]))))
    assert secret not in text
    assert text.count("[REDACTED:github_token_classic]") == 3
    assert '"branch":"main"' in text


def test_a_secret_in_cut_arguments_is_replaced() -> None:
    secret = make_sample("github_token_classic", 2)
    cut = '{"note": "x", "token": "' + secret
    call = ToolCall(tool="push", args_text=cut, args_state=ContentState.TRUNCATED)
    assert secret not in (redacted(call, scanner_of([])).args_text or "")


def test_what_only_a_contract_calls_a_secret_is_replaced_too() -> None:
    ours = contract("a", ("courier-token", "courier_[0-9a-z]{8}"))
    theirs = contract("b", ("courier-token", "parcel_[0-9]{8}"))
    call = ToolCall(tool="send", args={"body": "use courier_0a1b2c3d and parcel_12345678"})
    shown = redacted(call, scanner_of([ours, theirs])).args["body"]
    assert "courier_0" not in shown
    assert "parcel_1" not in shown
    assert redacted(call, scanner_of([])) == call


def test_a_secret_in_what_names_a_model_call_is_replaced() -> None:
    secret = make_sample("github_token_classic", 2)
    turn = Turn(id="m", agent=secret, model=secret, provider="us")
    (shown,) = redacted_trajectory(Trajectory(turns=(turn,)), scanner_of([])).turns
    assert (shown.agent, shown.model) == ("[REDACTED:github_token_classic]",) * 2
    assert (shown.id, shown.provider) == ("m", "us")


def test_a_secret_in_what_names_an_agent_that_adds_up_is_replaced() -> None:
    secret = make_sample("github_token_classic", 2)
    found = Trajectory(agent_totals=(AgentTotal(id="a", agent=secret),))
    (shown,) = redacted_trajectory(found, scanner_of([])).agent_totals
    assert (shown.id, shown.agent) == ("a", "[REDACTED:github_token_classic]")


def test_a_line_has_every_key_and_null_for_what_is_not_known() -> None:
    line = call_object(ToolCall(tool="search"))
    assert tuple(line) == FIELDS
    assert {key for key, value in line.items() if value is not None} == {
        "tool",
        "recorded_name",
        "kind",
        "args_state",
        "result_state",
        "status",
        "stage",
        "convention",
        "sources",
        "gaps",
    }
    assert (line["args_state"], line["status"]) == ("not_observed", "unknown")


def test_a_line_holds_what_json_libraries_stumble_over() -> None:
    value = {"half": "\ud800", "long": 10**400}
    assert json.loads(json_line(value)) == value
    assert "\n" not in json_line({"text": "a\nb"})

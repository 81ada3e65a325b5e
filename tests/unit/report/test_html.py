import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings, strategies as st

from tests.unit.report.made import HOSTILE, TRACE, found, report_of
from toolscore_otel.engine import Report
from toolscore_otel.model import (
    CallKind,
    ContentState,
    CostSource,
    Gap,
    Label,
    Score,
    Severity,
    Stage,
    Status,
    Tokens,
    ToolCall,
    Trajectory,
)
from toolscore_otel.report.html import OPEN_CALLS, report_html
from toolscore_otel.report.html_call import TEXT_LIMIT
from toolscore_otel.report.html_lanes import MOST, in_lanes
from toolscore_otel.report.html_time import Axis
from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing.made import make_call

SECOND = 1_000_000_000
NO_END = {"meta", "input"}
SCANNER = Scanner()


class Parsed(HTMLParser):
    """A page: its elements with their attributes, its text, and what is open at its end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in NO_END:
            self.inside.append(tag)

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        if self.inside and self.inside[-1] not in ("script", "style"):
            self.texts.append(data)

    def of(self, name, **wanted):
        return [
            attributes
            for tag, attributes in self.elements
            if tag == name and all(attributes.get(k) == v for k, v in wanted.items())
        ]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def page(report, fail_on=Severity.ERROR):
    return report_html(report, SCANNER, fail_on=fail_on)


def timed(tool, start, end, **fields):
    return make_call(tool, trace_id=TRACE, start_ns=start * SECOND, end_ns=end * SECOND, **fields)


def trace_of(*calls, **fields):
    return Trajectory(trace_id=TRACE, calls=calls, **fields)


def test_the_summary_says_what_the_console_says():
    one = trace_of(
        timed("a", 0, 1, status=Status.ERROR),
        timed("b", 1, 2, status=Status.UNKNOWN),
        tokens=Tokens(input=1200),
    )
    report = report_of(
        found("r", Severity.CRITICAL),
        found("s", label=Label.CANNOT_CHECK),
        trajectories=(one, Trajectory(trace_id="t", tokens=Tokens(input=1))),
        errors={"desk/odd: ValueError": 2},
    )

    text = Parsed(page(report)).text

    for told in (
        "1 finding at error or worse: 1 critical.",
        "findings 1 critical",
        "failed calls 1, 1 not known",
        "tokens 1,201 in, ? out",
        "cost not known",
        "broken desk/odd: ValueError, 2 times",
        "Could not be checked",
    ):
        assert told in text


def test_tokens_that_some_trace_does_not_know_are_at_least_so_many():
    report = Report(trajectories=(Trajectory(tokens=Tokens(input=5, output=1)), Trajectory()))

    assert "tokens at least 5 in, at least 1 out" in Parsed(page(report)).text


def test_an_empty_report_is_a_page():
    parsed = Parsed(page(Report()))

    assert parsed.inside == []
    assert "No finding at error or worse." in parsed.text
    assert parsed.of("details") == []


def test_findings_lead_to_their_calls_and_calls_to_their_findings():
    first, second = (timed("rm", n, n + 1, call_id=f"c{n}", agent="desk") for n in (1, 2))
    report = report_of(
        found("r", call_id="c2", tool="rm", agent="desk", count=2, first="c1", last="c2"),
        trajectories=(trace_of(first, second),),
    )

    parsed = Parsed(page(report))

    assert [one["href"] for one in parsed.of("a")] == ["#c0-1", "#c0-1", "#t0", "#c0-0", "#c0-1", "#f1"]  # fmt: skip
    (item,) = parsed.of("li", id="f1")
    assert (item["data-t"], item["data-a"], item["data-s"]) == ("rm", "desk", "2")
    assert [call["data-s"] for call in parsed.of("details", **{"class": "call"})] == ["-1", "2"]


def test_a_finding_of_a_call_that_is_not_there_is_told_without_a_link():
    report = report_of(
        found("r", span_id="s9", trace_id="elsewhere", fingerprint="0a", path="args.x", labels={"team": "pay"},
              stage=Stage.REQUESTED, shadow=True, kind="secret_exposed"),
    )  # fmt: skip

    parsed = Parsed(page(report))

    assert parsed.of("a") == []
    for told in ("span s9", "fingerprint 0a", "at args.x", "team pay", "asked for, not seen to run", "in shadow"):  # fmt: skip
        assert told in parsed.text


def test_many_findings_of_one_rule_are_folded_away():
    report = report_of(*(found("r", id=f"r{n}") for n in range(10)))

    parsed = Parsed(page(report))

    assert "and 7 more" in parsed.text
    assert len(parsed.of("li")) == 10


@pytest.mark.parametrize(
    ("runbook", "links"), [("https://e.x/r?a=1&b", 1), ("javascript:alert(1)", 0), ("call us", 0)]
)
def test_only_an_address_of_the_web_is_a_link(runbook, links):
    parsed = Parsed(page(report_of(found("r", runbook=runbook), trajectories=())))

    assert [one["href"] for one in parsed.of("a")] == [runbook] * links
    assert runbook in parsed.text


def test_a_call_tells_what_is_known_and_in_words_what_is_not():
    calls = (
        make_call("a", {"x": 1}, result="done", trace_id=TRACE, recorded_name="mcp__a", kind=CallKind.AGENT,
                  cost_usd=0.5, cost_source=CostSource.REPORTED, turn_cost_usd=0.0, gaps=(Gap.NO_CALL_ID,),
                  error_type="Timeout", error_message="too slow"),
        make_call("b", trace_id=TRACE, args_state=ContentState.TRUNCATED, args_text='{"q": "abc', result={"y": 2}),
        make_call("c", trace_id=TRACE, args_state=ContentState.UNPARSABLE, args_text="no"),
        make_call("d", trace_id=TRACE, stage=Stage.REQUESTED, start_ns=1),
        ToolCall(tool="", trace_id=TRACE),
    )  # fmt: skip

    text = Parsed(page(report_of(trajectories=(trace_of(*calls),)))).text

    for told in (
        'arguments { "x": 1 } result done error Timeout: too slow recorded as mcp__a kind agent',
        "cost comes from reported cost of the turn $0.0000 gaps no call id",
        'arguments cut where it was recorded {"q": "abc result { "y": 2 }',
        "arguments no JSON no",
        "arguments not recorded result not recorded",
        "times not recorded",
    ):
        assert told in text


def test_a_long_content_is_cut_and_says_so():
    call = make_call("a", result="x" * (TEXT_LIMIT + 1500), trace_id=TRACE)

    assert "... 1,500 characters more" in Parsed(page(report_of(trajectories=(trace_of(call),)))).text  # fmt: skip


def test_what_is_known_of_a_trace_stands_above_its_calls():
    one = trace_of(
        timed("a", 0, 1, agent="desk"),
        timed("a", 0, 1, agent="desk", invocation_id="i2"),
        timed("a", 0, 1),
        scenario="refund",
        service="shop",
        tokens=Tokens(cached=0, reasoning=7),
        incomplete=True,
        gaps=(Gap.REQUESTED_NOT_RUN,),
    )

    text = Parsed(page(report_of(trajectories=(one,)))).text

    for told in (
        f"refund {TRACE} 3 calls",
        "service shop",
        "cached 0 reasoning 7",
        "known to lack calls yes gaps requested not run",
        "desk, 1 call",
        "desk (2), 1 call",
        "agent not recorded, 1 call",
    ):
        assert told in text


def test_large_traces_after_the_first_are_closed():
    many = tuple(timed("a", 0, 1) for _ in range(OPEN_CALLS + 1))
    report = Report(trajectories=(trace_of(*many), trace_of(timed("a", 0, 1))))

    assert ["open" in one for one in Parsed(page(report)).of("details", **{"class": "trace"})] == [True, False]  # fmt: skip


def test_scores_are_told_as_means_of_what_applies():
    scores = (
        Score(name="f1", value=0.5, contract="desk"),
        Score(name="f1", value=1.0, contract="desk"),
        Score(name="f1", value=None, contract="desk"),
        Score(name="order", value=None),
    )

    text = Parsed(page(Report(scores=scores))).text

    assert "desk f1 0.750 2 0 order none 0 0" in text


def test_a_trace_has_a_table_of_its_scores():
    scores = (
        Score(
            name="f1",
            value=0.5,
            contract="desk",
            label=Label.FAIL,
            trace_id=TRACE,
            explanation="rule `r`",
        ),
        Score(name="order", value=None, trace_id=TRACE, label=Label.CANNOT_CHECK),
        Score(name="f1", value=1.0, trace_id="another"),
    )
    shown = Parsed(page(report_of(scores=scores)))

    assert len(shown.of("details", **{"class": "scores"})) == 1
    text = shown.text
    assert "2 scores 1 beyond a bound score value bound desk f1 0.500 failed rule r order none cannot be checked" in text  # fmt: skip


def test_no_secret_stands_on_the_page():
    secret = make_sample("github_token_classic", 3)
    call = make_call(f"t {secret}", {"k": secret}, trace_id=TRACE, result=[secret], agent=secret, error_message=secret)  # fmt: skip

    told = page(report_of(trajectories=(trace_of(call, scenario=secret, service=secret),)))

    assert secret[:12] not in told
    assert "REDACTED" in told


@given(st.text(st.characters(exclude_categories=())) | st.just(HOSTILE))
@settings(max_examples=60)
def test_no_text_is_ever_markup(text):
    def shape(value):
        call = make_call(f"t{value}", {f"k{value}": f"v{value}"}, result=f"r{value}", trace_id=TRACE, agent=f"a{value}",
                         call_id="c", error_message=f"e{value}", start_ns=1, end_ns=2)  # fmt: skip
        report = report_of(
            found("r", explanation=f"x{value}", tool=f"t{value}", agent=f"a{value}", path=f"p{value}", call_id="c",
                  runbook=f"b{value}"),
            trajectories=(trace_of(call, call, scenario=f"s{value}"),),
        )  # fmt: skip
        written = page(report)
        written.encode()
        parsed = Parsed(written)
        assert parsed.inside == []
        return [(tag, sorted(attributes)) for tag, attributes in parsed.elements if tag != "code"]

    assert shape(text) == shape("")


def test_it_asks_nobody_for_anything_and_lets_no_other_script_run():
    told = page(report_of(trajectories=(trace_of(timed("a", 0, 1)),)))
    parsed = Parsed(told)
    (policy,) = [meta["content"] or "" for meta in parsed.of("meta") if "http-equiv" in meta]

    assert [a for _, attributes in parsed.elements for a in attributes if a in ("src", "srcset", "action", "onclick")] == []  # fmt: skip
    assert re.findall(r"https?://|url\(|@import", told) == []
    assert policy.startswith("default-src 'none';")
    assert re.search(r"script-src 'sha256-[\w+/=]{44}';", policy)


def lanes_of(*bars):
    """Lane and name of each bar."""
    members = [(at, (name, make_call(name), None)) for at, name in bars]
    return [(lane, member[0]) for lane, _, member in in_lanes(members)]


def test_calls_at_once_stand_below_each_other():
    bars = [((0.0, 0.5), "a"), ((0.1, 0.1), "b"), (None, "untimed"), ((0.2, 0.6), "c"), ((0.5, 0.1), "d")]  # fmt: skip

    assert lanes_of(*bars) == [(0, "a"), (1, "b"), (1, "c"), (0, "d")]


def test_more_at_once_than_there_are_lanes_share_the_last():
    bars = [((0.0, 1.0), f"{n}") for n in range(MOST + 3)]

    assert [lane for lane, _ in lanes_of(*bars)] == [*range(MOST), *[MOST - 1] * 3]


def test_an_axis_puts_times_between_0_and_1():
    axis = Axis.of([timed("a", 10, 12), make_call("b", start_ns=14 * SECOND), make_call("c")])
    assert axis is not None

    assert axis.bar(timed("a", 11, 13)) == (0.25, 0.5)
    assert axis.bar(make_call("b", start_ns=12 * SECOND)) == (0.5, 0.0)
    assert axis.bar(timed("b", 12, 11)) == (0.5, 0.0)
    assert axis.bar(make_call("c")) is None
    assert Axis.of([make_call("c")]) is None
    assert [re.sub("<[^>]*>", "", tick) for tick in axis.ticks()] == ["0 s", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"]  # fmt: skip

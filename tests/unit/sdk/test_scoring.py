"""One engine, from any thread, without waiting and without raising."""

import logging
import threading
from contextlib import contextmanager

import pytest

from toolscore_otel import Contract
from toolscore_otel.model import ClosedBy, Label
from toolscore_otel.sdk import SdkConfig, ToolscoreSpanProcessor, scoring as module
from toolscore_otel.sdk.scoring import Scoring
from toolscore_otel.secrets.samples import make_sample


def rules(scoring):
    return [found.rule for found in scoring.findings() if found.label is Label.FAIL]


def agent_run(made, tool="rm"):
    """Root, something in between, and a tool: in order of their end."""
    root = made(agent="ops")
    between = made(parent=root)
    return made(tool, parent=between), between, root


def test_a_forbidden_call_is_known_as_soon_as_its_span_has_ended(scoring, made):
    scoring.take(made("rm"))
    assert rules(scoring) == ["forbid.1"]


def test_spans_of_no_interest_alone_open_nothing(scoring, made):
    root = made()
    scoring.take(made(parent=root))
    scoring.take(root)
    assert scoring.all_counters()["spans"] == 0


def test_what_goes_on_behind_a_root_that_has_ended_has_a_whole_trace(scoring, made):
    root = made()
    scoring.take(root)
    scoring.take(made("search", parent=root))
    scoring.close(ClosedBy.SHUTDOWN)
    assert rules(scoring) == ["require.1"]


def test_a_call_belongs_to_its_agent_through_spans_of_no_interest(scoring, made):
    for span in agent_run(made):
        scoring.take(span)
    assert [found.agent for found in scoring.findings()] == ["ops"]


def test_a_root_closes_its_trajectory_once_it_has_settled(scoring, made, clock):
    for span in agent_run(made):
        scoring.take(span)
    clock.advance(2.5)
    scoring.tick()
    assert rules(scoring) == ["forbid.1", "require.1"]


def test_a_root_of_no_interest_closes_it_too(scoring, made, clock):
    root = made()
    scoring.take(made("search", parent=root))
    scoring.take(root)
    clock.advance(2.5)
    scoring.tick()
    assert [t.closed_by for t in scoring.report().trajectories] == [ClosedBy.ROOT_ENDED]


def test_time_moves_with_spans_of_no_interest(scoring, made, clock):
    for span in agent_run(made, "search"):
        scoring.take(span)
    clock.advance(2.5)
    scoring.take(made(parent=made()))
    assert rules(scoring) == ["require.1"]


def test_a_trace_that_goes_on_elsewhere_closes_when_it_is_idle(scoring, made, clock):
    far = made()
    served = made(parent=far, remote=True)
    scoring.take(made("search", parent=served))
    scoring.take(served)
    clock.advance(61)
    scoring.tick()
    assert [t.closed_by for t in scoring.report().trajectories] == [ClosedBy.IDLE]


def test_closing_ends_what_is_open_with_all_that_is_kept(scoring, made):
    tool, between, _ = agent_run(made, "search")
    scoring.take(tool)
    scoring.take(between)
    assert scoring.close(ClosedBy.SHUTDOWN)
    assert [t.closed_by for t in scoring.report().trajectories] == [ClosedBy.SHUTDOWN]
    assert scoring.all_counters()["spans"] == 2


def test_the_same_span_twice_is_one_call(scoring, made):
    span = made("rm")
    scoring.take(span)
    scoring.take(span)
    assert len(scoring.findings()) == 1
    assert scoring.all_counters()["duplicates"] == 1


def test_a_span_that_cannot_be_read_is_counted_and_said_once(scoring, made, caplog):
    broken = made("rm", context=None)
    scoring.take(broken)
    scoring.take(broken)
    assert scoring.counters["errors"] == 2
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_broken_span_does_not_keep_others_from_being_scored(scoring, made):
    scoring.take(made("rm", context=None))
    scoring.take(made("rm"))
    assert rules(scoring) == ["forbid.1"]


def test_an_engine_that_raises_is_counted(scoring, made):
    def broken(*_):
        raise RuntimeError

    scoring.engine.feed = broken
    scoring.engine.tick = broken
    scoring.engine.close = broken
    scoring.take(made("rm"))
    scoring.close(ClosedBy.SHUTDOWN)
    assert scoring.counters["errors"] == 2


def test_a_listener_that_raises_keeps_no_other_from_hearing(scoring, made):
    heard = []

    def broken(*_):
        raise RuntimeError

    scoring.listeners += [broken, lambda finding, before: heard.append((finding.rule, before))]
    scoring.on_close.append(broken)
    scoring.take(made("rm"))
    scoring.close(ClosedBy.SHUTDOWN)
    assert heard == [("forbid.1", None), ("require.1", None)]
    assert scoring.counters["errors"] == 3


def test_what_closes_is_told_with_its_scores(scoring, made):
    heard = []
    scoring.on_close.append(lambda trajectory, scores: heard.append((trajectory, scores)))
    agent_span = made(agent="desk")
    scoring.take(made("rm", parent=agent_span))
    scoring.take(agent_span)
    scoring.close(ClosedBy.SHUTDOWN)
    ((trajectory, scores),) = heard
    assert len(trajectory.calls) == 1
    assert [(score.name, score.value) for score in scores] == [
        ("required_recall", 0.0),
        ("redundant_rate", 0.0),
        ("error_rate", 0.0),
    ]


def test_a_revision_comes_with_the_one_before(scoring, made):
    heard = []
    scoring.listeners.append(lambda finding, before: heard.append((finding.revision, before)))
    for span in agent_run(made):
        scoring.take(span)
    (first, none), (second, before) = heard
    assert (first, none, second, before.revision) == (1, None, 2, 1)


def test_a_span_that_ends_while_one_is_scored_is_taken_along(scoring, made):
    feed = scoring.engine.feed
    inner = [made("rm")]

    def feeding(span, now):
        if inner:
            scoring.take(inner.pop())  # as a finalizer or a contract's own code may
        return feed(span, now)

    scoring.engine.feed = feeding
    scoring.take(made("search"))
    assert rules(scoring) == ["forbid.1"]


def test_nobody_waits_for_a_busy_engine(scoring, made):
    with scoring._inside():
        scoring.take(made("rm"))
    assert scoring.all_counters()["spans"] == 0
    assert scoring.settle()
    assert rules(scoring) == ["forbid.1"]


def test_what_waits_is_bounded_and_counted(scoring, made, monkeypatch):
    monkeypatch.setattr(module, "QUEUE", 2)
    with scoring._inside():
        for _ in range(5):
            scoring.take(made("rm"))
    scoring.settle()
    assert scoring.counters["queue_full"] == 3
    assert len(scoring.findings()) == 2


def test_whoever_asks_from_inside_of_the_engine_gets_nothing_at_once_and_that_is_counted(
    scoring, made
):
    scoring.take(made("rm"))
    with scoring._inside():
        assert not scoring.settle()
        assert not scoring.close(ClosedBy.SHUTDOWN)
        assert scoring.findings() == ()
        assert scoring.report().trajectories == ()
        assert scoring.on_span("0" * 32, "0" * 16, is_root=True) == []
    assert scoring.counters["busy"] == 5


@contextmanager
def busy_engine(scoring):
    """Another thread is inside of the engine; calling what this gives lets it go."""
    is_inside, may_go = threading.Event(), threading.Event()

    def hold():
        with scoring._inside():
            is_inside.set()
            may_go.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    is_inside.wait(60)
    yield may_go.set
    may_go.set()
    thread.join()


@pytest.mark.parametrize("timeout_millis", [20, 0, -1])
def test_a_flush_of_a_busy_engine_says_no_when_its_time_is_over(scoring, timeout_millis):
    processor = ToolscoreSpanProcessor(scoring=scoring)
    with busy_engine(scoring):
        assert not processor.force_flush(timeout_millis)
    assert processor.force_flush(timeout_millis)
    assert scoring.counters["busy"] == 1


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda processor: processor.force_flush(10**18), id="flush"),
        pytest.param(lambda processor: processor.shutdown(), id="shutdown"),
    ],
)
def test_flush_and_shutdown_wait_for_an_engine_that_is_busy_for_long(scoring, made, end):
    for span in agent_run(made):
        scoring.take(span)
    processor = ToolscoreSpanProcessor(scoring=scoring)
    with busy_engine(scoring) as let_go:
        later = threading.Timer(1.5 * module.PATIENCE_S, let_go)
        later.start()
        end(processor)
    assert rules(scoring) == ["forbid.1", "require.1"]
    assert scoring.counters["busy"] == 0


def test_many_threads_lose_nothing(scoring, made):
    spans = [[made("rm") for _ in range(50)] for _ in range(8)]
    threads = [
        threading.Thread(target=lambda own=own: [scoring.take(span) for span in own])
        for own in spans
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scoring.settle()
    assert scoring.all_counters()["spans"] == 400
    assert len(scoring.findings()) == 400


def test_open_traces_are_bounded(contract, made):
    small = Scoring([contract], SdkConfig(open_trajectories=2))
    for _ in range(5):
        small.take(made("search"))
    assert small.all_counters()["evicted"] == 3
    assert len(small._live) == 2


def test_a_start_anew_has_nothing_of_before(scoring, made):
    scoring.take(made("rm"))
    scoring.start_anew()
    assert scoring.findings() == ()
    assert scoring.close(ClosedBy.SHUTDOWN)
    assert scoring.all_counters()["spans"] == 0


@pytest.mark.parametrize(
    "odd",
    [
        {"start_time": None},
        {"end_time": None},
        {"attributes": None},
        {"attributes": {"gen_ai.tool.name": 7, "gen_ai.tool.call.arguments": object()}},
        {"attributes": {"gen_ai.tool.name": "rm", "gen_ai.tool.call.id": [1, b"x"]}},
        {"name": ""},
    ],
)
def test_odd_spans_are_taken(scoring, made, odd):
    scoring.take(made(**({"name": "execute_tool rm"} | odd)))
    assert scoring.counters["errors"] == 0


@pytest.mark.parametrize("clause", [{}, {"secrets": {"in": ["messages"]}}])
def test_patterns_are_compiled_before_the_first_span(made, clock, monkeypatch, clause):
    contract = {"contract": "c", "language": 1, "forbid": ["rm"], **clause}
    scoring = Scoring([Contract.from_dict(contract)], SdkConfig(), clock=clock)

    def compiled(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("toolscore_otel.secrets.scanner.compiled", compiled)
    monkeypatch.setattr("toolscore_otel.secrets.detection.compiled", compiled)
    monkeypatch.setattr("toolscore_otel.secrets.patterns._compile", compiled)
    secret = make_sample("npm_token", 1)
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": f"use {secret}"}
    scoring.take(made("rm", attributes={"gen_ai.tool.call.arguments": f'{{"t": "{secret}"}}'}))
    scoring.take(made(attributes=chat))
    scoring.close(ClosedBy.SHUTDOWN)

    assert scoring.counters["errors"] == 0
    assert rules(scoring) == ["forbid.1", *clause]
    assert scoring.report().errors == {}


def scores_said(scoring):
    """What is told of scores from now on."""
    said = []
    scoring.score_listeners.append(
        lambda revision, _: said.append(
            (revision.score.name, revision.score.value, revision.revision)
        )
    )
    return said


def test_scores_are_told_once_a_trajectory_is_closed_and_again_where_they_change(
    scoring, made, clock
):
    said = scores_said(scoring)
    call, between, root = agent_run(made)
    for span in (call, between, root):
        scoring.take(span)
    assert said == []
    clock.advance(2.5)
    scoring.tick()
    assert said == [
        ("required_recall", 0.0, 1),
        ("redundant_rate", 0.0, 1),
        ("error_rate", 0.0, 1),
    ]
    scoring.take(made("log_case", parent=between))
    scoring.close(ClosedBy.SHUTDOWN)
    assert said[3:] == [("required_recall", 1.0, 2)]


def test_after_a_fork_nothing_is_known_of_scores(scoring, made):
    spans = agent_run(made)
    said = scores_said(scoring)
    for _ in range(2):
        for span in spans:
            scoring.take(span)
        scoring.close(ClosedBy.SHUTDOWN)
        scoring.start_anew()
    assert [number for _, _, number in said] == [1] * 6


def test_who_takes_no_scores_does_not_keep_findings_from_others(scoring, made):
    def breaks(*_):
        raise ValueError

    scoring.score_listeners.append(breaks)
    said = scores_said(scoring)
    for span in agent_run(made):
        scoring.take(span)
    scoring.close(ClosedBy.SHUTDOWN)
    assert len(said) == scoring.counters["errors"] == 3

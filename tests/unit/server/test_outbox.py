import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tests.unit.server.state_made import KEY, NOW, TRACE, findings_of
from toolscore_otel.model import Finding, FindingKind, Label, Severity
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.deliveries import Batch, Delivery
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.outbox import BATCH, MOST_WAITING, Outbox
from toolscore_otel.server.reply import OK, Outcome, Reply
from toolscore_otel.server.state import State

RETRY = Reply(outcome=Outcome.RETRY, message="down")
REFUSED = Reply(outcome=Outcome.REFUSED, message="never")
TOO_LARGE = Reply(outcome=Outcome.TOO_LARGE)


def delivery(number: int) -> Delivery:
    finding = Finding(
        id=f"{number:032x}",
        rule="r",
        kind=FindingKind.FORBIDDEN_CALL,
        severity=Severity.ERROR,
        contract="c",
        label=Label.FAIL,
        explanation="no",
        trace_id=TRACE,
    )
    return Delivery(finding=finding, time_ns=NOW)


def numbers(deliveries: Iterable[Delivery]) -> list[int]:
    """As `delivery` was given them."""
    return [int(finding.id, 16) for finding in findings_of(deliveries)]


class FakeSink:
    """Answers as told, then with `ok`."""

    def __init__(self, name: str = "file", *answers: Reply) -> None:
        self.name = name
        self.answers = list(answers)
        self.asked: list[int] = []
        self.got: list[int] = []
        self.is_closed = False

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        self.asked.append(len(deliveries))
        reply = self.answers.pop(0) if self.answers else OK
        if reply.outcome is Outcome.OK:
            self.got += numbers(deliveries)
        return reply

    def close(self) -> None:
        self.is_closed = True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["state", "no state"])
def state(request, tmp_path):
    made = State(tmp_path, KEY) if request.param == "state" else NoState(KEY)
    yield made
    made.close()


def put(state: State | NoState, *numbers: int) -> None:
    state.commit(Batch(deliveries=[delivery(number) for number in numbers]))


def count(counting: Counting, what: str, sink: str = "file") -> float:
    series = counting.collected(f"toolscore.outbox.{what}", is_last=True)
    return next(shown.value for shown in series if dict(shown.key) == {"sink": sink})


def test_every_sink_gets_everything_once(state):
    one, two = FakeSink("file"), FakeSink("webhook")
    counting = Counting()
    outbox = Outbox(state, [one, two], counting)
    put(state, 1, 2)
    outbox.deliver()
    put(state, 3)
    outbox.deliver()
    outbox.deliver()
    assert [1, 2, 3] == one.got == two.got
    assert (count(counting, "delivered"), count(counting, "waiting")) == (3, 0)
    assert state.pending(0, 10) == []


def test_a_sink_that_is_down_holds_up_no_other_and_misses_nothing(state):
    clock, counting = Clock(), Counting()
    down, up = FakeSink("webhook", RETRY, RETRY), FakeSink("file")
    outbox = Outbox(state, [down, up], counting, clock=clock)
    put(state, 1)
    assert outbox.deliver() == 1.0
    put(state, 2)
    outbox.deliver()
    assert (down.got, up.got) == ([], [1, 2])
    assert (count(counting, "failed", "webhook"), count(counting, "waiting", "webhook")) == (1, 2)
    clock.now = 1.0
    assert outbox.deliver() == 1.0
    clock.now = 2.9
    outbox.deliver()
    assert down.got == []
    clock.now = 3.0
    outbox.deliver()
    assert down.got == [1, 2]


def test_pauses_grow_up_to_a_minute(state):
    clock = Clock()
    sink = FakeSink("file", *[RETRY] * 12)
    outbox = Outbox(state, [sink], Counting(), clock=clock)
    put(state, 1)
    pauses: list[float] = []
    while not sink.got:
        asked = len(sink.asked)
        outbox.deliver()
        if len(sink.asked) > asked and not sink.got:
            pauses.append(0)
        clock.now += 0.5
        pauses[-1] += 0.5
    assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_sink_that_asks_for_time_gets_it(state):
    clock = Clock()
    wait = Reply(outcome=Outcome.RETRY, retry_after_s=30)
    sink = FakeSink("file", wait)
    outbox = Outbox(state, [sink], Counting(), clock=clock)
    put(state, 1)
    outbox.deliver()
    clock.now = 29
    outbox.deliver()
    assert sink.got == []
    clock.now = 30
    outbox.deliver()
    assert sink.got == [1]


def test_what_is_refused_for_good_is_dropped_counted_and_said(state, caplog):
    counting = Counting()
    sink = FakeSink("file", REFUSED)
    outbox = Outbox(state, [sink], counting)
    put(state, 1, 2)
    outbox.deliver()
    put(state, 3)
    outbox.deliver()
    assert sink.got == [3]
    assert (count(counting, "dropped"), count(counting, "delivered")) == (2, 1)
    assert "2 findings were refused for good, and are dropped: never" in caplog.text


def test_what_is_too_large_goes_in_parts(state):
    sink = FakeSink("file", TOO_LARGE, TOO_LARGE)
    outbox = Outbox(state, [sink], Counting())
    put(state, *range(8))
    outbox.deliver()
    assert list(range(8)) == sink.got
    assert sink.asked == [8, 4, 2, 6]


def test_one_finding_that_is_too_large_is_dropped(state):
    counting = Counting()
    outbox = Outbox(state, [FakeSink("file", TOO_LARGE)], counting)
    put(state, 1)
    outbox.deliver()
    assert count(counting, "dropped") == 1


def test_batches_are_bounded(state):
    sink = FakeSink()
    outbox = Outbox(state, [sink], Counting())
    put(state, *range(BATCH + 1))
    outbox.deliver()
    assert sink.asked == [BATCH, 1]


def test_a_sink_that_raises_loses_its_batch_and_nothing_else(state, caplog):
    class Broken(FakeSink):
        def send(self, deliveries: Sequence[Delivery]) -> Reply:
            raise KeyError("hidden")

    counting = Counting()
    other = FakeSink("webhook")
    outbox = Outbox(state, [Broken(), other], counting)
    put(state, 1)
    outbox.deliver()
    assert (other.got, count(counting, "dropped")) == ([1], 1)
    assert "KeyError" in caplog.text
    assert "hidden" not in caplog.text


def test_a_sink_goes_on_after_a_restart_where_it_was(tmp_path):
    state = State(tmp_path, KEY)
    put(state, 1, 2)
    Outbox(state, [FakeSink("file"), FakeSink("webhook", RETRY)], Counting()).deliver()
    state.close()
    state = State(tmp_path, KEY)
    put(state, 3)
    file, webhook = FakeSink("file"), FakeSink("webhook")
    Outbox(state, [file, webhook], Counting()).deliver()
    state.close()
    assert (file.got, webhook.got) == ([3], [1, 2, 3])


def test_a_sink_that_is_no_longer_configured_keeps_nothing_back(tmp_path):
    state = State(tmp_path, KEY)
    put(state, 1)
    Outbox(state, [FakeSink("file"), FakeSink("webhook", RETRY)], Counting()).deliver()
    outbox = Outbox(state, [FakeSink("file")], Counting())
    put(state, 2)
    outbox.deliver()
    assert state.pending(0, 10) == []
    state.close()


def test_what_waits_past_the_cap_is_dropped_for_that_sink(state, monkeypatch, caplog):
    monkeypatch.setattr("toolscore_otel.server.outbox.MOST_WAITING", 3)
    clock, counting = Clock(), Counting()
    sink = FakeSink("file", RETRY)
    outbox = Outbox(state, [sink], counting, clock=clock)
    put(state, *range(5))
    outbox.deliver()
    assert (count(counting, "dropped"), count(counting, "waiting")) == (2, 3)
    clock.now = 10
    outbox.deliver()
    assert sink.got == [2, 3, 4]
    assert MOST_WAITING > BATCH


def test_without_state_the_oldest_findings_go_when_too_many_wait():
    state = NoState(KEY, deliveries=2)
    state.cursors(["file"])
    put(state, 1, 2, 3)
    assert numbers(delivery for _, delivery in state.pending(0, 10)) == [2, 3]
    assert state.counters["findings_dropped"] == 1


def test_a_thread_delivers_when_it_is_woken_and_the_rest_at_the_end(state):
    sink = FakeSink("file", RETRY)
    outbox = Outbox(state, [sink], Counting())
    put(state, 1)
    outbox.start()
    put(state, 2)
    outbox.wake()
    outbox.stop(5)
    assert sink.got == [1, 2]
    assert sink.is_closed


def test_what_is_left_at_the_end_is_said(state, caplog):
    sink = FakeSink("file", *[RETRY] * 9)
    outbox = Outbox(state, [sink], Counting())
    put(state, 1)
    outbox.start()
    outbox.stop(5)
    assert "1 findings were not delivered" in caplog.text


def test_an_error_of_the_state_ends_no_thread(tmp_path: Path, caplog):
    state = State(tmp_path, KEY)
    outbox = Outbox(state, [FakeSink()], Counting())
    state.close()
    assert outbox._deliver_safely() == 1.0
    assert "findings cannot be delivered" in caplog.text


def test_what_a_sink_could_not_take_before_the_end_stays_in_the_state(state):
    """The thread goes on behind the grace, and finds its sink closed: that refuses nothing."""

    class Slow(FakeSink):
        def send(self, deliveries: Sequence[Delivery]) -> Reply:
            entered.set()
            assert may_go_on.wait(30)
            if self.is_closed:
                raise RuntimeError
            return super().send(deliveries)

    entered, may_go_on = threading.Event(), threading.Event()
    sink, counting = Slow(), Counting()
    put(state, 1, 2)
    outbox = Outbox(state, [sink], counting)
    outbox.start()
    assert entered.wait(30)
    outbox.stop(0.01)
    may_go_on.set()
    outbox._thread.join(30)

    assert (sink.got, count(counting, "dropped")) == ([], 0)
    assert [number for number, _ in state.pending(0, 10)] == [1, 2]


def test_after_a_refusal_the_next_outage_is_said_again(state, caplog):
    clock = Clock()
    outbox = Outbox(state, [FakeSink("file", RETRY, REFUSED, RETRY)], Counting(), clock=clock)
    for number in (1, 2):
        put(state, number)
        for _ in range(2):
            outbox.deliver()
            clock.now += 100

    assert len([r for r in caplog.records if "are tried again" in r.getMessage()]) == 2

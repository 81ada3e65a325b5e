"""Signals, garbage, the ticker, and which contracts a routing allows."""

import gc
import os
import signal
import threading
from types import SimpleNamespace

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Scope
from toolscore_otel.server import loading
from toolscore_otel.server.config import Affinity, ServerConfig
from toolscore_otel.server.loading import load_contracts
from toolscore_otel.server.running import COLLECTED_AFTER, serve_until_signal
from toolscore_otel.server.ticker import Ticker


class FakeServer:
    """Remembers what was done; sends itself signals once it is started."""

    def __init__(self, *signals):
        self.done = []
        self.signals = signals

    def start(self):
        self.done.append("start")
        for number in self.signals:
            os.kill(os.getpid(), number)

    def reload(self):
        self.done.append("reload")

    def drain(self):
        self.done.append("drain")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_gracefully_and_a_hangup_reloads(ending):
    server = FakeServer(signal.SIGHUP, signal.SIGHUP, ending)
    before = signal.getsignal(ending)
    serve_until_signal(server)
    assert server.done == ["start", "reload", "reload", "drain"]
    assert signal.getsignal(ending) is before


def test_a_second_signal_ends_it_at_once(monkeypatch):
    class EndedError(Exception):
        pass

    def ended(code):
        raise EndedError(code)

    monkeypatch.setattr("toolscore_otel.server.running.os._exit", ended)
    with pytest.raises(EndedError) as error:
        serve_until_signal(FakeServer(signal.SIGTERM, signal.SIGTERM))
    assert error.value.args == (128 + signal.SIGTERM,)


def test_while_it_runs_garbage_is_searched_for_less_often():
    class Looking(FakeServer):
        def drain(self):
            self.done.append(gc.get_threshold()[0])

    before, server = gc.get_threshold(), Looking(signal.SIGTERM)
    serve_until_signal(server)
    assert server.done == ["start", COLLECTED_AFTER]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_time_moves_on_after_a_failure(caplog):
    ticks = []
    enough = threading.Event()

    def tick():
        ticks.append(1)
        if len(ticks) == 1:
            raise ValueError("broken")
        enough.set()

    ticker = Ticker(tick, 0.001)
    ticker.start()
    assert enough.wait(30)
    ticker.stop()
    count = len(ticks)
    assert "ValueError in test_running.py" in caplog.text
    assert "broken" not in caplog.text
    assert len(ticks) == count


def test_a_ticker_that_was_never_started_stops():
    Ticker(lambda: None).stop()


@pytest.fixture
def load(monkeypatch):
    """Loads one contract of given scopes under an affinity."""

    def loaded(affinity, scope, *rules):
        compiled = [SimpleNamespace(scope=one) for one in (scope, *rules)]
        contract = SimpleNamespace(id="desk", path="desk.yaml", rules=compiled)
        monkeypatch.setattr(loading, "load", lambda *_, **__: (contract,))
        return load_contracts(ServerConfig(contracts=["x"], affinity=affinity))

    return loaded


@pytest.mark.parametrize("affinity", [Affinity.TRACE, Affinity.SERVICE])
@pytest.mark.parametrize("scopes", [(Scope.SESSION,), (Scope.TRACE, Scope.SESSION)])
def test_a_contract_that_needs_more_than_the_routing_keeps_together_is_refused(load, affinity, scopes):  # fmt: skip
    with pytest.raises(
        ConfigError, match=f"`desk` has scope `session`, and `affinity: {affinity}`"
    ):
        load(affinity, *scopes)


def test_one_that_does_not_is_loaded(load):
    assert load(Affinity.SESSION, Scope.SESSION)
    assert load(Affinity.TRACE, Scope.TRACE, Scope.AGENT)

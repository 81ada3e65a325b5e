"""The server as a whole: what is started in which order, and how it ends without losing anything.

It is ready once what it knew is restored and every receiver listens. When it stops, it first says so (readiness, gRPC
health), answers what still comes in with `try again`, lets open requests end, closes what is open, and hands on what is
yet to be delivered.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any, Protocol

from starlette.applications import Starlette

from toolscore_otel.contracts import Contract
from toolscore_otel.errors import ConfigError, Problem, ToolscoreError
from toolscore_otel.server.admin import Sources, admin_app
from toolscore_otel.server.admission import Admission
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.circles import refuse_circles
from toolscore_otel.server.config import Listener, ServerConfig, address, as_data
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.grpc_receiver import GrpcServer
from toolscore_otel.server.http_receiver import HttpServer
from toolscore_otel.server.http_thread import HttpThread
from toolscore_otel.server.listening import in_use
from toolscore_otel.server.loading import load_contracts
from toolscore_otel.server.own_resource import own_resource
from toolscore_otel.server.receiver_counts import ReceiverCounts
from toolscore_otel.server.reply import Reply, Signal
from toolscore_otel.server.ticker import Ticker

GRACE_S = 5.0
"""How long open requests may take to end once the server stops."""

MIB = 1024 * 1024
_RELOADS = "toolscore.reloads"
_LOG = logging.getLogger(__name__)


class Core(Protocol):
    """What stands behind the receivers."""

    counting: Counting
    instance: str

    def start(self) -> None:
        """Begin to deliver."""

    def handle(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        """The answer to one export."""
        ...

    def tick(self) -> None:
        """Do what is due."""

    def reload(self, contracts: Sequence[Contract]) -> None:
        """Other contracts are in use from now on."""

    def debug(self) -> Mapping[str, Any]:
        """What is known, for people."""
        ...

    def metrics_app(self, resource: Mapping[str, str]) -> Starlette:
        """What answers `/metrics`."""
        ...

    def close(self) -> None:
        """Close what is open, deliver what waits, and let go of everything."""


Build = Callable[[ServerConfig, Sequence[Contract], Admission, str], Core]
"""Makes the core, restored, from configuration, contracts, what is in flight and our own id."""


class Server:
    """A server of one configuration.

    Args:
        config: what it does.
        build: makes what stands behind the receivers.

    Attributes:
        instance: its own id, of this process, for what it sends on; metrics and admin pages show `Core.instance`, which
            lasts as long as the sums.
        ports: where it listens, by `grpc`, `http`, `admin` and `prometheus`.

    Raises:
        ContractError: contracts cannot be used.
        ConfigError: they need more kept together than the routing promises.
    """

    def __init__(self, config: ServerConfig, build: Build) -> None:
        self.instance = secrets.token_hex(8)
        self.ports: dict[str, int] = {}
        self._config = config
        self._build = build
        self._contracts = load_contracts(config, warn=_warn)
        self._admission = Admission(config.limits.in_flight_mib * MIB)
        self._why_not_ready: str | None = "starting"
        self._core: Core | None = None
        self._grpc: GrpcServer | None = None
        self._http: HttpServer | None = None
        self._ending = ExitStack()

    def start(self) -> None:
        """Restore, listen, and be ready.

        Raises:
            ConfigError: an address cannot be listened on, a certificate not be used, or something would be sent to
                ourselves; nothing is left running.
            StateError: what was kept cannot be read.
        """
        try:
            self._start()
        except BaseException:
            self._ending.close()
            raise
        self._why_not_ready = None
        _say(self._config)
        _LOG.info(
            "ready", extra={"mode": self._config.mode.value, "contracts": len(self._contracts)}
        )

    def ready(self) -> str | None:
        """None once everything is restored and listening; before and afterwards, why not."""
        return self._why_not_ready

    def reload(self) -> bool:
        """Read contracts and certificates again; returns whether all of them can be used.

        What cannot be used is logged, and what was in use before stays so.
        """
        steps: list[Callable[[], None]] = [self._reload_contracts]
        steps += [part.reload_certificates for part in (self._grpc, self._http) if part is not None]
        is_good = True
        for step in steps:
            try:
                step()
            except ToolscoreError as error:
                is_good = False
                _LOG.error("not reloaded, what was there stays in use: %s", error)
        if self._core is not None:
            self._core.counting.count(_RELOADS, outcome="ok" if is_good else "bad")
        if is_good:
            _LOG.info("reloaded", extra={"contracts": len(self._contracts)})
        return is_good

    def drain(self) -> None:
        """Stop without losing anything; returns when that is done."""
        self._why_not_ready = "stopping"
        _LOG.info("stopping")
        if self._grpc is not None:
            self._grpc.drain()
        self._admission.drain()
        self._ending.close()
        _LOG.info("stopped")

    def _start(self) -> None:
        refuse_circles(self._config)
        if self._config.admin is not None:
            sources = Sources(
                ready=self.ready,
                debug=self._debug,
                config=lambda: as_data(self._config),
                about=self._about,
            )
            self._serve("admin", "admin.endpoint", self._config.admin, admin_app(sources))
        core = self._core = self._build(
            self._config, self._contracts, self._admission, self.instance
        )
        self._ending.callback(core.close)
        for outcome in ("ok", "bad"):
            core.counting.count(_RELOADS, 0, outcome=outcome)
        if (prometheus := self._config.metrics.prometheus) is not None:
            app = core.metrics_app(own_resource(core.instance))
            self._serve("prometheus", "metrics.prometheus.endpoint", prometheus, app)
        core.start()
        ticker = Ticker(core.tick)
        ticker.start()
        self._ending.callback(ticker.stop)
        self._receive(core)

    def _serve(self, name: str, key: str, listener: Listener, app: Starlette) -> None:
        where = address(listener.endpoint)
        thread = HttpThread(app, where.host, where.port)
        try:
            port = thread.start()
        except ConfigError as error:
            raise in_use(key, where) from error
        self._ending.callback(thread.stop)
        self._listens(name, where.host, port)

    def _receive(self, core: Core) -> None:
        otlp = self._config.receivers.otlp
        counts = {name: ReceiverCounts(core.counting, name) for name in ("grpc", "http")}
        entrance = Entrance(
            core.handle,
            auth=Auth(otlp.auth.bearer_tokens),
            admission=self._admission,
            instance=self.instance,
            tell=lambda signal, transport, reply: counts[transport].answered(signal, reply),
        )
        if (grpc := otlp.protocols.grpc) is not None:
            self._grpc = GrpcServer(grpc, entrance)
            self._listens("grpc", address(grpc.endpoint).host, self._grpc.start())
            self._ending.callback(self._grpc.stop, GRACE_S)
        if (http := otlp.protocols.http) is not None:
            self._http = HttpServer(http, entrance)
            self._listens("http", address(http.endpoint).host, self._http.start())
            self._ending.callback(self._http.stop, GRACE_S)

    def _listens(self, name: str, host: str, port: int) -> None:
        self.ports[name] = port
        _LOG.info("listening", extra={"for": name, "host": host, "port": port})

    def _reload_contracts(self) -> None:
        contracts = load_contracts(self._config, warn=_warn)
        if self._core is not None:
            self._core.reload(contracts)
        self._contracts = contracts

    def _about(self) -> Mapping[str, str]:
        about = {"version": version("toolscore-otel")}
        return about if self._core is None else about | {"instance": self._core.instance}

    def _debug(self) -> Mapping[str, Any]:
        return {} if self._core is None else self._core.debug()


def _say(config: ServerConfig) -> None:
    """What an operator should know at the start and may not have meant."""
    if config.state_dir is None:
        _LOG.info("without `state_dir` everything is in memory: a restart forgets it")
        if config.secrets.key is None:
            _LOG.info("without `secrets.key` fingerprints of secrets differ after a restart")
    for key, listener in (
        ("admin", config.admin),
        ("metrics.prometheus", config.metrics.prometheus),
    ):
        if listener is not None and not address(listener.endpoint).is_loopback:
            _LOG.warning("`%s` listens beyond loopback, and asks nobody who they are", key)


def _warn(problem: Problem) -> None:
    _LOG.warning("%s", problem)

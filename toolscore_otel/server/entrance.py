"""What every request passes, whichever protocol it came by: who sends it, whether it goes in circles, whether there is room.

Whatever goes wrong behind it is answered so that the sender tries again: a bug of ours must not cost a span.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from toolscore_otel.server import passage
from toolscore_otel.server.admission import Admission, Held
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.fault import told
from toolscore_otel.server.reply import Handle, Outcome, Reply, Signal

_LOG = logging.getLogger(__name__)
Tell = Callable[[Signal, str, Reply], None]
FAILED = Reply(
    outcome=Outcome.RETRY,
    message="the server failed over this request: try again",
    retry_after_s=5.0,
)
"""The answer where something of ours went wrong."""


def _unheard(_signal: Signal, _transport: str, _reply: Reply) -> None:
    """Nobody asked."""


class Entrance:
    """Lets requests in.

    Args:
        handle: what takes them.
        auth: who may send.
        admission: how much may be in flight.
        instance: our own id, by which requests that come back are known.
        tell: told of every answer: signal, transport, reply.
    """

    def __init__(
        self,
        handle: Handle,
        *,
        auth: Auth,
        admission: Admission,
        instance: str,
        tell: Tell = _unheard,
    ) -> None:
        self._handle = handle
        self._auth = auth
        self._admission = admission
        self._instance = instance
        self.tell = tell

    def refusal(self, headers: Mapping[str, str]) -> Reply | None:
        """The answer to a request that is not let in, whatever it holds; None to any other.

        Args:
            headers: keys in lower case.
        """
        if (refused := self._auth.refusal(headers)) is not None:
            _LOG.warning("a sender was turned away: %s", refused.message)
            return refused
        if (refused := passage.refusal(headers, self._instance)) is not None:
            _LOG.error("a request came back: %s", refused.message)
            return refused
        return None

    def hold(self) -> Held:
        """Room for one request; used in a `with`."""
        return self._admission.hold()

    def handle(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        """The answer to a request that was let in. Never raises.

        Args:
            signal: what it holds.
            data: protobuf.
            headers: keys in lower case.
        """
        try:
            return self._handle(signal, data, headers)
        except Exception as error:  # noqa: BLE001 - whatever it is, the sender keeps what it sent
            _LOG.error("a request could not be handled: %s", told(error))
            return FAILED

"""What a receiver answered, counted."""

from __future__ import annotations

from toolscore_otel.server.counting import Counting
from toolscore_otel.server.reply import Outcome, Reply, Signal

REQUESTS = "toolscore.receiver.requests"
ACCEPTED = "toolscore.receiver.accepted"
REFUSED = "toolscore.receiver.refused"


class ReceiverCounts:
    """Counts the answers of one receiver.

    Args:
        counting: takes the counts; all series stand at 0 from now on.
        transport: `grpc` or `http`.
    """

    def __init__(self, counting: Counting, transport: str) -> None:
        self._counting = counting
        self._transport = transport
        for signal in Signal:
            for outcome in Outcome:
                self._count(REQUESTS, 0, signal, outcome)
                if outcome is not Outcome.OK:
                    self._count(REFUSED, 0, signal, outcome)
            counting.count(ACCEPTED, 0, signal=signal.value, transport=transport)

    def answered(self, signal: Signal, reply: Reply) -> None:
        """Count one answer, and what the request held where that is known.

        Args:
            signal: of the request.
            reply: what the sender is told. Items that were `rejected` of an export that is OK count as refused, `bad`.
        """
        self._count(REQUESTS, 1, signal, reply.outcome)
        if reply.items is None:
            return
        if reply.outcome is not Outcome.OK:
            self._count(REFUSED, reply.items, signal, reply.outcome)
            return
        if reply.rejected:
            self._count(REFUSED, reply.rejected, signal, Outcome.BAD)
        taken = reply.items - reply.rejected
        self._counting.count(ACCEPTED, taken, signal=signal.value, transport=self._transport)

    def _count(self, metric: str, n: int, signal: Signal, outcome: Outcome) -> None:
        self._counting.count(
            metric, n, signal=signal.value, transport=self._transport, outcome=outcome.value
        )

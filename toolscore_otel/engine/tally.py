"""The sums of one trajectory, from the shares of its spans and calls. What was added can be taken away again."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.assembly.spent import PICO
from toolscore_otel.engine.covered import Covered
from toolscore_otel.engine.shares import Money, Share
from toolscore_otel.rules import Totals


class CallShare(Struct, frozen=True, gc=False):
    """What a call adds beyond the shares of its spans.

    Attributes:
        is_made: whether it is an executed one of kind `tool`.
        cost: what the contract's registry says on top of what stands in the shares.
        start_ns: begin of the time in which it was at work; None where it was not observed, or it does not count.
        end_ns: likewise.
        lacks: which evidence of that time was not observed.
    """

    is_made: bool
    cost: Money
    start_ns: int | None = None
    end_ns: int | None = None
    lacks: str | None = None


class Tally:
    """The sums of one trajectory.

    Args:
        own: whether it is an agent invocation's: what sub-agents spend is not counted.
        active: whether the time in which something was at work is asked for.
    """

    def __init__(self, *, own: bool, active: bool) -> None:
        self._own = own
        self._shares: dict[str, Share] = {}
        self._calls: dict[str, CallShare] = {}
        self._covered = Covered() if active else None
        self._first: int | None = None
        self._last: int | None = None
        self._is_first_gone = self._is_last_gone = False
        self._cost = self._known = self._blind = 0
        self._tokens = self._telling = self._silent = 0
        self._untimed = self._made = 0
        self._lacks: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether neither a span nor a call is in it."""
        return not (self._shares or self._calls)

    def put(self, place_id: str, share: Share) -> None:
        """A span that is not known."""
        self._shares[place_id] = share
        self._add(share, 1)
        first, last = _first(share), _last(share)
        if first is not None and (self._first is None or first <= self._first):
            self._first, self._is_first_gone = first, False
        if last is not None and (self._last is None or last >= self._last):
            self._last, self._is_last_gone = last, False

    def drop(self, place_id: str) -> None:
        """A span that was put is gone."""
        share = self._shares.pop(place_id)
        self._add(share, -1)
        self._is_first_gone |= _first(share) == self._first
        self._is_last_gone |= _last(share) == self._last

    def put_call(self, key: str, share: CallShare) -> None:
        """A call that is not known."""
        self._calls[key] = share
        self._add_call(share, 1)

    def drop_call(self, key: str) -> None:
        """A call that was put is gone."""
        self._add_call(self._calls.pop(key), -1)

    def totals(self) -> Totals:
        """The sums as they stand."""
        start_ns, end_ns = self._reached()
        lacks = {
            "latency": self._untimed > 0,
            "cost": self._blind > 0,
            "tokens": not self._telling or self._silent > 0,
        }
        words = [word for word, is_lacking in lacks.items() if is_lacking]
        words += [word for word, count in self._lacks.items() if count]
        return Totals(
            latency_ns=None if start_ns is None or end_ns is None else max(0, end_ns - start_ns),
            active_ns=None if self._covered is None else self._covered.length,
            cost_usd=self._cost / PICO if self._known else None,
            tokens=self._tokens if self._telling else None,
            calls=self._made,
            lacking=frozenset(words),
        )

    def _add(self, share: Share, sign: int) -> None:
        self._pay(share.own_cost if self._own else share.cost, sign)
        if share.start_ns is None or share.end_ns is None:
            self._untimed += sign
        tokens, telling, silent = share.own_used if self._own else share.used
        self._tokens += sign * tokens
        self._telling += sign * telling
        self._silent += sign * silent
        if share.is_model:
            self._work(share.start_ns, share.end_ns, sign, "times")

    def _add_call(self, share: CallShare, sign: int) -> None:
        self._pay(share.cost, sign)
        self._made += sign * share.is_made
        if share.lacks is not None or share.start_ns is not None:
            self._work(share.start_ns, share.end_ns, sign, share.lacks or "times")

    def _pay(self, money: Money, sign: int) -> None:
        total, known, blind = money
        self._cost += sign * total
        self._known += sign * known
        self._blind += sign * blind

    def _work(self, start_ns: int | None, end_ns: int | None, sign: int, lacks: str) -> None:
        if self._covered is None:
            return
        if start_ns is None or end_ns is None:
            self._lacks[lacks] = self._lacks.get(lacks, 0) + sign
        else:
            self._covered.add(start_ns, end_ns, sign)

    def _reached(self) -> tuple[int | None, int | None]:
        """First start and last end, as far as is known; looked for anew only where what set them is gone.

        It is not gone where a span that reaches as far has come since, as one does that is only another one now.
        """
        shares = self._shares.values()
        if self._is_first_gone:
            firsts = (first for share in shares if (first := _first(share)) is not None)
            self._first, self._is_first_gone = min(firsts, default=None), False
        if self._is_last_gone:
            lasts = (last for share in shares if (last := _last(share)) is not None)
            self._last, self._is_last_gone = max(lasts, default=None), False
        return self._first, self._last


def _first(share: Share) -> int | None:
    """What has no start began by its end."""
    return share.end_ns if share.start_ns is None else share.start_ns


def _last(share: Share) -> int | None:
    """What has no end reaches at least to its start."""
    return share.start_ns if share.end_ns is None else share.end_ns

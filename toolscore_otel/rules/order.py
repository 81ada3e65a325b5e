"""`order`: what comes before what (docs/pages/clauses/order.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Scope
from toolscore_otel.rules.order_first import First
from toolscore_otel.rules.order_flow import Flow
from toolscore_otel.rules.order_sequence import Listed
from toolscore_otel.rules.order_words import Wanted, wanted
from toolscore_otel.rules.sequence import Mode
from toolscore_otel.rules.shape import Common, Compiled, Item


class _Form(Struct, frozen=True):
    """One way to write a rule of `order`.

    Attributes:
        needs: keys that it must have.
        may_have: keys that it may have, beside those of all rules.
    """

    needs: tuple[str, ...]
    may_have: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.needs, *self.may_have)


_FIRST = _Form(("first", "then"))
_FLOW = _Form(("never", "after"), ("until",))
_LISTED = _Form(("sequence",), ("mode", "among"))
_FORMS = (_FIRST, _FLOW, _LISTED)

_KEYS = tuple(key for form in _FORMS for key in form.keys)


class Order(Common, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of `{first, then}`, `{never, after, until}` and `{sequence, mode, among}`; findings are of kind `order_violated`.

    Attributes:
        first: some such call must be before each call of `then`.
        then: each of these needs a `first` before it.
        never: may not begin once a call of `after` is before it.
        after: what such a call must not come after.
        until: such a call, begun after the last `after` had ended, makes `never` possible again.
        sequence: selectors, each of which takes a call of its own.
        mode: how the calls are compared with `sequence`; left out, `in_order`.
        among: which calls are looked at; left out, all that ran.
        unless: excuses calls of `then` or `never`.
    """

    first: Any = UNSET
    then: Any = UNSET
    never: Any = UNSET
    after: Any = UNSET
    until: Any = UNSET
    sequence: Any = UNSET
    mode: Mode | None = None
    among: Any = UNSET
    unless: Any = UNSET

    def compile(self) -> Compiled:
        """Ready to run.

        Raises:
            MatcherError: keys of no form or of several, a selector that is none, or `unless` beside `sequence`.
        """
        written = _form_of([key for key in _KEYS if getattr(self, key) not in (UNSET, None)])
        if written is _LISTED:
            return self._listed()
        form = self._first() if written is _FIRST else self._flow()
        return Compiled(
            record=self,
            start=lambda _: form.start(),
            scope=self.scope or Scope.TRACE,
            uses_agent=form.uses_agent,
            deferred=True,
        )

    def _first(self) -> First:
        first, then = self._wanted("first", "executed"), self._wanted("then", "any")
        return First(first, then.selector, self.unless, self.reason)

    def _flow(self) -> Flow:
        """A call that is both `after` and `until` in the same words ends nothing: it is the last `after` itself."""
        never, after = self._wanted("never", "any"), self._wanted("after", "executed")
        until = None if self.until is UNSET else self._wanted("until", "executed")
        ends = None if until is None or until.keys == after.keys else until.selector
        return Flow(never.selector, after.selector, ends, self.unless, self.reason)

    def _listed(self) -> Compiled:
        if self.unless is not UNSET:
            message = "`unless` excuses single calls, and a sequence is about all of them together"
            raise MatcherError(("unless",), message)
        if not is_list(self.sequence) or not self.sequence:
            raise MatcherError(("sequence",), "`sequence` is a list of selectors, at least one")
        listed = [self._compiled(entry, "sequence", n) for n, entry in enumerate(self.sequence)]
        if self.among is UNSET:
            among = wanted({"kind": "tool"}, default_stage="executed")
        else:
            among = self._wanted("among", "executed")
        form = Listed(listed, among, self.mode or Mode.IN_ORDER, self.reason)
        return Compiled(
            record=self,
            start=lambda _: form.start(),
            scope=self.scope or Scope.TRACE,
            tools=form.tools,
            uses_agent=form.uses_agent,
            without_calls=True,
        )

    def _wanted(self, key: str, default_stage: str) -> Wanted:
        return self._compiled(getattr(self, key), key, default_stage=default_stage)

    def _compiled(self, written: Any, *path: str | int, default_stage: str = "executed") -> Wanted:
        try:
            return wanted(written, default_stage=default_stage)
        except MatcherError as error:
            raise error.below(*path) from error


def items(data: object) -> Iterator[Item]:
    """The rule items of an `order` clause.

    Raises:
        MatcherError: the clause is no list, or empty, or an item is no mapping.
    """
    if not is_list(data) or not data:
        raise MatcherError((), "`order` takes a list of rules, at least one")
    for number, entry in enumerate(data, start=1):
        if not is_mapping(entry):
            raise MatcherError((number - 1,), f"a rule of `order` is a mapping: {_said()}")
        yield Item(f"order.{number}", (number - 1,), entry)


def _form_of(given: Sequence[str]) -> _Form:
    """The form of a rule with these keys."""
    if not given:
        raise MatcherError((), f"says nothing: give {_said()}")
    form = next(form for form in _FORMS if given[0] in form.keys)
    for key in given:
        if key not in form.keys:
            raise MatcherError((key,), f"`{key}` does not go with `{given[0]}`: give {_said()}")
    for key in form.needs:
        if key not in given:
            raise MatcherError((), f"`{given[0]}` needs `{key}` beside it")
    return form


def _said() -> str:
    written = [f"{{{', '.join(form.keys)}}}" for form in _FORMS]
    return f"{', '.join(written[:-1])} or {written[-1]}"

"""What every rule is made of: common keys, verdicts, and the automaton that a rule starts per trajectory.

A rule is a frozen record whose fields are its YAML keys. `compile()` turns it into a `Compiled`, which starts one
`RuleState` per trajectory. A state is told of calls (`put` for one that it does not know, `drop` for one that is gone; a
call that changed is dropped and put), in whatever order they come, and says when asked what is different since: subject
-> the verdict that stands now, or None where nothing stands any more. What stands depends only on the calls that were
put and not dropped, never on their order of arrival.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from msgspec import Struct

from toolscore_otel.matchers import JudgedCall, SelectorFields
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.model import (
    EMPTY,
    Finding,
    FindingKind,
    Gap,
    Label,
    Scope,
    Severity,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules.expectation import Expectation
from toolscore_otel.rules.model_calls import ModelCall
from toolscore_otel.secrets import Fingerprints, Scanner

TRAJECTORY = ""
"""Subject of a verdict about the trajectory as a whole."""

_APART = "\x1f"
"""Stands in no call id."""


def subject_of(key: str, *parts: str) -> str:
    """The subject of a verdict about one call: its key, and what else tells verdicts of one call apart."""
    return _APART.join((key, *parts))


def key_in(subject: str) -> str:
    """The key of the call that a subject is about."""
    return subject.partition(_APART)[0]


class Common(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys that every rule item may have.

    Attributes:
        id: left out, it follows from the clause (`forbid.2`).
        severity: left out, the contract's.
        reason: for people; goes into the explanation.
        shadow: emitted, counted apart, fails nothing.
        scope: what one trajectory is; left out, the contract's.
    """

    id: str | None = None
    severity: Severity | None = None
    reason: str | None = None
    shadow: bool | None = None
    scope: Scope | None = None


class CallRule(SelectorFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys that every rule item about calls may have: the common ones and those of a selector.

    The common keys stand here once more since two Structs cannot both be bases.

    Attributes:
        id: as in `Common`, like all that follow.
        severity: how bad.
        reason: for people.
        shadow: fails nothing.
        scope: what one trajectory is.
    """

    id: str | None = None
    severity: Severity | None = None
    reason: str | None = None
    shadow: bool | None = None
    scope: Scope | None = None


RuleFields = Common | CallRule
"""A rule as written."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What a rule says of one subject.

    Attributes:
        label: `fail`, or `cannot_check` for what could not be seen.
        explanation: one sentence without any value of arguments or results; with `cannot_check` only what it is that
            cannot be checked, as in "whether X".
        call: the call the finding sits on; None for the trajectory.
        model_call: the model call that it sits on.
        count: how many calls it is about.
        missing: evidence that was lacking, where the label is `cannot_check` (`wording.SWITCH`).
        severity: where it is not that of the rule.
        lowered: the finding is only possible, so one severity less.
        shadow: it fails nothing, whatever the rule says of itself.
    """

    label: Label
    kind: FindingKind
    explanation: str
    call: ToolCall | None = None
    model_call: ModelCall | None = None
    count: int = 1
    first: ToolCall | None = None
    last: ToolCall | None = None
    path: str | None = None
    secret_kind: str | None = None
    fingerprint: str | None = None
    missing: tuple[str, ...] = ()
    severity: Severity | None = None
    lowered: bool = False
    shadow: bool = False


Changes = Mapping[str, Verdict | None]
"""Subject -> the verdict that stands now; None: nothing stands any more."""

NOTHING: Changes = {}


_MAY_HIDE_CALLS = frozenset({Gap.SPAN_LIMIT, Gap.FRAGMENT, Gap.TOOL_SPANS_MISSING})


def may_hide_calls(trajectory: Trajectory) -> bool:
    """Whether a missing part of it may hold whatever calls, so that nothing can be said to be lacking."""
    return not _MAY_HIDE_CALLS.isdisjoint(trajectory.gaps)


class Standing:
    """The subjects of one rule that have a verdict, so that what never had one is not taken back."""

    def __init__(self) -> None:
        self._subjects: set[str] = set()

    def changes(self, verdicts: Changes) -> Changes:
        """Of the verdicts that stand now: those that are some, and None for those that are none any more."""
        found = {s: v for s, v in verdicts.items() if v is not None or s in self._subjects}
        if found:
            self._subjects.difference_update(found)
            self._subjects.update(s for s, v in found.items() if v is not None)
        return found

    def change(self, subject: str, verdict: Verdict | None) -> Changes:
        """The same of one subject."""
        if verdict is None and subject not in self._subjects:
            return NOTHING
        return self.changes({subject: verdict})


class Totals(Struct, frozen=True):
    """What is known of a trajectory so far, for budgets of the whole.

    Attributes:
        latency_ns: last end minus first start of its agent, model and tool spans, as far as they are known to reach: one
            without an end reaches at least to its start. None where no times were seen.
        active_ns: how long some tool or model was at work; None where that was not asked for.
        cost_usd: sum of what is known; None where nothing is.
        tokens: of model calls, input and output; None where none reported any.
        calls: executed calls of kind `tool`.
        lacking: which of `latency`, `cost` and `tokens` may be more than what is known; of the time at work, `times` and
            `dispatch` (whether a call waited for a person).
    """

    latency_ns: int | None = None
    active_ns: int | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    calls: int = 0
    lacking: frozenset[str] = frozenset()


class RunContext(Struct, frozen=True):
    """What an engine lends to its rules.

    Attributes:
        fingerprints: keyed hashes of secrets; None: findings carry none.
        present: what a finding passes before it is said.
    """

    fingerprints: Fingerprints | None
    present: Callable[[Finding], Finding]


class RuleState(ABC):
    """One rule on one trajectory. Sums and closing matter to few rules."""

    @abstractmethod
    def put(self, call: JudgedCall) -> None:
        """A call that is not known by its key."""

    @abstractmethod
    def drop(self, key: str) -> None:
        """The call of this key is gone: it changed, is part of another, or belongs elsewhere. Unknown keys are fine."""

    def renew(self, call: JudgedCall) -> None:
        """Of a call that was put only its agent, its conversation or its gaps are others now.

        Told to rules whose verdicts do not hang on agents; where one stands, it is to be said again.
        """
        self.drop(call.call.key)
        self.put(call)

    @abstractmethod
    def changes(self) -> Changes:
        """What is different since this was last asked; what is said again may be the same."""

    def hear(self, key: str, call: ModelCall | None) -> None:  # noqa: B027 - few look at messages
        """A model call is new or known better; None: it is gone."""

    def total(self, totals: Totals) -> None:  # noqa: B027 - only budgets of the whole look at sums
        """The sums of the trajectory changed."""

    def score(self, scores: Mapping[str, ScoreRange]) -> None:  # noqa: B027 - only bounds of scores look at them
        """The scores of the trajectory, right before it is over."""

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - most have said all by then
        """The trajectory is over; may be called again when it re-opens and closes anew.

        Args:
            trajectory: None for what stands outside of every agent invocation: no trajectory, so nothing is lacking.
        """
        return NOTHING


class Compiled(Struct, frozen=True, kw_only=True):
    """A rule, ready to run.

    Attributes:
        record: the rule as written, its defaults filled in.
        start: makes the state for one trajectory.
        scope: what one trajectory is.
        tools: literal names its selectors can match; None where any call may matter.
        uses_agent: whether a late agent can turn its verdicts.
        uses_totals: whether it wants `total`.
        uses_active: whether it wants to be told there how long something was at work.
        uses_schemas: whether it asks for the schemas that traces record of their tools.
        deferred: whether a span still to come can turn a verdict, so that it waits for `lateness`.
        per_call: whether one call alone decides, so that it goes on past every cap.
        without_calls: whether it has something to say of a trajectory in which no call is of interest to it.
        asks: names of attributes that it looks at on the trajectory.
        searches: finds what it looks for on whole spans and log records, and more, by place (`messages`, `error`, `attributes`).
        waived: whether some of its findings may stand in shadow where others do not.
        expectation: what scores are held against; where it has bounds, the rule is told of scores before it closes.
    """

    record: RuleFields
    start: Callable[[RunContext], RuleState]
    scope: Scope = Scope.TRACE
    tools: frozenset[str] | None = None
    uses_agent: bool = False
    uses_totals: bool = False
    uses_active: bool = False
    uses_schemas: bool = False
    deferred: bool = False
    per_call: bool = False
    without_calls: bool = False
    asks: frozenset[str] = frozenset()
    searches: Mapping[str, Scanner] = EMPTY
    waived: bool = False
    expectation: Expectation | None = None

    @property
    def hears(self) -> bool:
        """Whether it looks into the messages of model calls."""
        return "messages" in self.searches


class Item(Struct, frozen=True):
    """One rule item of a clause, as written.

    Attributes:
        id: the id where the item gives none.
        path: keys from the clause to the item.
        data: its mapping; a text has become `{tool: TEXT}`.
    """

    id: str
    path: tuple[str | int, ...]
    data: Mapping[str, object]

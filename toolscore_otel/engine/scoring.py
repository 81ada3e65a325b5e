"""The scores of trajectories, once they are over (docs/pages/clauses/scores.md). Nothing is kept for them while calls arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.engine.plan import Plan
from toolscore_otel.engine.scopes import Scoped
from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.metrics.score_range import ScoreRange
from toolscore_otel.metrics.trajectory_scores import ALWAYS, SCORES, Required, score_ranges
from toolscore_otel.model import CallKind, Label, Scope, Score, Stage, Trajectory
from toolscore_otel.rules.expectation import NO_EXPECTATION, Bound, Expectation
from toolscore_otel.rules.intake import order_of
from toolscore_otel.rules.shape import may_hide_calls
from toolscore_otel.rules.wording import unseen

_NEED_CALLS = tuple(name for name in SCORES if name not in ALWAYS)


class Scoring:
    """One contract on one trace, or on one session, that is over.

    Args:
        plan: its rules.
        calls: that it sees.
        label_of: how a rule came out, by its number and what tells trajectories of its scope apart.
    """

    def __init__(
        self,
        plan: Plan,
        calls: Iterable[JudgedCall],
        label_of: Callable[[int, str], Label],
    ) -> None:
        self._plan = plan
        self._calls = sorted(calls, key=order_of)
        self._label_of = label_of

    def ranges(
        self, scope: Scope, key: str, trajectory: Trajectory, expectation: Expectation
    ) -> Mapping[str, ScoreRange]:
        """All scores of one trajectory against one expectation.

        Args:
            scope: of the rule.
            key: tells the trajectory apart within the whole.
            trajectory: as it stands.
            expectation: of the rule.
        """
        told = [call for call in self._calls if not key or call.call.invocation_id == key]
        calls = [call for call in told if not is_elsewhere(call.call)]
        hidden = may_hide_calls(trajectory) or any(_may_have_run(c, expectation) for c in told)
        required = self._required(scope, key)
        return score_ranges(calls, expectation.calls, required=required, hidden=hidden)

    def scores(self, scoped: Scoped) -> Iterator[Score]:
        """Those of all trajectories of the whole; rules in shadow give none, since a gate would see them."""
        contract = self._plan.contract.id
        for of_agents in (False, True):
            scope = Scope.AGENT if of_agents else scoped.whole.scope
            for key, trajectory in scoped.trajectories(of_agents=of_agents).items():
                told = sorted(self._told(scope, key, trajectory), key=lambda one: one.place)
                yield from (one.score(contract, trajectory) for one in told)

    def _told(self, scope: Scope, key: str, trajectory: Trajectory) -> Iterator[_Told]:
        contract, told = self._plan.contract, set[str]()
        for rule, expectation in self._plan.expectations(scope):
            if expectation.is_meant(trajectory):
                ranges = self.ranges(scope, key, trajectory, expectation)
                names = _NEED_CALLS if expectation.calls is not None else ()
                for name in (*names, *(name for name in ALWAYS if name in expectation.bounds)):
                    told.add(name)
                    yield _Told(name, ranges[name], rule, expectation.bounds.get(name))
        if contract.scope is scope and not contract.shadow and not told.issuperset(ALWAYS):
            ranges = self.ranges(scope, key, trajectory, NO_EXPECTATION)
            yield from (_Told(name, ranges[name]) for name in ALWAYS if name not in told)

    def _required(self, scope: Scope, key: str) -> Required:
        counts = Counter(self._label_of(n, key) for n in self._plan.required(scope))
        return Required(counts[Label.PASS], counts[Label.FAIL], counts[Label.CANNOT_CHECK])


def _may_have_run(call: JudgedCall, expectation: Expectation) -> bool:
    """Whether a call was asked for and not seen to run, unless a request is what is expected."""
    told = call.call
    if told.stage is Stage.EXECUTED or told.kind is not CallKind.TOOL:
        return False
    return not any(one.who.match(call) is Answer.YES for one in expectation.calls or ())


class _Told(Struct, frozen=True):
    """One score, and what a rule says of it."""

    name: str
    range: ScoreRange
    rule: str = ""
    bound: Bound | None = None

    @property
    def place(self) -> int:
        return SCORES.index(self.name)

    def score(self, contract: str, trajectory: Trajectory) -> Score:
        return Score(
            name=self.name,
            value=self.range.value,
            label=None if self.bound is None else self.bound.label(self.range),
            contract=contract,
            trace_id=trajectory.trace_id,
            conversation_id=trajectory.conversation_id,
            explanation="; ".join(self._said(trajectory.scope)),
        )

    def _said(self, scope: Scope) -> Iterator[str]:
        if scope is not Scope.TRACE:
            yield {Scope.AGENT: "one agent invocation", Scope.SESSION: "the conversation"}[scope]
        if self.rule:
            yield f"rule `{self.rule}`"
        if self.bound is not None:
            yield from self.bound.said(self.name)
        if self.range.is_open:
            yield unseen("what it would be", self.range.missing)

"""What agent invocations add up over their run, and where that stands for what no model call tells.

A roll-up stands where no model call inside the invocation tells what it used or cost, or tells something that cannot be read.
Of several that stand around each other the outermost counts. No span says whether it has in it what sub-agents used:
recordings show both, so with sub-agents inside there was at least as much. Its cost stands only where no call inside reports
one, since nothing says whether that is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from toolscore_otel.assembly.naming import name_of
from toolscore_otel.assembly.node import Inside, Node
from toolscore_otel.assembly.spent import Spent
from toolscore_otel.conventions.reading import RollUp
from toolscore_otel.model import AgentTotal, Tokens

DEEPEST = 64
"""How many levels up it is told what stands inside; nested deeper than this are only loops and attacks."""


class Rolled(Struct, eq=False):
    """One roll-up.

    Attributes:
        node: the invocation.
        said: what that says.
        stands: whether it stands for what is inside.
        is_blind: whether what the run cost is not known although it stands.
    """

    node: Node
    said: RollUp
    stands: bool = False
    is_blind: bool = False

    @property
    def used(self) -> int | None:
        """Tokens, input and output; None where it tells none."""
        told = self.said.used
        known = [part for part in (told.input_tokens, told.output_tokens) if part is not None]
        return sum(known) if known else None

    @property
    def tokens(self) -> Tokens:
        """All that it tells of tokens."""
        told = self.said.used
        return Tokens(
            input=told.input_tokens,
            output=told.output_tokens,
            cached=told.cached_tokens,
            cache_write=told.cache_write_tokens,
            reasoning=told.reasoning_tokens,
        )

    @property
    def has_sub_agents(self) -> bool:
        """Whether other invocations stand inside, of which it is not known whether they are in it."""
        inside = self.node.inside
        return inside is not None and inside.agents > _own(self.node).agents


class RollUps:
    """Those of one trace. Nothing is kept before the first one comes.

    Args:
        nodes: all of the trace by place id; a node that enters is among them.
    """

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes
        self._rolled: dict[str, Rolled] = {}
        self._so_far: dict[str, None] = {}
        self._stirred: dict[str, None] = {}
        self._is_kept = False

    def enter(self, node: Node) -> None:
        """An invocation or a model call came; nothing is known to be around it yet."""
        said = roll_up_of(node)
        if not (self._is_kept or said):
            return
        if said is not None:
            self._rolled[node.place.id] = Rolled(node, said)
            self._count_costs_so_far(node, said, is_new=True)
        if self._is_kept:
            self._carry(node, _own(node), 1)
            return
        self._is_kept = True
        for each in self._nodes.values():
            self._carry(each, _own(each), 1)

    def leave(self, node: Node) -> Rolled | None:
        """A node is withdrawn, with its roll-up, if it has one; what stands inside it is moved by itself."""
        if self._is_kept:
            self._carry(node, _own(node), -1)
        rolled = self._rolled.pop(node.place.id, None)
        if rolled is not None:
            self._count_costs_so_far(node, rolled.said, is_new=False)
        return rolled

    def move(self, node: Node, to: Node | None) -> None:
        """Another node (or none) will stand around a node."""
        if node.inside is not None:
            self._carry(node.enclosing, node.inside, -1)
            self._carry(to, node.inside, 1)

    def pay(self, node: Node, sign: int) -> None:
        """A call reports a cost, or does so no more."""
        if self._is_kept:
            self._carry(node, _PAID, sign)

    def review(self) -> Iterator[Rolled]:
        """Those of which it may be different what they stand for, with `stands` as it is now."""
        stirred, self._stirred = self._stirred, {}
        for place_id in stirred:
            rolled = self._rolled.get(place_id)
            if rolled is None:
                continue
            before, rolled.stands = rolled.stands, _inside(rolled.node).telling == 0
            yield rolled
            if rolled.stands is not before and _inside(rolled.node).rolling > 1:
                yield from self._inside_of(rolled.node)

    def money(self, rolled: Rolled) -> tuple[Spent | None, bool]:
        """What a roll-up says for all that is inside, and whether the cost of the run is unknown all the same."""
        if not rolled.stands:
            return None, False
        usd, inside = rolled.said.used.cost_usd, _inside(rolled.node)
        is_of_others = rolled.said.is_cost_so_far and len(self._so_far) > 1
        if usd is None or inside.paid or is_of_others:
            return None, True
        report = Spent.reported(usd)
        return (report.plus(Spent(blind=1)) if rolled.has_sub_agents else report), False

    def of(self, node: Node) -> Rolled | None:
        """The roll-up of an invocation, where it stands."""
        rolled = self._rolled.get(node.place.id)
        return rolled if rolled is not None and rolled.stands else None

    def standing(self) -> Iterator[Rolled]:
        """All that stand."""
        return (rolled for rolled in self._rolled.values() if rolled.stands)

    def counted(self) -> Iterator[Rolled]:
        """Those whose tokens count."""
        for rolled in self.standing():
            if rolled.used is not None and not self.covers(rolled.node):
                yield rolled

    def covers(self, node: Node) -> bool:
        """Whether one that stands around a node tells what was used there."""
        for around in _around(node):
            rolled = self._rolled.get(around.place.id)
            if rolled is not None and rolled.stands and rolled.used is not None:
                return True
        return False

    def _inside_of(self, node: Node) -> Iterable[Rolled]:
        rolled = self._rolled.values()
        return [one for one in rolled if any(around is node for around in _around(one.node))]

    def _count_costs_so_far(self, node: Node, said: RollUp, *, is_new: bool) -> None:
        if not said.is_cost_so_far:
            return
        if is_new:
            self._so_far[node.place.id] = None
        else:
            self._so_far.pop(node.place.id, None)
        if len(self._so_far) <= 2:  # noqa: PLR2004 - one alone, or another beside it
            self._stirred.update(self._so_far)

    def _carry(self, node: Node | None, inside: Inside, sign: int) -> None:
        for _ in range(DEEPEST):
            if node is None:
                return
            if node.inside is None:
                node.inside = Inside()
            node.inside.add(inside, sign)
            if node.place.id in self._rolled:
                self._stirred[node.place.id] = None
            node = node.enclosing


def roll_up_of(node: Node) -> RollUp | None:
    """What an invocation adds up; None for one that is a call, too: that one reports its cost itself."""
    return None if node.agent is None or node.call is not None else node.agent.roll_up


def totals_among(roll_ups: Iterable[Rolled]) -> tuple[AgentTotal, ...]:
    """What runs used and cost, of which no model call tells that, by start."""
    in_order = sorted(roll_ups, key=lambda one: (one.node.place.start_ns or 0, one.node.place.id))
    return tuple(_total(rolled) for rolled in in_order)


def _total(rolled: Rolled) -> AgentTotal:
    report = rolled.node.report
    return AgentTotal(
        id=rolled.node.place.id,
        agent=name_of(rolled.node),
        tokens=rolled.tokens,
        cost_usd=None if report is None else report.usd,
        at_least=rolled.has_sub_agents,
    )


def _own(node: Node) -> Inside:
    """What a node is itself of that."""
    usage, agent = node.usage, node.agent
    is_telling = usage is not None and (usage.tells or usage.reading.is_unclear)
    return Inside(
        telling=int(is_telling),
        paid=int(node.call is not None and node.report is not None),
        agents=int(agent is not None and not agent.runs_outer),
        rolling=int(roll_up_of(node) is not None),
    )


_PAID = Inside(paid=1)
_NOTHING = Inside()


def _inside(node: Node) -> Inside:
    return node.inside or _NOTHING


def _around(node: Node) -> Iterator[Node]:
    around, levels = node.enclosing, 0
    while around is not None and levels < DEEPEST:
        yield around
        around, levels = around.enclosing, levels + 1

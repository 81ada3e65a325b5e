"""Calls that may only have waited (`Gap.MAY_HAVE_WAITED`), and what else tells how they went on.

A later span under the call's id tells that it ran then, its answer that it was turned down. Where the run that made it hears its
answer, it never waited: a run ends where one of its calls does.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.assembly.node import Node
from toolscore_otel.assembly.ties import is_made_up
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import Gap, Stage

_EXECUTED, _REQUESTED = Stage.EXECUTED, Stage.REQUESTED
_SPAN, _RESPONSE = "span", "response"
_MADE = (_SPAN, "log")
_MAY_HAVE_WAITED = Gap.MAY_HAVE_WAITED


def may_have_waited(call: CallReading) -> bool:
    """Whether a reading leaves open whether the tool ran."""
    return bool(call.gaps) and _MAY_HAVE_WAITED in call.gaps


def waits(node: Node) -> bool:
    """Whether it is a span that leaves that open."""
    return node.call is not None and node.call.what == _SPAN and may_have_waited(node.call)


def is_made_again(one: Node, other: Node) -> bool:
    """Whether the earlier of two spans under one call id may have waited, and the other is how the call went on.

    Only an id of a provider tells that: one that counts comes again in every run.
    """
    first, last = (one, other) if _began(one) <= _began(other) else (other, one)
    call, again = first.call, last.call
    if call is None or again is None or not call.call_id or call.call_id != again.call_id:
        return False
    return (
        waits(first)
        and again.what == _SPAN
        and first.place.scope.name == last.place.scope.name
        and (first.place.end_ns or 0) <= (last.place.start_ns or 0)
        and is_made_up(call.call_id)
    )


def stage_of(nodes: Sequence[Node]) -> tuple[Stage, bool]:
    """How far a call came, and whether that is open.

    Spans and log records tell it; else messages, in which a call that was turned down has an answer, too.

    Args:
        nodes: all readings of one call.
    """
    made = [node for node in nodes if node.call is not None and node.call.what in _MADE]
    sure = [node for node in made if node.call is not None and not may_have_waited(node.call)]
    if sure:
        return _furthest(sure), False
    no = [node.call for node in nodes if node.call and _is(node, _RESPONSE, _REQUESTED)]
    if no:
        return _REQUESTED, all(map(may_have_waited, no))
    if went_on(nodes):
        return _EXECUTED, False
    return _furthest(made or nodes), bool(made)


def went_on(nodes: Sequence[Node]) -> bool:
    """Whether the run in which a call may have waited hears its answer."""
    runs = [node.agent_node for node in nodes if waits(node) and node.agent_node is not None]
    return any(node.agent_node in runs for node in nodes if _is(node, _RESPONSE, _EXECUTED))


def _is(node: Node, what: str, stage: Stage) -> bool:
    return node.call is not None and node.call.what == what and node.call.stage is stage


def _furthest(nodes: Sequence[Node]) -> Stage:
    ran = any(node.call is not None and node.call.stage is _EXECUTED for node in nodes)
    return _EXECUTED if ran else _REQUESTED


def _began(node: Node) -> tuple[int, str]:
    return node.place.start_ns or 0, node.place.id

"""`when`: which trajectories a rule of expectations is about (docs/pages/clauses/expect.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from toolscore_otel.matchers import ABSENT, Answer, Exists, Matcher, MatcherError, parse
from toolscore_otel.matchers.globs import Globs, matches_globs
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json, Trajectory


class When(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is given must hold. A value that is absent matches only `*`.

    Attributes:
        scenario: globs of the test scenario.
        conversation: globs of the conversation id.
        attributes: matchers, by the name of the attribute; on some span of the trajectory, or its resource.
    """

    scenario: Globs | UnsetType = UNSET
    conversation: Globs | UnsetType = UNSET
    attributes: dict[str, Any] = {}

    def matchers(self) -> Mapping[str, Matcher]:
        """The matchers, compiled; an attribute of which `*` is asked may be anything, or absent.

        Raises:
            MatcherError: one that is none, with its path.
        """
        found: dict[str, Matcher] = {}
        for name, written in self.attributes.items():
            if written == "*":
                continue
            try:
                found[name] = parse(written)
            except MatcherError as error:
                raise error.below("when", "attributes", name) from error
        return found


def applies(when: When | UnsetType) -> Callable[[Trajectory], bool]:
    """The question whether a rule is about a trajectory.

    Raises:
        MatcherError: `when` that names nothing, or nothing under a name, or a matcher that is none.
    """
    if when is UNSET:
        return lambda _: True
    if when == When():
        message = "`when` needs `scenario`, `conversation` or `attributes`; leave it out for every trajectory"
        raise MatcherError(("when",), message)
    matchers = when.matchers()
    scenario = "*" if when.scenario is UNSET else when.scenario
    conversation = "*" if when.conversation is UNSET else when.conversation
    for key, globs in (("scenario", scenario), ("conversation", conversation)):
        if not globs or (is_list(globs) and "" in globs):
            raise MatcherError(("when", key), f"`{key}` holds nothing, so that nothing is meant")

    def is_meant(trajectory: Trajectory) -> bool:
        return (
            matches_globs(scenario, trajectory.scenario)
            and matches_globs(conversation, trajectory.conversation_id)
            and all(_holds(one, trajectory.attributes.get(name)) for name, one in matchers.items())
        )

    return is_meant


def _holds(matcher: Matcher, values: Sequence[Json] | None) -> bool:
    if values is None:
        return isinstance(matcher, Exists) and matcher.match(ABSENT) is Answer.YES
    return any(matcher.match(value) is Answer.YES for value in values)

"""The keys of a selector as a contract writes them: plain data, checked when a `Selector` is made of it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from toolscore_otel.model import CallKind, Status

STAGES = ("executed", "requested", "any")
STATUSES = tuple(str(status) for status in Status)
KINDS = tuple(str(kind) for kind in CallKind)


_Words = str | list[str]
_Stage = Annotated[str, Meta(extra_json_schema={"enum": list(STAGES)})]
_Status = Annotated[str, Meta(extra_json_schema={"enum": list(STATUSES)})]
_Kind = Annotated[str, Meta(extra_json_schema={"enum": list(KINDS)})]


class SelectorFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rule is about; all keys that are given must match, and at least one is given.

    A rule whose item is a selector with more keys inherits from this (msgspec joins no two bases that both have fields,
    so the other keys are the subclass's own).

    Attributes:
        tool: a name, a glob, or a list of these.
        label: a label of the registry, or a list of them, any of which will do.
        args: matcher of the arguments; `{}` for exactly none.
        result: matcher of the result.
        agent: a glob.
        latency_ms: operator mapping.
        cost_usd: operator mapping.
    """

    tool: _Words | UnsetType = UNSET
    label: _Words | UnsetType = UNSET
    mutating: bool | UnsetType = UNSET
    args: Any = UNSET
    result: Any = UNSET
    status: _Status | list[_Status] | UnsetType = UNSET
    stage: _Stage | UnsetType = UNSET
    agent: str | UnsetType = UNSET
    kind: _Kind | list[_Kind] | UnsetType = UNSET
    latency_ms: Any = UNSET
    cost_usd: Any = UNSET


SELECTOR_KEYS = SelectorFields.__struct_fields__
"""All keys of a selector."""


def keys_given(fields: SelectorFields) -> dict[str, Any]:
    """The keys that are given, with their values; other keys of a subclass are left out."""
    pairs = ((key, getattr(fields, key)) for key in SELECTOR_KEYS)
    return {key: value for key, value in pairs if value is not UNSET}

"""A call as one contract sees it: with the names, labels and marks that its registry gives it."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from toolscore_otel.matchers.observed import observed_parts, observed_result
from toolscore_otel.matchers.value import Value
from toolscore_otel.model import ToolCall, ToolSchema

_NO_LABELS: frozenset[str] = frozenset()
_ITS_OWN: tuple[str, ...] = ("",)
"""Stands for the names that the call itself has."""


class JudgedCall(Struct, eq=False, gc=False):
    """One call, ready to be matched. Cheap to make; arguments and result are read when they are first asked for.

    Attributes:
        call: the call itself.
        names: all names it answers to, the canonical one first, then the recorded one.
        dispatcher: name of its dispatcher where the sub-command was not observed: whether it is `exec:git` is open.
        labels: free words of the registry.
        maybe_labels: those that it would have, had the sub-command of its dispatcher been one or another.
        mutating: whether the registry says that it changes something; None where that hangs on the sub-command.
        polling: whether equal calls are expected.
        timeout_ms: how long a call may take, by the registry.
        dispatches: whether it is a dispatcher's call, named by what it ran (or, `dispatcher`, by what it may have run).
        parameters: of its tool, where the registry gives them.
        agents_named: whether its trace names any agent; None where that is not known yet, taken as no.
        order: where it stands among other calls; this and what follows is kept by the first rule that works it out.
        args_digest: of its tool and arguments; None where part of them hides.
        result_digest: likewise.
    """

    call: ToolCall
    names: tuple[str, ...] = _ITS_OWN
    dispatcher: str | None = None
    labels: frozenset[str] = _NO_LABELS
    maybe_labels: frozenset[str] = _NO_LABELS
    mutating: bool | None = False
    polling: bool = False
    timeout_ms: float | None = None
    dispatches: bool = False
    parameters: ToolSchema | None = None
    agents_named: bool | None = None
    order: tuple[int, int, str] | UnsetType = UNSET
    args_digest: bytes | UnsetType | None = UNSET
    result_digest: bytes | UnsetType | None = UNSET
    _args: Value = UNSET
    _result: Value = UNSET

    def __post_init__(self) -> None:
        if self.names is _ITS_OWN:
            self.names = _names_of(self.call)

    def narrowed(self) -> JudgedCall:
        """The same call by its canonical name only: a dispatcher's bare name tells nothing of what it ran."""
        return JudgedCall(
            self.call,
            names=self.names[:1] if self.dispatcher is None else (),
            dispatcher=self.dispatcher,
            labels=self.labels,
            maybe_labels=self.maybe_labels,
            mutating=self.mutating,
            polling=self.polling,
            timeout_ms=self.timeout_ms,
            dispatches=self.dispatches,
            parameters=self.parameters,
            agents_named=self.agents_named,
        )

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """Of its arguments: the registry's, else those that its trace records; one of several, which one is open."""
        return self.call.schemas if self.parameters is None else (self.parameters,)

    @property
    def args(self) -> Value:
        """The value tree of its arguments."""
        if self._args is UNSET:
            call = self.call
            self._args = observed_parts(call.args_state, call.args, call.args_text)
        return self._args

    @property
    def result(self) -> Value:
        """The value tree of its result."""
        if self._result is UNSET:
            call = self.call
            self._result = observed_result(call.result_state, call.result, call.result_text)
        return self._result


def _names_of(call: ToolCall) -> tuple[str, ...]:
    if call.recorded_name in ("", call.tool):
        return (call.tool,)
    return call.tool, call.recorded_name

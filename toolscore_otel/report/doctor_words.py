"""The words of `doctor`: what facts and answers are called, and one sentence for each gap."""

from __future__ import annotations

from toolscore_otel.conventions.switches import Switch
from toolscore_otel.model import Gap

FACTS = {
    "name": "tool name",
    "arguments": "arguments",
    "result": "result",
    "status": "status",
    "times": "times",
    "agent": "agent",
    "call_id": "call id",
    "conversation": "conversation",
    "cost": "tool cost",
    "tokens": "tokens",
    "model_cost": "model cost",
}
"""Fact -> what it is called, in the order in which they are shown."""

GAPS = {
    Gap.ARGS_NOT_OBSERVED: "What the tool was called with was not recorded.",
    Gap.ARGS_TRUNCATED: "The recorded arguments end in their middle; what stands before the cut is judged.",
    Gap.ARGS_UNPARSABLE: "The recorded arguments are no JSON.",
    Gap.RESULT_NOT_OBSERVED: "What the tool gave back was not recorded.",
    Gap.RESULT_TRUNCATED: "The recorded result ends in its middle.",
    Gap.CONTENT_HIDDEN: "A placeholder stands where arguments or a result were.",
    Gap.VALUES_UNREADABLE: "Something in arguments or a result is nothing that JSON has, or that can be read.",
    Gap.NO_CALL_ID: "Neither span nor message has the model's id of the call.",
    Gap.NAME_FROM_SPAN: "No attribute names the tool; the name of its span does.",
    Gap.NAME_NOT_OBSERVED: "A tool ran, and nothing says which.",
    Gap.AGENT_NOT_OBSERVED: "No agent around the call is named.",
    Gap.STATUS_NOT_OBSERVED: "Nothing says whether the call failed.",
    Gap.TIMES_NOT_OBSERVED: "Begin or end of the call is not known.",
    Gap.SPAN_NOT_ENDED: "The span had not ended when it was sent.",
    Gap.SPAN_ID_REUSED: "Two calls stand under one span id.",
    Gap.ATTRIBUTES_DROPPED: "The SDK dropped attributes at its limit: raise OTEL_ATTRIBUTE_COUNT_LIMIT.",
    Gap.PARENT_MISSING: "A span's parent is not here: dropped, sampled, or in a file that was not given.",
    Gap.SAMPLED_UPSTREAM: "Others like it were left out on the way.",
    Gap.AMBIGUOUS_PAIRING: "No id tells which of several calls a message belongs to: order has decided.",
    Gap.SPAN_LIMIT: "The trace has more spans than are looked at together.",
    Gap.FRAGMENT: "Tool spans stand alone: the spans around them are not here.",
    Gap.MAY_HAVE_WAITED: "Its span ends like that of a call that waits for an approval or an answer.",
    Gap.REQUESTED_NOT_RUN: "A model asked for a call that was not seen to run.",
    Gap.RAN_ELSEWHERE: "A call was asked for here and ran in another trace.",
    Gap.TOOL_SPANS_MISSING: "A model asked for tools, and nothing says for which, nor whether they ran.",
    Gap.COST_NOT_KNOWN: "A model call has neither a cost nor a known price.",
    Gap.TOKENS_UNCLEAR: "Nothing shows whether input tokens include those of the cache (they are as recorded), or a count is "
    "written that can be none (-5).",
    Gap.ONLY_TOTALS_OBSERVED: "What an agent's run used or cost is known by what its span adds up, and of no model call in it.",
    Gap.TRACE_NOT_OBSERVED: "Log records without a trace, put together by the conversation they name.",
    Gap.REOPENED_AFTER_EVICTION: "The trace was closed early to make room, and went on.",
}
"""Code -> one sentence for whoever reads it for the first time."""

EVIDENCE = {
    "dispatch": "the dispatched command",
    "name": "the tool's name",
    "spans": "all calls of the trace",
}
"""What the words of `wording.SWITCH` are called where they do not speak for themselves."""

CUT = frozenset({"arguments", "result"})
"""Evidence that may be there in part: then a rule sees as far as it goes."""


def told(switch: Switch) -> str:
    """A setting with what goes with it."""
    return f"{switch.turn} ({switch.remark})" if switch.remark else switch.turn

"""One call of the HTML report: a row with its bar, which opens to all that is known of the call."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolscore_otel.model import CallKind, ContentState, Json, Stage, Status, ToolCall
from toolscore_otel.report.html_findings import Numbered, key_of
from toolscore_otel.report.html_text import Html, escape, joined, line, sentence, tag
from toolscore_otel.report.html_time import Axis
from toolscore_otel.report.terminal import UNICODE, UNKNOWN, money, number, plain, short_args, took

ROW_LIMIT = 120
"""Characters of the arguments in a row."""

TEXT_LIMIT = 4_000
"""Characters of arguments or a result that are shown."""

_SIGNS = {
    Status.OK: (UNICODE.ok, "ok"),
    Status.ERROR: (UNICODE.error, "error"),
    Status.UNKNOWN: (UNICODE.unknown, "status not known"),
}
_STATES = {
    ContentState.NOT_OBSERVED: "not recorded",
    ContentState.TRUNCATED: "cut where it was recorded",
    ContentState.UNPARSABLE: "no JSON",
}


def call_row(element: str, call: ToolCall, found: Numbered, axis: Axis | None) -> Html:
    """A call.

    Args:
        element: id of its element.
        call: without secrets.
        found: the findings of the report.
        axis: of its trace.
    """
    said = found.sits.get(key_of(call), ())
    worst = max((finding.severity for finding in said), key=lambda s: s.rank, default=None)
    marks = ", ".join(f"{found.numbers[finding.id]}" for finding in said)
    return tag(
        "details",
        tag(
            "summary",
            *_row(call, axis),
            tag("span", f"{UNICODE.points} {marks}" if said else "", class_=f"marks {worst or ''}"),
        ),
        tag("dl", *_more(call, found)),
        id=element,
        class_="call",
        data_t=line(call.tool),
        data_a=line(call.agent or ""),
        data_s=-1 if worst is None else worst.rank,
    )


def _row(call: ToolCall, axis: Axis | None) -> Iterator[Html]:
    sign, word = _SIGNS[call.status]
    if _is_request(call):
        sign, word = UNICODE.requested, "asked for, not seen to run"
    yield tag("span", sign, class_=f"st {call.status}", title=word, aria_label=word, role="img")
    yield tag("span", line(call.tool or UNKNOWN), class_="tool")
    yield tag("span", line(short_args(call).plain[:ROW_LIMIT]), class_="args")
    yield tag("span", _bar(call, axis), class_="track")
    yield tag("span", took(call.duration_s), class_="took")
    yield tag("span", money(call.cost_usd), class_="cost")


def _is_request(call: ToolCall) -> bool:
    return call.stage is Stage.REQUESTED


def _bar(call: ToolCall, axis: Axis | None) -> Html:
    place = axis.bar(call) if axis else None
    if place is None:
        return tag("i", "times not recorded", class_="none")
    left, width = place
    kind = call.status.value if call.end_ns is not None else "open"
    return tag("i", class_=f"bar {kind}", style=f"--l:{left:.4f};--w:{width:.4f}")


def _more(call: ToolCall, found: Numbered) -> Iterator[Html]:
    for finding in found.sits.get(key_of(call), ()):
        count = found.numbers[finding.id]
        yield _term(
            "finding",
            tag("a", f"{count}", href=f"#f{count}"),
            " ",
            tag("b", finding.severity.value, class_=f"severity {finding.severity}"),
            " ",
            sentence(finding.explanation),
        )
    yield _term("arguments", _content(call.args_state, call.args, call.args_text))
    if not _is_request(call):
        yield _term("result", _content(call.result_state, call.result, call.result_text))
    error = ": ".join(plain(text) for text in (call.error_type, call.error_message) if text)
    known = (
        ("error", error),
        ("recorded as", call.recorded_name if call.recorded_name != call.tool else None),
        ("kind", None if call.kind is CallKind.TOOL else call.kind.value),
        ("agent", call.agent),
        ("model", call.model),
        ("cost comes from", call.cost_source),
        ("cost of the turn", None if call.turn_cost_usd is None else money(call.turn_cost_usd)),
        ("call id", call.call_id),
        ("span id", call.span_id),
        ("conventions", call.convention),
        ("gaps", ", ".join(gap.replace("_", " ") for gap in call.gaps)),
    )
    yield from (_term(name, line(value)) for name, value in known if value)


def _term(name: str, *told: str) -> Html:
    return joined(tag("dt", name), tag("dd", *told))


def _content(state: ContentState, value: Json, text: str | None) -> Html:
    if state is ContentState.OBSERVED:
        return tag("pre", _cut(_json(value)))
    said = tag("em", _STATES[state])
    return joined(said, tag("pre", _cut(text))) if text else said


def _json(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _cut(text: str) -> Html:
    if len(text) <= TEXT_LIMIT:
        return escape(text)
    rest = f"\n... {number(len(text) - TEXT_LIMIT)} characters more"
    return joined(text[:TEXT_LIMIT], tag("em", rest))

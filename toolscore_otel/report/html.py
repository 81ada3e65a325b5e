"""A report as one HTML file that asks nobody for anything: no request, no font, no script but its own.

It is whole without its script: every call and finding is markup, opened and closed by the browser. The script only filters and
moves the focus. All text is escaped on its way in (`html_text`), and a policy in the file forbids any other script.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from toolscore_otel.engine import Report
from toolscore_otel.model import Label, Score, Severity, Status, Trajectory
from toolscore_otel.report.html_findings import Numbered, findings_section, numbered
from toolscore_otel.report.html_spending import spending_section
from toolscore_otel.report.html_text import Html, joined, line, tag
from toolscore_otel.report.html_traces import trace_section
from toolscore_otel.report.redaction import redacted_trajectory
from toolscore_otel.report.scores import means, value_of
from toolscore_otel.report.summary import sums, verdict
from toolscore_otel.report.terminal import UNKNOWN, number
from toolscore_otel.secrets import Scanner

OPEN_CALLS = 300
"""Traces are open from the start until so many calls are shown; findings are reached by a click anyway."""


MANY_CALLS = 500
"""Past these the browser draws only what is seen. Below, all is drawn, also for whoever takes a picture of the whole page."""


def report_html(
    report: Report, scanner: Scanner, *, fail_on: Severity, title: str = "toolscore-otel"
) -> str:
    """A report as an HTML document.

    Args:
        report: of an engine.
        scanner: takes secrets out of what calls hold.
        fail_on: severity at and above which a finding fails.
        title: of the document.
    """
    trajectories = [redacted_trajectory(one, scanner) for one in report.trajectories]
    found = numbered(report.findings, trajectories)
    failed = bool(report.failing(fail_on))
    body = joined(
        tag(
            "header",
            tag("h1", title),
            tag("p", verdict(report, fail_on), class_="verdict failed" if failed else "verdict"),
            _tiles(report),
        ),
        _filters(trajectories, found),
        findings_section(found, Label.FAIL),
        findings_section(found, Label.CANNOT_CHECK),
        spending_section(trajectories),
        _traces(trajectories, found, report.scores),
        _scores(report),
    )
    is_large = sum(len(one.calls) for one in trajectories) > MANY_CALLS
    main = tag("main", body, class_="large" if is_large else None)
    return f"<!doctype html>\n{_document(title, main)}\n"


def _document(title: str, main: Html) -> Html:
    script, style = _asset("report.js"), _asset("report.css")
    hashed = base64.b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hashed}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(style)),
    )
    return tag("html", head, tag("body", main, tag("script", Html(script))), lang="en")


@cache
def _asset(name: str) -> str:
    return (files("toolscore_otel.report") / "html_assets" / name).read_text(encoding="utf-8")


def _tiles(report: Report) -> Html:
    """What is known of the whole, as boxes."""
    calls = [call for one in report.trajectories for call in one.calls]
    errors = sum(call.status is Status.ERROR for call in calls)
    unknown = sum(call.status is Status.UNKNOWN for call in calls)
    said = dict(sums(report))
    told = [
        ("findings", _severities(report)),
        ("rules", said.pop("rules")),
        ("traces", said.pop("traces")),
        ("calls", said.pop("calls")),
        ("failed calls", number(errors) + (f", {number(unknown)} not known" if unknown else "")),
        ("tokens", _tokens(report.trajectories)),
        ("cost", said.pop("cost")),
        *said.items(),
    ]
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", text)) for name, text in told))


def _severities(report: Report) -> str:
    counts = Counter(f.severity for f in report.findings if f.label is Label.FAIL)
    return ", ".join(f"{counts[s]} {s}" for s in reversed(Severity) if counts[s]) or "none"


def _tokens(trajectories: Sequence[Trajectory]) -> str:
    return ", ".join(
        f"{_sum(getattr(one.tokens, name) for one in trajectories)} {word}"
        for name, word in (("input", "in"), ("output", "out"))
    )


def _sum(values: Iterable[int | None]) -> str:
    values = list(values)
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    return ("" if len(known) == len(values) else "at least ") + number(sum(known))


def _filters(trajectories: Sequence[Trajectory], found: Numbered) -> Html:
    """Hidden until the script that they need has run."""
    calls = [call for one in trajectories for call in one.calls]
    tools = sorted({line(c.tool) for c in calls} | {line(f.tool) for f in found.all if f.tool})
    agents = sorted(
        {line(c.agent) for c in calls if c.agent} | {line(f.agent) for f in found.all if f.agent}
    )
    ranks = [("", "all calls"), ("0", "with a finding")]
    ranks += [(str(s.rank), f"{s} or worse") for s in Severity if s.rank]
    return tag(
        "search",
        _choice("tool", [("", "all tools"), *((tool, tool) for tool in tools)]),
        _choice("agent", [("", "all agents"), *((agent, agent) for agent in agents)]),
        _choice("severity", ranks),
        tag(
            "input", type="search", id="text", placeholder="text, / to get here", aria_label="text"
        ),
        tag("button", "Reset", type="button", id="reset"),
        tag("output", id="shown", aria_live="polite"),
        tag("p", Html(_KEYS), class_="keys"),
        id="filters",
        hidden=True,
    )


_KEYS = (
    "<kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and previous call <kbd>n</kbd> <kbd>p</kbd> next and previous "
    "finding <kbd>Enter</kbd> open and close <kbd>Esc</kbd> reset"
)


def _choice(name: str, options: Iterable[tuple[str, str]]) -> Html:
    told = (tag("option", text, value=value) for value, text in options)
    return tag("select", *told, id=name, aria_label=name)


def _traces(trajectories: Sequence[Trajectory], found: Numbered, scores: Iterable[Score]) -> Html:
    by_trace: dict[str, list[Score]] = {}
    for score in scores:
        by_trace.setdefault(score.trace_id, []).append(score)

    def sections() -> Iterator[Html]:
        calls = 0
        for count, one in enumerate(trajectories):
            calls += len(one.calls)
            is_open = not count or calls <= OPEN_CALLS
            own = by_trace.get(one.trace_id, ())
            yield trace_section(count, one, found, own, is_open=is_open)

    legend = (tag("span", word, class_=f"legend {kind}") for kind, word in _LEGEND)
    return tag("section", tag("h2", "Traces"), tag("p", *legend), *sections(), id="traces")


_LEGEND = (
    ("ok", "ok"),
    ("error", "error"),
    ("unknown", "status not known"),
    ("flag", "line above a call: a finding"),
)
"""What the colours of the bars mean; each call says it in words, too."""


def _scores(report: Report) -> Html:
    """The middle of each score over all trajectories to which it applies."""
    if not (found := means(report.scores)):
        return Html()
    rows = (
        tag(
            "tr",
            tag("td", f"{one.contract} {one.name}".strip()),
            tag("td", value_of(one.value)),
            tag("td", number(one.known)),
            tag("td", number(one.beyond), class_="bad" if one.beyond else None),
        )
        for one in found
    )
    head = tag(
        "tr", *(tag("th", name) for name in ("score", "mean", "of traces", "beyond a bound"))
    )
    return tag("section", tag("h2", "Scores"), tag("table", head, *rows))

"""`docs/pages/telemetry.md` is written from `emit/telemetry.yaml`: `python tests/docs/test_telemetry_page.py` writes it."""

from collections.abc import Iterator
from pathlib import Path

from toolscore_otel.emit import telemetry
from toolscore_otel.emit.registry import Event, Metric
from toolscore_otel.server.prometheus import name_of

PAGE = Path(__file__).parent.parent.parent / "docs" / "pages" / "telemetry.md"

HEAD = """\
# What leaves

Written from `toolscore_otel/emit/telemetry.yaml`, where every name stands; a name that does not stand there is not emitted.

`stable` names stay. `development` names may still change. `reserved` names are not emitted yet.

## Metrics

A counter of findings moves once per violation, whatever its revisions; what is taken back later counts in
`toolscore.findings.corrected`. Every series of `toolscore.findings` stands at 0 from the start, so that `increase()` sees
the first finding. The other counters show a series that is new at 0 for one collection before it counts; at the end of
a program nothing is held back. The server does so for every reader by itself (a scraper is known by its address and its
`User-Agent`); to a reader that comes later, what another one was told before stands as it is. Inside an application a
meter does not say who reads, so that of several readers the first sees the 0. Findings by tool and calls count when
their trajectory closes, since an agent's name is known only then. Names of tools, agents and services past a cap fold
into `_other`. Ids and arguments are never labels.

The names on `/metrics` of the server are those of the second column; OpenMetrics, where a scraper asks for it, carries
the trace id of the last finding or call of a series as exemplar. `target_info` says which server it is.
"""


def page() -> str:
    """The page as it should be."""
    return "\n".join(
        [
            HEAD,
            *_metrics(),
            "",
            "## Events",
            "",
            *_events(),
            "## Attributes",
            "",
            *_attributes(),
            "",
        ]
    )


def _metrics() -> Iterator[str]:
    yield "| metric | for Prometheus | kind | unit | attributes | stability | what it says |"
    yield "|---|---|---|---|---|---|---|"
    for name, metric in telemetry().metrics.items():
        scraped = name_of(name, metric) + ("_total" if metric.instrument == "counter" else "")
        yield f"| `{name}` | `{scraped}` | {metric.instrument} | `{metric.unit}` | {_labels(metric)} | {metric.stability} | {metric.description} |"


def _labels(metric: Metric) -> str:
    names = [f"`{name}`" for name in metric.attributes]
    return ", ".join([*names, *(["the contract's `labels`"] if metric.labels else [])])


def _events() -> Iterator[str]:
    yield "| event | as | stability | what it says |"
    yield "|---|---|---|---|"
    for name, event in telemetry().events.items():
        yield f"| `{name}` | {_form(event)} | {event.stability} | {event.description} |"
    yield ""
    yield "All carry the same attributes, those that are known:"
    yield ""
    first = next(iter(telemetry().events.values()))
    yield ", ".join(f"`{name}`" for name in first.attributes) + "."
    yield ""


def _form(event: Event) -> str:
    return "log record" if event.form == "log" else "event on a span"


def _attributes() -> Iterator[str]:
    yield "| attribute | type | stability | what it says |"
    yield "|---|---|---|---|"
    for name, attribute in telemetry().attributes.items():
        shown = f"{name}.KEY" if attribute.template else name
        yield f"| `{shown}` | {attribute.type} | {attribute.stability} | {attribute.description} |"


def test_the_page_is_what_the_file_says():
    assert PAGE.read_text() == page(), "run: python tests/docs/test_telemetry_page.py"


def test_every_event_carries_the_same_attributes():
    assert len({event.attributes for event in telemetry().events.values()}) == 1


if __name__ == "__main__":
    PAGE.write_text(page())

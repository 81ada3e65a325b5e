"""Writes `docs/pages/what_we_read.md` from the recordings in `tests/corpus`: `python -m tests.docs.what_we_read`.

What a reader reads is found out by changing: in a recorded span (or log record) one value at a time is replaced, and the
fact that is another one after that was read from there. What a reader looks for and no recording has is found out by
listening to what it asks a span's attributes for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.corpus.recordings import FOLDERS, files_of, items_in, rebuilt, scenarios_of
from tests.docs.reading_found import EVERYWHERE, Found, find_out
from toolscore_otel.conventions import CONVENTIONS
from toolscore_otel.conventions.instrumentations import INSTRUMENTATIONS
from toolscore_otel.conventions.switches import EVIDENCE, Instrumentation, Switch
from toolscore_otel.engine.diagnosis import Diagnosis, diagnose
from toolscore_otel.model import LogRecord, Span, Stage
from toolscore_otel.report.doctor_words import FACTS

PAGE = Path(__file__).parent.parent.parent / "docs" / "pages" / "what_we_read.md"
COMMAND = "python -m tests.docs.what_we_read"

HEAD = f"""\
# What we read

Written from the readers and the recordings in `tests/corpus`, by `{COMMAND}`.
How readings become calls stands in [what is read](reading.md), how to [add a dialect](add_a_dialect.md) on its own page. What
your own telemetry shows says [`toolscore-otel doctor`](doctor.md).

## Switches

Most instrumentations record no arguments unless told to. What stands under *never* was in no recording, however it was
switched; the table is that of `toolscore_otel/conventions/instrumentations.py`.

| instrumentation | scope | to record | never |
|---|---|---|---|
"""

DIALECTS = """
## Dialects

Where each fact stands, for every value of `convention`: found out by changing recorded values one at a time. Of several
names for one fact the first that holds something is taken. *marks* is what makes a span, or a log record, one that is read
at all. N is a number.
"""

PRODUCERS = """
## Producers

What the recordings here show, of all calls together: `yes` is always, `no` never, else of how many; `-` where there is nothing
to say. *ran* is what the tools themselves wrote down, *found* how many of these were rebuilt from telemetry. A call that failed
need not have a result.

| framework | instrumentation | version | ran | found | arguments | result | status | times | agent | call id | conversation | tokens |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""

COLUMNS = tuple(fact for fact in EVIDENCE if fact != "cost")


def page() -> str:
    """The page as it should be."""
    items = {folder: list(_items(folder)) for folder in FOLDERS}
    found = find_out(item for of_folder in items.values() for item in of_folder)
    lines = [
        *map(_switch_row, INSTRUMENTATIONS),
        DIALECTS,
        *(line for name in CONVENTIONS for line in _dialect(f"`{name}`", found[name])),
        *_dialect("In whatever dialect", found[EVERYWHERE]),
    ]
    producers = [_producer_row(folder, items[folder]) for folder in FOLDERS]
    return HEAD + "\n".join(lines) + PRODUCERS + "\n".join(producers) + "\n"


def _items(folder: str) -> Iterator[Span | LogRecord]:
    for paths in files_of(folder).values():
        yield from items_in(paths)


def _switch_row(one: Instrumentation) -> str:
    switches = "; ".join(f"{_named(s.records)}: {_turn(s)}" for s in one.switches)
    scopes = ", ".join(f"`{scope}`" for scope in one.scopes)
    version = f" {one.version}" if one.version not in ("*", "") else ""
    return _row(one.name, scopes + version, switches or "-", _named(one.never) or "-")


def _turn(switch: Switch) -> str:
    """A setting, and in words what is said of it."""
    return f"`{switch.turn}`" + (f" ({switch.remark})" if switch.remark else "")


def _named(facts: Sequence[str]) -> str:
    return ", ".join(FACTS[fact] for fact in facts)


def _dialect(name: str, found: Found) -> Iterator[str]:
    yield f"### {name}\n"
    yield "| what | where it stands |"
    yield "|---|---|"
    for fact, places in found.places.items():
        yield _row(fact, ", ".join(sorted(places)))
    if found.unseen:
        yield _row("looked for, in no recording", ", ".join(f"`{key}`" for key in found.unseen))
    yield ""


def _producer_row(folder: str, items: Sequence[Span | LogRecord]) -> str:
    framework, instrumentation, version = folder.split("__")
    diagnosis = diagnose(items)
    ran, found = _rebuilt(folder)
    return _row(
        framework, instrumentation or "native", version, str(ran), str(found),
        *(_share(diagnosis, fact) for fact in COLUMNS),
    )  # fmt: skip


def _share(diagnosis: Diagnosis, fact: str) -> str:
    facts = [one.facts[fact] for one in diagnosis.observed if fact in one.facts]
    of, observed = sum(f.of for f in facts), sum(f.observed for f in facts)
    if not of:
        return "-"
    return "yes" if observed == of else "no" if not observed else f"{observed} of {of}"


def _rebuilt(folder: str) -> tuple[int, int]:
    """How many calls ran, and how many of them were rebuilt; scenario by scenario, tool by tool."""
    ran = found = 0
    for name, scenario in scenarios_of(folder).items():
        if name not in rebuilt(folder):
            continue
        real = _count(call["name"] for call in scenario.get("calls") or [])
        calls = rebuilt(folder)[name]
        seen = _count(call.tool for call in calls if call.stage is Stage.EXECUTED)
        ran += sum(real.values())
        found += sum(min(n, seen.get(tool, 0)) for tool, n in real.items())
    return ran, found


def _count(names: Iterable[str]) -> Mapping[str, int]:
    count: dict[str, int] = {}
    for name in names:
        bare = name.lower().rpartition("__")[2].removeprefix("tools-")
        bare = re.sub(r"[\s-]+", "_", bare)
        count[bare] = count.get(bare, 0) + 1
    return count


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page())

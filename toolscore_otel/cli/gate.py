"""`toolscore-otel gate`: the scores of a release, held against those of the releases before."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import structs

from toolscore_otel import engine
from toolscore_otel.cli.baseline import accept_into, load_baseline
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.judged import (
    contracts_option,
    fail_on_option,
    strict_option,
    why_not_judged,
)
from toolscore_otel.cli.reading import Reader, each_option, recordings
from toolscore_otel.contracts import Contract, load
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.engine import Report
from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.gate import (
    MEASURES,
    Allowed,
    Asked,
    Entry,
    Gate,
    Verdict,
    Why,
    held,
    observed,
    read_rise,
    together,
    whole_fingerprint_of,
)
from toolscore_otel.model import Severity
from toolscore_otel.rules.expect import Expect
from toolscore_otel.secrets import redact_text


@click.command(short_help="Hold the scores of a release against the last ones.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@contracts_option
@click.option(
    "--baseline",
    required=True,
    metavar="STORE",
    help="File with the scores of the releases before; there need not be one yet.",
)
@click.option("--release", required=True, metavar="NAME", help="Whose runs these are.")
@click.option(
    "--max-drop",
    default=str(Allowed()),
    show_default=True,
    metavar="POINTS",
    help="How far a score may drop: points out of 100, or 5% of the score before.",
)
@click.option(
    "--max-rise",
    metavar="PERCENT",
    help="How far calls per task, cost, duration and tokens may rise, as in 20%; without it they are told.",
)
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="NAME",
    help="A score or measure that is judged; several may be named. Without it all are.",
)
@click.option("--accept", is_flag=True, help="Add these runs to STORE, whatever the verdict.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json", "junit", "markdown"]),
    default="console",
    show_default=True,
    help="What to print.",
)
@fail_on_option
@strict_option
@each_option
def gate(
    files: tuple[str, ...],
    contracts: tuple[str, ...],
    *,
    baseline: str,
    release: str,
    max_drop: str,
    max_rise: str | None,
    scores: tuple[str, ...],
    form: str,
    fail_on: str,
    accept: bool,
    strict: bool,
    each: bool,
) -> Exit:
    """Hold the scores of a release against those of the releases before it.

    Runs are compared by model and scenario. A score fails only where it dropped by more than is allowed for certain: where
    the runs cannot tell, the gate is inconclusive, which ends with 0 and a notice (with --strict: 3).

    \b
    Examples:
      toolscore-otel gate *.gz --contracts c --baseline g --release 2
      toolscore-otel gate *.gz --contracts c --baseline g --release 2 --accept
    """
    asked = _asked(max_drop, max_rise, scores)
    path, loaded = Path(baseline), load(contracts, warn=warn)
    store, reader = load_baseline(path), Reader(files)
    report, entries = _read(reader, recordings(files, each=each), loaded)
    _check(asked, entries)
    release = redact_text(release, scanner_of(loaded))
    formerly = {one.id: whole_fingerprint_of(one) for one in loaded}
    found = held(entries, store, release, asked=asked, formerly=formerly)
    severity, rest = Severity(fail_on), _beside_scores(report, loaded)
    _print(found, rest, loaded, form, severity)
    why_not = why_not_judged(_as_far_as_scored(report, entries), reader, strict=False)
    if accept and why_not is None:
        accept_into(path, release, entries)
    why_not = why_not or _not_judged(found, report, reader, strict=strict)
    return _end(found, rest, why_not, severity)


def _read(
    reader: Reader, found: dict[str, list[Path]], contracts: Sequence[Contract]
) -> tuple[Report, tuple[Entry, ...]]:
    """All recordings, judged and scored."""
    reports: list[Report] = []
    entries: list[Entry] = []
    scanner = scanner_of(contracts)
    with reader.progress():
        for name, paths in found.items():
            report = engine.score(
                reader.read(paths),
                contracts,
                fingerprint_key=secrets.token_bytes(32),
                scenario=name or None,
            )
            reports.append(report)
            entries += observed(contracts, report.trajectories, report.scores, scanner)
    whole = together(entries)
    runs, kept = (sum(len(entry.runs) for entry in some) for some in (entries, whole))
    if kept < runs:
        complain(wrapped(f"notice: {runs - kept} of {runs} runs have the trace id of another one of their scenario: each trace is one run", ""))  # fmt: skip
    return engine.merged(reports), whole


def _asked(max_drop: str, max_rise: str | None, scores: Sequence[str]) -> Asked:
    rise = None if max_rise is None else read_rise(max_rise)
    return Asked(drop=Allowed.read(max_drop), rise=rise, scores=frozenset(scores))


def _check(asked: Asked, entries: Sequence[Entry]) -> None:
    """A name that no run has would be judged by nobody, and nobody would notice."""
    known = {name for entry in entries for run in entry.runs for name in run.scores}
    for name in sorted(asked.scores):
        if known and name not in known:
            there = ", ".join(f"`{one}`" for one in sorted(known))
            raise ConfigError(f"no run has a score `{clip(name)}`; there are {there}")
        if not asked.covers(name):
            raise ConfigError(f"`{name}` is a measure: say with `--max-rise` how far it may rise")


def _beside_scores(report: Report, contracts: Sequence[Contract]) -> Report:
    """The report without what `expect` says of single runs: scores are made of it, and only they decide how much is too much."""
    told = {
        (contract.id, rule.record.id)
        for contract in contracts
        for rule in contract.rules
        if isinstance(rule.record, Expect)
    }
    return structs.replace(
        report,
        findings=tuple(one for one in report.findings if (one.contract, one.rule) not in told),
        judged=tuple(one for one in report.judged if (one.contract, one.rule) not in told),
    )


def _as_far_as_scored(report: Report, entries: Sequence[Entry]) -> Report:
    """The report; how rules came out plays no part where some score is known: the right tool, without any argument."""
    known = (
        run.scores[name] for e in entries for run in e.runs for name in run.scores.keys() - MEASURES
    )
    return report if all(value is None for value in known) else structs.replace(report, outcomes={})


def _print(
    found: Gate, report: Report, contracts: Sequence[Contract], form: str, fail_on: Severity
) -> None:
    if form == "console":
        from toolscore_otel.report.console import print_report
        from toolscore_otel.report.gate_console import print_gate
        from toolscore_otel.report.terminal import stdout_console

        console = stdout_console()
        if report.failing(fail_on):
            print_report(report, console, fail_on=fail_on)
            console.print()
        print_gate(found, console)
    elif form == "json":
        from toolscore_otel.report.gate_json import gate_object

        click.echo(json.dumps(gate_object(found, report, fail_on=fail_on), indent=2))
    elif form == "markdown":
        from toolscore_otel.report.gate_markdown import gate_markdown

        text = gate_markdown(found, report, fail_on=fail_on)
        click.echo(text.encode(errors="replace"), nl=False)
    else:
        from toolscore_otel.report.gate_junit import gate_junit

        click.echo(gate_junit(found, report, scanner_of(contracts), fail_on=fail_on), nl=False)


def _end(found: Gate, report: Report, why_not: str | None, fail_on: Severity) -> Exit:
    """How the command ends; what was not judged is told in any case."""
    for notice in _notices(found):
        complain(wrapped(f"notice: {notice}", ""))
    if report.failing(fail_on) or found.verdict is Verdict.FAIL:
        return Exit.FINDINGS
    if why_not is not None:
        complain(wrapped(f"toolscore-otel: {why_not}", ""))
        return Exit.NOT_JUDGED
    return Exit.PASS


def _notices(found: Gate) -> Iterator[str]:
    first = {(one.contract, one.model) for one in found.not_compared if one.why is Why.NO_BASELINE and one.scenario is None}  # fmt: skip
    if first:
        yield "first gate without a baseline for " + ", ".join(f"`{contract}`, model `{model}`" for contract, model in sorted(first))  # fmt: skip
    from toolscore_otel.report.gate_words import enough, named

    for why, said in _LEFT_OUT.items():
        if left_out := [one for one in found.not_compared if one.why is why and not one.is_refused]:
            yield f"{said}: {named(left_out)}"
    if found.verdict is Verdict.INCONCLUSIVE:
        yield f"the gate is inconclusive: {enough(found)}"


_LEFT_OUT = {
    Why.OTHER_EXPECTATIONS: "not compared, since the contract expects something else of it now",
    Why.NO_RUN: "releases before have it, and there is no run of it now",
}


def _not_judged(found: Gate, report: Report, reader: Reader, *, strict: bool) -> str | None:
    """Why the gate was not held; None where it was."""
    if found.refused:
        from toolscore_otel.report.gate_words import why_not

        rest = len(found.refused) - 1
        more = f" (and {rest} more)" if rest else ""
        return f"could not compare: {why_not(found.refused[0])}{more}"
    if not (found.comparisons or found.not_compared):
        return "could not compare: no run has a score. Contracts and `expect` rules in shadow give none."
    if not strict:
        return None
    if found.verdict is Verdict.INCONCLUSIVE or found.not_compared:
        return "strict: the gate is inconclusive, or not everything was compared."
    return why_not_judged(report, reader, strict=True)

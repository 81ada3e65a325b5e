"""`toolscore-otel check`: lint contracts and run their cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import click

from toolscore_otel.cli.check_cases import differs
from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import Case, Contract, cases_beside, load, load_cases
from toolscore_otel.contracts.usage import Usage
from toolscore_otel.engine import score
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets.messages import hidden


@click.command()
@click.argument("path", metavar="PATH")
@click.argument("files", nargs=-1, metavar="[FILE]...")
def check(path: str, files: tuple[str, ...]) -> int:
    """Lint contracts and run the cases that stand beside them.

    PATH is a contract or a folder of them. NAME.cases.yaml beside NAME.yaml lists short runs and the rules that must
    fail on them. A waiver past its end fails the check, too. With recordings, rules and tools that nothing matched are
    named.

    \b
    Examples:
      toolscore-otel check contracts/
      toolscore-otel check support.yaml traces.jsonl
    """
    contracts = load([path], warn=warn)
    usages = {contract.id: Usage(contract) for contract in contracts}
    _see_recordings(contracts, files, usages)
    differing = 0
    for file, ours in _by_file(contracts).items():
        cases = _cases(file)
        differing += sum(differs(case, ours, usages) for case in cases)
        names = ", ".join(f"`{contract}`" for contract in ours)
        rules = sum(len(contract.rules) for contract in ours.values())
        counts = f"{_count(rules, 'rule')}, {_count(len(cases), 'case')}"
        click.echo(hidden(f"{file}: {names}, {counts}"))
        for said in filter(None, map(_what_allow_does, ours.values())):
            click.echo(said)
    _warn_of_orphans(path, contracts)
    for contract in contracts:
        _warn_of_silence(contract, usages[contract.id])
    ended = list(_ended(contracts, datetime.now(UTC).date()))
    for said in dict.fromkeys(ended):
        complain(wrapped(said, ""))
    if differing:
        complain(f"toolscore-otel: {_count(differing, 'case')} not as expected")
    if differing or ended:
        return Exit.FINDINGS
    click.echo("all as expected")
    return Exit.PASS


def _what_allow_does(contract: Contract) -> str:
    """What a user who allows a secret somewhere may take for granted, and is not so."""
    for rule in contract.rules:
        record = rule.record
        if not isinstance(record, Secrets) or record.shadow:
            continue
        if record.allow and record.action != "flag":
            return (
                f"  `{contract.id}`: what `allow` names in `secrets` is no finding; where spans leave, "
                f"`action: {record.action}` takes it out all the same"
            )
    return ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _by_file(contracts: Iterable[Contract]) -> dict[str, dict[str, Contract]]:
    found: dict[str, dict[str, Contract]] = {}
    for contract in contracts:
        found.setdefault(contract.path, {})[contract.id] = contract
    return found


def _cases(file: str) -> Sequence[Case]:
    beside = cases_beside(file)
    return load_cases(beside) if beside is not None else ()


def _see_recordings(
    contracts: Sequence[Contract], files: Sequence[str], usages: Mapping[str, Usage]
) -> None:
    if not files:
        return
    reader = Reader(files)
    with reader.progress():
        report = score(reader.read([Path(file) for file in files]), contracts)
    for finding in report.findings:
        if finding.contract:
            usages[finding.contract].spoke(finding.rule)
    calls = [call for trajectory in report.trajectories for call in trajectory.calls]
    for usage in usages.values():
        for call in calls:
            usage.see(call, is_recorded=True)


def _ended(contracts: Iterable[Contract], today: date) -> Iterator[str]:
    """Waivers whose last day is past, each said where it stands."""
    for contract in contracts:
        for waiver in contract.waivers:
            if waiver.has_ended(today):
                yield (
                    f"{waiver.where}: the waiver of `{waiver.rule}` by `{waiver.owner}` ended on "
                    f"{waiver.until}: renew it, or take it out"
                )


def _warn_of_orphans(path: str, contracts: Iterable[Contract]) -> None:
    """Cases whose contract is not there prove nothing: a misspelt file name would go unseen."""
    used = {cases_beside(contract.path) for contract in contracts}
    for file in sorted(Path(path).rglob("*.cases.y*ml")) if Path(path).is_dir() else ():
        if file not in used:
            complain(wrapped(f"warning: {file}: no contract stands beside these cases", ""))


def _warn_of_silence(contract: Contract, usage: Usage) -> None:
    said = [("no case and no recording matched", _near(usage.unmatched()))]
    if usage.recorded:
        said.append(("no recorded call is of", _near(usage.uncalled())))
        said.append(("recorded, and mentioned nowhere:", _near((n, None) for n in usage.unknown())))
    for what, names in said:
        if names:
            complain(wrapped(f"warning: {contract.path}: {what} {names}", ""))


def _near(names: Iterable[tuple[str, str | None]]) -> str:
    return ", ".join(f"`{n}`" + (f" (recorded is `{near}`)" if near else "") for n, near in names)

"""`toolscore-otel check`: lint contracts and run their cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from toolscore_otel.cli.exits import Exit, complain, warn, wrapped
from toolscore_otel.cli.reading import Reader
from toolscore_otel.contracts import Case, Contract, cases_beside, load, load_cases
from toolscore_otel.engine import judge_calls, score
from toolscore_otel.model import Finding, Label, ToolCall


@click.command()
@click.argument("path", metavar="PATH")
@click.argument("files", nargs=-1, metavar="[FILE]...")
def check(path: str, files: tuple[str, ...]) -> int:
    """Lint contracts and run the cases that stand beside them.

    PATH is a contract or a folder of them. NAME.cases.yaml beside NAME.yaml lists short runs and the rules that must
    fail on them. With recordings, rules and tools that nothing matched are named, too.

    \b
    Examples:
      toolscore-otel check contracts/
      toolscore-otel check support.yaml traces.jsonl
    """
    contracts = load([path], warn=warn)
    spoken: Counter[tuple[str, str]] = Counter()
    recorded = _recorded(contracts, files, spoken)
    differing = 0
    for file, ours in _by_file(contracts).items():
        cases = _cases(file)
        for case in cases:
            differing += _differs(case, ours, spoken)
        names = ", ".join(f"`{contract.id}`" for contract in ours)
        rules = sum(len(contract.rules) for contract in ours)
        click.echo(f"{file}: {names}, {_count(rules, 'rule')}, {_count(len(cases), 'case')}")
    _warn_of_orphans(path, contracts)
    _warn_of_silence(contracts, spoken, recorded)
    if differing:
        complain(f"toolscore-otel: {_count(differing, 'case')} not as expected")
        return Exit.FINDINGS
    click.echo("all as expected")
    return Exit.PASS


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _by_file(contracts: Iterable[Contract]) -> dict[str, list[Contract]]:
    found: dict[str, list[Contract]] = {}
    for contract in contracts:
        found.setdefault(contract.path, []).append(contract)
    return found


def _cases(file: str) -> Sequence[Case]:
    beside = cases_beside(file)
    return load_cases(beside) if beside is not None else ()


def _differs(case: Case, contracts: Sequence[Contract], spoken: Counter[tuple[str, str]]) -> bool:
    """Run one case; says in one line what is different, and whether anything is."""
    known = {rule.record.id or "" for contract in contracts for rule in contract.rules}
    if strange := sorted({*case.fails, *case.cannot_check} - known):
        near = get_close_matches(strange[0], sorted(known), n=1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        complain(wrapped(f"{case.where}: case `{case.name}`: no rule `{strange[0]}`{hint}", ""))
        return True
    findings = [f for contract in contracts for f in _run(case, contract)]
    spoken.update((finding.contract, finding.rule) for finding in findings)
    for label, wanted in ((Label.FAIL, case.fails), (Label.CANNOT_CHECK, case.cannot_check)):
        got = {finding.rule for finding in findings if finding.label is label}
        if got != set(wanted):
            word = "fail" if label is Label.FAIL else "be `cannot_check`"
            text = f"{case.where}: case `{case.name}`: {_words(wanted)} should {word}, {_words(got)} did"
            complain(wrapped(text, ""))
            return True
    return False


def _words(rules: Iterable[str]) -> str:
    return ", ".join(f"`{rule}`" for rule in sorted(rules)) or "no rule"


def _run(case: Case, contract: Contract) -> Iterable[Finding]:
    if case.spans is None:
        return judge_calls(contract, case.calls)
    report = score(Reader([str(case.spans)]).read([Path(case.spans)]), [contract])
    return [finding for finding in report.findings if finding.contract]


def _recorded(
    contracts: Sequence[Contract], files: Sequence[str], spoken: Counter[tuple[str, str]]
) -> list[ToolCall]:
    if not files:
        return []
    reader = Reader(files)
    with reader.progress():
        report = score(reader.read([Path(file) for file in files]), contracts)
    spoken.update((finding.contract, finding.rule) for finding in report.findings)
    return [call for trajectory in report.trajectories for call in trajectory.calls]


def _warn_of_orphans(path: str, contracts: Iterable[Contract]) -> None:
    """Cases whose contract is not there prove nothing: a misspelt file name would go unseen."""
    used = {cases_beside(contract.path) for contract in contracts}
    for file in sorted(Path(path).rglob("*.cases.y*ml")) if Path(path).is_dir() else ():
        if file not in used:
            complain(wrapped(f"warning: {file}: no contract stands beside these cases", ""))


def _warn_of_silence(
    contracts: Sequence[Contract], spoken: Counter[tuple[str, str]], recorded: Sequence[ToolCall]
) -> None:
    for contract in contracts:
        silent = [
            r.record.id or "" for r in contract.rules if (contract.id, r.record.id) not in spoken
        ]
        if silent:
            text = f"warning: {contract.path}: no case and no recording made {_words(silent)} speak"
            complain(wrapped(text, ""))
        seen = {contract.judge(call).call.tool for call in recorded}
        if recorded and (unused := [tool for tool in contract.tools if tool not in seen]):
            text = f"warning: {contract.path}: no recorded call is of {_words(unused)}"
            complain(wrapped(text, ""))

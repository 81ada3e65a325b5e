"""`toolscore-otel learn`: propose a contract from recorded telemetry."""

from __future__ import annotations

import re

import click

from toolscore_otel import engine, learning
from toolscore_otel.cli.exits import Exit, complain, wrapped
from toolscore_otel.cli.reading import Reader, each_option, recordings
from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.language import ID_PATTERN


def _checked_name(_context: click.Context, _option: click.Parameter, name: str) -> str:
    if not re.fullmatch(ID_PATTERN, name):
        raise click.BadParameter(
            "a contract's id is of a-z, 0-9, '.', '_' and '-', and begins with a letter or digit"
        )
    return name


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--name",
    default="learned",
    show_default=True,
    callback=_checked_name,
    help="The id of the contract.",
)
@click.option(
    "--min-traces",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="In how many traces something must always have been so before it becomes a rule "
    "about what must happen, and in which order.",
)
@each_option
def learn(files: tuple[str, ...], name: str, min_traces: int, *, each: bool) -> int:
    """Propose a contract from recorded telemetry.

    Writes YAML to stdout: the tools that were called, with a schema of their arguments, and as rules what held in every
    trace: no other tools, what always ran, what always came first, how much at most. Each line says on what it rests. No
    value of an argument or result is repeated, and what was not observed is not learned.

    The contract is held against the same telemetry before it is printed: what fails is left out, and said at the top. It
    knows what was, not what is right. Take out what happened to be so, add what must never happen, and try it with
    `shadow: true` first.

    \b
    Examples:
      toolscore-otel learn traces.jsonl > support.yaml
      toolscore-otel learn --name desk --min-traces 20 day-*.jsonl > desk.yaml
    and then
      toolscore-otel check support.yaml traces.jsonl
    """
    reader = Reader(files)
    with reader.progress():
        told = [list(reader.read(paths)) for paths in recordings(files, each=each).values()]

    def hold(contracts: tuple[Contract, ...]) -> engine.Report:
        return engine.merged([engine.score(items, contracts) for items in told])

    learned = learning.learn(hold, name=name, min_traces=min_traces)
    if learned is None:
        stats = reader.stats
        nothing = (
            f"nothing to learn: no tool call in {stats.spans} spans and {stats.logs} log records. "
            "Check that the agent framework's instrumentation is switched on, and that this file "
            "holds its traces."
        )
        complain(wrapped(f"toolscore-otel: {nothing}", ""))
        return Exit.NOT_JUDGED
    click.echo(learned.text, nl=False)
    return Exit.PASS

"""`toolscore-otel demo`: the main job on a bundled recording, nothing else needed."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import click
from rich.console import Console

from toolscore_otel.cli.demo_ending import conclude
from toolscore_otel.cli.demo_replay import CONTRACT, new_engine, recorded, replay
from toolscore_otel.cli.demo_screen import Screen
from toolscore_otel.cli.exits import Exit
from toolscore_otel.engine import Engine
from toolscore_otel.report.terminal import NARROWEST, marks_of, stdout_console

SECONDS = 5.5
"""How long the replay takes on a terminal, whatever the recording took."""

WIDEST = 100
"""Columns beyond which nothing gets wider."""


@click.command()
@click.option("--fast", is_flag=True, help="Replay without waiting.")
@click.option(
    "--contract", is_flag=True, help="Print the contract that the demo holds, and nothing else."
)
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write what the demo shows to FILE as a picture, and print nothing.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Over real sockets: SDK, OTLP, a server, findings sent to a backend, metrics.",
)
def demo(*, fast: bool, contract: bool, svg: Path | None, live: bool) -> int:
    """Watch a recorded agent run being held against a contract.

    Replays real OpenTelemetry spans as they would arrive, shows every tool call and every finding at the moment it fires, and
    then the timeline, times and costs. Needs no network and no configuration.
    """
    if live and (contract or svg is not None):
        raise click.UsageError("--live goes with neither --contract nor --svg")
    if contract:
        click.echo(CONTRACT.read_text(encoding="utf-8"), nl=False)
    elif svg is not None:
        svg.write_text(picture(), encoding="utf-8")
    else:
        console = stdout_console()
        wait = console.is_terminal and not fast
        (play_live if live else play)(console, time.sleep if wait else _at_once)
    return Exit.PASS


def play_live(console: Console, pause: Callable[[float], None]) -> None:
    """Show the demo over real sockets."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from toolscore_otel.cli.demo_live import play_live as play_over_sockets

    width = min(max(console.width, NARROWEST), WIDEST)
    play_over_sockets(console, pause, width, SECONDS)


def picture() -> str:
    """What the demo shows, as SVG that loads nothing from elsewhere."""
    console = Console(
        record=True, width=80, file=StringIO(), highlight=False, markup=False, emoji=False
    )
    play(console, _at_once)
    svg = console.export_svg(title="toolscore-otel demo")
    svg = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def play(console: Console, pause: Callable[[float], None]) -> Engine:
    """Show the whole demo.

    Args:
        console: where to.
        pause: waits that many seconds.

    Returns:
        The engine that judged it.
    """
    width = min(max(console.width, NARROWEST), WIDEST)
    what = recorded()
    engine = new_engine(what.contract)
    screen = Screen(console, marks_of(console), width)
    screen.introduce(what)
    screen.head()
    pace = SECONDS * 1e9 / ((what.spans[-1].end_ns or 0) - what.begin_ns)
    before_s = 0.0
    for step in replay(what, engine):
        pause((step.after_s - before_s) * pace)
        before_s = step.after_s
        screen.show(step)
    conclude(console, what, engine, width)
    return engine


def _at_once(_: float) -> None:
    return

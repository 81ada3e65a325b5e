"""One HTML page for people: what is ready, which contracts are in use, what was found last, what is open.

It holds everything it needs: no script, no font, no picture from elsewhere. Names come from telemetry, so all of them are
escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import msgspec

ROWS = 100
"""How many rows of a table are shown."""

_STYLE = """
:root { color-scheme: light dark; --line: #d0d4da; --soft: #5a6472; --good: #1a7f37; --bad: #b42318; --head: #f2f4f7;
  --page: #ffffff; --text: #1b1f24; }
@media (prefers-color-scheme: dark) { :root { --line: #39414b; --soft: #9aa5b1; --good: #56d364; --bad: #ff8b80;
  --head: #1d232b; --page: #12161b; --text: #e4e8ed; } }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif;
  background: var(--page); color: var(--text); }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
header p, .none, nav { color: var(--soft); margin: .2rem 0; }
nav a { color: inherit; margin-right: 1rem; }
.state { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; } th { background: var(--head); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.id, pre { font-family: ui-monospace, monospace; }
td.id { font-size: 12px; max-width: 12ch; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
pre { font-size: 12.5px; padding: .8rem; margin: 0; }
"""
_PARTS = {
    "findings": "Last findings",
    "contracts": "Contracts",
    "trajectories": "Open trajectories",
}
"""Part -> heading, in the order of the page."""


def debug_page(
    about: Mapping[str, str], why: str | None, debug: Mapping[str, Any], config: Mapping[str, Any]
) -> str:
    """The page.

    Args:
        about: the server itself.
        why: it is not ready; None: it is.
        debug: parts as in `Sources.debug`.
        config: without secrets.
    """
    sections = [_section(part, heading, debug.get(part, [])) for part, heading in _PARTS.items()]
    links = [f'<a href="/debug/{part}">{part}</a>' for part in (*_PARTS, "config")]
    told = " · ".join(f"{escape(key)} {escape(value)}" for key, value in about.items())
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width"><title>toolscore-otel</title>',
            f"<style>{_STYLE}</style></head><body>",
            f"<header><h1>toolscore-otel {_state(why)}</h1><p>{told}</p></header>",
            f"<nav>as JSON: {' '.join(links)}</nav>",
            *sections,
            "<h2>Configuration in force</h2>",
            f'<div class="wide"><pre>{escape(_indented(config))}</pre></div></body></html>',
        ]
    )


def _state(why: str | None) -> str:
    if why is None:
        return '<span class="state good">ready</span>'
    return f'<span class="state bad">not ready: {escape(why)}</span>'


def _section(part: str, heading: str, rows: Sequence[Mapping[str, Any]]) -> str:
    shown = rows[-ROWS:][::-1] if part == "findings" else rows[:ROWS]
    count = f"{len(rows)}" if len(shown) == len(rows) else f"{len(shown)} of {len(rows)}"
    head = f"<h2>{heading} ({count})</h2>"
    return head + (_table(shown) if shown else '<p class="none">none</p>')


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row if row[key] is not None))
    head = "".join(_heading(column, rows) for column in columns)
    body = "".join(
        f"<tr>{''.join(_cell(column, row.get(column)) for column in columns)}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _heading(column: str, rows: Sequence[Mapping[str, Any]]) -> str:
    kind = ' class="number"' if any(_is_number(row.get(column)) for row in rows) else ""
    return f"<th{kind}>{escape(column.replace('_', ' '))}</th>"


def _cell(column: str, value: Any) -> str:
    if value is None:
        return "<td></td>"
    if _is_number(value):
        return f'<td class="number">{value:,}</td>'
    text = escape(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    is_id = column == "id" or column.endswith(("_id", "hash"))
    return f'<td class="id" title="{text}">{text}</td>' if is_id else f"<td>{text}</td>"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _indented(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

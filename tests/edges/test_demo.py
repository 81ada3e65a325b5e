import re
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from rich.console import Console

from toolscore_otel.cli.demo import SECONDS, demo, picture, play
from toolscore_otel.cli.demo_replay import CONTRACT, fake_token, new_engine, recorded, replay
from toolscore_otel.model import Label, Severity

PICTURE = Path(__file__).parent.parent.parent / "docs" / "pages" / "demo.svg"
RULES = {
    ("no-deletion", Severity.CRITICAL, "delete_customer"),
    ("secrets", Severity.CRITICAL, "send_email"),
    ("loop.retry_after_error", Severity.ERROR, "refund_payment"),
    ("case-cost", Severity.ERROR, None),
    ("two-searches", Severity.WARNING, "search_web"),
    ("research-time", Severity.WARNING, "web_research"),
    ("case-logged", Severity.WARNING, None),
}


@pytest.fixture(scope="module")
def output() -> str:
    done = CliRunner().invoke(demo, [], standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    return done.output


def shown_on(**settings) -> str:
    file = StringIO()
    play(Console(file=file, highlight=False, markup=False, emoji=False, **settings), lambda _: None)
    return file.getvalue()


def test_the_engine_finds_what_is_wrong_and_nothing_else():
    what = recorded()
    engine = new_engine(what.contract)
    steps = list(replay(what, engine))
    report = engine.report()

    standing = [f for f in report.findings if f.label is not Label.PASS]
    assert {(f.rule, f.severity, f.tool) for f in standing} == RULES
    assert len(standing) == len(RULES)
    assert {f.id for step in steps for f in step.findings} == {f.id for f in standing}
    assert not report.errors


def test_a_finding_is_said_with_the_call_that_decides_it_or_when_a_model_asks_for_it():
    what = recorded()
    said = {
        finding.rule: step.call.call_id if step.call else None
        for step in replay(what, new_engine(what.contract))
        for finding in step.findings
    }

    assert said == {
        "two-searches": "call_res05",
        "case-cost": None,
        "research-time": "call_sup02",
        "loop.retry_after_error": "call_bil09",
        "secrets": None,
        "no-deletion": None,
        "case-logged": None,
    }


def test_a_finding_stands_right_under_its_call(output):
    lines = output.splitlines()
    at = next(n for n, line in enumerate(lines) if "web_research" in line)

    assert "question=" in lines[at]
    assert lines[at + 1].split() == ["┃", "WARNING", "research-time", "budget", "exceeded"]


def test_a_forbidden_call_is_said_before_it_runs(output):
    lines = output.splitlines()
    at = next(n for n, line in enumerate(lines) if "asked for `delete_customer`" in line)

    assert lines[at - 1].split()[3:] == ["CRITICAL", "no-deletion", "forbidden", "call"]
    assert lines[at + 2].split()[2:5] == ["support", "✓", "delete_customer"]


def test_every_call_is_shown_once_as_it_arrives_and_once_on_the_timeline(output):
    live, _, rest = output.partition("Who called what, when")
    rows = re.compile(r"^ *[\d.]+ s (support|researcher|billing) ", re.MULTILINE)

    assert len(rows.findall(live)) == 14
    assert rest.partition("\n\n")[0].count("refund_payment") == 4


def test_no_line_is_wider_than_80_columns_or_ends_in_blanks(output):
    lines = output.splitlines()

    assert max(cell_len(line) for line in lines) <= 80
    assert [line for line in lines if line != line.rstrip() and "took" not in line] == []


def test_nothing_is_coloured_where_it_goes_into_a_pipe(output):
    assert "\x1b" not in output


def test_colour_is_left_out_where_the_user_wants_none(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    text = shown_on(force_terminal=True, width=80)

    assert "\x1b[3" not in text
    assert "CRITICAL" in text


def test_a_dumb_terminal_gets_plain_text():
    text = shown_on(force_terminal=True, width=80, _environ={"TERM": "dumb"})

    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
def test_other_widths_show_the_same_findings(width):
    text = shown_on(width=width)

    assert all(rule in text for rule, _, _ in RULES)


def test_costs_that_were_not_recorded_are_not_zero(output):
    row = next(line for line in output.splitlines() if line.startswith("send_email"))

    assert row.split() == ["send_email", "1", "0", "121", "ms", "121", "ms", "?"]
    assert "$0.0000" not in output


def test_what_the_agents_cost_adds_up_to_the_whole(output):
    rows = [line.split() for line in output.split("\nby agent")[1].splitlines()[1:5]]

    assert [row[0] for row in rows] == ["support", "researcher", "billing", "all"]
    *parts, whole = (float(row[-1].removeprefix("$")) for row in rows)
    assert abs(sum(parts) - whole) <= 0.0002


def test_the_fake_secret_is_shown_nowhere(output):
    token = fake_token()
    everywhere = output + picture() + shown_on(width=300) + CONTRACT.read_text(encoding="utf-8")

    assert token in "".join(str(span.attributes) for span in recorded().spans)
    assert all(part not in everywhere for part in token.split("."))
    assert "@@DEMO_TOKEN@@" not in everywhere


def test_a_terminal_waits_a_few_seconds_in_all():
    waited: list[float] = []

    play(Console(file=StringIO(), width=80), waited.append)

    assert pytest.approx(sum(waited)) == SECONDS
    assert min(waited) >= 0


def test_the_contract_can_be_printed_to_start_from():
    done = CliRunner().invoke(demo, ["--contract"], standalone_mode=False)

    assert done.output == CONTRACT.read_text(encoding="utf-8")


@pytest.mark.parametrize("other", ["--contract", "--svg=demo.svg"])
def test_what_prints_no_demo_does_not_go_with_a_live_one(other):
    done = CliRunner().invoke(demo, ["--live", other])

    assert done.exit_code == 2
    assert "--live goes with neither --contract nor --svg" in done.output


def test_the_picture_loads_nothing_from_elsewhere(tmp_path):
    file = tmp_path / "demo.svg"

    done = CliRunner().invoke(demo, ["--svg", str(file)], standalone_mode=False)

    assert done.output == ""
    assert "url(http" not in file.read_text(encoding="utf-8")
    assert "no-deletion" in " ".join(words(file.read_text(encoding="utf-8")))


def test_the_picture_in_the_docs_is_what_the_demo_shows():
    """To draw it anew: toolscore-otel demo --svg docs/pages/demo.svg."""
    assert words(picture()) == words(PICTURE.read_text(encoding="utf-8"))


def words(svg: str) -> list[str]:
    return (
        re.sub(r"<style>.*?</style>|<[^>]+>", "", svg, flags=re.DOTALL)
        .replace("&#160;", " ")
        .split()
    )

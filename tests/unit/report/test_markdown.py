import re

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from tests.unit.report.made import HOSTILE, found, report_of
from toolscore_otel.engine.report import Coverage
from toolscore_otel.model import Label, Score, Severity
from toolscore_otel.report.markdown import ROWS, report_markdown
from toolscore_otel.report.markdown_text import code, escaped, prose


def written(report):
    return report_markdown(report, fail_on=Severity.ERROR)


def test_a_report_is_a_heading_and_tables_worst_first():
    report = report_of(
        found("slow", Severity.WARNING, tool="web_search", agent="helper"),
        found("slow", Severity.WARNING, id="slow2"),
        found("no-deletion", Severity.CRITICAL, path="args.id", runbook="call us"),
        found("new", shadow=True),
        found("cost", label=Label.CANNOT_CHECK, count=12),
        found("gone", label=Label.PASS),
        coverage=Coverage(requested=2, executed=2, ratio=1.0),
        outcomes={Label.PASS: 3, Label.FAIL: 3, Label.CANNOT_CHECK: 1},
    )

    assert written(report) == snapshot("""\
### toolscore-otel: 1 finding at error or worse: 1 critical.

| severity | rule | what | where | findings |
|---|---|---|---|---:|
| **critical** | <code>desk/no-deletion</code> | what <code>no-deletion</code> says<br>What to do: call us | at <code>args.id</code><br>trace <code>826e4fa5971e24679e6268a0ab2e212a</code> | 1 |
| **warning** | <code>desk/slow</code> | what <code>slow</code> says | tool <code>web_search</code><br>agent <code>helper</code><br>trace <code>826e4fa5971e24679e6268a0ab2e212a</code> | 2 |
| error, in shadow | <code>desk/new</code> | what <code>new</code> says | trace <code>826e4fa5971e24679e6268a0ab2e212a</code> | 1 |

**Could not be checked**

| rule | why | calls |
|---|---|---:|
| <code>desk/cost</code> | what <code>cost</code> says | 12 |

|  |  |
|---|---|
| traces | 1 |
| calls | 2 seen to run, 2 asked for (100%) |
| cost | not known |
| rules | 3 held, 3 failed, 1 could not be checked |
""")


def test_a_report_without_findings_is_its_sums():
    assert written(report_of()).startswith(
        "### toolscore-otel: No finding at error or worse.\n\n|  |  |\n"
    )


@pytest.mark.parametrize("label", [Label.FAIL, Label.CANNOT_CHECK])
def test_more_rules_than_a_summary_can_hold_are_counted(label):
    report = report_of(*(found(f"r{n}", label=label) for n in range(ROWS + 7)))

    assert written(report).count("<code>desk/r") == ROWS
    assert "\n\nand 7 more rules\n" in written(report)


@given(st.text(st.characters(exclude_categories=())) | st.just(HOSTILE))
def test_a_finding_is_one_row_whatever_it_holds(text):
    report = report_of(found("r", explanation=text, tool=text, agent=text, runbook=text))

    (row,) = [line for line in written(report).split("\n") if line.startswith("| **error**")]

    assert row.count("|") == 6
    assert set(re.findall(r"<[^>]*>", row)) <= {"<code>", "</code>", "<br>"}


def test_what_has_a_meaning_is_text():
    assert escaped("a|b <i> *x* `y` [z](http://e.x) ~~ $1$ \\") == (
        "a&#124;b &#60;i&#62; &#42;x&#42; &#96;y&#96; &#91;z&#93;(http&#58;//e.x) &#126;&#126; &#36;1&#36; &#92;"
    )
    assert escaped("snake_case _it_ www.e.x") == "snake_case &#95;it&#95; www&#46;e.x"


def test_nobody_is_mentioned():
    assert escaped("@octocat #12") == "&#64;&#8288;octocat &#35;&#8288;12"


def test_names_in_backticks_are_code_unless_a_name_has_one():
    assert prose("agent `a_b` called") == "agent <code>a_b</code> called"
    assert prose("agent `a`b` called") == "agent &#96;a&#96;b&#96; called"
    assert code("") == ""


def test_scores_are_a_table_of_means():
    told = [Score(name="f1", value=value, contract="desk", label=Label.FAIL) for value in (0.5, 1)]
    report = report_of(scores=(*told, Score(name="order", value=None, contract="desk")))

    assert """
| score | mean | traces | beyond |
|---|---:|---:|---:|
| <code>desk/f1</code> | 0.750 | 2 | 2 |
| <code>desk/order</code> | none | 0 | 0 |
""" in written(report)


def test_scores_past_the_cap_are_counted():
    several = tuple(Score(name=f"s{number}", value=1.0) for number in range(ROWS + 2))
    assert "and 2 more scores" in written(report_of(scores=several))

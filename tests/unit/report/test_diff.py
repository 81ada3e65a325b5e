import json

from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from tests.unit.report.made import HOSTILE
from toolscore_otel.diffing import Difference, Kind, ScenarioDiff, Side, State
from toolscore_otel.report.diff_console import print_diff
from toolscore_otel.report.diff_json import diff_object
from toolscore_otel.report.diff_markdown import ROWS, diff_markdown
from toolscore_otel.report.diff_words import conclusion, title


def differs(kind, state=State.CHANGED, *, tool: str | None = "refund", path=None, old="1", new="2"):
    return Difference(kind=kind, state=state, tool=tool, path=path, old=old, new=new)


def scenario(*differences, name="refund"):
    old = Side(runs=2, calls=5, latency_s=1.5, cost_usd=0.25)
    return ScenarioDiff(scenario=name, old=old, new=Side(runs=1, calls=3), differences=differences)


DIFFS = (
    scenario(
        differs(Kind.TOOL_APPEARED, tool="delete_user", old="in 0 of 2 runs", new="in 1 of 1 run"),
        differs(Kind.TOOL_GONE, State.FLAPS, old="in 1 of 2 runs", new="in 0 of 1 run"),
        differs(Kind.ARGUMENT_TYPE, State.NOT_OBSERVED, old="recorded", new="arguments not recorded"),
        differs(Kind.ARGUMENT_TYPE, path="id", old="integer", new="string"),
    ),
    scenario(name=""),
)  # fmt: skip


def test_a_terminal_shows_changes_first(shown):
    print_diff(DIFFS, shown.console)

    assert shown.text == snapshot("""\
refund
  old: 2 runs, 5 calls, 1.50 s, $0.2500; new: 1 run, 3 calls, duration not
  known, cost not known
  changed:
    tool `delete_user` appeared: in 0 of 2 runs -> in 1 of 1 run
    type of argument `id` of `refund`: integer -> string
  not known, since one side does not show it, or not often enough:
    arguments of `refund`: recorded -> arguments not recorded
  flaps in the old runs, no change:
    tool `refund`: in 1 of 2 runs -> in 0 of 1 run

all runs
  old: 2 runs, 5 calls, 1.50 s, $0.2500; new: 1 run, 3 calls, duration not
  known, cost not known
  no difference

2 changes in 1 of 2 scenarios, 1 not known\
""")


def test_a_pull_request_shows_changes_and_folds_the_rest_away():
    assert diff_markdown(DIFFS) == snapshot("""\
### Tool calls: 2 changes in 1 of 2 scenarios, 1 not known

| what | scenario | old | new |
|---|---|---|---|
| tool <code>delete_user</code> appeared | <code>refund</code> | in 0 of 2 runs | in 1 of 1 run |
| type of argument <code>id</code> of <code>refund</code> | <code>refund</code> | integer | string |

<details><summary>1 not known, since one side does not show it, or not often enough</summary>

| what | scenario | old | new |
|---|---|---|---|
| arguments of <code>refund</code> | <code>refund</code> | recorded | arguments not recorded |

</details>

<details><summary>1 flaps in the old runs, no change</summary>

| what | scenario | old | new |
|---|---|---|---|
| tool <code>refund</code> | <code>refund</code> | in 1 of 2 runs | in 0 of 1 run |

</details>

<details><summary>Runs</summary>

| scenario | old: runs | old: calls | old: duration | old: cost | new: runs | new: calls | new: duration | new: cost |
|---|---|---|---|---|---|---|---|---|
| <code>refund</code> | 2 | 5 | 1.50 s | &#36;0.2500 | 1 | 3 | ? | ? |
| <code>all runs</code> | 2 | 5 | 1.50 s | &#36;0.2500 | 1 | 3 | ? | ? |

</details>
""")


def test_without_a_change_that_is_said():
    assert diff_markdown([scenario()]).startswith("### Tool calls: no change seen in 1 scenario\n")


def test_long_tables_are_cut_and_say_so():
    told = diff_markdown([scenario(*(differs(Kind.CALLS, tool=f"t{n}") for n in range(ROWS + 3)))])

    assert told.count("calls of <code>") == ROWS
    assert "and 3 more; `--format json` has all" in told


def test_what_several_scenarios_show_is_one_row_and_what_weighs_most_comes_first():
    slow = differs(Kind.LATENCY, tool=None)
    diffs = [
        scenario(slow, name="a"),
        scenario(differs(Kind.OUTCOME, tool=None), slow, name="b"),
        scenario(slow, name="c"),
    ]

    rows = [
        line for line in diff_markdown(diffs).split("\n") if line.startswith(("| how", "| dur"))
    ]

    assert rows == [
        "| how a run ends | <code>b</code> | 1 | 2 |",
        "| duration of a run | <code>a</code> and 2 more | 1 | 2 |",
    ]


def test_one_old_run_is_told_to_show_no_noise():
    alone = ScenarioDiff(scenario="a", old=Side(runs=1, calls=1), new=Side(runs=2, calls=2), differences=())  # fmt: skip

    assert conclusion([alone, scenario()]) == (
        "no change seen in 2 scenarios; 1 with one old run, which shows no noise"
    )


def test_every_kind_has_a_title_that_names_what_it_is_about():
    titles = [
        title(differs(kind, state, tool="TOOL", path="PATH")) for kind in Kind for state in State
    ]

    assert [one for one in titles if "{" in one or "None" in one] == []
    assert len({title(differs(kind, path="p")) for kind in Kind}) == len(Kind)


def test_json_has_everything_and_null_for_what_is_not_known():
    told = json.loads(json.dumps(diff_object(DIFFS)))

    assert told["changed"] is True
    assert told["scenarios"][0]["new"] == {"runs": 1, "calls": 3, "latency_s": None, "cost_usd": None}  # fmt: skip
    assert told["scenarios"][0]["differences"][1] == {
        "kind": "tool_gone",
        "state": "flaps",
        "tool": "refund",
        "path": None,
        "old": "in 1 of 2 runs",
        "new": "in 0 of 1 run",
    }


def test_nothing_changed_is_false():
    assert diff_object([scenario()])["changed"] is False


@given(st.text(st.characters(exclude_categories=())) | st.just(HOSTILE))
def test_a_difference_is_one_row_whatever_it_holds(text):
    told = diff_markdown([scenario(differs(Kind.ARGUMENT_GONE, tool=text, path=text), name=text)])

    (row,) = [line for line in told.split("\n") if line.startswith("| argument")]
    assert row.count("|") == 5

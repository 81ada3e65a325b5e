import math
from random import Random  # noqa: TID251 - seeded

import pytest
from hypothesis import given, strategies as st

from tests.unit.gate.conftest import entry, store_of
from toolscore_otel.gate import Allowed, Asked, Entry, Store, Verdict, Why, accepted, held, together

FINE, BAD = [1.0] * 40, [0.0] * 40


def gate(now, store, release="now", allowed=None):
    return held(now, store, release, asked=Asked(drop=allowed or Allowed()))


def verdicts(found):
    return {(one.model, one.score): one.verdict for one in found.comparisons}


def reasons(found):
    return [(one.why, one.scenario, one.score) for one in found.not_compared]


def test_a_score_that_broke_fails():
    found = gate([entry(right_tool=BAD)], store_of(v1=[entry(right_tool=FINE)]))
    (one,) = found.comparisons

    assert (one.verdict, found.verdict, found.refused) == (Verdict.FAIL, Verdict.FAIL, ())
    assert (one.old, one.new, one.drop, one.allowed) == (1.0, 0.0, 1.0, 0.02)
    assert (one.releases, one.scenarios, one.runs, one.unknown) == (("v1",), 1, (40, 40), (0, 0))


def test_a_score_that_is_the_same_passes_where_the_runs_can_tell():
    many = [1.0] * 2000
    found = gate([entry(right_tool=many)], store_of(v1=[entry(right_tool=many)]))
    assert found.verdict is Verdict.PASS


def test_a_drop_within_the_noise_is_inconclusive():
    found = gate([entry(right_tool=[1.0, 0.0])], store_of(v1=[entry(right_tool=[1.0, 1.0])]))
    assert (found.verdict, reasons(found)) == (Verdict.INCONCLUSIVE, [])


def test_a_drop_that_is_allowed_does_not_fail():
    store, now = store_of(v1=[entry(x=FINE)]), [entry(x=[1.0] * 30 + [0.0] * 10)]

    assert gate(now, store).verdict is Verdict.FAIL
    assert gate(now, store, allowed=Allowed(50)).verdict is Verdict.PASS


def test_a_relative_drop_is_one_of_the_score_before():
    half = [1.0, 0.0] * 200
    store = store_of(v1=[entry(x=half)])
    (one,) = gate([entry(x=half)], store, allowed=Allowed(40, is_relative=True)).comparisons

    assert one.allowed == pytest.approx(0.2)
    assert one.verdict is Verdict.PASS


@pytest.mark.parametrize("score", ["edit_distance", "redundant_rate", "error_rate", "hard_fail"])
def test_where_less_is_better_more_fails(score):
    found = gate([entry(scores={score: FINE})], store_of(v1=[entry(scores={score: BAD})]))
    (one,) = found.comparisons

    assert (one.old, one.new, one.drop, one.verdict) == (0.0, 1.0, 1.0, Verdict.FAIL)
    assert (
        gate([entry(scores={score: BAD})], store_of(v1=[entry(scores={score: FINE})])).verdict
        is Verdict.PASS
    )


def test_calls_per_task_is_told_and_never_judged():
    found = gate([entry(calls_per_task=[9.0])], store_of(v1=[entry(calls_per_task=[1.0])]))
    (one,) = found.comparisons

    assert (one.old, one.new, one.drop, one.verdict) == (1.0, 9.0, None, None)
    assert (found.verdict, found.told_apart) == (None, 0)


def test_scores_that_say_the_same_of_every_run_are_judged_as_one():
    same = {"right_tool": FINE, "right_args": FINE, "edit_distance": BAD}
    found = gate([entry(scores=same)], store_of(v1=[entry(scores=same)]))
    assert (len(found.comparisons), found.told_apart) == (3, 1)

    other = gate(
        [entry(scores=same), entry(scores=same, model="m2")],
        store_of(v1=[entry(scores=same), entry(scores=same, model="m2")]),
    )
    assert other.told_apart == 2
    assert other.level == pytest.approx(1 - 0.01 / 2)


def test_scenarios_are_compared_in_pairs():
    """The new runs are of the hard scenario only: the score fell by half, and nothing dropped."""
    easy, hard = entry("easy", x=FINE), entry("hard", x=BAD)
    found = gate([entry("hard", x=BAD)], store_of(v1=[easy, hard]))
    (one,) = found.comparisons

    assert (one.drop, one.verdict) == (0.0, Verdict.INCONCLUSIVE)
    assert reasons(found) == [(Why.NO_RUN, "easy", None)]


def test_each_scenario_is_held_against_the_last_release_that_has_it():
    store = store_of(v1=[entry("a", x=FINE), entry("b", x=FINE)], v2=[entry("a", x=BAD)])
    found = gate([entry("a", x=BAD), entry("b", x=BAD)], store)
    (one,) = found.comparisons

    assert one.releases == ("v2", "v1")
    assert one.drop == pytest.approx(0.5)


def test_a_release_is_not_held_against_itself_or_a_later_one():
    store = store_of(v1=[entry(x=FINE)], v2=[entry(x=BAD)], v3=[entry(x=BAD)])
    assert [one.releases for one in gate([entry(x=BAD)], store, "v2").comparisons] == [("v1",)]


def test_the_first_gate_has_no_baseline():
    found = gate([entry(x=FINE)], Store())
    assert (found.verdict, found.refused) == (None, ())
    assert reasons(found) == [(Why.NO_BASELINE, None, None)]


def test_a_new_scenario_and_a_new_model_have_no_baseline():
    store = store_of(v1=[entry("a", x=FINE)])
    found = gate([entry("a", x=FINE), entry("b", x=FINE), entry("a", x=FINE, model="m2")], store)

    assert verdicts(found) == {("m1", "x"): Verdict.INCONCLUSIVE}
    assert reasons(found) == [(Why.NO_BASELINE, "b", None), (Why.NO_BASELINE, None, None)]


def test_a_model_that_is_gone_is_told_and_a_contract_that_is_not_held_is_not():
    store = store_of(v1=[entry(x=FINE), entry(x=FINE, model="m0"), entry(x=FINE, contract="z")])
    found = gate([entry(x=FINE)], store)
    assert [(one.model, one.why) for one in found.not_compared] == [("m0", Why.NO_RUN)]


def test_other_expectations_are_not_comparable():
    store = store_of(v1=[entry(x=FINE, expectations="e0")])
    found = gate([entry(x=BAD)], store)

    assert found.comparisons == ()
    assert [one.why for one in found.refused] == [Why.OTHER_EXPECTATIONS]


def test_after_other_expectations_were_accepted_there_is_a_baseline_again():
    store = accepted(store_of(v1=[entry(x=FINE, expectations="e0")]), "v1", [entry(x=FINE)])
    found = gate([entry(x=BAD)], store)
    assert (found.verdict, found.refused) == (Verdict.FAIL, ())


def test_one_scenario_under_other_expectations_does_not_hide_the_others():
    store = store_of(v1=[entry("a", x=FINE, expectations="e0"), entry("b", x=FINE)])
    found = gate([entry("a", x=BAD), entry("b", x=BAD)], store)

    assert (found.verdict, found.refused) == (Verdict.FAIL, ())
    assert reasons(found) == [(Why.OTHER_EXPECTATIONS, "a", None)]


def test_runs_without_a_common_scenario_are_not_comparable():
    found = gate([entry("b", x=FINE)], store_of(v1=[entry("a", x=FINE)]))
    assert [one.why for one in found.refused] == [Why.NO_COMMON_SCENARIO]


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
@pytest.mark.parametrize("now_is_bad", [True, False])
def test_what_is_no_share_is_refused_by_name(value, now_is_bad):
    good, bad = entry(x=FINE, y=FINE), entry(x=[*FINE, value], y=FINE)
    found = gate([bad if now_is_bad else good], store_of(v1=[good if now_is_bad else bad]))

    assert [(one.why, one.score) for one in found.refused] == [(Why.NOT_A_NUMBER, "x")]
    assert ("m1", "y") in verdicts(found)


def test_calls_per_task_may_be_any_number_but_no_nan():
    store = store_of(v1=[entry(calls_per_task=[math.nan])])
    found = gate([entry(calls_per_task=[2.0])], store)
    assert [one.why for one in found.refused] == [Why.NOT_A_NUMBER]


def test_a_score_that_is_not_known_is_left_out_and_counted():
    found = gate([entry(x=[1.0, None, None])], store_of(v1=[entry(x=[1.0, None, 0.0, 1.0])]))
    (one,) = found.comparisons
    assert (one.runs, one.unknown) == ((3, 1), (1, 2))


def test_a_score_that_is_known_on_one_side_only_is_told():
    found = gate([entry(x=[None], y=[None])], store_of(v1=[entry(x=[1.0], y=[None])]))
    assert (found.comparisons, reasons(found)) == ((), [(Why.NOT_OBSERVED, None, "x")])


def test_a_release_that_is_all_there_is_is_held_against_itself():
    found = gate([entry(x=BAD)], store_of(main=[entry(x=FINE)]), "main")
    assert [(one.releases, one.verdict) for one in found.comparisons] == [(("main",), Verdict.FAIL)]


def test_the_rest_of_a_release_that_is_accepted_in_parts_has_no_baseline():
    found = gate([entry("b", x=FINE)], store_of(main=[entry("a", x=FINE)]), "main")
    assert (found.verdict, found.refused) == (None, ())
    assert reasons(found) == [(Why.NO_BASELINE, "b", None), (Why.NO_RUN, "a", None)]


def test_what_is_gone_since_any_release_is_told_with_the_newest_that_has_it():
    store = store_of(
        v1=[entry(x=FINE), entry("old", x=FINE), entry(x=FINE, model="m0")],
        v2=[entry("old", x=FINE), entry(x=FINE, model="m0")],
        v3=[entry(x=FINE)],
    )
    found = gate([entry(x=FINE)], store)
    assert [(one.model, one.scenario, one.release) for one in found.not_compared] == [
        ("m0", None, "v2"),
        ("m1", "old", "v2"),
    ]


def test_a_fingerprint_of_the_whole_contract_is_known_and_one_of_the_scenario_goes_before():
    whole = [entry(x=FINE, expectations="whole")]
    now, formerly = [entry(x=BAD)], {"desk": "whole"}

    def verdict(some):
        return held(now, store_of(v1=some), "now", asked=Asked(), formerly=formerly).verdict

    assert verdict(whole) is Verdict.FAIL
    assert verdict([*whole, entry(x=BAD)]) is Verdict.INCONCLUSIVE
    assert gate(now, store_of(v1=whole)).verdict is None


def test_runs_that_all_went_well_pass_with_as_many_as_the_gate_said():
    (one,) = gate([entry(x=FINE)], store_of(v1=[entry(x=FINE)])).comparisons
    assert (one.verdict, one.passes_at) == (Verdict.INCONCLUSIVE, 228)

    for runs, verdict in ((227, Verdict.INCONCLUSIVE), (228, Verdict.PASS)):
        some = [entry(x=[1.0] * runs)]
        assert gate(some, store_of(v1=some)).verdict is verdict


def test_how_many_scores_there_are_plays_no_part_in_passing():
    many = {f"s{n}": [1.0] * n + [0.0] * (9 - n) for n in range(9)}
    some = [entry(scores=many | {"x": [1.0] * 228})]
    found = gate(some, store_of(v1=some))
    assert verdicts(found)["m1", "x"] is Verdict.PASS
    assert (found.told_apart, found.level_of_high) == (10, 0.99)


values = st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=1, max_size=4)
made = st.builds(
    entry,
    st.sampled_from(["a", "b"]),
    model=st.sampled_from(["m1", "m2"]),
    expectations=st.sampled_from(["e1", "e2"]),
    right_tool=values,
    error_rate=values,
)
several = st.lists(made, max_size=5)


@given(several, several, st.randoms(use_true_random=False))
def test_the_order_in_which_recordings_come_does_not_matter(
    old: list[Entry], new: list[Entry], source: Random
):
    store = accepted(Store(), "v1", together(old))
    mixed = source.sample(new, len(new))
    assert gate(together(mixed), store) == gate(together(new), store)
    assert accepted(store, "v2", together(mixed)) == accepted(store, "v2", together(new))


@given(several, several)
def test_runs_that_say_nothing_change_no_verdict(old: list[Entry], new: list[Entry]):
    blank = [entry(model="m1", right_tool=[None], prefix="z", expectations="e1")]
    store = accepted(Store(), "v1", together(old))
    with_blank, without = (gate(together(some), store) for some in ([*new, *blank], new))
    told = {key: one for key, one in verdicts(without).items() if one is not None}
    assert told.items() <= verdicts(with_blank).items()

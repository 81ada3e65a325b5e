"""What is learned from recordings loads without a warning, and no rule of it fails on them."""

import pytest

from tests.corpus.recordings import FOLDERS, files_of, items_in
from toolscore_otel.contracts import Contract, load_text
from toolscore_otel.engine import Report, merged, score
from toolscore_otel.learning import learn
from toolscore_otel.model import Label

SOME = FOLDERS[::4]
"""All of them would take a minute."""


@pytest.mark.parametrize("folder", SOME)
def test_what_is_learned_from_a_recording_holds_on_it(folder: str) -> None:
    recordings = [items_in(paths) for paths in files_of(folder).values()]

    def hold(contracts: tuple[Contract, ...]) -> Report:
        return merged([score(items, contracts) for items in recordings])

    learned = learn(hold, min_traces=2)
    assert learned is not None
    warned: list[object] = []
    (contract,) = load_text(learned.text, warn=warned.append)
    assert warned == []
    report = hold((contract,))
    failed = [f.rule for f in report.findings if f.contract and f.label is Label.FAIL]
    assert (failed, report.errors) == ([], {})
    called = {
        call.tool for t in report.trajectories for call in t.calls if call.kind.value == "tool"
    }
    assert set(contract.tools) == called

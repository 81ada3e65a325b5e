"""What recorded model calls show of what was said, and that nothing is said to stand there which does not."""

from collections import Counter

import pytest

from tests.corpus.recordings import FOLDERS, files_of, items_in
from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Engine
from toolscore_otel.model import Label

HEARS = Contract.from_dict({"contract": "c", "language": 1, "secrets": {"in": ["messages"]}})
OFF = ("nocontent", "hidden", "noprompt")
NOWHERE = (
    *("spring-ai", "codex-cli", "claude-code", "langchain4j__app", "koog", "mastra__otel"),
    *("adk-rust", "agentscope-java__otel"),
)
"""Recorded nowhere that belongs to the model call, or only where an option of its own is set."""
BY_DEFAULT_OFF = (
    "agent-framework__native-default",
    "copilot-cli__native-default",
    "google-adk__native-schema2-default",
)


def heard(folder: str) -> tuple[Counter[bool], Counter[Label]]:
    """Of how many model calls anything is known that was said; and the findings, by label."""
    observed: Counter[bool] = Counter()
    labels: Counter[Label] = Counter()
    for paths in files_of(folder).values():
        engine = Engine([HEARS])
        engine.feed_all(items_in(paths), 0)
        engine.close()
        report = engine.report()
        assert report.errors == {}
        labels.update(finding.label for finding in report.findings if finding.contract)
        for trace_id in engine.assembler.trace_ids():
            trace = engine.assembler.trace(trace_id)
            models = [node for node in trace.nodes.values() if node.model is not None]
            found = [trace.hearing.of(node.place.span_id) for node in models]
            observed.update(one is not None and one.content for one in found)
    return observed, labels


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if any(o in folder for o in OFF)])
def test_where_content_is_switched_off_nothing_was_said(folder: str) -> None:
    observed, labels = heard(folder)
    assert not observed[True]
    assert not labels[Label.FAIL]
    assert bool(labels[Label.CANNOT_CHECK]) is bool(observed[False])


@pytest.mark.parametrize(
    "folder",
    [
        folder
        for folder in FOLDERS
        if not any(off in folder for off in OFF)
        and not folder.startswith((*NOWHERE, *BY_DEFAULT_OFF))
    ],
)
def test_where_it_is_recorded_most_model_calls_show_it(folder: str) -> None:
    observed, labels = heard(folder)
    assert observed[True] * 2 >= observed.total()
    assert not labels[Label.FAIL]  # planted look-alikes are none

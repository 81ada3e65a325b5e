"""What the packs say of recorded agents that did nothing wrong: hardly anything."""

import pytest

from tests.corpus.recordings import FOLDERS, files_of, items_in
from toolscore_otel.contracts import load
from toolscore_otel.engine import score
from toolscore_otel.model import Label, Severity

CLIS = ("claude-code", "codex-cli", "copilot-cli", "gemini-cli", "opencode", "qwen-code")
CODERS = [folder for folder in FOLDERS if folder.startswith(CLIS)]


def failing(pack: str, folder: str) -> tuple[set[str], set[str]]:
    """Rules that fail on the recordings of a folder: those that end with an exit code, and all others."""
    contracts = load([pack])
    enforced: set[str] = set()
    others: set[str] = set()
    for paths in files_of(folder).values():
        report = score(items_in(paths), contracts)
        enforced |= {finding.rule for finding in report.failing(Severity.ERROR) if finding.contract}
        failed = (f for f in report.findings if f.contract and f.label is Label.FAIL)
        others |= {finding.rule for finding in failed}
    return enforced, others - enforced


@pytest.mark.parametrize("folder", CODERS)
def test_a_coding_agent_at_work_breaks_no_rule_of_its_pack(folder: str) -> None:
    enforced, others = failing("pack:coding-agent", folder)
    assert enforced == set()
    assert others <= {"out-of-sandbox"}  # one recording really asks for it


@pytest.mark.parametrize("folder", FOLDERS[::6])
def test_an_agent_at_work_breaks_no_rule_of_what_fits_all(folder: str) -> None:
    enforced, others = failing("pack:safe-default", folder)
    assert enforced == set()
    assert others <= {"loop.retry_after_error", "loop.same_call"}  # one scenario is such a loop

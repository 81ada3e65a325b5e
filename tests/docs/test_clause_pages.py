"""Every page about a clause: its contracts load without a warning, and its cases hold on the contract above them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.test_examples import ROOT, Block, blocks
from toolscore_otel.cli.commands import cli
from toolscore_otel.contracts import Case, load, load_cases
from toolscore_otel.rules import CLAUSES

PAGES = ROOT / "docs" / "pages"
CLAUSE_PAGES = sorted((PAGES / "clauses").glob("*.md"))
OTHERS = {"scores", "selectors", "registry", "building"}
LONGEST = 90


def proved() -> Iterator[tuple[Block, Block]]:
    """Each contract with the cases that stand below it, before the next one."""
    for page in CLAUSE_PAGES:
        contract = None
        for block in blocks(page, page.read_text(), "yaml"):
            if block.text.startswith("contract:"):
                contract = block
            else:
                assert contract is not None, f"{block}: no contract stands above these cases"
                yield contract, block


PROVED = list(proved())


@pytest.mark.parametrize(("contract", "cases"), PROVED, ids=str)
def test_cases_hold_on_the_contract_above_them(
    contract: Block, cases: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shown.yaml").write_text(contract.text)
    Path("shown.cases.yaml").write_text(cases.text)
    done = CliRunner().invoke(cli, ["check", "shown.yaml"], standalone_mode=False)
    assert (done.return_value, done.stderr) == (0, ""), done.exception


@pytest.mark.parametrize("page", CLAUSE_PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_fails_what_does_not_and_what_cannot_be_checked(
    page: Path, tmp_path: Path
) -> None:
    file = tmp_path / "shown.cases.yaml"
    cases: list[Case] = []
    for _, block in PROVED:
        if block.page == page:
            file.write_text(block.text)
            cases += load_cases(file)
    assert [case.name for case in cases if case.fails]
    assert [case.name for case in cases if case.cannot_check]
    assert [case.name for case in cases if not case.fails and not case.cannot_check]


@pytest.mark.parametrize("page", CLAUSE_PAGES, ids=lambda page: page.stem)
def test_every_rule_that_a_page_shows_fails_in_one_of_its_cases(page: Path, tmp_path: Path) -> None:
    for contract, cases in PROVED:
        if contract.page == page:
            (tmp_path / "shown.yaml").write_text(contract.text)
            (tmp_path / "shown.cases.yaml").write_text(cases.text)
            (loaded,) = load([tmp_path / "shown.yaml"])
            shown = {
                rule for case in load_cases(tmp_path / "shown.cases.yaml") for rule in case.fails
            }
            assert {rule.record.id for rule in loaded.rules} == shown, str(contract)


@pytest.mark.parametrize("page", CLAUSE_PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_says_what_it_should(page: Path) -> None:
    text = page.read_text()
    assert "## When the evidence is missing" in text
    assert "## Elsewhere" in text
    assert len(text.splitlines()) <= LONGEST


def test_there_is_a_page_for_every_clause_and_every_page_is_linked() -> None:
    names = {page.stem for page in CLAUSE_PAGES}
    assert names == {clause.key for clause in CLAUSES} | OTHERS
    index = (PAGES / "clauses.md").read_text()
    assert set(re.findall(r"\(clauses/(\w+)\.md\)", index)) == names
    assert "(clauses.md)" in (PAGES / "contracts.md").read_text()
    assert "(docs/pages/clauses.md)" in (ROOT / "README.md").read_text()

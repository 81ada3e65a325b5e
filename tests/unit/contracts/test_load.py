"""Paths to contracts: files, folders, packs, and what is no contract."""

from pathlib import Path
from typing import Any

import pytest

from toolscore_otel.contracts import load
from toolscore_otel.errors import ContractError


def one(contract_id):
    return f"contract: {contract_id}\nlanguage: 1\nforbid: [x]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the test stands, so that messages hold short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(*paths):
    with pytest.raises(ContractError) as caught:
        load(paths)
    return str(caught.value)


def test_a_file_holds_one_contract_or_several(folder: Path):
    (folder / "a.yaml").write_text(f"{one('a')}---\n{one('b')}")
    assert [(c.id, c.path) for c in load(["a.yaml"])] == [("a", "a.yaml"), ("b", "a.yaml")]


def test_one_path_may_stand_without_a_list(folder: Path):
    (folder / "a.yaml").write_text(one("a"))
    assert [contract.id for contract in load(Path("a.yaml"))] == ["a"]


def test_a_folder_is_searched_through_and_through_by_name(folder: Path):
    (folder / "c" / "deep" / "er").mkdir(parents=True)
    (folder / "c" / "z.yml").write_text(one("z"))
    (folder / "c" / "deep" / "er" / "b.yaml").write_text(one("b"))
    (folder / "c" / "a.yaml").write_text(one("a"))
    (folder / "c" / "j.json").write_text('{"contract": "j", "language": 1, "forbid": ["x"]}')
    assert [c.path for c in load(["c"])] == ["c/a.yaml", "c/deep/er/b.yaml", "c/j.json", "c/z.yml"]


def test_cases_and_other_json_and_hidden_files_in_a_folder_are_no_contracts(folder: Path):
    (folder / "a.yaml").write_text(one("a"))
    (folder / "a.cases.yaml").write_text("- nonsense")
    (folder / "a.cases.yml").write_text("- nonsense")
    (folder / "schema.json").write_text('{"type": "object"}')
    (folder / "list.json").write_text("[1]")
    (folder / "broken.json").write_text("{")
    (folder / "notes.txt").write_text("nonsense")
    (folder / ".hidden.yaml").write_text("nonsense")
    (folder / "..2026").mkdir()
    (folder / "..2026" / "a.yaml").write_text(one("a"))
    assert [contract.id for contract in load(["."])] == ["a"]


def test_broken_json_that_is_meant_to_be_a_contract_is_a_problem(folder: Path):
    (folder / "a.yaml").write_text(one("a"))
    (folder / "b.json").write_text('{"contract": "b",\n')
    assert problems(".") == "b.json:2: is no JSON: Input data was truncated"


def test_a_file_that_is_reached_twice_is_loaded_once(folder: Path):
    (folder / "a.yaml").write_text(one("a"))
    (folder / "same.yaml").symlink_to("a.yaml")
    assert [contract.id for contract in load(["a.yaml", ".", "./a.yaml", "same.yaml"])] == ["a"]


def test_all_problems_of_all_files_are_said_at_once_in_order_of_the_paths(folder: Path):
    (folder / "a.yaml").write_text("contract: a\nlanguage: 1\nforbid: [{tol: x}]\n")
    (folder / "b.yaml").write_text("contract: b\n\tlanguage: 1\n")
    (folder / "c").mkdir()
    (folder / "c" / "c.yaml").write_text(one("c") + "forbids: 1\n")
    (folder / "empty").mkdir()
    assert problems("none.yaml", "c", "a.yaml", "b.yaml", "empty").splitlines() == [
        "none.yaml: cannot be read: there is no such file",
        "c/c.yaml:4: unknown key `forbids` in a contract; did you mean `forbid`?",
        "a.yaml:3: unknown key `tol` in `forbid`; did you mean `tool`?",
        "b.yaml:2: a tab cannot indent in YAML: use spaces",
        "empty: the folder holds no contract (`*.yaml`, `*.yml`, or `*.json` with `contract`)",
    ]


def test_a_path_without_a_contract_is_a_problem_and_never_an_empty_contract(folder: Path):
    (folder / "empty.yaml").write_text("# nothing\n")
    (folder / "only.cases.yaml").write_text("- case: a\n")
    assert problems("empty.yaml") == "empty.yaml: holds no contract"
    assert (
        problems("only.cases.yaml")
        == "only.cases.yaml:1: a contract is a mapping of keys, not a list"
    )
    assert problems("") == '"": a path is empty'
    (folder / "empty.yaml").unlink()
    assert ".: the folder holds no contract" in problems(".")


def test_a_file_named_outright_is_a_contract_whatever_it_is_called(folder: Path):
    (folder / "contract").write_text(one("a"))
    (folder / ".b.yaml").write_text(one("b"))
    (folder / "c.json").write_text('{"language": 1, "forbid": ["x"]}')
    assert [contract.id for contract in load(["contract", ".b.yaml"])] == ["a", "b"]
    assert problems("c.json") == "c.json:1: a contract needs the key `contract`"


def test_an_id_is_unique_over_all_files(folder: Path):
    (folder / "a.yaml").write_text(one("same"))
    (folder / "b.yaml").write_text(f"# second\n{one('same')}")
    assert problems(".") == "b.yaml:2: the contract id `same` is taken by a.yaml:1"


def test_a_pack_is_a_contract_shipped_with_the_package():
    (pack,) = load(["pack:loops"])
    assert (pack.id, pack.path) == ("loops", "pack:loops")


def test_an_unknown_pack_is_a_problem_with_the_nearest_name():
    assert problems("pack:loop") == "pack:loop: unknown pack `loop`; did you mean `loops`?"


def test_a_pack_cannot_be_a_path_out_of_the_folder_of_packs():
    assert "unknown pack" in problems("pack:../packs/loops")


def test_warnings_are_told_also_where_there_are_problems(folder: Path):
    (folder / "a.yaml").write_text("contract: a\nforbid: [{tol: x}]\n")
    said: list[Any] = []
    with pytest.raises(ContractError):
        load(["a.yaml"], warn=said.append)
    assert list(map(str, said)) == ["a.yaml:1: `language` is left out: write `language: 1`"]

"""Secrets in the columns of a table."""

from __future__ import annotations

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.columns import in_columns
from toolscore_otel.secrets.confirm import Claims
from toolscore_otel.secrets.samples import make_sample

WORD = make_sample("password_assignment", 1).partition("=")[2]
KEY = make_sample("secret_assignment", 1).partition("=")[2]


def found(text: str) -> list[tuple[str, str]]:
    return [
        (hit.kind, text[hit.start : hit.end])
        for engine in ("hyperscan", "re2")
        for hit in Scanner(engine=engine).scan_text(text)
    ]


@pytest.mark.parametrize(
    "table",
    [
        f"user,password,key id\nbob,{WORD},7\n",
        f"user;password\r\nbob;{WORD}\r\n",
        f'"password"\t"user"\n"{WORD}"\t"bob"\n',
        f"| user | **password** |\n|---|---|\n| bob | {WORD} |\n| eve | |\n",
        f"x,y\n1,2\n\nuser,password\nbob,{WORD}\n",
    ],
)
def test_what_stands_below_a_telling_head_is_found_whole(table):
    assert found(table) == [("password_assignment", WORD)] * 2


def test_keys_and_passwords_of_one_row_are_found_apart():
    text = f"id,api_key,password\n1,{KEY},{WORD}\n"
    assert found(text)[:2] == [("secret_assignment", KEY), ("password_assignment", WORD)]


@pytest.mark.parametrize(
    "table",
    [
        f"user,password\n{WORD},secret\n",
        f"user,password\nbob,{WORD},x\n",
        f"user,password\nbob,two {WORD}\n",
        f"user,password\nbob,{WORD * 30}\n",
        f"user,token\nbob,{KEY[:12]}\n",
        f"user,{'long ' * 20}password\nbob,{WORD}\n",
        f"user password\nbob {WORD}\n",
    ],
)
def test_what_stands_elsewhere_or_is_no_secret_is_not(table):
    assert list(in_columns(table, Claims(table))) == []


def test_what_is_taken_already_is_not_told_again():
    text = f"a,password\nb,{WORD}\n"
    claims = Claims(text)
    assert claims.take((13, 14), (13, 14))
    assert list(in_columns(text, claims)) == []


def test_columns_of_an_insertion_are_counted():
    heads = "INSERT INTO users (login, password) VALUES "
    assert found(f"{heads}('bob', '{WORD}')") == [("password_assignment", WORD)] * 2
    assert found(f"{heads}('bob', '{WORD}', 3)") == []


def test_arguments_of_a_call_are_no_heads():
    assert found("connect(user=user, password=password,\n host=host2x, port=port4711)\n") == []

"""Commands as lists are read as they are as lines."""

from __future__ import annotations

import json

import pytest

from toolscore_otel.secrets import Scanner, redact_text
from toolscore_otel.secrets.samples import make_sample

SCANNERS = [Scanner(engine="hyperscan"), Scanner(engine="re2")]
WORD = make_sample("password_assignment", 3).partition("=")[2]
KEY = make_sample("secret_assignment", 3).partition("=")[2]
COMMANDS = [
    ["mysql", "-u", "root", f"-p{WORD}", "shop"],
    ["/usr/bin/mysqldump", "-uroot", f"-p{WORD}"],
    ["sshpass", "-p", WORD, "ssh", "root@h"],
    ["sshpass", f"-p{WORD}", "ssh", "root@h"],
    ["curl", "-fsS", "-u", f"bot:{WORD}", "https://a.example.net"],
    ["curl", f"--user=bot:{WORD}", "https://a.example.net"],
    ["curl", f"-ubot:{WORD}", "https://a.example.net"],
    ["psql", f"postgresql://a:{WORD}@h/x"],
    ["redis-cli", "-h", "c", "-a", WORD],
    ["docker", "login", "-u", "ci", "-p", WORD, "r.example.net"],
    ["sudo", "mongodump", "-u", "ops", "-p", WORD],
    ["sqlcmd", "-S", "db", "-U", "sa", "-P", WORD],
    ["unzip", "-P", WORD, "a.zip"],
    ["htpasswd", "-bc", "f", "bob", WORD],
    ["redis-server", "--requirepass", WORD],
    ["net", "user", "bob", WORD, "/add"],
    ["vault", "login", KEY],
    ["bash", "-c", f"mysql -u root -p{WORD} shop"],
]
WRITTEN = {
    "a list": lambda c: c,
    "arguments": lambda c: {"args": c},
    "behind its arguments": lambda c: {"args": c[1:], "command": c[0]},
    "a list of lists": lambda c: {"steps": [{"cmd": ["ls"]}, {"cmd": c}]},
    "JSON in JSON": lambda c: {"body": json.dumps({"argv": c})},
    "Python": lambda c: {"code": f"subprocess.run({c!r})"},
    "Docker": lambda c: {"content": f"FROM x\nCMD {json.dumps(c)}\n"},
}
HARMLESS = [
    ["mkdir", "-p", "/srv/app4/data"],
    ["mysql", "-u", "root", "-p", "shop"],
    ["curl", "-u", "bot", "https://a.example.net"],
    ["git", "push", "-u", "origin", "feature-42"],
    ["docker", "run", "-p", "8080:8080", "redis:7"],
    ["ssh", "-p", "2222", "root@h"],
    ["cp", "-a", "build-2026", "dist"],
    ["curl", "-u", "user:password", "https://a.example.net"],
]


def _found(text: str) -> list[str]:
    hits, again = (scanner.scan_text(text) for scanner in SCANNERS)
    assert hits == again
    return [text[hit.start : hit.end] for hit in hits]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("where", WRITTEN)
def test_the_secret_of_a_command_is_found_in_its_list(command, where):
    secret = KEY if KEY in command else WORD
    text = json.dumps(WRITTEN[where](command))
    assert _found(text) == [secret]


@pytest.mark.parametrize("command", HARMLESS, ids=" ".join)
def test_a_harmless_command_has_none(command):
    assert _found(json.dumps({"args": command})) == []
    assert _found(json.dumps({"code": f"run({command!r})"})) == []


def test_a_hit_tells_the_item_it_stands_in():
    value = {"args": ["mysql", "-u", "röot\n", f"-p{WORD}"]}
    for scanner in SCANNERS:
        (hit,) = scanner.scan_json(value)
        assert (hit.path, hit.start, hit.end) == ("args.3", 2, 2 + len(WORD))


def test_a_secret_that_is_known_without_its_command_is_told_once():
    token = make_sample("github_token_classic", 1)
    assert _found(json.dumps(["curl", "-u", f"bot:{token}"])) == [token]


def test_words_of_two_items_are_no_secret_together():
    assert _found(json.dumps(["mysql -u root -p", WORD, "-pab"])) == []


def test_redacting_a_list_twice_changes_nothing_more():
    once = redact_text(json.dumps(COMMANDS[:8]), SCANNERS[0])
    assert WORD not in once
    assert redact_text(once, SCANNERS[0]) == once

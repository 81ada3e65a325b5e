"""The kinds of secrets that contracts describe themselves, together."""

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import scanner_of


def contract(name, *patterns):
    written = [{"name": kind, "regex": regex} for kind, regex in patterns]
    keys = {"secrets": {"patterns": written}} if written else {"forbid": ["x"]}
    return Contract.from_dict({"contract": name, "language": 1, **keys})


def kinds(scanner, text):
    return {hit.kind for hit in scanner.scan_text(text, cut=False, fingerprints=None)}


def test_patterns_of_all_contracts_are_looked_for_also_where_two_have_one_name():
    scanner = scanner_of(
        [
            contract("a", ("ticket", "TCK-[0-9]{6}")),
            contract("b"),
            contract("c", ("ticket", "TCX-[0-9]{6}"), ("badge", "BDG-[0-9]{6}")),
        ]
    )
    assert kinds(scanner, "TCK-123456 TCX-123456 BDG-123456") == {"ticket", "ticket-1", "badge"}
    assert kinds(scanner, "TCK-12345") == set()

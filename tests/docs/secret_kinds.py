"""The table of all kinds of secrets, as the page on secrets has it; run to write it anew."""

from __future__ import annotations

from pathlib import Path

from toolscore_otel.secrets.kinds import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "pages" / "secrets.md"
HEAD = "| kind | what it opens | confidence | checked |\n|---|---|---|---|\n"

CHECKS = {
    "plausible": "no placeholder",
    "mixed": "characters at random",
    "github": "CRC32 in base62",
    "gitlab": "CRC32 in base36, length",
    "hex_of_all_before": "CRC32 in hex",
    "hex_of_body": "CRC32 in hex",
    "grafana": "CRC32 in hex",
    "bech32": "bech32",
    "artifactory": "base58 of 54 bytes",
    "wif": "base58check",
    "jwt": "header decodes to an object with `alg`",
    "private_key": "body of base64",
    "basic_credentials": "decodes to `user:password`",
    "check": "decodes to a JSON object",
    "signature": "base64 of 32 bytes",
    "aws_secret": "upper, lower and digit",
    "hex_private_key": "64 hex digits",
    "url_password": "no word of documentation, no reference",
    "password": "no word, name, path, id or reference",
    "any_password": "no word, name, path, id or reference",
    "flag_password": "no word, name, path, id or reference",
    "line_password": "letters and digits that make no name, path, id or reference",
    "variable_key": "no word, name, path, id, digest or reference",
    "told_password": "no word, name, path, id or reference",
    "cookie": "no word, name, path, id, digest or reference",
    "query_key": "no word, name, path, id, digest, UUID or reference",
    "query_signature": "hex or base64",
    "whole_password": "words that make no sentence, or digits that make no date or count",
    "quoted_bearer": "no placeholder, percent-encoded",
    "jwk_part": "upper, lower and digits",
    "drawn_password": "letters and digits that make no name, path, id or reference",
    "generated": "no word, name, path, id, digest or reference",
    "generated_no_uuid": "no word, name, path, id, digest, UUID or reference",
    "behind_scheme": "no word, name, path, id, digest or reference",
}


def table() -> str:
    """One row for each kind, by name; of a kind with two ways to it, the last."""
    rows = {
        kind.name: f"| `{kind.name}` | {kind.about} | {kind.confidence} | {CHECKS[kind.check.__name__]} |\n"
        for kind in TABLE
    }
    return HEAD + "".join(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    before = PAGE.read_text().partition(HEAD)[0]
    PAGE.write_text(before + table())

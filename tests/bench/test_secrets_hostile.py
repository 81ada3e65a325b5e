"""Hostile text costs what it is long: scanning and redaction, both engines, our kinds and those of users.

A square would take sixteen times as long for four times the text. Everything is asked with a quarter of a megabyte, the
slowest of each family with a whole one.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from time import process_time

import pytest

from toolscore_otel.secrets import Scanner, redact_text
from toolscore_otel.secrets.kinds import KINDS
from toolscore_otel.secrets.patterns import FIRST_GROUP, Exempt, OwnPattern
from toolscore_otel.secrets.samples import make_sample

LARGE, LARGEST = 250_000, 1_000_000
MOST_GROWTH = 6.5
NOISE_SECONDS = 0.005
ATTEMPTS = 3
ENGINES = ("hyperscan", "re2")

TOKEN = make_sample("github_token_classic", 1)
WORD = make_sample("password_assignment", 1)
Make = Callable[[int], str]


def _again(piece: str) -> Make:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def _listed(value: object) -> Make:
    return lambda size: json.dumps([value] * (size // (len(json.dumps(value)) + 2)))


FLOODS = (
    *("password=", "password: ", "password ", "token.", "token_", "api key ", '"secret": "', "password:\n", "password: |\n    "),
    *('"', "'", "\\", '\\"', 'password=\\"', r"\u0061", "a", "Aa1", "0123456789abcdef", "7", "0123abcd-", "é", "密码：", "...", "a@"),  # noqa: RUF001
    *("eyJ", "eyJhbGciOiJIUzI1NiJ9.", "x://a:", "x://aaaaaaaaaa:bbbb", "https://a1", "Bearer ", "Basic YTpi", "otpauth://totp/"),
    *("curl -u a:", "mysql a -p", "docker login -p ", "--password ", "echo a| sudo -S ", "set password ", "net user a "),
    *("cookie: ", "cookie: a=b; session=aaaaaaaaaaaaaaaaaaaa", "session", "?key=", "cookies={'", "params={'key'", '.setPassword("', "auth=('a', '"),
    *("password,token\n", "| password ", "login: bob / pw ", "creds are a:", "user bob pass ", "a:5432:b:c:", "jdbc:oracle:thin:a/"),
    *('"-p", ', "'mysql', '-p', ", '["-u", "a:', '"login", "', "mysql -p mysql -p", "password+", "password+is+", "=a+", "a=password+is+a1b2c3&"),
    *("password\x1b[0m", "\x1b[", "password\\x1b[0m: ", "password\x1b[0m: a1b2c3 ", "one two ", "three-four-", 'password="one ', 'password="731946', "password=731946"),
    *("WIFI:T:a;P:", "a:b@tcp(", "mysqli('a', 'b', '", "fill('password', '", "<td>password</td><td>", 'type: string default: "', "values (", "(password) values ("),
    *("identified by ", "Private-Lines: 1 ", '"kty": "oct", "k": "', "enable secret ", "password || ", "password = a.b || ", "password for a: ", "password <!\\[CDATA[", "net use a "),
    *("-----BEGIN PRIVATE KEY-----", "<password>", "%41", "%2541", "password%3D", "[REDACTED:", "[REDACTED:jwt]", "kind: Secret\n a: YWJjZGVm\n"),
)  # fmt: skip
TEXTS: dict[str, Make] = {
    **{repr(piece): _again(piece) for piece in FLOODS},
    "a name and blanks": lambda size: "password" + " " * size,
    "a name and line ends": lambda size: "password:" + "\n" * size,
    "a key that never ends": lambda size: "-----BEGIN PRIVATE KEY-----" + "A" * size,
    "a key in pieces": lambda size: "-----BEGIN PRIVATE KEY-----" + "A-" * (size // 2),
    "one long row": lambda size: "password," + "a," * (size // 2) + "\n",
    "one long column": lambda size: "password,x\n" + "a1b2c3,d4\n" * (size // 10),
    "brackets": lambda size: "[" * 500 + '"a",' * (size // 4),
    "a list of tokens": _listed(TOKEN),
    "a list of passwords": _listed(WORD),
    "objects": _listed({"password": WORD[9:]}),
    "rows": _listed(["password", WORD[9:]]),
    "names behind values": _listed({"value": WORD[9:], "name": "password"}),
    "texts of JSON": _listed(json.dumps({"password": WORD[9:]})),
    "one object": lambda size: json.dumps({f"password{n}": WORD[9:] for n in range(size // 34)}),
    "commands": _listed(["mysql", "-u", "root", f"-p{WORD[9:]}"]),
    "one command": lambda size: json.dumps(["mysql", *["-p", "a", f"-p{WORD[9:]}"] * (size // 30)]),
    "a command beside its arguments": _listed(
        {"command": "mysql", "args": ["-uroot", "-pabcd1234"]}
    ),
    "percent in percent": lambda size: "".join(f"%{'25' * n}3D" for n in range(int(size**0.5))),
    "colours in colours": lambda size: "password" + "\x1b[" * (size // 3) + "m" * (size // 3),
    "one phrase": lambda size: 'password="' + "one " * (size // 4),
    "one number": lambda size: "password=" + "731946" * (size // 6),
    "columns of SQL": lambda size: f"(a, password) values ('b', '{WORD[9:]}'), " * (size // 44),
    "deep": lambda size: '{"a":' * 400 + _listed(WORD)(size) + "}" * 400,
    "JSON in JSON": lambda size: json.dumps({"a": json.dumps({"b": f"{WORD} " * (size // 30)})}),
    "a document that was cut": lambda size: '{"a":' + _listed(f"{WORD} x")(size),
    "base64": lambda size: b64encode(f"{WORD} ".encode() * (size // 35)).decode(),
    "pieces of base64": _again(b64encode(WORD.encode()).decode() + " "),
}
OWN = (
    OwnPattern("nested", r"(a+)+$"),
    OwnPattern("either", r"(?:x|x)*y"),
    OwnPattern("far", r"secret.{0,200}key=(\w+)", group=FIRST_GROUP),
    OwnPattern("wide", r"(?:\w+[ .-])*\d{30}"),
    OwnPattern("line", r"k(\d)", group=1, exempt=(Exempt(("nosec",), target="line"),)),
    OwnPattern("ahead", r"q(?:[a-z]*9)?"),
    OwnPattern("stop", r"t\d", keywords=("t1",), exempt=(Exempt(stopwords=("zz",) * 200),)),
)
OWN_TEXTS = ("a", "x", "secret ", "ab.", "k1 ", "t1 ", "q", "qa", "k1 t1 ")


def _seconds(work: Callable[[str], object], text: str) -> float:
    start = process_time()
    work(text)
    return process_time() - start


def _parts_of(kind: str) -> Make:
    """The beginnings of a secret, again and again, and the secret."""
    sample = make_sample(kind, 1)
    parts = (sample[:-3], "-" + sample[: len(sample) // 2], sample + "%3D")
    return lambda size: "".join(_again(part)(size // len(parts)) for part in parts) + sample


def _grows_with(work: Callable[[str], object], make: Make, most: int = LARGE) -> bool:
    """Whether four times the text takes four times as long, or so; now and then a neighbour takes the caches."""
    large = make(most)
    for attempt in range(ATTEMPTS):
        # where a text is cut may bring a kind more into it
        small = make(most // 4 + 1_001 * attempt)
        least = max(NOISE_SECONDS, _seconds(work, small))
        if _seconds(work, large) <= MOST_GROWTH * least:
            return True
    return False


@pytest.mark.benchmark(group="secrets, hostile text")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_costs_what_it_is_long(benchmark, text, engine):
    scanner = Scanner(engine=engine)
    assert benchmark.pedantic(_grows_with, args=(scanner.scan_text, TEXTS[text]), rounds=1)


REDACTED = {text: make for text, make in TEXTS.items() if not text.startswith(("'", '"'))} | {
    kind: _parts_of(kind) for kind in ("slack_token", "planetscale_credential", "typeform_token")
}
"""Each mark brings one more of these kinds to light."""


@pytest.mark.benchmark(group="secrets, hostile text")
@pytest.mark.parametrize("text", REDACTED)
def test_redacting_hostile_text_costs_what_it_is_long(benchmark, text):
    scanner = Scanner()
    args = (lambda told: redact_text(told, scanner), REDACTED[text])
    assert benchmark.pedantic(_grows_with, args=args, rounds=1)


@pytest.mark.benchmark(group="secrets, hostile text")
@pytest.mark.parametrize(
    ("kind", "engine"),
    [*((kind, "hyperscan") for kind in KINDS), *((kind, "re2") for kind in KINDS[::10])],
)
def test_text_made_of_the_beginnings_of_a_secret_costs_what_it_is_long(benchmark, kind, engine):
    scanner = Scanner(engine=engine)
    assert benchmark.pedantic(_grows_with, args=(scanner.scan_text, _parts_of(kind)), rounds=1)


@pytest.mark.benchmark(group="secrets, hostile text")
@pytest.mark.parametrize("piece", OWN_TEXTS)
def test_kinds_of_users_cost_what_the_text_is_long(benchmark, piece):
    scanner = Scanner(patterns=OWN)
    assert benchmark.pedantic(_grows_with, args=(scanner.scan_text, _again(piece)), rounds=1)


SLOWEST: dict[str, tuple[tuple[OwnPattern, ...], Make]] = {
    **{text: ((), TEXTS[text]) for text in (repr("password:\n"), "texts of JSON", "one object")},
    "slack_token": ((), _parts_of("slack_token")),
    "a kind of a user": (OWN[4:5], _again("k1 ")),
}


@pytest.mark.benchmark(group="secrets, hostile text of 1 MB")
@pytest.mark.parametrize("text", SLOWEST)
def test_a_megabyte_costs_four_times_what_a_quarter_of_it_does(benchmark, text):
    own, make = SLOWEST[text]
    scanner = Scanner(patterns=own)
    args = (lambda told: redact_text(told, scanner), make, LARGEST)
    assert benchmark.pedantic(_grows_with, args=args, rounds=1)

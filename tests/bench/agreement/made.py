"""Cases for every score, drawn from a seed: calls alike enough to be told apart only by what a score is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random  # noqa: TID251 - given a seed
from typing import Any

from toolscore_otel.secrets.samples import make_sample

Case = dict[str, Any]

TOOLS = ("search", "read", "pay", "Search")
RULED = ("search", "read", "read[1]")
VALUES: tuple[Any, ...] = (
    *(0, 1, 2, 1.0, 2.5, True, False, None, "a", " a ", "A", "", "1", "naïve", "日本"),
    *([1], [1.0], ["x "], ["x"], [], {}, {"n": 1, "s": "a"}, {"n": 1, "s": "b"}, {"n": {"m": 1}}),
    *(1234567890123456789, 1234567890123456700, "2025-01-31", "O-17", "rm -rf /", "ls\nrm -rf x"),
)
MATCHERS: tuple[Any, ...] = (
    ["ANY"],
    ["Regex", r"\w+"],
    ["Regex", r"O-\d+"],
    ["Regex", "(?i)A|é.*"],
    ["Regex", "(?!x).*", 16],
    ["Approx", 1],
    ["Approx", True],
    ["Approx", 2.5, 1e-6, 0.6],
    ["Contains", "a"],
    ["Contains", 1],
    ["Contains", "n"],
    ["Contains", {"$matcher": ["Regex", "n|x.*"]}],
    ["OneOf", "a", 2, {"$matcher": ["Regex", "O-.*"]}],
    ["OneOf", {"n": 1, "s": "a"}],
    ["IsType", "int"],
    ["IsType", "str", "dict"],
)
CONDITIONS: tuple[Any, ...] = (
    {"$regex": "rm -rf"},
    {"$regex": r"^\w+$"},
    {"$regex": r"\bx\b"},
    {"$regex": "(?i)^A"},
    {"$regex": "^(?!O-).*7"},
    {"$regex": "^.*$"},
    {"$regex": "n"},
    {"$contains": "a"},
    {"$contains": "2"},
    {"$contains": ""},
    {"$contains": "rm"},
    {"$contains": 1},
    {"$one_of": ["a", 1, None]},
    {"$one_of": [[1], {"n": 1, "s": "a"}]},
)
SECRETS = ("github_token_classic", "aws_access_key_id", "slack_token", "stripe_secret_key")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
FORMS = (
    ("AK" + "IA", LETTERS[26:], 16),
    ("gh" + "p_", LETTERS, 36),
    ("AI" + "za", LETTERS, 35),
    ("xo" + "xb-", LETTERS, 24),
    ("sk_" + "live_", LETTERS, 30),
    ("sk" + "-", LETTERS, 48),
    ("sk-" + "ant-", LETTERS, 60),
)
"""Of tokens that nobody issued."""
HARMLESS = ("nothing to see", "sk-short", "AKIA", "ghp_", "task-brief-of-the-day", "")


def value(random: Random) -> Any:
    return random.choice(VALUES)


def wish(random: Random) -> Any:
    """A value of expected arguments."""
    if random.random() < 0.2:
        return {"$matcher": list(random.choice(MATCHERS))}
    return value(random)


def arguments(random: Random, draw: Callable[[Random], Any] = value) -> dict[str, Any]:
    return {name: draw(random) for name in "xyz" if random.random() < 0.5}


def some(random: Random, make: Callable[[Random], Case], most: int = 4) -> list[Case]:
    return [make(random) for _ in range(random.randint(0, most))]


def named(random: Random) -> Case:
    return {"tool": random.choice(TOOLS)}


def expected(random: Random) -> Case:
    args = None if random.random() < 0.15 else arguments(random, wish)
    return {"tool": random.choice(TOOLS[:2]), "args": args}


def done(random: Random) -> Case:
    args: Any = arguments(random)
    if random.random() < 0.03:
        args = json.dumps(args)
    return {"tool": random.choice(TOOLS[:2]), "args": args, "failed": random.random() < 0.3}


def repeated(random: Random) -> Case:
    return done(random) | {"tool": "read", "args": {"x": random.choice([1, 1.0, "q", "q "])}}


def timed(random: Random) -> Case:
    seconds = random.choice([None, 0.25, 0.5, 1.0, 2.0, 30.0])
    cost = random.choice([None, 0.0, 0.25, 0.5, 1e16, -1e16])
    return named(random) | {"seconds": seconds, "cost": cost}


def affecting(random: Random) -> Case:
    effects = {} if random.random() < 0.3 else {"check": random.choice([1, 2])}
    if random.random() < 0.1:
        effects["unheard of"] = 1
    return expected(random) | {"effects": effects}


def acted(random: Random) -> Case:
    return done(random) | {"tool": random.choice(RULED)}


def hiding(random: Random) -> Case:
    begin, alphabet, count = random.choice(FORMS)
    secret = begin + "".join(random.choices(alphabet, k=count))
    if random.random() < 0.5:
        secret = make_sample(random.choice(SECRETS), random.randint(1, 50))
    around = random.choice(["{}", "key {} here", 'x = "{}"', "a\\n{}", "鍵{}", "({})", "{}, then"])
    told = around.format(secret) if random.random() < 0.5 else random.choice(HARMLESS)
    places = random.choice(
        [{"q": told}, {"h": {"v": told}}, {"l": [1, told]}, {"a b": [{"c": told}]}]
    )
    return {"tool": random.choice(TOOLS), "args": places}


def rule(random: Random) -> Case:
    found: Case = {"tool": random.choice(RULED)}
    if random.random() < 0.9:
        draw = value if random.random() < 0.3 else lambda one: one.choice(CONDITIONS)
        found["args"] = {random.choice("xyz"): draw(random)}
    return found | ({"reason": "no"} if random.random() < 0.5 else {})


BOTH = {
    "calculate_invocation_accuracy": (named, named),
    "calculate_selection_accuracy": (named, named),
    "calculate_edit_distance": (named, named),
    "calculate_argument_f1": (expected, done),
    "calculate_required_call_recall": (named, done),
    "calculate_redundant_call_rate": (repeated, repeated),
    "calculate_side_effect_success_rate": (affecting, done),
}
"""Each of these is given what was expected and what was done."""


def _both(of: str, random: Random) -> Case:
    gold, trace = BOTH[of]
    given: Case = {"gold": some(random, gold), "trace": some(random, trace)}
    if of == "calculate_argument_f1":
        given["strict"] = random.random() < 0.3
    if of == "calculate_side_effect_success_rate" and random.random() < 0.8:
        given["check"] = [1]
    return given


def cases(seed: int, of_each: int) -> Iterator[Case]:
    """So many cases of each score."""
    random = Random(seed)  # noqa: S311 - the same every time
    for _ in range(of_each):
        for of in BOTH:
            yield {"of": of, "given": _both(of, random)}
        for of in ("calculate_latency", "calculate_cost_attribution"):
            yield {"of": of, "given": {"trace": some(random, timed)}}
        yield {"of": "find_secrets", "given": {"trace": some(random, hiding)}}
        rules = some(random, rule)
        forbidden = {"trace": some(random, acted), "json_rules": rules}
        yield {"of": "check_forbidden_calls", "given": forbidden}

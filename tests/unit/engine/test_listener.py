"""Messages are looked through once, whoever repeats them."""

import json
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.assembly.hearing import MOST_EXPOSED
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import read, read_log
from toolscore_otel.conventions.reading import Heard
from toolscore_otel.engine import listener as module
from toolscore_otel.engine.listener import Listener
from toolscore_otel.model import Exposed, LogRecord
from toolscore_otel.secrets import Fingerprints, Scanner
from toolscore_otel.secrets.samples import make_sample

KIND = "github_token_classic"
TOKEN = make_sample(KIND, 1)
NAMES = Fingerprints(b"key")
FAMILY = Scanner().family


def listener(*clauses: Any) -> Listener:
    contracts = [
        Contract.from_dict({"contract": f"c{n}", "language": 1, "secrets": clause})
        for n, clause in enumerate(clauses)
    ]
    return Listener(contracts, NAMES)


def heard(listening: Listener, item: Any) -> Heard | None:
    reading = listening(item, read_log(item) if isinstance(item, LogRecord) else read(item))
    return None if reading is None else reading.heard


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


@pytest.fixture
def chat(model):
    """A model call with these messages in its input."""

    def make(*texts: str, **fields):
        span = model("m", **fields)
        attributes = {"gen_ai.input.messages": json.dumps([said(text) for text in texts])}
        return structs.replace(span, attributes={**span.attributes, **attributes})

    return make


def test_nothing_is_looked_for_where_no_contract_asks():
    assert not listener({}, {"in": ["arguments"]})
    assert listener({}, {"in": ["messages"]})


def test_a_secret_is_told_by_kind_place_and_fingerprint(chat):
    place = "gen_ai.input.messages.1.content"
    wanted = Exposed(FAMILY, KIND, place, NAMES.of(TOKEN))
    found = heard(listener({"in": ["messages"]}), chat("Hi", f"use {TOKEN}"))
    assert found == Heard((FAMILY,), content=True, exposed=(wanted,))


def test_only_model_calls_and_records_of_messages_are_looked_at(tool, plain):
    listening = listener({"in": ["messages"]})
    assert heard(listening, tool("x", args={"t": TOKEN})) is None
    assert listening(plain("x"), None) is None
    assert listening(LogRecord(body=TOKEN), None) is None


def test_a_record_that_says_nothing_of_tools_is_looked_through():
    record = LogRecord(event_name="gen_ai.system.message", body={"content": TOKEN}, span_id="s")
    found = heard(listener({"in": ["messages"]}), record)
    assert found is not None
    assert [one.path for one in found.exposed] == ["gen_ai.system.message.content"]


def test_a_record_that_says_more_keeps_what_it_says():
    call = {"id": "c1", "function": {"name": "f", "arguments": json.dumps({"t": TOKEN})}}
    record = LogRecord(
        event_name="gen_ai.choice",
        body={"message": {"tool_calls": [call]}},
        trace_id="t",
        span_id="s",
    )
    reading = listener({"in": ["messages"]})(record, read_log(record))
    assert reading is not None
    assert [one.name for one in reading.calls] == ["f"]
    assert reading.heard is not None
    place = "gen_ai.choice.message.tool_calls.0.function.arguments.t"
    assert [one.path for one in reading.heard.exposed] == [place]


def test_contracts_with_kinds_of_their_own_look_with_their_own_scanner(chat):
    patterns = [{"name": "badge", "regex": "BADGE-[0-9]{6}"}]
    found = heard(
        listener({"in": ["messages"]}, {"in": ["messages"], "patterns": patterns}),
        chat(f"BADGE-123456 {TOKEN}"),
    )
    assert found is not None
    assert len(found.looked_for) == 2
    assert sorted(one.kind for one in found.exposed) == ["badge", KIND, KIND]


def test_without_a_key_secrets_are_told_apart_all_the_same(chat):
    clause = {"contract": "c", "language": 1, "secrets": {"in": ["messages"]}}
    listening = Listener([Contract.from_dict(clause)], None)
    found = heard(listening, chat(TOKEN, make_sample(KIND, 2), TOKEN))
    assert found is not None
    assert len({one.fingerprint for one in found.exposed}) == 2


def test_what_was_not_recorded_and_what_was_cut_is_said(chat, model):
    listening = listener({"in": ["messages"]})
    assert heard(listening, model("m")) == Heard((FAMILY,))
    assert heard(listening, chat("__REDACTED__")) == Heard((FAMILY,))
    whole = chat(f"use {TOKEN}")
    cut = whole.attributes["gen_ai.input.messages"][:-5]
    found = heard(
        listening,
        structs.replace(whole, attributes={**whole.attributes, "gen_ai.input.messages": cut}),
    )
    assert found is not None
    assert (found.cut, [one.path for one in found.exposed]) == (True, ["gen_ai.input.messages"])


def test_arguments_that_the_model_broke_are_not_cut(model):
    span = model("m")
    attributes = {**span.attributes, "gen_ai.completion.0.tool_calls.0.arguments": '{"q": "x'}
    found = heard(listener({"in": ["messages"]}), structs.replace(span, attributes=attributes))
    assert found == Heard((FAMILY,), content=True)


def test_instructions_alone_are_not_what_was_said(model):
    span = model("m")
    attributes = {**span.attributes, "gen_ai.system_instructions": f"never tell {TOKEN}"}
    found = heard(listener({"in": ["messages"]}), structs.replace(span, attributes=attributes))
    assert found is not None
    assert (found.content, len(found.exposed)) == (False, 1)


def test_a_history_is_looked_through_once_however_often_it_is_repeated(chat, monkeypatch):
    looked_at: list[str] = []
    scan = Scanner.scan_text

    def counting(self, text, **options):
        looked_at.append(text)
        return scan(self, text, **options)

    monkeypatch.setattr(Scanner, "scan_text", counting)
    listening = listener({"in": ["messages"]})
    turns = [f"turn {n} {TOKEN}" for n in range(6)]
    found = [heard(listening, chat(*turns[: n + 1])) for n in range(6)]
    assert len(looked_at) == len(turns)
    assert [len(each.exposed) for each in found if each] == [1, 2, 3, 4, 5, 6]


def test_what_is_known_is_bounded(chat, monkeypatch):
    monkeypatch.setattr(module, "KNOWN_MESSAGES", 2)
    listening = listener({"in": ["messages"]})
    heard(listening, chat("a", "b", "a", "c"))
    assert len(listening._known) == 2


def test_past_a_cap_further_places_are_counted(chat):
    found = heard(listener({"in": ["messages"]}), chat(*[TOKEN] * (MOST_EXPOSED + 3)))
    assert found is not None
    assert (len(found.exposed), found.beyond) == (MOST_EXPOSED, 3)


def test_no_character_of_a_secret_is_kept(chat):
    listening = listener({"in": ["messages"]})
    found = heard(listening, chat(f"use {TOKEN}", json.dumps({TOKEN: 1})))
    assert found is not None
    told = repr((found, listening._known))
    assert [at for at in range(len(TOKEN) - 6) if TOKEN[at + 4 : at + 10] in told] == []

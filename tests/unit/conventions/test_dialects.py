import pytest

from toolscore_otel.conventions import READERS, attributes as names, genai, genai_legacy, haystack
from toolscore_otel.conventions.dialects import DIALECTS, readers_of


def conventions(span_name: str = "", *marks: str) -> list[str]:
    asked = readers_of(span_name, dict.fromkeys(marks, "x"))
    return [dialect.convention for dialect in DIALECTS if dialect.read in asked]


def test_what_stands_on_the_span_tells_which_readers_are_asked():
    assert conventions("", "gen_ai.operation.name") == ["genai", "genai_legacy", "gemini_cli"]
    assert conventions("", "openinference.span.kind") == ["genai_legacy", "openinference"]


def test_a_span_of_two_dialects_is_read_in_both_in_their_order():
    asked = readers_of("", {"gen_ai.operation.name": "chat", "openinference.span.kind": "LLM"})
    assert asked == tuple(reader for reader in READERS if reader in asked)
    assert genai.read in asked
    assert conventions("", "openinference.span.kind", "gen_ai.operation.name") == [
        "genai",
        "genai_legacy",
        "openinference",
        "gemini_cli",
    ]


@pytest.mark.parametrize("name", sorted({name for each in DIALECTS for name in each.names}))
def test_a_span_name_tells_it_too_whatever_follows(name):
    of_name = [dialect.convention for dialect in DIALECTS if name.startswith(dialect.names)]
    mark = names.CONVERSATION  # which no reader is asked for alone
    assert conventions(name, mark) == conventions(f"{name} and much more " * 9, mark) == of_name


def test_the_invoker_of_haystack_is_known_by_its_span_under_openinference():
    assert haystack.read in readers_of("ToolInvoker.run", {"openinference.span.kind": "TOOL"})


def test_partial_forms_are_looked_for_on_every_span():
    assert readers_of("GET /", {names.CONVERSATION: "c"}) == (genai_legacy.read,)


def test_no_reader_is_asked_of_a_span_without_a_mark():
    assert readers_of("GET /", {"http.route": "/"}) == ()


def test_marks_are_attributes_that_make_a_span_one_of_interest():
    assert all(set(dialect.marks) <= names.MARKERS for dialect in DIALECTS)

import pytest
from msgspec import structs

from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import ContentState, FindingKind, Gap, Scope, ToolSchema
from toolscore_otel.rules import arguments_check
from toolscore_otel.rules.arguments import Arguments, items

REFUND = {
    "type": "object",
    "required": ["order_id"],
    "properties": {
        "order_id": {"type": "string", "pattern": "^O-"},
        "amount": {"type": ["number", "null"], "minimum": 0},
        "lines": {"type": "array", "items": {"type": "object", "required": ["sku"]}},
        "mode": {"enum": ["full", "part"]},
        "unit": {"const": "USD"},
    },
}
CHECK = Arguments(reason="why")


@pytest.fixture
def refund(made):
    """A call of a tool with this schema, or these."""

    def make(args=None, *schemas, **fields):
        known = tuple(map(ToolSchema, schemas or (REFUND,)))
        return structs.replace(made("refund", args, **fields), schemas=known)

    return make


def cut(text):
    return {"args_state": ContentState.TRUNCATED, "args_text": text}


def test_arguments_that_fit_the_schema_are_nothing_to_say(refund, watch):
    assert watch(CHECK, refund({"order_id": "O-1", "amount": None, "more": 1})).silent


def test_arguments_that_do_not_fit_are_a_finding_on_the_call(refund, watch):
    (verdict,) = watch(CHECK, refund({"amount": "SECRET"}, agent="desk")).fails
    assert FindingKind.INVALID_ARGUMENTS is verdict.kind
    assert verdict.call.key == "c1"
    assert verdict.path == "amount"
    assert verdict.explanation == (
        "agent `desk` called `refund` with arguments that do not fit its schema: "
        "`amount` is no null or number; `order_id` is missing: why"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"order_id": "X"}, "`order_id` breaks `pattern` of the schema"),
        ({"order_id": "O-1", "amount": -1}, "`amount` breaks `minimum` of the schema"),
        ({"order_id": "O-1", "lines": [{"sku": 1}, {}]}, "`lines.1.sku` is missing"),
        ({"order_id": "O-1", "mode": "x"}, "`mode` is none of the values that are allowed"),
        ({"order_id": "O-1", "unit": "EUR"}, "`unit` is none of the values that are allowed"),
        ([1], "the whole is no JSON object"),
        ("text", "the whole is no JSON object"),
        (True, "the whole is no JSON object"),
    ],
)
def test_it_says_what_is_wrong_and_where_and_never_a_value(args, said, refund, watch):
    (verdict,) = watch(Arguments(), refund(args)).fails
    assert verdict.explanation.endswith(f"do not fit its schema: {said}")


def test_every_name_that_the_schema_does_not_allow_is_named(refund, watch):
    closed = {"properties": {"a": True}, "additionalProperties": False}
    (verdict,) = watch(Arguments(unknown="flag"), refund({"b": 1, "c": 1}, closed)).fails
    assert verdict.explanation.endswith("`b` is not allowed; `c` is not allowed")


def test_of_many_things_that_are_wrong_only_some_are_named(refund, watch):
    schema = {"required": list("abcdefgh")}
    (verdict,) = watch(Arguments(), refund({"h": 1}, schema)).fails
    assert verdict.explanation.endswith("`e` is missing; and 2 more")


def test_a_path_is_told_of_the_first_thing_only_and_not_of_the_whole(refund, watch):
    (verdict,) = watch(CHECK, refund([1])).fails
    assert verdict.path is None
    (verdict,) = watch(CHECK, refund({"a": 1}, {"minProperties": 2})).fails
    assert verdict.path is None
    assert "the whole breaks `minProperties` of the schema" in verdict.explanation


def test_text_that_is_whole_and_no_json_is_invalid(refund, watch):
    state = {"args_state": ContentState.UNPARSABLE}
    (verdict,) = watch(CHECK, refund(args_text="{order_id: SECRET}", **state)).fails
    assert "the whole is no JSON object" in verdict.explanation
    assert watch(CHECK, refund(**state)).fails


def test_no_arguments_are_an_empty_object(refund, watch):
    call = structs.replace(refund(), args_state=ContentState.OBSERVED)
    assert "`order_id` is missing" in watch(CHECK, call).fails[0].explanation


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ('{"order_id": "O-1", "am', "unsure"),
        ('{"order_id": "X', "unsure"),
        ('{"amount": "abc', "fails"),
        ('{"amount": "', "unsure"),
        ('{"order_id": [1', "fails"),
        ("[1, 2", "fails"),
        ('{"lines": [{"sku": 1}, {', "unsure"),
        ('{"lines": [{"sku": 1}, {}', "fails"),
    ],
)
def test_cut_text_is_judged_as_far_as_it_goes(text, stands, refund, watch):
    watched = watch(CHECK, refund(**cut(text)))
    assert getattr(watched, stands)
    assert watched.lacks == ({"arguments"} if stands == "unsure" else set())


@pytest.mark.parametrize("args", [None, "[REDACTED]", {"order_id": "[REDACTED]"}])
def test_what_was_not_observed_cannot_be_checked(args, refund, watch):
    (verdict,) = watch(CHECK, refund(args)).unsure
    text = "whether the arguments of this call of `refund` fit its schema"
    assert (text, ("arguments",)) == (verdict.explanation, verdict.missing)


@pytest.mark.parametrize(
    "schemas", [(), ({"type": "OBJECT"},), ({"$ref": "https://example.com/x"},)]
)
def test_without_a_schema_that_can_be_used_there_is_nothing_to_say(schemas, made, watch):
    call = structs.replace(made("refund"), schemas=tuple(map(ToolSchema, schemas)))
    assert watch(CHECK, call, call).silent


def test_the_registry_goes_before_what_the_trace_records(refund, watch):
    call = refund({"id": 1})
    assert watch(CHECK, JudgedCall(call, parameters=ToolSchema({"required": ["id"]}))).silent
    assert watch(CHECK, JudgedCall(call, parameters=ToolSchema({"required": ["x"]}))).fails


def test_of_several_schemas_all_or_none_decide(refund, watch):
    one, other = {"required": ["a"]}, {"required": ["b"]}
    assert watch(CHECK, refund({"a": 1, "b": 1}, one, other)).silent
    assert watch(CHECK, refund({}, one, other)).fails
    assert {"schema"} == watch(CHECK, refund({"a": 1}, one, other)).lacks
    assert {"schema"} == watch(CHECK, refund({}, one, {"type": "OBJECT"})).lacks
    assert {"schema", "arguments"} == watch(CHECK, refund(None, one, {"type": "OBJECT"})).lacks


def test_requests_are_judged_too(refund, watch):
    (verdict,) = watch(CHECK, refund({}, stage="requested")).fails
    assert verdict.explanation.startswith("`refund` was asked for with arguments that")


def test_only_the_tools_of_a_list_are_looked_at(refund, watch):
    assert watch(Arguments(tools=["pay", {"tool": "other"}]), refund({})).silent
    assert watch(Arguments(tools=["pay", "ref*"]), refund({})).fails
    unsure = Arguments(tools=[{"tool": "refund", "result": 1}])
    assert {"result"} == watch(unsure, refund({})).lacks
    assert watch(unsure, refund({"order_id": "O-1"})).silent
    assert watch(CHECK, refund({}, kind="handoff")).silent
    assert watch(Arguments(tools=[{"kind": "handoff"}]), refund({}, kind="handoff")).fails


def test_excused_calls_are_not_judged(refund, made, watch):
    assert watch(Arguments(unless={"agent": "x"}), refund({}, agent="x")).silent
    late = Arguments(unless={"before": "ok"})
    assert watch(late, made("ok"), refund({})).silent
    assert late.compile().deferred
    assert not late.compile().per_call
    assert CHECK.compile().per_call


def test_a_call_is_judged_anew_when_more_is_known(refund, watch):
    call = refund({})
    watched = watch(CHECK, call)
    assert watched.fails
    assert watched.replace(call, schemas=()).silent
    assert watched.close([Gap.FRAGMENT]).silent


FLAG = Arguments(unknown="flag")


@pytest.mark.parametrize(
    ("schema", "unknown"),
    [
        ({"properties": {"a": True}}, {"b", "c", "d"}),
        ({"properties": {}}, {"a", "b", "c", "d"}),
        ({"properties": {"a": True}, "additionalProperties": True}, {"b", "c", "d"}),
        ({"allOf": [{"properties": {"a": True}}, {"properties": {"b": True}}]}, {"c", "d"}),
        ({"anyOf": [{"properties": {"a": True}}, True], "properties": {"c": True}}, {"b", "d"}),
        ({"if": {"properties": {"a": True}}, "then": {"properties": {"b": True}}}, {"c", "d"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"d": True}}}}, {"a", "b", "c"}),
        (
            {"$ref": "#/$defs/x~1~0", "$defs": {"x/~": {"properties": {"d": True}}}},
            {"a", "b", "c"},
        ),
        (
            {"properties": {"a": True}, "allOf": [{"$ref": "#"}]},
            {"b", "c", "d"},
        ),
        ({}, set()),
        ({"type": "object"}, set()),
        ({"properties": {"a": True}, "patternProperties": {"^b": True}}, set()),
        ({"properties": {"a": True}, "allOf": [{"$anchor": "x"}, {"$ref": "#x"}]}, set()),
        (
            {"properties": {"a": True}, "$defs": {"b": True}, "allOf": [{"$ref": "#/$defs/b"}]},
            set(),
        ),
    ],
)
def test_names_that_stand_nowhere_are_flagged_where_that_is_asked_for(
    schema, unknown, refund, watch
):
    args = dict.fromkeys("abcd", 1)
    assert watch(Arguments(), refund(args, schema)).silent
    said = "".join(verdict.explanation for verdict in watch(FLAG, refund(args, schema)).fails)
    assert unknown == {name for name in args if f"`{name}` stands nowhere in the schema" in said}


def test_names_in_cut_text_are_flagged_as_far_as_it_goes(refund, watch):
    schema = {"properties": {"a": True}}
    assert watch(FLAG, refund(None, schema, **cut('{"a": 1, "b": 2, "c'))).fails
    assert {"arguments"} == watch(FLAG, refund(None, schema, **cut('{"a": 1, "b'))).lacks


def test_past_a_cap_schemas_are_made_ready_each_time(refund, watch, monkeypatch):
    monkeypatch.setattr(arguments_check, "MOST_SCHEMAS", 0)
    assert len(watch(CHECK, refund({}), refund({})).fails) == 2


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({"tools": []}, ("tools",)),
        ({"tools": ["x", {"tol": 1}]}, ("tools", 1, "tol")),
        ({"unless": {"tol": 1}}, ("unless", "tol")),
    ],
)
def test_a_rule_that_makes_no_sense_is_an_error(keys, path):
    with pytest.raises(MatcherError) as caught:
        Arguments(**keys).compile()
    assert path == caught.value.path


def test_the_clause_is_one_rule():
    (item,) = items({"check": "schema"})
    assert (item.id, item.path) == ("arguments", ())
    with pytest.raises(MatcherError, match="takes a mapping"):
        list(items(["x"]))


def test_a_rule_knows_what_it_asks_for():
    assert CHECK.compile().uses_schemas
    assert not CHECK.compile().uses_agent
    assert Arguments(tools=[{"agent": "x"}]).compile().uses_agent
    assert Arguments(unless={"agent": "x"}).compile().uses_agent
    assert Arguments(scope=Scope.AGENT).compile().scope is Scope.AGENT

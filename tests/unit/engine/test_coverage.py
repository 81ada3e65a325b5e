from toolscore_otel.model import FindingKind, Label, Scope, Severity


def test_calls_asked_for_of_which_none_ran_are_a_finding(contract, fed, asked):
    engine = fed()
    engine.feed(asked("s1", "rm", "c1"), asked("s2", "ls", "c2", at=20))
    (finding,) = engine.close()
    assert (finding.contract, finding.rule, finding.kind) == (
        "",
        "coverage",
        FindingKind.COVERAGE_GAP,
    )
    assert (finding.severity, finding.label, finding.count) == (Severity.WARNING, Label.FAIL, 2)
    assert (finding.scope, finding.trace_id, finding.span_id) == (Scope.TRACE, "t", None)
    assert finding.explanation.startswith("2 tool calls were asked for, and none was seen to run")


def test_one_call_is_said_as_one(fed, asked):
    engine = fed()
    engine.feed(asked("s1", "rm"))
    assert engine.close()[0].explanation.startswith("1 tool call was asked for")


def test_one_call_that_ran_is_enough(fed, asked, tool):
    engine = fed()
    engine.feed(asked("s1", "rm"), tool("s2", at=20))
    assert engine.close() == []


def test_a_call_that_is_seen_to_run_late_corrects_it(fed, asked, executed):
    engine = fed()
    engine.feed(asked("s1", "rm"))
    engine.close()
    engine.feed(executed("s2", "s1"))
    (finding,) = engine.close()
    assert (finding.label, finding.revision) == (Label.PASS, 2)


def test_a_trace_without_calls_has_no_gap(fed, agent):
    engine = fed()
    engine.feed(agent("a1"))
    assert engine.close() == []


def test_handoffs_are_no_tool_calls(fed, asked, agent):
    engine = fed()
    engine.feed(agent("a1"), agent("a2", parent="a1"))
    assert engine.close() == []

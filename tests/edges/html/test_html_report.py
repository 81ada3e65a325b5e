"""The HTML report, as a browser shows it and as a keyboard moves it: nothing is asked for, nothing breaks out."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import structs

from tests.parts.browser import Page
from toolscore_otel.contracts import Contract, load_text
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.engine import score
from toolscore_otel.model import Severity, Span
from toolscore_otel.report.html import report_html
from toolscore_otel.testing.made import make_span

HOSTILE = "\"'><img src=x onerror=alert(1)></script><script>document.title='broken'</script>"
CONTRACT = """
contract: desk
language: 1
forbid: [{tool: delete, severity: critical}, {tool: slow, severity: warning}]
"""
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5-mini",
    "gen_ai.usage.input_tokens": 1200,
    "gen_ai.usage.output_tokens": 300,
}
Opened = Callable[..., Page]


def desk() -> Contract:
    (contract,) = load_text(CONTRACT, "desk.yaml")
    return contract


def spans() -> Iterator[Span]:
    """Two agents: one searches twice at once, is slow, and fails; the other deletes. Then a trace of another kind."""
    root = make_span(agent="desk", took_s=10)
    helper = make_span(agent="helper", parent=root, start_s=5, took_s=4)
    yield from (root, helper)
    yield make_span("search", {"q": "kettle"}, parent=root, start_s=1, took_s=2)
    yield make_span("search", {"q": HOSTILE}, parent=root, start_s=2, took_s=2, result=HOSTILE)
    yield make_span("slow", parent=root, start_s=4, error="Timeout")
    yield make_span("delete", {"id": 7}, parent=helper, start_s=6)
    yield make_span(parent=helper, start_s=6, attributes=CHAT)
    yield make_span(HOSTILE, parent=helper, start_s=7)
    yield make_span("other", agent=None)


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> Opened:
    """Opens the report of some spans."""

    def opens(telemetry: Iterator[Span], **how: object) -> Page:
        contract = desk()
        file = tmp_path / "report.html"
        report = score(telemetry, [contract])
        file.write_text(report_html(report, scanner_of([contract]), fail_on=Severity.ERROR))
        page.open(file, **how)  # type: ignore[arg-type]
        return page

    return opens


def shown(page: Page, what: str) -> list[str]:
    """Texts of the elements that can be seen."""
    script = f"[...document.querySelectorAll({what!r})].filter(e => e.checkVisibility()).map(e => e.textContent)"
    found: list[str] = page.value(script)
    return found


def tools(page: Page) -> list[str]:
    return shown(page, ".call .tool")


def choose(page: Page, field: str, value: str) -> None:
    page.value(
        f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
        " field.dispatchEvent(new Event('change')) })()"
    )


def focused(page: Page) -> str:
    """The tool of the call that has the focus."""
    tool: str = page.value("document.activeElement.querySelector('.tool')?.textContent ?? document.activeElement.id")  # fmt: skip
    return tool


def test_it_asks_for_nothing_and_nothing_goes_wrong(opened):
    page = opened(spans())

    assert [url for url in page.requests if not url.startswith("file:")] == []
    assert len(page.requests) == 1
    assert page.said == []


def test_what_telemetry_holds_is_text(opened):
    page = opened(spans())

    assert page.value("document.title") == "toolscore-otel"
    assert page.value("document.querySelectorAll('img').length") == 0
    assert page.value("document.querySelectorAll('script').length") == 1
    assert HOSTILE in tools(page)


def test_a_script_that_came_in_all_the_same_would_not_run(opened):
    page = opened(spans())

    page.value("(() => { const s = document.createElement('script'); s.textContent = \"document.title = 'broken'\"; document.body.append(s) })()")  # fmt: skip

    assert page.value("document.title") == "toolscore-otel"
    assert any("Content Security Policy" in said for said in page.said)


def test_parallel_calls_are_drawn_below_each_other(opened):
    page = opened(spans())

    tops = page.value("[...document.querySelectorAll('.lanes svg')].map(s => new Set([...s.querySelectorAll('rect[data-c]:not(.flag)')].map(r => r.getAttribute('y'))).size)")  # fmt: skip
    labels = page.value("[...document.querySelectorAll('.lanes svg')].map(s => s.getAttribute('aria-label'))")  # fmt: skip

    assert tops == [2, 1]
    assert labels == ["3 calls of desk, at most 2 at once", "2 calls of helper, at most 1 at once"]


def test_filters_narrow_calls_and_findings_together(opened):
    page = opened(spans())
    everything = tools(page)

    choose(page, "tool", "delete")
    assert (tools(page), len(shown(page, ".findings li"))) == (["delete"], 1)
    assert shown(page, "#shown") == ["1 of 6 calls"]

    choose(page, "tool", "")
    choose(page, "agent", "desk")
    assert tools(page) == ["search", "search", "slow"]

    choose(page, "severity", str(Severity.WARNING.rank))
    assert tools(page) == ["slow"]

    choose(page, "agent", "")
    assert tools(page) == ["slow", "delete"]
    choose(page, "severity", str(Severity.ERROR.rank))
    assert tools(page) == ["delete"]

    page.press("Escape")
    assert tools(page) == everything


def test_a_text_is_sought_in_arguments_results_and_errors(opened):
    page = opened(spans())

    page.press("/")
    for letter in "kettle":
        page.press(letter)
    page.wait_for("document.getElementById('shown').textContent === '1 of 6 calls'")

    assert page.value("document.activeElement.id") == "text"
    assert tools(page) == ["search"]


def test_keys_move_between_calls_and_findings_and_open_them(opened):
    page = opened(spans())

    page.press("j")
    page.press("j")
    page.press("k")
    assert focused(page) == "search"
    page.press("n")
    assert focused(page) == "slow"
    page.press("n")
    assert focused(page) == "delete"
    page.press("p")
    page.press("p")
    assert focused(page) == "slow"

    page.press("Enter")
    assert page.value("document.activeElement.parentElement.open") is True
    page.press("Enter")
    assert page.value("document.activeElement.parentElement.open") is False


def test_a_link_opens_what_it_leads_to_even_where_it_was_filtered_away(opened):
    page = opened(spans())
    choose(page, "tool", "search")

    page.value("location.hash = document.querySelector('.findings a[href^=\"#c\"]').hash")
    page.wait_for("document.activeElement.closest('.call')")

    assert focused(page) == "delete"
    assert page.value("document.activeElement.parentElement.open") is True


def test_a_bar_leads_to_its_call(opened):
    page = opened(spans())

    page.value("document.querySelector('rect.flag.critical').dispatchEvent(new MouseEvent('click', {bubbles: true}))")  # fmt: skip

    assert focused(page) == "delete"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(opened, tmp_path, width, scheme):
    root, *others = spans()
    running = structs.replace(make_span("running", parent=root, start_s=8), end_ns=None)
    page = opened(iter([root, *others, running]), width=width, scheme=scheme)
    page.value("document.querySelectorAll('details').forEach(e => { e.open = true })")

    assert page.value("document.documentElement.scrollWidth <= innerWidth") is True
    weakest = page.value(CONTRASTS)
    assert weakest["text"]["ratio"] >= 4.5, weakest["text"]
    assert weakest["graphic"]["ratio"] >= 3, weakest["graphic"]
    assert set(weakest["kinds"]) >= {
        *("rect ok", "rect error", "rect unknown", "rect flag critical", "rect flag warning"),
        *("bar ok", "bar error", "bar open", "legend legend ok", "SELECT", "INPUT", "BUTTON"),
    }  # fmt: skip
    page.picture(tmp_path / "seen.png")
    assert (tmp_path / "seen.png").read_bytes().startswith(base64.b64decode("iVBORw0KGgo="))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_without_a_finding_can_be_read_too(opened, scheme):
    page = opened(iter([make_span("search", {})]), scheme=scheme)

    assert page.value(CONTRASTS)["text"]["ratio"] >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_where_the_focus_is_can_be_seen(opened, scheme):
    page = opened(spans(), scheme=scheme)

    page.press("j")

    width, style, ratio = page.value(FOCUS)
    assert (width, style) == ("2px", "solid")
    assert ratio >= 3


FOCUS = """(() => { const style = getComputedStyle(document.activeElement);
  const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, n) => sum + v * [.2126, .7152, .0722][n], 0);
  const [a, b] = [light(style.outlineColor), light(getComputedStyle(document.body).backgroundColor)].sort((x, y) => y - x);
  return [style.outlineWidth, style.outlineStyle, (a + .05) / (b + .05)];
})()"""


CONTRASTS = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const parse = (text) => { context.clearRect(0, 0, 1, 1); context.fillStyle = text; context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [.2126, .7152, .0722][n], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] > 0) return c; } return [255, 255, 255]; };
  const ratio = (color, back) => { const [a, b] = [light(parse(color)), light(back)].sort((x, y) => y - x);
    return (a + .05) / (b + .05); };
  const weakest = {text: {ratio: 99}, graphic: {ratio: 99}};
  const kinds = new Set();
  const note = (what, color, back, e, kind) => { const found = ratio(color, back); if (kind) kinds.add(kind);
    if (found < weakest[what].ratio) weakest[what] = {ratio: found, color, what: e.outerHTML.slice(0, 120)}; };
  for (const e of document.querySelectorAll('main *')) {
    if (!e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    if ([...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !e.matches('option, title'))
      note('text', style.color, behind(e), e);
    if (e.matches('input')) note('text', getComputedStyle(e, '::placeholder').color, behind(e), e);
    if (e.matches('rect')) note('graphic', style.fill, behind(e.closest('svg')), e, `rect ${e.getAttribute('class')}`);
    if (e.matches('.bar, .share i')) for (const color of style.backgroundImage === 'none' ? [style.backgroundColor] :
      [style.backgroundImage.match(/(rgb|color)\\([^()]*\\)/)[0]])
      note('graphic', color, behind(e.parentElement), e, e.className || 'share');
    if (e.matches('.legend') && getComputedStyle(e, '::before').backgroundImage === 'none')
      note('graphic', getComputedStyle(e, '::before').backgroundColor, behind(e), e, `legend ${e.className}`);
    if (e.matches('select, input, button')) note('graphic', style.borderTopColor, behind(e.parentElement), e, e.tagName);
  }
  return {...weakest, kinds: [...kinds].sort()};
})()"""
"""The weakest contrasts of text, and of marks, with what is behind it, and the kinds of marks; by WCAG 2.2, 1.4.3 and 1.4.11."""


def test_thousands_of_calls_can_be_filtered(opened):
    def many() -> Iterator[Span]:
        root = make_span(agent="desk", took_s=5000)
        yield root
        for number in range(5000):
            yield make_span(f"tool {number % 7}", {"n": number}, parent=root, start_s=number)

    page = opened(many())

    choose(page, "tool", "tool 3")

    assert shown(page, "#shown") == ["714 of 5,000 calls"]
    assert page.said == []

    page.press("Escape")
    assert shown(page, "#shown") == ["5,000 calls"]
    page.value("document.querySelector('.call').scrollIntoView()")
    page.wait_for(f"{RENDERED} > 0")
    assert page.value(RENDERED) < 200
    assert page.value("document.querySelectorAll('*').length") < 5000 * 35


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_of_a_small_report_all_is_drawn_also_what_is_not_seen(opened, scheme):
    page = opened(spans(), height=100, scheme=scheme)
    everything = page.value("document.querySelectorAll('details[open] .call').length")
    assert page.value(RENDERED) == everything > 0


RENDERED = """[...document.querySelectorAll('.call > summary > .tool')]
  .filter(e => e.checkVisibility({contentVisibilityAuto: true})).length"""
"""How many calls the browser draws; of the others it only knows how high they are."""

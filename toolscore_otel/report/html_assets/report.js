"use strict";
const one = (id) => document.getElementById(id);
const all = (what, where = document) => [...where.querySelectorAll(what)];
const filters = one("filters"), text = one("text");
const tool = one("tool"), agent = one("agent"), severity = one("severity");
const calls = all(".call"), findings = all(".findings li"), traces = all(".trace");
const wasOpen = new Map(traces.map((trace) => [trace, trace.open]));
const bars = new Map();
for (const bar of all("rect[data-c]")) bars.set(bar.dataset.c, bar.parentNode);

const words = new Map();
function said(element) {
  if (!words.has(element)) words.set(element, element.textContent.toLowerCase());
  return words.get(element);
}

function wanted(element, least, sought) {
  const of = element.dataset;
  return (!tool.value || of.t === tool.value) && (!agent.value || of.a === agent.value) &&
    Number(of.s) >= least && sought.every((word) => said(element).includes(word));
}

function filter() {
  const least = severity.value === "" ? -1 : Number(severity.value);
  const sought = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const filtered = Boolean(tool.value || agent.value || severity.value || sought.length);
  let count = 0;
  const lots = new Map();
  for (const call of calls) {
    const shown = wanted(call, least, sought);
    count += shown;
    lots.set(call.parentNode, (lots.get(call.parentNode) ?? 0) + shown);
    call.hidden = !shown;
    bars.get(call.id)?.classList.toggle("away", !shown);
  }
  for (const finding of findings) finding.hidden = !wanted(finding, least, sought);
  for (const [lot, many] of lots) lot.style.setProperty("--n", many);
  for (const part of all(".agent")) part.hidden = !part.querySelector(".call:not([hidden])");
  for (const rule of all(".findings article")) {
    rule.hidden = !rule.querySelector("li:not([hidden])");
    for (const more of all("details", rule)) more.open = filtered && Boolean(more.querySelector("li:not([hidden])"));
  }
  for (const trace of traces) {
    const some = Boolean(trace.querySelector(".call:not([hidden])"));
    trace.hidden = filtered && !some;
    trace.open = filtered ? some : wasOpen.get(trace);
  }
  one("shown").value = filtered ? `${count.toLocaleString("en")} of ${calls.length.toLocaleString("en")} calls` :
    `${calls.length.toLocaleString("en")} calls`;
}

function reset() {
  tool.value = agent.value = severity.value = text.value = "";
  filter();
}

function show(element) {
  for (let around = element.parentElement; around; around = around.parentElement) if (around.tagName === "DETAILS") around.open = true;
  element.hidden = false;
  const goal = element.querySelector("summary") ?? element;
  if (goal === element) element.tabIndex = -1;
  element.scrollIntoView({block: "center"});
  goal.focus({preventScroll: true});
}

/** The next or previous of some elements, seen from where the focus is. */
function move(among, step) {
  const seen = among.filter((element) => !element.hidden && !element.closest("[hidden]"));
  if (!seen.length) return;
  const here = document.activeElement?.closest?.(".call");
  let at = here ? seen.indexOf(here) : -1;
  if (here && at < 0) {
    const after = seen.findIndex((element) => here.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
    at = after < 0 ? seen.length : step > 0 ? after - 1 : after;
  }
  const next = here ? at + step : step > 0 ? 0 : seen.length - 1;
  if (seen[next]) show(seen[next]);
}

const keys = {
  "/": () => text.focus(),
  j: () => move(calls, 1),
  k: () => move(calls, -1),
  n: () => move(calls.filter((call) => call.dataset.s !== "-1"), 1),
  p: () => move(calls.filter((call) => call.dataset.s !== "-1"), -1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { reset(); document.activeElement?.blur?.(); return; }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")) return;
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});

document.addEventListener("click", (event) => {
  const bar = event.target.closest?.("rect[data-c]");
  if (bar) { const call = one(bar.dataset.c); if (call) { call.open = true; show(call); } }
});

/** What a link leads to may be closed or filtered away. */
function followed() {
  const goal = location.hash.length > 1 ? one(location.hash.slice(1)) : null;
  if (!goal) return;
  if (goal.hidden || goal.closest("[hidden]")) reset();
  if (goal.tagName === "DETAILS") goal.open = true;
  show(goal);
}

for (const field of [tool, agent, severity]) field.addEventListener("change", filter);
let waiting = 0;
text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
one("reset").addEventListener("click", reset);
window.addEventListener("hashchange", followed);
filters.hidden = false;
filter();
followed();

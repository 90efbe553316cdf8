import { $, element } from "./elements.js";
import { growthCurve } from "./growth.js";
import { highlighted } from "./highlighting.js";
import { pictureMarks } from "./marks.js";
import { traceView } from "./trace.js";

/* The report's behaviour. All text of the model reaches the page as text nodes: nothing of it is ever markup. */
{
  const report = JSON.parse($("report").textContent);

  // ---- light and dark -------------------------------------------------------------------------------------------
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let theme = null;
  const applyTheme = () => { document.documentElement.dataset.theme = theme ?? (dark.matches ? "dark" : "light"); };
  dark.addEventListener("change", applyTheme);
  window.addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; }); // paper is white
  window.addEventListener("afterprint", applyTheme);
  $("theme").addEventListener("click", () => {
    theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    applyTheme();
  });
  applyTheme();

  // ---- in a frame of the workbench: it says light or dark, we say which step is chosen -----------------------------
  const framed = window.parent !== window;
  const tell = (content) => { if (framed) window.parent.postMessage(content, "*"); };
  if (framed) {
    document.documentElement.classList.add("framed");
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent || !["light", "dark"].includes(event.data?.theme)) return;
      theme = event.data.theme;
      applyTheme();
    });
  }

  // ---- the trace that is shown ----------------------------------------------------------------------------------
  let trace = null, picked = -1, hits = [], wanted = "", snapshots = [], shown = 0, showing = 0;
  const view = traceView({ scroller: $("scroller"), rows: $("rows"), lanes: $("lanes") }, showPicked);

  const text = (index) => trace.texts[index];
  const stepsCount = () => trace.steps.length;
  function showTrace(index) {
    const finding = report.findings[index];
    showing = index;
    for (const [number, tab] of [...$("tabs").children].entries()) tab.setAttribute("aria-pressed", String(number === index));
    showWhy(finding);
    trace = finding.trace;
    shown = report.findings.slice(0, index).filter((each) => each.trace !== null).length;
    $("trace").hidden = trace === null;
    if (trace === null) return;
    snapshots = []; wanted = ""; hits = [];
    $("search").value = "";
    const folding = stepsCount() > 60 && trace.steps.some((step) => step.l);
    $("fold").setAttribute("aria-pressed", String(folding));
    $("fold").hidden = !trace.steps.some((step) => step.l);
    view.show(trace, folding);
    view.pick(trace.deciding ?? stepsCount() - 1, false);
    if (stepsCount()) view.reveal();
  }

  function showWhy(finding) {
    const box = $("why");
    box.hidden = false;
    box.classList.toggle("fine", finding.fine);
    box.replaceChildren(element("h2", {}, finding.explanation ? "Why" : finding.fine ? "For example" : "What happens"));
    box.append(element("p", {}, finding.explanation ? finding.explanation.summary : finding.message));
    if (finding.unclear) box.append(element("p", {}, `This run may be longer than it need be: there was no time to make it clear. To see it clear: ${finding.unclear}.`));
    if (!finding.explanation) return;
    const list = element("ul");
    for (const reason of finding.explanation.reasons) {
      const item = element("li", {}, element("code", {}, reason.text));
      for (const [name, value] of reason.values)
        item.append(element("span", { class: "value" }, `${name} = `, element("b", {}, value)));
      list.append(item);
    }
    box.append(list);
  }

  // ---- picking a step: source and state follow ------------------------------------------------------------------
  function showPicked(step) {
    picked = step;
    tell({ finding: showing, step });
    if (step < 0) { showState(-1); showMarks(-1); return; }
    showSource(trace.steps[picked]);
    showState(picked);
    showMarks(picked);
    $("where").textContent = `step ${picked + 1} of ${stepsCount().toLocaleString("en")}`;
  }

  let sourceFile = null;
  function showSource(step) {
    const part = step.p[step.p.length - 1];
    const file = part === undefined ? -1 : part[2];
    const lines = file < 0 ? null : report.sources[report.files[file]];
    $("sourcebox").hidden = !lines;
    if (!lines) return;
    const box = $("source");
    if (sourceFile !== file) {
      sourceFile = file;
      $("sourcename").textContent = report.files[file];
      box.replaceChildren(...highlighted(lines, report.highlighting).map((parts, index) => element("div", {}, element("span", { class: "n" }, String(index + 1)), element("span", {}, ...parts))));
    }
    for (const node of box.querySelectorAll(".here")) node.classList.remove("here");
    const wantedLines = new Set(step.p.filter((each) => each[2] === file).map((each) => each[3]));
    for (const line of wantedLines) box.children[line - 1]?.classList.add("here");
    const main = box.children[part[3] - 1];
    if (main) box.scrollTop = main.offsetTop - box.offsetTop - box.clientHeight / 2;
  }

  function stateAfter(step) {
    const every = 200, mark = Math.floor((step + 1) / every);
    while (snapshots.length <= mark) {
      if (!snapshots.length) { snapshots.push(new Map(trace.initial)); continue; }
      const state = new Map(snapshots[snapshots.length - 1]), start = (snapshots.length - 1) * every;
      for (let i = start; i < start + every; ++i) apply(state, trace.steps[i]);
      snapshots.push(state);
    }
    const state = new Map(snapshots[mark]);
    for (let i = mark * every; i <= step; ++i) apply(state, trace.steps[i]);
    return state;
  }
  function apply(state, step) {
    for (const [name, , now] of step.c) if (now < 0) state.delete(name); else state.set(name, now);
  }

  function showState(step) {
    const state = stateAfter(step);
    const changed = new Map(step < 0 ? [] : trace.steps[step].c.filter(([name]) => !trace.steps[step].g.includes(name)).map(([name, old]) => [name, old]));
    const filter = wanted.toLowerCase();
    const body = element("tbody");
    const owners = new Set(trace.names.filter((each) => each.endsWith("@")).map((each) => each.slice(0, -1)));
    let group = null;
    const order = [...state.keys()].sort((a, b) => a - b);
    for (const name of order) {
      const full = trace.names[name];
      if (filter && !full.toLowerCase().includes(filter)) continue;
      const end = full.search(/[@.]/);
      const watching = full.startsWith("(") && full.endsWith(")"); // what follows the run and looks at the property
      const owner = watching ? "automaton of the property" : end > 0 && owners.has(full.slice(0, end)) ? full.slice(0, end) : "";
      if (owner !== group && (owner || group !== null)) body.append(element("tr", { class: "head" }, element("td", { colspan: "2" }, owner || "global")));
      group = owner;
      const shown = full.endsWith("@") ? "is at" : watching ? full.slice(1, -1) : owner ? full.slice(owner.length + 1) : full;
      const value = element("td");
      if (changed.has(name) && changed.get(name) >= 0) value.append(element("span", { class: "old" }, text(changed.get(name))), " ");
      value.append(text(state.get(name)));
      body.append(element("tr", { class: changed.has(name) ? "changed" : "" }, element("td", { title: full }, shown), value));
    }
    $("state").replaceChildren(element("table", {}, body));
    $("statename").textContent = step < 0 ? "State at the start" : `State after step ${step + 1}`;
  }

  // ---- pictures: tokens in places, processes at their control points, the transition that fired ------------------
  const show = $("pictures") ? pictureMarks($("pictures")) : () => {};
  function showMarks(step) {
    show(new Map((trace.marks[step + 1] ?? []).map(([key, mark]) => [text(key), text(mark)])));
  }

  // ---- search by variable ---------------------------------------------------------------------------------------
  function search(term) {
    wanted = term.trim();
    hits = [];
    if (wanted && trace) {
      const needle = wanted.toLowerCase();
      const names = new Set(trace.names.flatMap((name, index) => (name.toLowerCase().includes(needle) ? [index] : [])));
      const texts = new Set(trace.texts.flatMap((each, index) => (each.toLowerCase().includes(needle) ? [index] : [])));
      trace.steps.forEach((step, index) => {
        if (step.c.some(([name]) => names.has(name)) || step.p.some((part) => texts.has(part[1]))) hits.push(index);
      });
    }
    $("hits").textContent = wanted ? `${hits.length.toLocaleString("en")} ${hits.length === 1 ? "step" : "steps"}` : "";
    view.mark(hits);
    if (trace) showState(picked);
  }
  const jump = (direction) => {
    const next = direction > 0 ? hits.find((hit) => hit > picked) : hits.findLast((hit) => hit < picked);
    if (next !== undefined) { view.unfold(next); view.pick(next); }
  };

  // ---- walking through the states on demand -----------------------------------------------------------------------
  function explorer(space) {
    const words = (index) => space.texts[index];
    let way = [space.start[0]];
    const stateOf = (number) => { // without recursion: a run can be long
      const line = [];
      for (let at = number; at >= 0; at = space.states[at][0]) line.push(at);
      const state = new Map();
      for (const at of line.reverse())
        for (const [name, value] of space.states[at][1]) if (value < 0) state.delete(words(name)); else state.set(words(name), words(value));
      return state;
    };
    const go = (number) => { way.push(number); show(); };
    function show() {
      const here = way.at(-1), state = stateOf(here), before = way.length > 1 ? stateOf(way.at(-2)) : state;
      const steps = space.steps[here];
      $("here").textContent = steps === null ? "This state is at the edge of what this file knows: kripke simulate --interactive goes on."
        : steps.length ? `after ${way.length - 1} ${way.length === 2 ? "step" : "steps"}, ${steps.length === 1 ? "one step is" : `${steps.length} steps are`} possible:`
        : "nothing can happen here";
      $("choices").replaceChildren(...(steps ?? []).map(([label, target, broken]) => {
        const button = element("button", target < 0 ? { disabled: "" } : { onclick: () => go(target) }, words(label));
        const item = element("li", {}, button);
        if (target >= 0) {
          const after = stateOf(target);
          const effect = [...after].filter(([name, value]) => !name.endsWith("@") && state.get(name) !== value).map(([name, value]) => `${name} = ${value}`);
          item.append(element("span", { class: "effect" }, effect.join(", ")));
        } else if (target === -1) item.append(element("span", { class: "effect" }, "to a state that is not in this file"));
        if (words(broken)) item.append(element("b", { class: "broken" }, words(broken)));
        return item;
      }));
      const body = element("tbody");
      for (const [name, value] of state)
        body.append(element("tr", { class: before.get(name) === value ? "" : "changed" }, element("td", {}, name.endsWith("@") ? `${name.slice(0, -1)} is at` : name), element("td", {}, value)));
      $("herestate").replaceChildren(element("table", {}, body));
      $("back").disabled = way.length < 2;
    }
    $("start").addEventListener("click", () => { way = [space.start[0]]; show(); });
    $("back").addEventListener("click", () => { way.pop(); show(); });
    $("fromstep").hidden = !space.at.length;
    $("fromstep").addEventListener("click", () => {
      const run = space.at[shown] ?? [];
      const known = run.slice(0, picked + 2).findIndex((number) => number < 0);
      way = run.slice(0, known < 0 ? picked + 2 : Math.max(known, 1));
      show();
    });
    const edge = space.steps.some((steps) => steps === null || steps.some(([, target]) => target === -1));
    $("reach").textContent = `${edge ? "the first " : ""}${space.states.length.toLocaleString("en")} ${space.states.length === 1 ? "state" : "states"}`;
    $("explore").hidden = false;
    show();
  }

  // ---- figures ---------------------------------------------------------------------------------------------------
  // ---- start ------------------------------------------------------------------------------------------------------
  const tabs = $("tabs");
  report.findings.forEach((finding, index) =>
    tabs.append(element("button", { title: finding.message, "aria-pressed": "false", onclick: () => showTrace(index) }, `${index + 1}. ${finding.message}`)));
  tabs.hidden = report.findings.length < 2;
  if (report.findings.length) {
    $("fold").addEventListener("click", () => {
      view.fold(!view.folding);
      $("fold").setAttribute("aria-pressed", String(view.folding));
      view.pick(picked);
    });
    $("search").addEventListener("input", (event) => search(event.target.value));
    $("search").addEventListener("keydown", (event) => { if (event.key === "Enter") jump(event.shiftKey ? -1 : 1); });
    $("next").addEventListener("click", () => jump(1));
    $("previous").addEventListener("click", () => jump(-1));
    document.addEventListener("keydown", (event) => {
      if (event.target.tagName === "INPUT" || event.metaKey || event.ctrlKey || event.altKey) return;
      const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
      if (event.key === "/") { event.preventDefault(); $("search").focus(); }
      else if (event.key in moves && trace) {
        event.preventDefault();
        view.pick(view.moved(moves[event.key]));
      }
    });
    window.addEventListener("beforeprint", () => view.print(true));
    window.addEventListener("afterprint", () => view.print(false));
    showTrace(0);
  }
  if (report.samples.length >= 4) {
    $("growthbox").hidden = false;
    $("growth").append(growthCurve(report.samples));
  }
  if (report.space && report.space.start.length) explorer(report.space);
  document.documentElement.dataset.ready = "yes";
  tell({ ready: true });
}

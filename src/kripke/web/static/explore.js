import { element } from "./report/elements.js";
import { traceView } from "./report/trace.js";
import { ask, calmly } from "./asking.js";
import { address, readMacros, stay } from "./places.js";
import { copied, notice, question } from "./notices.js";
import { graphPart } from "./graph.js";
import { picturePart } from "./pictures.js";
import { player } from "./player.js";
import { plural } from "./words.js";

/* Live exploration: one run and a place in it. A step from the middle of the run begins a new branch; the run before
   stays at hand. The address says everything, so that a state can be sent to somebody. */
export function exploreView(box, bench) {
  const dom = skeleton(box);
  let file = "", defines = "", facts = null, run = "0.", cuts = [2], at = 0, here = null, asked = 0, branches = [], loop = null;

  // ---- addresses: "0.01a(40)" is a run; cuts are the places in it where steps end ----
  const cutsOf = (text) => {
    const found = [text.indexOf(".") + 1];
    for (let place = found[0]; place < text.length; found.push(place)) place = text[place] === "(" ? text.indexOf(")", place) + 1 : place + 1;
    return found;
  };
  const prefix = (step = at) => run.slice(0, cuts[step]);
  const setRun = (text) => { run = text; cuts = cutsOf(text); };
  const question_ = (what, more = {}) => ask("/api/explore", { ask: what, name: file, defines: readMacros(defines), ...more });

  async function move(step, { replace = false } = {}) {
    at = Math.max(0, Math.min(cuts.length - 1, step));
    const number = ++asked;
    try {
      const answer = await question_("state", { at: prefix(), watch: watched() });
      if (number !== asked) return false;
      here = answer;
      draw();
      remember(replace);
      refreshRun();
      dom.graph.moved(prefix());
      return true;
    } catch (error) {
      if (number === asked) notice(error.message, "bad");
      return false;
    }
  }
  function remember() {
    const details = { run: run === "0." ? "" : run, step: at === cuts.length - 1 ? "" : at, D: defines, v: facts?.fingerprint, loop: loop ?? "" };
    stay("explore", file, details);
  }
  /* Take a step: along the run if it is the next one there, else on a branch of its own. */
  function take(step) {
    const next = step.at;
    if (run.startsWith(next) && cuts.includes(next.length)) return move(at + 1);
    if (at < cuts.length - 1) keepBranch();
    setRun(next);
    loop = null;
    return move(at + 1);
  }
  function keepBranch() {
    if (!branches.includes(run)) branches = [run, ...branches].slice(0, 8);
    drawBranches();
  }
  const back = () => move(at - 1);
  const forward = () => (at < cuts.length - 1 ? move(at + 1) : here?.steps.length === 1 ? take(here.steps[0]) : Promise.resolve(false));
  async function atRandom(steps, until = "") {
    try {
      const found = await question_("random", { at: prefix(), steps, until });
      if (found.at === prefix()) return notice(found.why || here?.end || "no step is possible"), false;
      if (at < cuts.length - 1) keepBranch();
      setRun(found.at);
      loop = null;
      if (found.why) notice(found.why);
      return move(steps === 1 ? at + 1 : cuts.length - 1);
    } catch (error) {
      notice(error.message, "bad");
      return false;
    }
  }

  // ---- what is seen ----
  function draw() {
    dom.where.textContent = `${at ? `after step ${at.toLocaleString("en")}` : "at the start"}${cuts.length - 1 > at ? ` of ${(cuts.length - 1).toLocaleString("en")}` : ""}${loop !== null ? `, loops back to after step ${loop}` : ""}`;
    dom.back.disabled = dom.start.disabled = at === 0;
    dom.forward.disabled = at === cuts.length - 1 && here.steps.length !== 1;
    dom.end.disabled = at === cuts.length - 1;
    dom.last.replaceChildren(...(here.last ? [element("span", { class: "soft" }, "last step "), stepWords(here.last)] : [element("span", { class: "soft" }, "nothing has happened yet")]));
    dom.last.append(...(here.last?.broken ?? []).map((text) => element("b", { class: "broken" }, text)));
    dom.said.textContent = here.end || (here.steps.length === 1 ? "one step is possible:" : `${here.more ? "at least " : ""}${here.steps.length} steps are possible:`);
    dom.said.classList.toggle("bad", here.end.startsWith("deadlock"));
    const next = cuts[at + 1];
    dom.steps.replaceChildren(...here.steps.map((step, index) => {
      const button = element("button", { class: `step${next && run.slice(0, next) === step.at ? " onrun" : ""}`, title: next && run.slice(0, next) === step.at ? "the step of the run" : "" , onclick: () => take(step) },
        element("span", { class: "key" }, index < 9 ? String(index + 1) : ""), stepWords(step));
      const effects = step.changes.filter(([name]) => !name.endsWith("@")).map(([name, old, now, words]) => (words !== undefined ? `${name} ${words}` : now === null ? `${name} gone` : `${name} ${old === null ? "=" : `${old} →`} ${now}`));
      return element("li", {}, button, effects.length ? element("span", { class: "effect" }, effects.join(", ")) : null, ...step.broken.map((text) => element("b", { class: "broken" }, text)));
    }));
    drawState();
    drawWatched();
    dom.pictures.mark(new Map(here.marks));
    dom.source.show(here.last);
  }
  function stepWords(step) {
    const words = step.parts.map((part, index) => (part.actor && part.actor !== step.parts[index - 1]?.actor ? `${part.actor} ${part.text}` : part.text));
    return element("span", { class: "mono" }, words.join("; ") || "…");
  }
  function drawState() {
    const changed = new Map((here.last?.changes ?? []).map(([name, old]) => [name, old]));
    const wanted = dom.find.value.trim().toLowerCase();
    const owners = new Set(here.state.map(([name]) => name).filter((name) => name.endsWith("@")).map((name) => name.slice(0, -1)));
    const body = element("tbody");
    let group = null;
    for (const [name, value] of here.state) {
      if (wanted && !name.toLowerCase().includes(wanted)) continue;
      const end = name.search(/[@.]/), owner = end > 0 && owners.has(name.slice(0, end)) ? name.slice(0, end) : "";
      if (owner !== group && (owner || group !== null)) body.append(element("tr", { class: "head" }, element("td", { colspan: "2" }, owner || "global")));
      group = owner;
      const cell = element("td");
      if (changed.get(name)) cell.append(element("span", { class: "old" }, changed.get(name)), " ");
      cell.append(value);
      body.append(element("tr", { class: changed.has(name) ? "changed" : "" }, element("td", { title: name }, name.endsWith("@") ? "is at" : owner ? name.slice(owner.length + 1) : name), cell));
    }
    dom.state.replaceChildren(element("table", {}, body));
  }

  // ---- the run as a chart, refreshed when nothing else is to do ----
  const chart = traceView(dom.chart, (step) => { if (chart.ours) move(step + 1 + chart.cut); });
  const refreshRun = calmly(90, async () => {
    if (dom.tab !== "run" || !here) return; // another model is being opened: the run is not one of it
    const number = asked, of = run;
    try {
      const found = await question_("run", { at: run });
      if (number !== asked || of !== run) return;
      chart.ours = false;
      chart.cut = found.cut;
      found.trace.loop = loop;
      dom.empty.hidden = found.trace.steps.length > 0;
      dom.chart.lanes.hidden = dom.chart.scroller.hidden = !dom.empty.hidden; // before it is drawn: it measures its room
      chart.show(found.trace, false, found.cut);
      if (at > found.cut) chart.pick(at - 1 - found.cut); else dom.chart.scroller.scrollTop = 0;
      chart.ours = true;
    } catch (error) {
      notice(error.message, "bad");
    }
  });

  // ---- watched expressions, branches, bookmarks, finding ----
  const key = (what) => `kripke-${what} ${bench.folder.path}/${file}`;
  const kept = (what) => JSON.parse(localStorage.getItem(key(what)) ?? "[]");
  const keep = (what, value) => localStorage.setItem(key(what), JSON.stringify(value));
  const watched = () => kept("watch");
  function drawWatched() {
    dom.watched.replaceChildren(...here.watched.map(([text, value, why]) => element("li", {}, element("code", {}, text), element("b", { class: why ? "soft" : "mono" }, why || value),
      element("button", { class: "plain", "aria-label": `no longer watch ${text}`, onclick: () => { keep("watch", watched().filter((each) => each !== text)); move(at); } }, "×"))));
  }
  function drawBranches() {
    dom.branches.replaceChildren(...branches.map((other) => element("li", {}, element("button", { class: "plain", onclick: () => { const now = run; branches = branches.filter((each) => each !== other); setRun(other); if (!branches.includes(now)) branches = [now, ...branches].slice(0, 8); drawBranches(); move(cuts.length - 1); } }, `the run of ${plural(cutsOf(other).length - 1, "step")} before`))),
      ...kept("marks").map(({ name, hash }) => element("li", {}, element("a", { href: hash }, name), element("button", { class: "plain", "aria-label": `forget ${name}`, onclick: () => { keep("marks", kept("marks").filter((each) => each.hash !== hash)); drawBranches(); } }, "×"))));
    dom.kept.hidden = !dom.branches.children.length;
  }
  async function bookmark() {
    const name = await question("Name of the bookmark", `after step ${at}`);
    if (name) { keep("marks", [...kept("marks"), { name, hash: location.hash }].slice(-30)); drawBranches(); }
  }
  async function reach() {
    const condition = dom.goal.value.trim();
    if (!condition) return dom.goal.focus();
    dom.stopFind.hidden = false;
    dom.findRun.disabled = true;
    dom.found.textContent = "searching …";
    try {
      const found = await ask("/api/reach", { name: file, defines: readMacros(defines), at: prefix(), condition });
      if (found.at === null) dom.found.textContent = found.complete ? `${condition} holds in ${found.why} (${plural(found.states, "state")} searched)` : `not found: ${found.why} (${plural(found.states, "state")} searched)`;
      else if (found.at === prefix()) dom.found.textContent = found.why;
      else {
        const from = at;
        if (at < cuts.length - 1) keepBranch();
        setRun(found.at);
        loop = null;
        dom.found.textContent = `${plural(cuts.length - 1 - from, "step")} from here, as few as possible`;
        await move(cuts.length - 1);
      }
    } catch (error) {
      dom.found.textContent = error.message;
    }
    dom.stopFind.hidden = true;
    dom.findRun.disabled = false;
    return undefined;
  }

  // ---- controls ----
  const play = player({
    speed: dom.speed,
    shown: (playing) => { dom.play.textContent = playing ? "❚❚ pause" : "▶ play"; dom.play.setAttribute("aria-pressed", String(playing)); },
    step: async () => {
      if (at < cuts.length - 1) return move(at + 1);
      if (loop !== null) return move(loop);
      return here?.steps.length ? atRandom(1) : false;
    },
  });
  dom.start.addEventListener("click", () => move(0));
  dom.back.addEventListener("click", back);
  dom.forward.addEventListener("click", forward);
  dom.end.addEventListener("click", () => move(cuts.length - 1));
  dom.play.addEventListener("click", play.toggle);
  dom.random.addEventListener("click", () => atRandom(Math.max(1, Math.min(10000, Number(dom.howMany.value) || 1)), dom.until.value.trim()));
  dom.share.addEventListener("click", () => copied(location.href, "address copied: it opens this state. For a copy of the folder elsewhere, put the part from # on behind the address there"));
  dom.bookmark.addEventListener("click", bookmark);
  dom.findRun.addEventListener("click", reach);
  dom.stopFind.addEventListener("click", () => ask("/api/stop-search", { name: file }));
  dom.goal.addEventListener("keydown", (event) => { if (event.key === "Enter") reach(); });
  dom.watch.addEventListener("keydown", (event) => {
    const text = dom.watch.value.trim();
    if (event.key !== "Enter" || !text) return;
    keep("watch", [...new Set([...watched(), text])].slice(0, 50));
    dom.watch.value = "";
    move(at);
  });
  dom.find.addEventListener("input", () => here && drawState());
  dom.macros.addEventListener("change", () => { defines = dom.macros.value.trim().replace(/[\s;]+/g, ","); open(file, "0.", null); });
  document.addEventListener("keydown", (event) => {
    if (box.hidden || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector("dialog[open]")) return;
    const number = Number(event.key);
    if (event.key === "ArrowLeft") { event.preventDefault(); back(); }
    else if (event.key === "ArrowRight") { event.preventDefault(); forward(); }
    else if (event.key === "Home") { event.preventDefault(); move(0); }
    else if (event.key === "End") { event.preventDefault(); move(cuts.length - 1); }
    else if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "SUMMARY") { event.preventDefault(); play.toggle(); }
    else if (event.key === "r") atRandom(1);
    else if (number >= 1 && here?.steps[number - 1]) take(here.steps[number - 1]);
  });
  dom.graph = graphPart(dom.graphBox, { ask: question_, go: (where) => { if (at < cuts.length - 1) keepBranch(); setRun(where); loop = null; move(cuts.length - 1); }, names: () => facts?.names ?? [] });
  dom.pictures = picturePart(dom.picturesBox);
  dom.onTab = (tab) => { if (tab === "run") refreshRun(); dom.graph.visible(tab === "graph"); if (tab === "source") dom.source.show(here?.last); };
  dom.source.read = (name) => ask("/api/file", { name }, "GET");

  async function open(name, text, step) {
    play.stop();
    file = name;
    facts = null; here = null;
    dom.model.textContent = name;
    dom.macros.value = defines.replaceAll(",", " ");
    facts = await question_("model");
    dom.goal.placeholder = `${facts.names.find((each) => /^[A-Za-z_]\w*(\[0\])?$/.test(each)) ?? "x"} == …`;
    dom.pictures.show(facts.pictures);
    dom.tabs.pictures.hidden = !facts.pictures.length;
    dom.source.file(name);
    dom.graph.reset();
    if (!facts.starts) { dom.said.textContent = "this model has no initial state"; return; }
    setRun(text);
    drawBranches();
    await move(step ?? cuts.length - 1);
  }

  return {
    async show(where) {
      if (!bench.file) return;
      const { given } = where;
      const text = given.get("run") || "0.", step = given.get("step") ? Number(given.get("step")) : null;
      if (given.get("v") === null && !given.get("run") && bench.file === file && here) { remember(); dom.onTab(dom.tab); return; } // back from another view
      if (bench.file !== file) branches = [];
      defines = given.get("D") ?? "";
      loop = given.get("loop") ? Number(given.get("loop")) : null;
      await open(bench.file, text, step);
      if (given.get("v") && facts && given.get("v") !== facts.fingerprint) notice("the model is not the one this address was made with");
    },
  };
}

function skeleton(box) {
  const dom = {};
  const button = (name, text, title) => (dom[name] = element("button", { id: `x-${name}`, title }, text));
  const input = (name, placeholder, label, more = {}) => (dom[name] = element("input", { id: `x-${name}`, class: "mono", placeholder, "aria-label": label, spellcheck: "false", autocomplete: "off", ...more }));
  const part = (name, tag, attributes = {}) => (dom[name] = element(tag, { id: `x-${name}`, ...attributes }));
  const controls = element("div", { class: "panel controls" },
    element("div", { class: "bar" }, part("model", "b", { class: "mono" }), part("where", "span", { class: "count", role: "status" }), element("span", { class: "grow" }), button("bookmark", "bookmark", "remember this state"), button("share", "copy address", "send this state to somebody")),
    element("div", { class: "bar" }, button("start", "|◀", "to the start (Home)"), button("back", "◀ back", "a step back (←)"), button("forward", "forward ▶", "a step forward again (→)"), button("end", "▶|", "to the end (End)"),
      button("play", "▶ play", "go on by itself (Space)"), element("label", { class: "speed" }, "speed", input("speed", "", "steps per second", { type: "range", min: "0", max: "6", value: "2" })),
      element("span", { class: "grow" }), button("random", "random", "so many steps at random (r: one)"), input("howMany", "", "how many steps at random", { value: "1", inputmode: "numeric", size: "4" }), input("until", "until …", "until this condition becomes true")));
  const left = element("div", { class: "panel choosing" }, part("last", "p", { class: "last" }), part("said", "p", { class: "said", role: "status" }), part("steps", "ol", { class: "steps", "aria-label": "steps that are possible" }),
    element("div", { class: "finder" }, element("label", { for: "x-goal" }, "Find a run that reaches"), element("div", { class: "row-line" }, input("goal", "x > 2 && y == 0", "condition"), button("findRun", "find", "the shortest run from here"), button("stopFind", "stop", "stop the search")), part("found", "p", { class: "soft", role: "status" })),
    (dom.kept = element("div", { class: "kept", hidden: "" }, element("h2", {}, "Branches and bookmarks"), part("branches", "ul"))),
    element("label", { class: "field" }, element("span", {}, "Macros"), input("macros", "N=3", "macros")));
  dom.stopFind.hidden = true;

  const tabs = dom.tabs = {};
  const bodies = {};
  const scroller = element("div", { class: "scroller", tabindex: "0", "aria-label": "the run" });
  dom.chart = { lanes: element("div", { class: "lanes" }), scroller, rows: element("div", { class: "rows" }) };
  scroller.append(dom.chart.rows);
  dom.empty = element("p", { class: "soft empty" }, "No step was taken yet. Choose one on the left, or press play.");
  dom.graphBox = element("div", { class: "graph" });
  dom.picturesBox = element("div", { class: "pictures" });
  dom.source = sourcePart();
  for (const [name, title, ...content] of [["run", "Run", dom.empty, dom.chart.lanes, scroller], ["graph", "Graph", dom.graphBox], ["pictures", "Pictures", dom.picturesBox], ["source", "Source", dom.source.node]]) {
    bodies[name] = element("div", { class: "tab-body", role: "tabpanel", id: `part-${name}`, "aria-labelledby": `choose-part-${name}`, hidden: "" }, ...content);
    tabs[name] = element("button", { role: "tab", id: `choose-part-${name}`, "aria-controls": `part-${name}`, onclick: () => choose(name) }, title);
  }
  function choose(name) {
    dom.tab = name;
    for (const other of Object.keys(tabs)) { tabs[other].setAttribute("aria-selected", String(other === name)); tabs[other].tabIndex = other === name ? 0 : -1; bodies[other].hidden = other !== name; }
    dom.onTab?.(name);
  }
  const strip = element("div", { class: "bar tabs-line", role: "tablist" }, ...Object.values(tabs));
  strip.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault(); event.stopPropagation();
    const names = Object.keys(tabs).filter((name) => !tabs[name].hidden);
    const next = names[(names.indexOf(dom.tab) + by + names.length) % names.length];
    choose(next); tabs[next].focus();
  });
  const middle = element("div", { class: "panel middle" }, strip, ...Object.values(bodies));
  const right = element("div", { class: "panel now" }, element("div", { class: "bar" }, element("h2", {}, "State"), element("span", { class: "grow" }), input("find", "filter", "show only names with", { type: "search" })), part("state", "div", { class: "state" }),
    element("div", { class: "watching" }, element("label", { for: "x-watch" }, "Watch"), part("watched", "ul"), input("watch", "variable or condition, Enter", "watch an expression")));
  box.append(controls, element("div", { class: "columns" }, left, middle, right));
  choose("run");
  return dom;
}

/* The text of the model with the last step lit. */
function sourcePart() {
  const node = element("div", { class: "source", tabindex: "0" });
  let shown = "", wanted = "", lines = [];
  const part = {
    node,
    read: null,
    file(name) { wanted = name; shown = ""; },
    async show(step) {
      if (node.closest("[hidden]")) return;
      const at = step?.parts.at(-1);
      const name = at?.line ? at.file : wanted;
      if (name !== shown) {
        shown = name;
        try {
          const { highlighted } = await import("./report/highlighting.js");
          const { text, colours } = await part.read(name);
          lines = highlighted(text.split("\n"), colours).map((parts, index) => element("div", {}, element("span", { class: "n" }, String(index + 1)), element("span", {}, ...parts)));
        } catch (error) {
          lines = [element("p", { class: "soft empty" }, error.message)];
        }
        node.replaceChildren(...lines);
      }
      for (const line of node.querySelectorAll(".here")) line.classList.remove("here");
      for (const each of step?.parts ?? []) if (each.file === shown) lines[each.line - 1]?.classList.add("here");
      const first = node.querySelector(".here");
      if (first) node.scrollTop = first.offsetTop - node.clientHeight / 2;
    },
  };
  return part;
}

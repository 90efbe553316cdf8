import { element } from "./report/elements.js";
import { ask, calmly } from "./asking.js";
import { readMacros } from "./places.js";
import { copied, notice } from "./notices.js";
import { runCard } from "./card.js";

const WORDS = {
  search: ["Search", { null: "the best for the property", bfs: "breadth-first: shortest traces", dfs: "depth-first" }],
  engine: ["Engine", { null: "native where possible", native: "native", interpreter: "interpreter (reference)", bdd: "decision diagrams", bmc: "SAT, bounded", induction: "SAT, k-induction", pdr: "SAT, property-directed" }],
  store: ["Store", { null: "full", full: "full", tree: "tree: a third of the memory", collapse: "collapse", numbers: "numbers", hashcompact: "hashes (may miss states)", bitstate: "bits (may miss states)", cache: "cache", disk: "disk" }],
  por: ["Partial order", { false: "off", auto: "what costs nothing", true: "as few states as possible" }],
  symmetry: ["Symmetry", {}],
  fair: ["Fairness", { null: "all runs", weak: "weak, to processes", strong: "strong, to processes", "weak-edges": "weak, to statements", "strong-edges": "strong, to statements", events: "to events" }],
  threads: ["Threads", {}],
};
const SWITCHES = { all_errors: "all errors", shortest: "shortest lasso", coverage: "coverage" };
const LIMITS = { max_states: ["at most states", "no limit"], max_depth: ["at most steps deep", "no limit"], time_limit: ["at most seconds", "10 minutes"] };
const KINDS = { invariants: ["Invariant", "x < 3"], ltl: ["LTL formula", "[] (p -> <> q)"], ctl: ["CTL formula", "AG EF p"], possible: ["Is a run possible?", "<> p"] };
const TEMPORAL = /\[\]|<>/;

/* What is checked and how: every choice that would be refused is grey, and says why. */
export function panel(box, bench, save) {
  let file = "", version = null, plan = {}, known = null, fits = true, asked = 0;
  const start = element("button", { class: "primary", id: "check", title: "Ctrl+Enter", onclick: () => begin() }, "Check");
  const refused = element("p", { class: "refused", id: "refused", role: "status", hidden: "" });
  const what = element("select", { id: "what", "aria-label": "what to check" });
  const kind = element("select", { id: "kind", "aria-label": "kind of formula" }, ...Object.entries(KINDS).map(([value, [name]]) => element("option", { value }, name)));
  const formula = element("input", { id: "formula", class: "mono", spellcheck: "false", autocomplete: "off", placeholder: KINDS.invariants[1], "aria-label": "formula" });
  const typed = element("div", { class: "typed", hidden: "" }, kind, formula);
  const macros = element("input", { id: "macros", class: "mono", spellcheck: "false", autocomplete: "off", placeholder: "N=3 SLOW", "aria-label": "macros" });
  const deadlock = element("input", { type: "checkbox", id: "deadlock", checked: "" });
  const how = element("div", { class: "choices" });
  const command = element("pre", { class: "command", id: "command", tabindex: "0" });
  const cards = element("div", { class: "cards", "aria-label": "runs of this model" });
  box.append(
    element("div", { class: "panel card" }, element("div", { class: "heading" }, element("h2", {}, "Check"), element("span", { class: "grow" }), start), what, typed, refused,
      element("details", { id: "how" }, element("summary", {}, "how: search, fairness, coverage, limits"), how,
        element("label", { class: "field" }, element("span", {}, "Macros"), macros),
        element("label", { class: "switch" }, deadlock, "deadlocks are errors"))),
    element("div", { class: "panel card" }, element("div", { class: "heading" }, element("h2", {}, "The same as a command"), element("span", { class: "grow" }),
      element("button", { class: "plain", id: "copy", onclick: () => copied(command.textContent) }, "copy")), command),
    cards);

  // ---- the plan ----
  const given = () => {
    const full = { ...plan };
    if (!deadlock.checked) full.deadlock = false;
    if (what.value === "typed") { if (formula.value.trim()) full[kind.value] = [formula.value.trim()]; }
    else if (what.value) full.properties = [what.value];
    return full;
  };
  const look = calmly(120, async () => {
    if (!file || !fits) return;
    const number = ++asked;
    try {
      const answer = await ask("/api/explore", { ask: "panel", name: file, defines: readMacros(macros.value), plan: given() });
      if (number === asked) show(answer);
    } catch (error) {
      if (number === asked) refuse(error.message);
    }
  });
  function refuse(text) {
    refused.hidden = !text;
    refused.textContent = text ?? "";
    start.disabled = !fits || (text !== null && text !== "");
  }
  function show(answer) {
    known = answer;
    const chosen = what.value;
    const names = answer.properties.map(({ name, kind: sort, text }) => element("option", { value: name, title: text }, `${sort === "ltl" ? "formula" : sort} ${text.length > 60 ? name : text}`));
    what.replaceChildren(element("option", { value: "" }, answer.properties.some(({ kind: sort }) => sort === "ltl" || sort === "never") ? "everything in the model" : "no deadlock, no failed assertion, no error"),
      ...(names.length ? [element("option", { value: "safety" }, "no deadlock, no failed assertion, no error")] : []), ...names,
      element("option", { value: "typed" }, "a formula or an invariant of my own …"));
    what.value = [...what.options].some((option) => option.value === chosen) ? chosen : "";
    command.textContent = answer.command;
    choices(answer.choices, answer.words);
    refuse(answer.refused);
  }
  function choices(fields, words) {
    const focused = document.activeElement?.id;
    const selects = Object.entries(WORDS).map(([field, [title, names]]) => {
      const select = element("select", { id: `choose-${field}`, onchange: (event) => choose(field, JSON.parse(event.target.value)) });
      const reasons = [];
      for (const { value, refused: why } of fields[field]) {
        const name = names[value] ?? words[value] ?? String(value);
        const option = element("option", { value: JSON.stringify(value), ...(why ? { disabled: "", title: why } : {}) }, why ? `${name} — not here` : name);
        select.append(option);
        if (why) reasons.push([name, why]);
      }
      const usual = fields[field][0].value;
      select.value = JSON.stringify(plan[field] ?? usual);
      return element("div", { class: "field" }, element("label", { for: select.id }, title), select, reasons.length ? whyNot(title, reasons) : null);
    });
    const switches = Object.entries(SWITCHES).map(([field, title]) => {
      const why = fields[field]?.find(({ value }) => value === true)?.refused;
      const input = element("input", { type: "checkbox", id: `choose-${field}`, ...(why ? { disabled: "" } : {}), onchange: (event) => choose(field, event.target.checked || undefined) });
      input.checked = Boolean(plan[field]);
      return element("label", { class: `switch${why ? " soft" : ""}`, title: why ?? "" }, input, title);
    });
    const limits = Object.entries(LIMITS).map(([field, [title, usual]]) => {
      const input = element("input", { id: `choose-${field}`, inputmode: "numeric", placeholder: usual, value: plan[field] ?? "", onchange: (event) => limit(field, event.target.value) });
      return element("div", { class: "field" }, element("label", { for: input.id }, title), input);
    });
    how.replaceChildren(...selects, ...limits, element("div", { class: "switches" }, ...switches));
    if (focused?.startsWith("choose-")) document.getElementById(focused)?.focus();
  }
  /* The reasons, for who cannot hover over a choice. */
  function whyNot(title, reasons) {
    const details = element("details", { class: "why-not" }, element("summary", { "aria-label": `${title}: why not the others?`, title: "why not the others?" }, "?"));
    details.append(element("ul", {}, ...reasons.map(([name, why]) => element("li", {}, element("b", {}, name), ` ${why}`))));
    return details;
  }
  function choose(field, value) {
    const usual = known.choices[field][0].value;
    if (value === undefined || value === usual) delete plan[field]; else plan[field] = value;
    look();
  }
  function limit(field, text) {
    const number = Number(text.replaceAll(",", ""));
    if (!text.trim()) delete plan[field];
    else if (Number.isInteger(number) && number > 0) plan[field] = number;
    else notice(`${text} is no number`, "bad");
    look();
  }
  what.addEventListener("change", () => { typed.hidden = what.value !== "typed"; if (what.value === "typed") formula.focus(); look(); });
  kind.addEventListener("change", () => { formula.placeholder = KINDS[kind.value][1]; look(); });
  formula.addEventListener("input", () => {
    if (kind.value === "invariants" && TEMPORAL.test(formula.value)) kind.value = "ltl"; // no condition has these
    look();
  });
  macros.addEventListener("change", look);
  deadlock.addEventListener("change", look);
  formula.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.ctrlKey) { event.preventDefault(); begin(); } });

  // ---- runs ----
  async function begin() {
    if (!file || start.disabled) return;
    start.disabled = true;
    try {
      if (await save()) {
        const run = await ask("/api/runs", { name: file, defines: readMacros(macros.value), plan: given() });
        if (!bench.runs.has(run.id)) bench.runs.set(run.id, run);
        draw();
        shown.get(run.id)?.node.scrollIntoView({ block: "nearest" });
      }
    } catch (error) {
      notice(error.message, "bad");
    }
    start.disabled = !fits;
  }
  const shown = new Map();
  function draw() {
    const wanted = bench.latest().filter((run) => run.name === file).slice(0, 6);
    for (const [id, card] of shown) if (!wanted.some((run) => run.id === id)) { card.node.remove(); shown.delete(id); }
    wanted.forEach((run, index) => {
      if (!shown.has(run.id)) shown.set(run.id, runCard(bench));
      const card = shown.get(run.id);
      card.show(run, run.version !== version);
      if (cards.children[index] !== card.node) cards.insertBefore(card.node, cards.children[index] ?? null);
    });
  }
  bench.watchers.add((run, about) => { if (about !== "theme" && (!run || run.name === file)) draw(); });

  return {
    open(name, now) { file = name; version = now; plan = {}; known = null; what.replaceChildren(element("option", { value: "" }, "everything in the model")); typed.hidden = true; formula.value = ""; macros.value = ""; deadlock.checked = true; how.replaceChildren(); command.textContent = `kripke check ${name}`; refuse(null); draw(); look(); },
    /* The text on the screen is another one; null: it is not saved, nothing was checked with it. */
    text(now) { if (now !== version) { version = now; draw(); } },
    changed() { look(); },
    readable(yes) { const before = fits; fits = yes; start.disabled = !fits || (!refused.hidden && before); start.title = fits ? "Ctrl+Enter" : "the text has errors"; if (yes && !before) look(); if (!yes) refuse("the text has errors: mend them first"); },
    start: begin,
  };
}

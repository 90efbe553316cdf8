import { element } from "./report/elements.js";
import { ask } from "./asking.js";
import { address, go, stay } from "./places.js";
import { notice } from "./notices.js";
import { follow, runCard } from "./card.js";
import { comparison } from "./compare.js";
import { ago, count, time } from "./words.js";

/* The history of checks, the report of one of them, and two of them side by side. */
export function runsView(box, bench) {
  const list = element("ol", { class: "history", "aria-label": "runs" });
  const compare = element("button", { id: "compare", disabled: "", title: "mark two runs", onclick: () => go("runs", `${[...marked].join("/")}`) }, "compare the two");
  const body = element("div", { class: "result" });
  box.append(element("div", { class: "panel past" }, element("div", { class: "bar" }, element("h2", {}, "Runs"), element("span", { class: "grow" }), compare), list), body);
  const marked = new Set();
  let shown = "", frame = null, card = null, side = [];

  function draw() {
    const rows = bench.latest().map((run) => {
      const check = element("input", { type: "checkbox", "aria-label": `compare ${run.name}`, onchange: (event) => mark(run.id, event.target.checked) });
      check.checked = marked.has(run.id);
      const verdict = run.found?.verdict ?? run.status;
      const figures = run.found ? `${count(run.found.states)} states · ${time(run.found.seconds)}` : run.status === "running" && run.progress.length ? `${count(run.progress[0])} states` : run.error;
      return element("li", { class: shown.split("/").includes(run.id) ? "chosen" : "" }, check,
        element("a", { href: address("runs", run.id) },
          element("span", { class: `dot ${run.found ? verdict : run.status}`, title: verdict }),
          element("span", { class: "name" }, element("b", {}, run.name.split("/").at(-1)), ` ${run.command.replace(/^kripke check \S+ ?/, "")}`),
          element("span", { class: "soft" }, `${verdict} · ${figures}`), element("span", { class: "soft when" }, ago(run.asked))),
        element("button", { class: "plain", "aria-label": `remove ${run.name} from the history`, title: "remove", onclick: () => remove(run) }, "×"));
    });
    const focused = document.activeElement?.closest?.(".history li");
    const at = focused ? [...list.children].indexOf(focused) : -1, sort = document.activeElement?.tagName;
    list.replaceChildren(...rows);
    if (at >= 0) list.children[at]?.querySelector(sort.toLowerCase())?.focus();
    if (!rows.length) list.append(element("li", { class: "soft empty" }, "Nothing was checked yet: open a model and press Check."));
  }
  function mark(id, on) {
    if (on) marked.add(id); else marked.delete(id);
    if (marked.size > 2) marked.delete([...marked][0]);
    compare.disabled = marked.size !== 2;
    draw();
  }
  async function remove(run) {
    try {
      if (run.status === "running" || run.status === "waiting") await ask("/api/stop", { id: run.id });
      else { await ask("/api/run", { id: run.id }, "DELETE"); bench.runs.delete(run.id); marked.delete(run.id); }
      draw();
    } catch (error) {
      notice(error.message, "bad");
    }
  }

  // ---- one run ----
  function open(id) {
    shown = id; frame = null; card = null; side = [];
    const run = bench.runs.get(id);
    if (!run) { body.replaceChildren(element("p", { class: "soft empty" }, "There is no such run (any more).")); return; }
    if (run.status === "running" || run.status === "waiting" || !run.found) {
      card = runCard(bench);
      card.show(run);
      body.replaceChildren(card.node);
      return;
    }
    frame = element("iframe", { class: "report", title: `report of ${run.name}`, sandbox: "allow-scripts allow-downloads", src: `/report/${id}.html` });
    const macros = Object.entries(run.defines).map(([name, value]) => `${name}=${value}`).join(",");
    const withTrace = run.found.findings.findIndex((each) => each.steps !== null);
    body.replaceChildren(element("div", { class: "bar" }, element("a", { class: "button", href: address("model", run.name, run.found.place ? { line: run.found.place.line } : {}) }, "open the model"),
      withTrace >= 0 ? element("button", { id: "explore-run", class: "primary", onclick: () => follow(run, picked.finding, picked.step) }, "explore from the chosen step") : element("a", { class: "button", href: address("explore", run.name, { D: macros }) }, "explore the model"),
      element("span", { class: "grow" }), element("code", { class: "soft clip", title: run.command }, run.command),
      element("a", { class: "button", href: `/report/${id}.html`, download: `${run.name.split("/").at(-1)}.html` }, "save the report")), frame);
    picked = { finding: Math.max(0, withTrace), step: null };
  }
  let picked = { finding: 0, step: null };
  /* The report tells which step is chosen in it; we tell it light or dark. It is of another origin: numbers only. */
  window.addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || typeof event.data !== "object") return;
    const { finding, step } = event.data;
    if (Number.isInteger(finding) && Number.isInteger(step)) picked = { finding, step: step + 1 };
    if (event.data.ready) theme();
  });
  const theme = () => frame?.contentWindow?.postMessage({ theme: document.documentElement.dataset.theme }, "*");

  // ---- two runs ----
  async function openTwo(ids) {
    shown = ids.join("/"); frame = null; card = null;
    const both = await Promise.all(ids.map((id) => ask("/api/run", { id }, "GET")));
    body.replaceChildren(comparison(both));
  }

  bench.watchers.add((run, about) => {
    if (about === "theme") return theme();
    if (box.hidden) return undefined;
    draw();
    if (run && run.id === shown && !frame) {
      if (run.found && run.status !== "running") open(shown); else card?.show(run);
    }
    return undefined;
  });
  return {
    async show(here) {
      let ids = here.name.split("/").filter(Boolean);
      if (!ids.length && bench.latest().length) {
        ids = [(bench.latest().find((run) => run.name === bench.file) ?? bench.latest()[0]).id];
        stay("runs", ids[0]);
      }
      if (ids.join("/") !== shown) {
        if (ids.length > 1) await openTwo(ids.slice(0, 2));
        else if (ids.length) open(ids[0]);
        else body.replaceChildren(element("p", { class: "soft empty" }, "The report of a check appears here."));
      }
      draw();
    },
  };
}

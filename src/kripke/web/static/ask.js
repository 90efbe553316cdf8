import { element } from "./report/elements.js";
import { ask } from "./asking.js";
import { readMacros, stay } from "./places.js";
import { notice } from "./notices.js";
import { plot } from "./plot.js";
import { count, plural } from "./words.js";

/* Questions in SQL about all states of a model: explore them once, then ask. */
export function askView(box, bench) {
  const title = element("b", { class: "mono" });
  const most = element("input", { id: "most", inputmode: "numeric", value: "1000000", size: "9", "aria-label": "at most so many states" });
  const macros = element("input", { id: "ask-macros", class: "mono", placeholder: "N=3", size: "8", "aria-label": "macros" });
  const explore = element("button", { id: "explore-states", onclick: () => tables() }, "explore the states");
  const stop = element("button", { id: "stop-tables", hidden: "", onclick: () => ask("/api/stop-search", { name: file }) }, "stop");
  const size = element("span", { class: "count", role: "status", id: "tables-said" });
  const text = element("textarea", { id: "query", class: "query mono", rows: "4", spellcheck: "false", "aria-label": "question in SQL" });
  const run = element("button", { id: "answer", class: "primary", title: "Ctrl+Enter", onclick: () => query() }, "answer");
  const samples = element("div", { class: "samples" });
  const columns = element("details", { class: "columns-known", hidden: "" });
  const answer = element("div", { class: "answer" });
  box.append(element("div", { class: "panel" }, element("div", { class: "bar" }, title, element("span", { class: "grow" }), element("label", { for: "ask-macros" }, "macros"), macros, element("label", { for: "most" }, "at most"), most, explore, stop), element("div", { class: "bar" }, size),
    element("div", { class: "asking" }, text, element("div", { class: "row-line" }, run, samples), columns)), answer);
  let file = "", ready = false;

  async function tables() {
    ready = false;
    explore.disabled = true;
    stop.hidden = false;
    size.textContent = "exploring …";
    try {
      const found = await ask("/api/tables", { name: file, defines: readMacros(macros.value), most: Number(most.value.replaceAll(",", "")) || 1000000 });
      size.textContent = `${plural(found.states, "state")}, ${plural(found.transitions, "transition")}${found.reason ? `: not all, the limit of ${found.reason} was reached` : ""}`;
      ready = true;
      offer(found.columns);
    } catch (error) {
      size.textContent = error.message;
    }
    stop.hidden = true;
    explore.disabled = false;
    return ready;
  }
  function offer(names) {
    const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
    const own = names.map(([name]) => name).filter((name) => !["state", "depth", "initial", "deadlock"].includes(name));
    const first = own.find((name) => !name.endsWith("@")) ?? own[0];
    const known = [["states by depth", "select depth, count(*) as states from states group by depth order by depth"],
      ...(first ? [[`states by ${first}`, `select ${quoted(first)}, count(*) as states from states group by 1 order by 1`]] : []),
      ["deadlocks", "select * from states where deadlock"], ["busiest states", "select source, count(*) as steps from transitions group by source order by steps desc limit 20"]];
    samples.replaceChildren(...known.map(([name, question]) => element("button", { class: "plain", onclick: () => { text.value = question; query(); } }, name)));
    columns.replaceChildren(element("summary", {}, plural(names.length, "column")), element("p", { class: "mono" }, names.map(([name, type]) => `${name} ${type.toLowerCase()}`).join(", ")));
    columns.hidden = false;
    if (!text.value) text.value = known[0][1];
  }
  async function query() {
    if (!ready && !(await tables())) return;
    stay("ask", file, { q: text.value, D: macros.value });
    run.disabled = true;
    try {
      show(await ask("/api/query", { name: file, defines: readMacros(macros.value), text: text.value }));
    } catch (error) {
      if (error.status === 409) { ready = false; run.disabled = false; return void query(); }
      answer.replaceChildren(element("p", { class: "panel card bad mono pre" }, error.message));
    }
    run.disabled = false;
  }
  function show({ names, rows, more }) {
    const numeric = names.map((_, column) => rows.length > 0 && rows.every((row) => row[column] === null || typeof row[column] === "number"));
    const body = rows.map((row) => element("tr", {}, ...row.map((value, column) => element("td", { class: numeric[column] ? "number" : "" }, value === null ? "" : typeof value === "number" ? (names[column] === "state" ? String(value) : count(value)) : String(value)))));
    const table = element("table", { class: "rows-table" }, element("thead", {}, element("tr", {}, ...names.map((name, column) => element("th", { scope: "col", class: numeric[column] ? "number" : "" }, name)))), element("tbody", {}, ...body));
    answer.replaceChildren(element("div", { class: "panel table-box", tabindex: "0" }, table, element("p", { class: "soft" }, `${plural(rows.length, "row")}${more ? ", and more that are not shown" : ""}`)), plot(names, rows, numeric));
  }
  text.addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); query(); } });
  macros.addEventListener("change", () => { ready = false; size.textContent = ""; });

  return {
    async show(here) {
      if (!bench.file) return;
      if (bench.file !== file) {
        file = bench.file;
        title.textContent = file;
        ready = false;
        size.textContent = "Every state is a row of the table “states”, every step one of “transitions”.";
        answer.replaceChildren();
        samples.replaceChildren();
        columns.hidden = true;
        text.value = "";
      }
      if (here.given.get("D")) macros.value = here.given.get("D");
      const asked = here.given.get("q");
      if (asked && asked !== text.value) { text.value = asked; await query().catch((error) => notice(error.message, "bad")); }
    },
  };
}

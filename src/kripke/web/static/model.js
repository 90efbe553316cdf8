import { element } from "./report/elements.js";
import { ask, calmly } from "./asking.js";
import { go, place } from "./places.js";
import { notice } from "./notices.js";
import { editor } from "./editor.js";
import { panel } from "./panel.js";

/* The view of a model: its text with what is wrong with it, and beside it what can be checked. */
export function modelView(box, bench) {
  const title = element("h1", { class: "mono" });
  const state = element("span", { class: "soft", id: "said", role: "status" });
  const save = element("button", { id: "save", title: "Ctrl+S", onclick: () => saved() }, "save");
  const paint = element("button", { id: "paint", "aria-pressed": "false", hidden: "", title: "what the last check has executed", onclick: () => toggle() }, "coverage");
  const explore = element("button", { id: "explore-model", onclick: () => go("explore", bench.file) }, "explore");
  const written = element("div", { class: "editor" });
  const list = element("ul", { class: "problems", "aria-label": "problems" });
  const left = element("div", { class: "panel writing" }, element("div", { class: "bar" }, title, state, element("span", { class: "grow" }), paint, explore, save), written, list);
  const right = element("div", { class: "checking" });
  box.append(left, right);

  let file = "", version = null, kept = "", lines = null, painting = false, reading = 0;
  const changed = () => text.text !== kept;
  const text = editor(written, {
    changed: () => { mark(); look(); },
    complete: () => asked("complete", text.caret()),
    hover: (line, character) => asked("hover", { line, character }).catch(() => null),
  });
  const checks = panel(right, bench, saved);

  const asked = (what, where = {}) => ask("/api/edit", { ask: what, name: file, text: text.text, ...where });
  const look = calmly(180, async () => {
    const number = ++reading, of = file;
    try {
      const found = await asked("read");
      if (number === reading && of === file) showProblems(found.problems, found.fixes);
    } catch (error) {
      if (number === reading) state.textContent = error.message;
    }
  });

  function showProblems(problems, fixes = []) {
    text.problems(problems);
    list.replaceChildren(...problems.map((each) => element("li", {}, element("button", { class: `plain ${each.severity}`, onclick: () => text.goTo(each.range) },
      element("b", {}, each.severity), ` ${each.range[0] + 1}:${each.range[1] + 1} `, element("span", {}, each.message)),
      ...fixes.filter((fix) => String(fix.range) === String(each.range)).map((fix) => element("button", { class: "fix", onclick: () => text.mend(fix.edits) }, fix.title)))));
    list.hidden = !problems.length;
    const errors = problems.filter((each) => each.severity === "error").length;
    checks.readable(errors === 0);
    mark(problems.length ? `${errors ? `${errors} error${errors > 1 ? "s" : ""}` : "no errors"}${problems.length > errors ? `, ${problems.length - errors} warning${problems.length - errors > 1 ? "s" : ""}` : ""}` : "no problems");
  }
  let said = "";
  function mark(words = said) {
    said = words;
    state.textContent = `${changed() ? "not saved · " : ""}${said}`;
    save.disabled = !changed();
    checks.text(changed() ? null : version);
  }

  /* Save what was changed; is it saved now? */
  async function saved() {
    if (!file || !changed()) return true;
    const now = text.text;
    try {
      const answer = await ask("/api/file", { name: file, text: now, version }, "PUT");
      version = answer.version;
      kept = now;
      lines = null;
      shows(null);
      mark();
      checks.changed();
      return true;
    } catch (error) {
      notice(error.message, "bad");
      return false;
    }
  }

  async function open(name) {
    if (file && changed() && !(await saved())) return;
    const found = await ask("/api/file", { name }, "GET");
    file = name; version = found.version; kept = found.text; said = "";
    localStorage.setItem(`kripke-file ${bench.folder.path}`, name);
    title.textContent = name;
    text.show(found.text, found.colours);
    list.replaceChildren();
    list.hidden = true;
    shows(null);
    mark("");
    look();
    checks.open(name, version);
    lastLines();
  }

  // ---- what was executed, painted beside the lines ----
  async function lastLines() {
    const of = file;
    const run = bench.latest().find((each) => each.name === of && each.found && each.version === version);
    if (!run) return shows(null);
    const { found } = await ask("/api/run", { id: run.id }, "GET").catch(() => ({ found: null }));
    if (of === file) shows(found?.lines?.[file] ?? null);
    return undefined;
  }
  function shows(next) {
    lines = next;
    paint.hidden = !lines;
    text.paint(lines && painting ? lines : null);
  }
  function toggle() {
    painting = !painting;
    paint.setAttribute("aria-pressed", String(painting));
    text.paint(painting ? lines : null);
  }
  bench.watchers.add((run) => { if (run?.name === file && run.status === "done") lastLines(); });

  async function declaration() {
    const found = await asked("hover", text.caret()).catch(() => null);
    if (found && found.line !== null) text.goTo([found.line, 0, found.line, 0]);
    else if (found) notice(`${found.kind} ${found.name} is declared in ${found.place}`);
  }

  box.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); saved(); }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); checks.start(); }
    if (event.key === "F12") { event.preventDefault(); declaration(); }
  });
  window.addEventListener("beforeunload", (event) => { if (changed()) event.preventDefault(); });

  return {
    async show(here) {
      if (!bench.file) { title.textContent = "no file is open"; return; }
      if (bench.file !== file) await open(bench.file);
      const line = Number(here.given.get("line"));
      if (line) text.goTo([line - 1, Math.max(0, Number(here.given.get("column")) - 1), line - 1, 0]);
      else text.draw();
    },
  };
}

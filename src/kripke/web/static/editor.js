import { element } from "./report/elements.js";
import { segments } from "./report/highlighting.js";
import { completion } from "./completion.js";

const LINE = 20; // pixels; as in views.css

/* A text area, whose letters cannot be seen, over the same text in colours. The browser does what it does well (caret,
   selection, undo, spelling of any script), we draw the lines that can be seen: so a thousand of them stay fluid. */
export function editor(box, { changed, complete, hover }) {
  const area = element("textarea", { class: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "text of the model", "aria-describedby": "said" });
  const layer = element("div", { class: "layer", "aria-hidden": "true" });
  const gutter = element("div", { class: "gutter", "aria-hidden": "true" });
  const tip = element("div", { class: "tip", role: "tooltip", hidden: "" });
  const frame = element("div", { class: "code" }, gutter, element("div", { class: "page" }, layer, area, tip));
  box.append(frame);
  const words = completion(frame.querySelector(".page"), area, { complete, at: caretPlace, changed: typed });
  let lines = [""], parts = [[]], rules = null, problems = [], coverage = null, leaving = false;

  // ---- what is seen ----
  function draw() {
    const from = Math.max(0, Math.floor(area.scrollTop / LINE) - 3);
    const to = Math.min(lines.length, Math.ceil((area.scrollTop + area.clientHeight) / LINE) + 3);
    const rows = [], numbers = [];
    const current = lineOf(area.selectionStart);
    for (let line = from; line < to; ++line) {
      rows.push(placed(element("div", { class: `line${line === current ? " current" : ""}` }, ...coloured(line)), line));
      const worst = problems.find((each) => each.range[0] <= line && line <= each.range[2] && each.severity === "error") ?? problems.find((each) => each.range[0] <= line && line <= each.range[2]);
      const [covered, times] = painted(line);
      const number = placed(element("div", { class: `${worst ? worst.severity : ""} ${covered}`.trim() }, String(line + 1)), line);
      if (worst) number.title = worst.message;
      else if (covered) number.title = times;
      numbers.push(number);
    }
    layer.replaceChildren(...rows);
    gutter.replaceChildren(...numbers);
    move();
  }
  const placed = (node, line) => { node.style.top = `${line * LINE + 6}px`; return node; };
  function move() {
    layer.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
    gutter.style.setProperty("--up", `${-area.scrollTop}px`);
  }
  function painted(line) {
    const counts = coverage?.[line + 1];
    if (!counts) return ["", ""];
    const [executed, missed, times] = counts;
    const kind = !executed ? "missed" : missed ? "partly" : "covered";
    const often = times ? `, ${times.toLocaleString("en")} transitions` : "";
    return [kind, kind === "missed" ? "never executed" : kind === "partly" ? `in part never executed${often}` : `executed${often}`];
  }
  function coloured(line) {
    const own = problems.filter((each) => each.range[0] <= line && line <= each.range[2]);
    const found = parts[line] ?? [[lines[line], ""]];
    if (!own.length) return found.map(([text, kind]) => (kind ? element("span", { class: kind }, text) : text));
    const nodes = [];
    let at = 0;
    const marks = own.map((each) => {
      const start = each.range[0] === line ? each.range[1] : 0;
      const end = each.range[2] === line ? each.range[3] : lines[line].length;
      return [start, Math.max(end, start + 1), each.severity];
    });
    for (const [text, kind] of found.length ? found : [[" ", ""]]) {
      const cuts = [...new Set([at, at + text.length, ...marks.flatMap(([a, b]) => [a, b])])].filter((cut) => cut >= at && cut <= at + text.length).sort((a, b) => a - b);
      for (let i = 0; i + 1 < cuts.length; ++i) {
        const mark = marks.find(([a, b]) => a <= cuts[i] && cuts[i] < b);
        const piece = text.slice(cuts[i] - at, cuts[i + 1] - at);
        nodes.push(mark || kind ? element("span", { class: `${kind} ${mark ? `problem ${mark[2]}` : ""}`.trim() }, piece) : piece);
      }
      at += text.length;
    }
    if (marks.some(([start]) => start >= lines[line].length)) nodes.push(element("span", { class: `problem ${marks[0][2]}` }, " "));
    return nodes;
  }

  // ---- the text ----
  function read() {
    lines = area.value.split("\n");
    parts = segments(lines, rules);
    frame.style.setProperty("--digits", String(Math.max(3, String(lines.length).length)));
  }
  function typed() {
    problems = []; // they are of the text before
    read();
    draw();
    changed(area.value);
  }
  const lineOf = (offset) => area.value.slice(0, offset).split("\n").length - 1;
  function caret() {
    const before = area.value.slice(0, area.selectionStart).split("\n");
    return { line: before.length - 1, character: before.at(-1).length };
  }
  let width = 0;
  function letter() {
    if (!width) {
      const probe = element("span", { class: "line" }, "x".repeat(100));
      layer.append(probe);
      width = probe.getBoundingClientRect().width / 100;
      probe.remove();
    }
    return width || 8;
  }
  const columns = (text) => [...text].reduce((at, sign) => (sign === "\t" ? (Math.floor(at / 4) + 1) * 4 : at + 1), 0);
  function caretPlace() {
    const { line, character } = caret();
    return { left: 12 + columns(lines[line].slice(0, character)) * letter() - area.scrollLeft, top: (line + 1) * LINE + 8 - area.scrollTop };
  }

  // ---- keys ----
  const put = (text) => document.execCommand("insertText", false, text); // so that it can be undone
  area.addEventListener("keydown", (event) => {
    if (words.key(event)) return;
    if (event.key === "Escape") { leaving = true; return; }
    if (event.key === "Tab" && !leaving && !event.ctrlKey && !event.altKey) { event.preventDefault(); indent(event.shiftKey); }
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const { line, character } = caret();
      const before = lines[line].slice(0, character), space = before.match(/^\s*/)[0];
      put(`\n${space}${/(\{|\b(do|if)|->|::)\s*$/.test(before) ? (space.includes("\t") ? "\t" : "  ") : ""}`);
    }
    if (event.key === "F8") { event.preventDefault(); nextProblem(event.shiftKey ? -1 : 1); }
    if (event.key !== "Tab" && event.key !== "Shift") leaving = false;
  });
  function indent(back) {
    const [start, end] = [area.selectionStart, area.selectionEnd];
    if (start === end && !back) return put("  ");
    const first = area.value.lastIndexOf("\n", start - 1) + 1;
    const chosen = area.value.slice(first, end);
    const next = back ? chosen.replace(/^( {1,2}|\t)/gm, "") : chosen.replace(/^/gm, "  ");
    if (next === chosen) return undefined;
    area.setSelectionRange(first, end);
    put(next);
    return area.setSelectionRange(first, first + next.length);
  }
  function nextProblem(by) {
    if (!problems.length) return;
    const { line } = caret();
    const sorted = [...problems].sort((a, b) => by * (a.range[0] - b.range[0]));
    goTo((sorted.find((each) => by * (each.range[0] - line) > 0) ?? sorted[0]).range);
  }
  /* Edits of a quick fix, from the last to the first, so that places stay right. */
  function mend(edits) {
    for (const { range, text } of [...edits].sort((a, b) => b.range[0] - a.range[0] || b.range[1] - a.range[1])) {
      const offset = (line, character) => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
      area.focus({ preventScroll: true });
      area.setSelectionRange(offset(range[0], range[1]), offset(range[2], range[3]));
      if (text) put(text); else document.execCommand("delete");
    }
  }
  function goTo([line, character, endLine, end]) {
    const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
    area.focus({ preventScroll: true });
    const stop = endLine === line ? start + (end ?? character) : start + lines[line].length;
    area.setSelectionRange(start + character, Math.max(start + character, stop));
    area.scrollTop = Math.max(0, line * LINE - area.clientHeight / 3);
    draw();
  }
  area.addEventListener("input", () => { typed(); words.typed(); });
  area.addEventListener("scroll", () => { words.close(); hideTip(); requestAnimationFrame(draw); }, { passive: true });
  for (const name of ["click", "keyup"]) area.addEventListener(name, (event) => { if (name === "click" || /^(Arrow|Home|End|Page)/.test(event.key)) { words.close(); draw(); } });
  area.addEventListener("blur", () => setTimeout(() => words.close(), 150));
  new ResizeObserver(() => draw()).observe(area);

  // ---- what a name means ----
  let timer = 0;
  const hideTip = () => { clearTimeout(timer); tip.hidden = true; };
  area.addEventListener("mousemove", (event) => {
    hideTip();
    timer = setTimeout(async () => {
      const bounds = area.getBoundingClientRect();
      const line = Math.floor((event.clientY - bounds.top + area.scrollTop - 6) / LINE);
      const wanted = Math.floor((event.clientX - bounds.left + area.scrollLeft - 12) / letter());
      if (line < 0 || line >= lines.length) return;
      let character = 0;
      while (character < lines[line].length && columns(lines[line].slice(0, character + 1)) <= wanted) ++character;
      if (character >= lines[line].length) return;
      const problem = problems.find(({ range: [a, b, c, d] }) => (a < line || (a === line && b <= character)) && (line < c || (line === c && character < d)));
      const meaning = problem ? null : await hover(line, character);
      if (!problem && !meaning) return;
      tip.replaceChildren(...(problem ? [element("span", { class: problem.severity }, problem.message)]
        : [element("span", { class: "soft" }, `${meaning.kind} · ${meaning.place}`), element("code", {}, meaning.text || meaning.name)]));
      tip.style.left = `${Math.min(event.clientX - bounds.left, bounds.width - 240)}px`;
      tip.style.top = `${(line + 1) * LINE + 8 - area.scrollTop}px`;
      tip.hidden = false;
    }, 350);
  });
  area.addEventListener("mouseleave", hideTip);

  return {
    area,
    show(text, colours) { rules = colours; area.value = text; problems = []; coverage = null; read(); area.scrollTop = 0; area.setSelectionRange(0, 0); draw(); },
    problems(found) { problems = found; draw(); },
    paint(lineCounts) { coverage = lineCounts; draw(); },
    goTo, mend, caret, draw,
    get text() { return area.value; },
  };
}

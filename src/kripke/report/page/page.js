"use strict";
/* The report's behaviour. All text of the model reaches the page as text nodes: nothing of it is ever markup. */
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 26, NUMBER = 52, OVERSCAN = 12;
  const $ = (id) => document.getElementById(id);

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  function shape(tag, attributes, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

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

  // ---- the trace that is shown ----------------------------------------------------------------------------------
  let trace = null, rows = [], rowOf = [], picked = -1, folding = false, opened = new Set(), hits = [], wanted = "";
  let laneWidth = 90, snapshots = [], shown = 0;

  const text = (index) => trace.texts[index];
  const stepsCount = () => trace.steps.length;
  /* A step: a actor (lane), p parts [lane, text, file, line], c changes [name, old, new, in words] (-1: none), l local, v violations */

  function showTrace(index) {
    const finding = report.findings[index];
    for (const [number, tab] of [...$("tabs").children].entries()) tab.setAttribute("aria-pressed", String(number === index));
    showWhy(finding);
    trace = finding.trace;
    shown = report.findings.slice(0, index).filter((each) => each.trace !== null).length;
    $("trace").hidden = trace === null;
    if (trace === null) return;
    picked = -1; opened = new Set(); snapshots = []; wanted = ""; hits = [];
    $("search").value = "";
    folding = stepsCount() > 60 && trace.steps.some((step) => step.l);
    $("fold").setAttribute("aria-pressed", String(folding));
    $("fold").hidden = !trace.steps.some((step) => step.l);
    layOut();
    pick(trace.deciding ?? stepsCount() - 1, false);
    if (stepsCount()) reveal(rowOf[picked]);
  }

  function showWhy(finding) {
    const box = $("why");
    box.hidden = false;
    box.classList.toggle("fine", finding.fine);
    box.replaceChildren(element("h2", {}, finding.explanation ? "Why" : finding.fine ? "For example" : "What happens"));
    box.append(element("p", {}, finding.explanation ? finding.explanation.summary : finding.message));
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

  // ---- rows: steps, folded local steps, notes -------------------------------------------------------------------
  function layOut() {
    rows = []; rowOf = new Array(stepsCount());
    const steps = trace.steps;
    for (let i = 0; i < steps.length; ) {
      if (i === trace.loop) rows.push({ note: "from here on the steps repeat for ever", at: i });
      let end = i;
      if (folding && !opened.has(i))
        while (end < steps.length && steps[end].l && steps[end].a === steps[i].a && end !== trace.deciding &&
               (end === i || end !== trace.loop)) ++end;
      if (end - i > 1) {
        for (let k = i; k < end; ++k) rowOf[k] = rows.length;
        rows.push({ from: i, to: end, lane: steps[i].a });
        i = end;
      } else {
        rowOf[i] = rows.length;
        rows.push({ step: i, lane: steps[i].a });
        for (const violation of steps[i].v) rows.push({ note: text(violation), alarm: true, at: i });
        if (i === trace.deciding && i < steps.length - 1)
          rows.push({ note: "from here on every run ends in an error", at: i });
        ++i;
      }
    }
    if (!steps.length) rows.push({ note: "no step: the initial state itself", at: -1 });
    $("rows").style.height = `${rows.length * ROW}px`;
    measure();
    draw(true);
  }

  function measure() {
    const lanes = Math.max(trace.lanes.length, 1);
    const room = $("scroller").clientWidth - NUMBER;
    const processes = trace.lanes.some((name) => name !== "");
    laneWidth = processes ? Math.max(30, Math.min(105, (room * 0.45) / lanes)) : 30;
    const heads = $("lanes");
    heads.replaceChildren();
    if (processes) trace.lanes.forEach((name, lane) =>
      heads.append(placed(element("span", { class: `lane c${lane % 8}`, title: name }, short(name)), laneX(lane))));
    heads.append(placed(element("span", { class: "column" }, "step"), 12));
    heads.append(placed(element("span", { class: "column" }, "statement"), NUMBER + chartWidth()));
  }
  /* Behind the last lane there is room for its name and for messages that nobody takes. */
  const chartWidth = () => Math.max(trace.lanes.length, 1) * laneWidth + (trace.lanes.some((name) => name !== "") ? 22 : 0);
  /* As much of a name as its lane has room for; which process of several it is stays. */
  const short = (name) => {
    const room = Math.max(3, Math.floor((laneWidth - 18) / 7.3));
    if (name.length <= room) return name;
    const number = name.includes(":") ? name.slice(name.lastIndexOf(":")) : "";
    return `${name.slice(0, Math.max(1, room - number.length - 1))}…${number}`;
  };
  const placed = (node, x) => { node.style.left = `${x}px`; return node; };
  const laneX = (lane) => NUMBER + (lane + 0.5) * laneWidth;
  const rowY = (row) => row * ROW + ROW / 2;

  let first = -1, last = -1, asked = false;
  function draw(force) {
    const scroller = $("scroller");
    const all = printing ? rows.length : 0;
    const from = printing ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW) - OVERSCAN);
    const to = all || Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + OVERSCAN);
    if (!force && from === first && to === last) return;
    first = from; last = to;
    const shown = [];
    for (let row = from; row < to; ++row) shown.push(rowNode(row));
    shown.push(chart(from, to)); // above the rows, whose backgrounds would hide it
    $("rows").replaceChildren(...shown);
  }

  function rowNode(number) {
    const row = rows[number];
    const space = element("span", { class: "space" });
    space.style.width = `${chartWidth()}px`;
    let node;
    if (row.note !== undefined) {
      node = element("div", { class: `row note${row.alarm ? " alarm" : ""}` }, element("span", { class: "number" }), space, row.note);
    } else if (row.to) {
      const what = `${row.to - row.from} local steps`;
      node = element("div", { class: "row fold", title: "show them" }, element("span", { class: "number" }, `${row.from + 1}…`), space, what);
      node.addEventListener("click", () => { opened.add(row.from); for (let k = row.from; k < row.to; ++k) opened.add(k); layOut(); pick(row.from, false); });
    } else {
      const step = trace.steps[row.step];
      const what = step.p.map((part) => text(part[1])).join("; ");
      const changes = element("span", { class: "changes" });
      step.c.forEach(([name, old, now, words], index) => {
        if (trace.names[name].endsWith("@") || step.g.includes(name)) return;
        if (changes.childNodes.length) changes.append(", ");
        if (words !== undefined) { changes.append(`${trace.names[name]} ${text(words)}`); return; }
        changes.append(`${trace.names[name]} `, now < 0 ? "gone" : "", old >= 0 && now >= 0 ? `${text(old)} → ` : now >= 0 ? "= " : "", element("b", {}, now >= 0 ? text(now) : ""));
      });
      const classes = ["row", row.step === picked ? "picked" : "", step.v.length ? "bad" : "", hits.length && hitSet.has(row.step) ? "hit" : ""];
      node = element("div", { class: classes.join(" ").trim(), "data-step": row.step }, element("span", { class: "number" }, String(row.step + 1)), space,
        element("span", { class: `what c${step.a % 8}`, title: what }, what), changes);
      node.addEventListener("click", () => pick(row.step, false));
    }
    node.style.top = `${number * ROW}px`;
    return node;
  }

  // ---- the sequence chart ---------------------------------------------------------------------------------------
  function chart(from, to) {
    const top = from * ROW, bottom = to * ROW, lanes = trace.lanes.length;
    const svg = shape("svg", { class: "chart", width: NUMBER + lanes * laneWidth + 40, height: bottom - top });
    svg.style.top = `${top}px`;
    const y = (row) => rowY(row) - top;
    for (let lane = 0; lane < lanes; ++lane)
      svg.append(shape("line", { class: "life", x1: laneX(lane), x2: laneX(lane), y1: 0, y2: bottom - top }));
    for (let row = from; row < to; ) {
      let end = row;
      while (end + 1 < to && rows[end + 1].note === undefined && rows[end + 1].lane === rows[row].lane) ++end;
      if (rows[row].note === undefined) {
        const x = laneX(rows[row].lane);
        if (end > row) svg.append(shape("line", { class: `busy paint c${rows[row].lane % 8}`, x1: x, x2: x, y1: y(row), y2: y(end) }));
        for (let k = row; k <= end; ++k)
          svg.append(shape("circle", { class: `paint c${rows[k].lane % 8}`, cx: x, cy: y(k), r: rows[k].to ? 2.5 : 4.5 }));
      }
      row = end + 1;
    }
    for (const message of trace.messages) {
      const start = rowOf[message.s], stop = message.r === null ? start : rowOf[message.r];
      if (stop < from || start >= to) continue;
      arrow(svg, message, y(start), y(stop));
    }
    if (trace.loop !== null && trace.loop < stepsCount()) loopBracket(svg, y(rowOf[trace.loop]), y(rows.length - 1), bottom - top);
    return svg;
  }

  function arrow(svg, message, y1, y2) {
    const x1 = laneX(message.f), colour = `paint c${message.f % 8}`;
    const lost = message.r === null;
    const toSelf = !lost && message.t === message.f;
    const x2 = lost ? x1 + laneWidth * 0.42 : toSelf ? x1 : laneX(message.t);
    const bow = toSelf ? laneWidth * 0.4 : 0;
    const path = bow ? `M${x1},${y1} C${x1 + bow},${y1} ${x1 + bow},${y2} ${x2 + 5},${y2}` : `M${x1},${y1} L${x2 + (lost ? 0 : x2 > x1 ? -5 : 5)},${y2}`;
    const line = shape("path", { class: `arrow c${message.f % 8}${lost ? " pending" : ""}`, d: path, stroke: "currentColor" });
    svg.append(line);
    if (lost) svg.append(shape("circle", { class: `c${message.f % 8}`, cx: x2 + 4, cy: y2, r: 3.5, fill: "none", stroke: "currentColor" }));
    else {
      const angle = bow ? Math.PI : Math.atan2(y2 - y1, x2 - x1);
      const tip = [x2 - Math.sign(x2 - x1 || (bow ? -1 : 1)) * 5, y2];
      const wing = (turn) => `${tip[0] - 8 * Math.cos(angle + turn)},${tip[1] - 8 * Math.sin(angle + turn)}`;
      svg.append(shape("polygon", { class: colour, points: `${tip[0]},${tip[1]} ${wing(0.42)} ${wing(-0.42)}` }));
    }
    const label = shape("text", { class: "label", x: (x1 + x2) / 2 + (bow ? bow * 0.8 : 0), y: (y1 + y2) / 2 - 5, "text-anchor": "middle" });
    const room = Math.max(6, Math.floor((Math.abs(x2 - x1) || laneWidth) / 7));
    label.textContent = message.m.length > room ? `${message.m.slice(0, room - 1)}…` : message.m;
    const again = lost && trace.loop !== null && message.s >= trace.loop && trace.messages.some((each) => each.q === message.q && each.r !== null && each.r >= trace.loop);
    label.append(shape("title", {}, `${message.q}: ${message.m}${again ? " (for the next turn of the loop)" : lost ? " (not received in this run)" : ""}`));
    svg.append(label);
  }

  function loopBracket(svg, y1, y2, height) {
    const from = Math.max(y1, -50), to = Math.min(y2, height + 50), x = NUMBER - 4;
    svg.append(shape("path", { class: "loop", d: `M${x + 8},${from - 9} H${x} V${to + 9} H${x + 8}` }));
  }

  // ---- picking a step: source and state follow ------------------------------------------------------------------
  function pick(step, scroll = true) {
    if (!trace || !stepsCount()) { showState(-1); showMarks(-1); return; }
    picked = Math.max(0, Math.min(stepsCount() - 1, step));
    draw(true);
    if (scroll) reveal(rowOf[picked]);
    showSource(trace.steps[picked]);
    showState(picked);
    showMarks(picked);
    $("where").textContent = `step ${picked + 1} of ${stepsCount().toLocaleString("en")}`;
  }

  function reveal(row) {
    const scroller = $("scroller"), y = row * ROW;
    if (y < scroller.scrollTop + ROW) scroller.scrollTop = y - 2 * ROW;
    else if (y > scroller.scrollTop + scroller.clientHeight - 3 * ROW) scroller.scrollTop = y - scroller.clientHeight + 4 * ROW;
  }

  // Every line as text and spans: comments, strings, keywords and types, as the language says.
  function highlighted(lines) {
    const rules = report.highlighting;
    if (!rules) return lines.map((line) => [line || " "]);
    const plain = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const [open, close] = rules.block || ["", ""];
    const strings = rules.quotes.map((quote) => `${quote}(?:\\\\.|[^${quote}\\\\])*${quote}?`);
    const kinds = [...rules.line.map((start) => `${plain(start)}.*`), ...(open ? [plain(open)] : []), ...strings, "[A-Za-z_]\\w*"];
    const token = new RegExp(kinds.join("|"), "g"), ends = open && new RegExp(`${plain(open)}|${plain(close)}`, "g");
    const words = new Map([...rules.keywords.map((word) => [word, "k"]), ...rules.types.map((word) => [word, "t"])]);
    let depth = 0;
    return lines.map((line) => {
      const parts = [];
      const put = (text, kind) => { if (text) parts.push(kind ? element("span", { class: kind }, text) : text); };
      for (let at = 0; at < line.length; ) {
        const looked = depth ? ends : token;
        looked.lastIndex = at;
        const found = looked.exec(line), start = found ? found.index : line.length, text = found ? found[0] : "";
        const opens = open && text === open;
        if (depth) {
          put(line.slice(at, start) + text, "c");
          depth += opens ? (rules.nested ? 1 : 0) : found ? -1 : 0;
        } else {
          put(line.slice(at, start));
          const comment = opens || rules.line.some((each) => text.startsWith(each));
          put(text, comment ? "c" : rules.quotes.includes(text[0]) ? "s" : words.get(text));
          depth = opens ? 1 : 0;
        }
        at = start + text.length;
      }
      return parts.length ? parts : [" "];
    });
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
      box.replaceChildren(...highlighted(lines).map((parts, index) => element("div", {}, element("span", { class: "n" }, String(index + 1)), element("span", {}, ...parts))));
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
  const nodes = [...document.querySelectorAll("#pictures [data-key]")];
  for (const button of document.querySelectorAll("#pictures button[data-show]"))
    button.addEventListener("click", () => {
      const figure = button.closest("figure");
      for (const other of figure.querySelectorAll("button[data-show]")) other.setAttribute("aria-pressed", other === button);
      for (const level of figure.querySelectorAll(".level")) level.hidden = level.dataset.level !== button.dataset.show;
    });
  function showMarks(step) {
    const marks = new Map((trace.marks[step + 1] ?? []).map(([key, mark]) => [text(key), text(mark)]));
    for (const node of nodes) {
      const key = node.dataset.key, mark = marks.get(key), label = node.querySelector("text");
      node.classList.toggle("marked", mark !== undefined);
      if (key.startsWith("place ")) {
        label.textContent = mark === undefined ? " " : mark.length > 7 ? `${mark.slice(0, 6)}…` : mark;
        label.append(shape("title", {}, mark ?? "empty"));
      } else if (key.startsWith("point ")) {
        node.querySelector("title")?.remove();
        if (mark !== undefined) node.append(shape("title", {}, `here: ${mark}`));
      }
    }
  }

  // ---- search by variable ---------------------------------------------------------------------------------------
  let hitSet = new Set();
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
    hitSet = new Set(hits);
    $("hits").textContent = wanted ? `${hits.length.toLocaleString("en")} ${hits.length === 1 ? "step" : "steps"}` : "";
    draw(true);
    if (trace) showState(picked);
  }
  const jump = (direction) => {
    const next = direction > 0 ? hits.find((hit) => hit > picked) : hits.findLast((hit) => hit < picked);
    if (next !== undefined) { if (rows[rowOf[next]].to) { opened.add(rows[rowOf[next]].from); layOut(); } pick(next); }
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
  function growth() {
    const samples = report.samples;
    if (samples.length < 4) return;
    $("growthbox").hidden = false;
    const width = 480, height = 150, left = 8, foot = 20;
    const [seconds, states] = [samples.at(-1)[0], Math.max(...samples.map((sample) => sample[1]))];
    const point = ([time, count]) => `${left + (time / seconds) * (width - 2 * left)},${height - foot - (count / states) * (height - foot - 16)}`;
    const svg = shape("svg", { class: "growth", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
    const line = [[0, 0], ...samples].map(point).join(" ");
    svg.append(shape("polygon", { class: "area", points: `${line} ${width - left},${height - foot} ${left},${height - foot}` }));
    svg.append(shape("line", { class: "axis", x1: left, x2: width - left, y1: height - foot, y2: height - foot }));
    svg.append(shape("polyline", { class: "curve", points: line }));
    svg.append(shape("text", { x: width - left, y: height - 5, "text-anchor": "end" }, `${seconds.toFixed(1)} s`));
    svg.append(shape("text", { x: left, y: 11 }, `${states.toLocaleString("en")} states`));
    $("growth").append(svg);
  }

  // ---- start ------------------------------------------------------------------------------------------------------
  let printing = false;
  const tabs = $("tabs");
  report.findings.forEach((finding, index) =>
    tabs.append(element("button", { title: finding.message, "aria-pressed": "false", onclick: () => showTrace(index) }, `${index + 1}. ${finding.message}`)));
  tabs.hidden = report.findings.length < 2;
  if (report.findings.length) {
    $("scroller").addEventListener("scroll", () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(false); });
    }, { passive: true });
    $("fold").addEventListener("click", () => {
      folding = !folding; opened = new Set();
      $("fold").setAttribute("aria-pressed", String(folding));
      layOut(); pick(picked);
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
        let step = picked + moves[event.key];
        if (Math.abs(moves[event.key]) === 1 && folding) { const row = rows[rowOf[picked]]; if (row.to) step = moves[event.key] > 0 ? row.to : row.from - 1; }
        pick(step);
      }
    });
    window.addEventListener("resize", () => { if (trace) { measure(); draw(true); } });
    window.addEventListener("beforeprint", () => { printing = rows.length <= 3000; draw(true); });
    window.addEventListener("afterprint", () => { printing = false; draw(true); });
    showTrace(0);
  }
  growth();
  if (report.space && report.space.start.length) explorer(report.space);
  document.documentElement.dataset.ready = "yes";
})();

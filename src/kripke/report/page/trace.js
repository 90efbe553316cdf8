import { element, shape } from "./elements.js";

const ROW = 26, NUMBER = 52, OVERSCAN = 12;

/* A run as rows beside its sequence chart, of which only what can be seen is there. ``parts`` are the elements scroller,
   rows and lanes; ``onPick`` is told which step is picked.
   A step: a actor (lane), p parts [lane, text, file, line], c changes [name, old, new, in words] (-1: none), l local,
   v violations, g forgotten names. */
export function traceView(parts, onPick) {
  let trace = null, rows = [], rowOf = [], picked = -1, folding = false, opened = new Set(), hitSet = new Set();
  let laneWidth = 90, printing = false, offset = 0;
  const text = (index) => trace.texts[index];
  const stepsCount = () => trace.steps.length;

  function show(next, fold, before = 0) {
    trace = next; folding = fold; offset = before;
    picked = -1; opened = new Set(); hitSet = new Set();
    layOut();
  }

  function pick(step, scroll = true) {
    if (!trace || !stepsCount()) return onPick(-1);
    picked = Math.max(0, Math.min(stepsCount() - 1, step));
    draw(true);
    if (scroll) reveal(rowOf[picked]);
    return onPick(picked);
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
    parts.rows.style.height = `${rows.length * ROW}px`;
    measure();
    draw(true);
  }

  function measure() {
    const lanes = Math.max(trace.lanes.length, 1);
    const room = parts.scroller.clientWidth - NUMBER;
    const processes = trace.lanes.some((name) => name !== "");
    laneWidth = processes ? Math.max(30, Math.min(105, (room * 0.45) / lanes)) : 30;
    const heads = parts.lanes;
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
    const scroller = parts.scroller;
    const all = printing ? rows.length : 0;
    const from = printing ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW) - OVERSCAN);
    const to = all || Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + OVERSCAN);
    if (!force && from === first && to === last) return;
    first = from; last = to;
    const shown = [];
    for (let row = from; row < to; ++row) shown.push(rowNode(row));
    shown.push(chart(from, to)); // above the rows, whose backgrounds would hide it
    parts.rows.replaceChildren(...shown);
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
      node = element("div", { class: "row fold", title: "show them" }, element("span", { class: "number" }, `${row.from + 1 + offset}…`), space, what);
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
      const classes = ["row", row.step === picked ? "picked" : "", step.v.length ? "bad" : "", hitSet.has(row.step) ? "hit" : ""];
      node = element("div", { class: classes.join(" ").trim(), "data-step": row.step }, element("span", { class: "number" }, String(row.step + 1 + offset)), space,
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

  function reveal(row) {
    const scroller = parts.scroller, y = row * ROW;
    if (y < scroller.scrollTop + ROW) scroller.scrollTop = y - 2 * ROW;
    else if (y > scroller.scrollTop + scroller.clientHeight - 3 * ROW) scroller.scrollTop = y - scroller.clientHeight + 4 * ROW;
  }

  function fold(on) { folding = on; opened = new Set(); layOut(); }
  /* The step that so many rows further is. */
  function moved(by) {
    if (Math.abs(by) === 1 && folding && rows[rowOf[picked]]?.to) { const row = rows[rowOf[picked]]; return by > 0 ? row.to : row.from - 1; }
    return picked + by;
  }
  /* Unfold the row that a step is in. */
  function unfold(step) { if (rows[rowOf[step]].to) { opened.add(rows[rowOf[step]].from); layOut(); } }
  function mark(steps) { hitSet = new Set(steps); draw(true); }
  function print(on) { printing = on && rows.length <= 3000; draw(true); }

  parts.scroller.addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; if (trace) draw(false); });
  }, { passive: true });
  window.addEventListener("resize", () => { if (trace) { measure(); draw(true); } });

  return { show, pick, fold, moved, unfold, mark, print, reveal: () => reveal(rowOf[picked]), get picked() { return picked; }, get folding() { return folding; } };
}

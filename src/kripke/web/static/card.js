import { element } from "./report/elements.js";
import { growthCurve } from "./report/growth.js";
import { ask } from "./asking.js";
import { address, go } from "./places.js";
import { notice } from "./notices.js";
import { ago, count, rate, size, time } from "./words.js";

/* One run: while it goes on, how far it is and a button that stops it; then what was found. */
export function runCard(bench) {
  const node = element("div", { class: "panel card run" });
  let drawn = "";

  /* ``earlier``: the text was changed since. */
  function show(run, earlier = false) {
    const going = run.status === "running" || run.status === "waiting";
    const key = JSON.stringify([run.status, run.progress, Math.floor(Date.now() / 60000), run.seconds, earlier]);
    if (key === drawn) return;
    drawn = key;
    const focused = node.contains(document.activeElement) ? document.activeElement.dataset.what : null;
    const verdict = run.found?.verdict ?? run.status;
    const options = run.command.replace(/^kripke check \S+ ?/, "");
    const head = element("div", { class: "heading" }, element("span", { class: `verdict small ${going ? "going" : run.found ? verdict : "failed"}` }, going ? run.status : verdict),
      element("span", { class: "mono options", title: run.command }, options), element("span", { class: "grow" }),
      going ? element("button", { "data-what": "stop", onclick: () => stop(run) }, "stop") : element("span", { class: "soft" }, ago(run.asked)));
    const parts = [head];
    if (going && run.progress.length) {
      const [states, , depth, queue, bytes, seconds] = run.progress;
      parts.push(element("p", { class: "figures-line" }, `${count(states)} states · ${rate(states, seconds)} · queue ${count(queue)} · depth ${count(depth)} · ${size(bytes)} · ${time(seconds)}`));
    } else if (going) parts.push(element("p", { class: "figures-line" }, run.status === "waiting" ? "waits until another check is done" : "reads and compiles the model"));
    if (going) parts.push(element("div", { class: "curve-box" }, run.samples.length > 2 ? growthCurve(run.samples) : null));
    if (run.found) {
      if (earlier) parts.push(element("p", { class: "earlier" }, "of an earlier text"));
      const { place } = run.found, named = !earlier && place && run.found.reason.includes(`${place.file}:${place.line}:`);
      parts.push(element("p", {}, run.found.reason || run.found.property, ...(named ? [" ", element("a", { "data-what": "line", href: address("model", place.file, { line: place.line }) }, "go to the line")] : [])));
      parts.push(element("p", { class: "figures-line" }, `${count(run.found.states)} states · ${time(run.found.seconds)} · ${size(run.found.store_bytes)}`));
      const steps = run.found.findings.find((each) => each.steps !== null);
      parts.push(element("div", { class: "buttons" },
        element("a", { class: "button primary", "data-what": "read", href: address("runs", run.id) }, steps ? "read the run" : "open the report"),
        steps ? element("button", { "data-what": "explore", onclick: () => follow(run, 0) }, "explore it") : null));
    } else if (!going) parts.push(element("p", { class: "bad" }, run.error));
    node.replaceChildren(...parts);
    if (focused) node.querySelector(`[data-what="${focused}"]`)?.focus();
  }

  async function stop(run) {
    try {
      await ask("/api/stop", { id: run.id });
    } catch (error) {
      notice(error.message, "bad");
    }
  }
  return { node, show };
}

/* Explore the run that a check has found, from its end or from one of its steps. */
export async function follow(run, finding, step = null) {
  try {
    const found = await ask("/api/follow", { id: run.id, finding });
    if (found.deviation) notice(found.deviation, "bad");
    else if (found.changed) notice("the model has changed since this check");
    const macros = Object.entries(run.defines).map(([name, value]) => `${name}=${value}`).join(",");
    go("explore", run.name, { run: found.at, step: step ?? "", D: macros, loop: found.loop ?? "" });
  } catch (error) {
    notice(error.message, "bad");
  }
}

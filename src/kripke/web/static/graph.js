import { element } from "./report/elements.js";
import { drawing } from "./pictures.js";

/* The state graph as far as it was opened: a click on a state opens it, a second one goes there. Collapsed by a
   variable, a process or components it shows what lies around in a few nodes. */
export function graphPart(box, { ask, go, names }) {
  const by = element("select", { id: "graph-by", "aria-label": "collapse the graph", onchange: () => draw() });
  const fresh = element("button", { id: "graph-anew", onclick: () => { opened = []; anew = true; draw(); } }, "start from here");
  const said = element("span", { class: "count", role: "status" });
  const canvas = element("div", { class: "canvas" });
  box.append(element("div", { class: "bar" }, element("label", { for: "graph-by" }, "collapse"), by, fresh, said), canvas);
  let at = "0.", start = null, opened = [], anew = true, seen = false, dirty = true, asked = 0;

  function fill() {
    const chosen = by.value;
    const known = names();
    const option = (value, text) => element("option", { value }, text);
    by.replaceChildren(option("", "nothing: single states"), option("component", "by component"),
      ...known.filter((name) => name.endsWith("@")).map((name) => option(`process ${name}`, `by the place of ${name.slice(0, -1)}`)),
      ...known.filter((name) => !name.endsWith("@")).map((name) => option(`variable ${name}`, `by ${name}`)));
    if ([...by.options].some((each) => each.value === chosen)) by.value = chosen;
  }
  async function draw() {
    if (!seen) { dirty = true; return; }
    dirty = false;
    const number = ++asked;
    if (start === null) start = at;
    const [sort, ...rest] = by.value.split(" ");
    try {
      const found = sort ? await ask("group", { at, by: sort, of: rest.join(" ") }) : await ask("graph", { at, opened, anew });
      if (number !== asked) return;
      anew = false;
      if (!sort) opened = found.opened;
      show(found, sort);
    } catch (error) {
      if (number === asked) said.textContent = error.message;
    }
  }
  function show(found, sort) {
    said.textContent = found.said || (sort ? "" : "choose a state to open it, choose it again to go there");
    const focused = document.activeElement?.closest?.("[data-key]")?.dataset.key;
    const svg = drawing(found.svg);
    canvas.replaceChildren(svg);
    const known = new Map(found.nodes.map((node) => [node.key, node]));
    for (const group of svg.querySelectorAll("[data-key]")) {
      const node = known.get(group.dataset.key);
      if (!node) continue;
      const words = [...group.querySelectorAll("text")].map((each) => each.textContent).join(", ");
      for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", words]]) group.setAttribute(name, value);
      const chosen = () => {
        if (sort || opened.includes(node.number)) go(node.at);
        else { opened.push(node.number); draw(); }
      };
      group.addEventListener("click", chosen);
      group.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); chosen(); } });
      if (!sort && node.number === found.here) group.classList.add("marked");
      if (focused === node.key) group.focus();
    }
  }
  return {
    moved(address) { at = address; draw(); },
    visible(yes) { seen = yes; if (yes && dirty) { fill(); draw(); } },
    reset() { opened = []; anew = true; dirty = true; start = null; fill(); },
  };
}

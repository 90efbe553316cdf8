import { element } from "./report/elements.js";
import { ask } from "./asking.js";
import { address, go, place } from "./places.js";
import { notice, question } from "./notices.js";

/* The files of the folder as a tree of folders that open and close. */
export function fileTree(box, filter, fresh, bench) {
  let files = [], chosen = "";

  function draw() {
    const wanted = filter.value.trim().toLowerCase();
    const root = { folders: new Map(), files: [] };
    for (const file of files.filter((each) => each.name.toLowerCase().includes(wanted))) {
      const parts = file.name.split("/");
      let at = root;
      for (const part of parts.slice(0, -1)) {
        if (!at.folders.has(part)) at.folders.set(part, { folders: new Map(), files: [] });
        at = at.folders.get(part);
      }
      at.files.push(file);
    }
    const nodes = branch(root, "", wanted !== "");
    if (!nodes.length) nodes.push(element("p", { class: "soft" }, files.length ? "nothing of that name" : "no models here yet: make one with “+ new”"));
    box.replaceChildren(...nodes);
  }

  function branch(at, path, open) {
    const view = ["model", "explore", "ask"].includes(place().view) ? place().view : "model";
    const links = at.files.map((file) => element("a", {
      href: address(view, file.name), class: file.language ? "" : "soft", title: file.name,
      ...(file.name === chosen ? { "aria-current": "true" } : {}),
    }, file.name.split("/").at(-1)));
    const folders = [...at.folders].map(([name, inside]) => {
      const here = path ? `${path}/${name}` : name;
      const details = element("details", {}, element("summary", {}, name), element("div", {}, ...branch(inside, here, open)));
      details.open = open || chosen.startsWith(`${here}/`) || at.folders.size + at.files.length === 1;
      return details;
    });
    return [...links, ...folders];
  }

  filter.addEventListener("input", draw);
  fresh.addEventListener("click", async () => {
    const name = await question("Name of the new file", "model.pml", "The ending says the language: .pml .csp .pnml .pn .ll_net .modes .scxml .puml .lf");
    if (!name) return;
    try {
      await ask("/api/file", { name, text: "", version: null }, "PUT");
      await bench.refresh();
      go("model", name);
    } catch (error) {
      notice(error.message, "bad");
    }
  });
  return {
    show(next) { files = next; draw(); },
    mark(name) { chosen = name; draw(); },
  };
}

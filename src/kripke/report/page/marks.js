import { shape } from "./elements.js";

/* Pictures in a box: buttons fold levels; what is returned lights the nodes of a state, given as a map by their keys. */
export function pictureMarks(box) {
  const nodes = [...box.querySelectorAll("[data-key]")];
  for (const button of box.querySelectorAll("button[data-show]"))
    button.addEventListener("click", () => {
      const figure = button.closest("figure");
      for (const other of figure.querySelectorAll("button[data-show]")) other.setAttribute("aria-pressed", other === button);
      for (const level of figure.querySelectorAll(".level")) level.hidden = level.dataset.level !== button.dataset.show;
    });
  return (marks) => {
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
  };
}

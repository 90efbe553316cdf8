import { element } from "./report/elements.js";
import { pictureMarks } from "./report/marks.js";

/* SVG that the server has drawn, as elements of the page. It is read as data: no script in it would run. */
export function drawing(text) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(svg, true);
}

/* Automata, nets and nested machines, with the present state lit. */
export function picturePart(box) {
  let light = () => {}, marks = new Map();
  return {
    show(pictures) {
      box.replaceChildren(element("div", {}, ...pictures.map(({ title, levels }) => {
        const buttons = levels.length > 1 ? levels.map((_, index) => element("button", { "data-show": String(index + 1), "aria-pressed": String(index === levels.length - 1) }, String(index + 1))) : [];
        const drawn = levels.map((text, index) => {
          const level = element("div", { class: "level", "data-level": String(index + 1) }, drawing(text));
          level.hidden = index < levels.length - 1;
          return level;
        });
        return element("figure", {}, element("figcaption", {}, title, buttons.length ? element("span", {}, " levels ", ...buttons) : null), ...drawn);
      })));
      light = pictureMarks(box);
      light(marks);
    },
    mark(next) { marks = next; light(marks); },
  };
}

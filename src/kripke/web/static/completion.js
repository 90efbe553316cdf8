import { element } from "./report/elements.js";

const MOST = 12;
const WORD = /[A-Za-z_]\w*$/;

/* The list of words that could come next. It opens while a word is typed, or with Ctrl+Space. */
export function completion(box, area, { complete, at, changed }) {
  const list = element("ul", { class: "words", role: "listbox", id: "words", hidden: "" });
  box.append(list);
  area.setAttribute("aria-controls", "words");
  let found = [], chosen = 0, asked = 0;

  const before = () => area.value.slice(0, area.selectionStart).match(WORD)?.[0] ?? "";
  async function open(all) {
    const word = before(), number = ++asked;
    if (!all && word.length < 2) return close();
    const known = await complete().catch(() => []);
    if (number !== asked || before() !== word) return undefined;
    const low = word.toLowerCase();
    found = known.filter(({ name }) => name.toLowerCase().startsWith(low) && name !== word);
    found = [...found, ...known.filter(({ name }) => low && !name.toLowerCase().startsWith(low) && name.toLowerCase().includes(low))].slice(0, MOST);
    chosen = 0;
    return found.length ? draw() : close();
  }
  function draw() {
    list.replaceChildren(...found.map((each, index) => element("li", {
      role: "option", id: `word-${index}`, "aria-selected": String(index === chosen), title: each.text,
      onmousedown: (event) => { event.preventDefault(); chosen = index; take(); },
    }, element("span", {}, each.name), element("span", { class: "soft" }, each.kind))));
    const { left, top } = at();
    list.style.left = `${Math.max(0, Math.min(left, box.clientWidth - 260))}px`;
    list.hidden = false;
    list.style.top = `${top + list.offsetHeight > box.clientHeight && top > list.offsetHeight ? top - list.offsetHeight - 22 : top}px`;
    area.setAttribute("aria-activedescendant", `word-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }
  function close() {
    ++asked;
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }
  function take() {
    const word = before(), end = area.selectionStart;
    area.setSelectionRange(end - word.length, end);
    document.execCommand("insertText", false, found[chosen].name);
    close();
    changed();
  }
  /* Did the list take the key? */
  function key(event) {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); open(true); return true; }
    if (list.hidden) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) { event.preventDefault(); chosen = (chosen + by + found.length) % found.length; draw(); return true; }
    if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); take(); return true; }
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close(); return true; }
    return false;
  }
  return { key, close, typed: () => open(false) };
}

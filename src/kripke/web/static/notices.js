import { $, element } from "./report/elements.js";

/* A sentence in the corner, for as long as it takes to read it. */
export function notice(text, kind = "") {
  const node = element("div", { class: `notice ${kind}` }, element("span", {}, text),
    element("button", { class: "plain", "aria-label": "close", onclick: () => node.remove() }, "×"));
  $("notices").append(node);
  setTimeout(() => node.remove(), kind === "bad" ? 12000 : 5000);
}

/* A question with a line to answer; null where nobody does. */
export function question(title, value = "", hint = "") {
  const box = $("question");
  return new Promise((resolve) => {
    const input = element("input", { value, "aria-label": title });
    const form = element("form", { method: "dialog" }, element("h2", {}, title), input, hint ? element("p", {}, hint) : null,
      element("div", { class: "buttons" }, element("button", { value: "", type: "button", onclick: () => box.close("") }, "cancel"),
        element("button", { class: "primary", value: "ok" }, "ok")));
    form.addEventListener("submit", (event) => { event.preventDefault(); box.close("ok"); });
    box.replaceChildren(form);
    box.onclose = () => resolve(box.returnValue === "ok" ? input.value : null);
    box.returnValue = "";
    box.showModal();
    input.select();
  });
}

export async function copied(text, words = "copied") {
  try {
    await navigator.clipboard.writeText(text);
    notice(words);
  } catch {
    notice("the browser did not allow to copy", "bad");
  }
}

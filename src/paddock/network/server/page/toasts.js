// Short notices at the edge of the page: refusals with the server's reason, and events. Urgent ones stay until clicked.

import { make } from "./dom.js";

const SHOWN = 6000; // [ms]
const MAX_TOASTS = 4;

export class Toasts {
  constructor(holder) {
    this.holder = holder;
  }

  show(text, kind = "news") {
    const same = [...this.holder.children].find((toast) => toast.dataset.text === text);
    same?.remove();
    const about = { title: "Click to close", textContent: text, dataset: { text, testid: "toast" } };
    const toast = make("div", `toast ${kind}`, about);
    toast.addEventListener("click", () => toast.remove());
    this.holder.append(toast);
    while (this.holder.children.length > MAX_TOASTS) this.holder.firstChild.remove();
    if (kind !== "urgent") setTimeout(() => toast.remove(), SHOWN);
  }
}

// Tabs for panels that share a position.

export class Tabs {
  /** `tabs` are buttons whose `aria-controls` name their panels. */
  constructor(list) {
    this.list = list;
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    list.addEventListener("click", (event) => this.show(event.target.closest("[role=tab]")?.id));
    list.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!steps) return;
      const next = this.tabs[(this.tabs.indexOf(event.target) + steps + this.tabs.length) % this.tabs.length];
      this.show(next.id);
      next.focus();
      event.stopPropagation();
    });
  }

  /** Show the panel of a tab. */
  show(id) {
    if (!id) return;
    for (const tab of this.tabs) {
      const chosen = tab.id === id;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !chosen;
    }
  }
}

// The list of robots. Only visible rows exist, so that thousands of robots are possible.

import { make, makeCells } from "./dom.js";
import { personOf } from "./session.js";

const ROW = 34; // pixels
const SEARCH_FROM = 10; // robots
const LOOK_EVERY = 200; // [ms]

export class RobotList {
  rows = []; // existing rows
  matching = []; // indices of the robots in the list

  constructor(session, { list, count, search }) {
    Object.assign(this, { session, list, count, search });
    this.room = list.querySelector(".room");
    list.addEventListener("scroll", () => this.show());
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) session.select(row.dataset.robot);
    });
    search.addEventListener("input", () => this.refresh());
    session.on("robots", () => this.refresh());
    session.on("select", () => {
      this.reveal();
      this.show();
    });
    new ResizeObserver(() => this.show()).observe(list);
    setInterval(() => this.#showContacts(), LOOK_EVERY);
  }

  refresh() {
    const { robots } = this.session;
    const wanted = this.search.value.trim().toLowerCase();
    this.matching = [];
    robots.forEach((robot, i) => {
      if (`${robot.name}\n${robot.person}\n${robot.owner}`.toLowerCase().includes(wanted)) this.matching.push(i);
    });
    this.search.hidden = robots.length < SEARCH_FROM;
    this.count.textContent = wanted ? `${this.matching.length} of ${robots.length}` : robots.length;
    this.room.style.height = `${ROW * this.matching.length}px`;
    this.list.closest(".roster").style.setProperty("--natural", `${ROW * this.matching.length}px`);
    this.show();
  }

  /** Fill the visible rows. */
  show() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 2);
    const count = Math.min(this.matching.length - first, Math.ceil(this.list.clientHeight / ROW) + 4);
    while (this.rows.length < count) this.rows.push(this.room.appendChild(newRow()));
    this.rows.forEach((row, k) => {
      row.hidden = k >= count;
      if (k < count) this.#fill(row, first + k);
    });
    this.#showContacts();
  }

  #fill(row, place) {
    const robot = this.session.robots[this.matching[place]];
    const [swatch, name, owner] = row.children;
    row.style.transform = `translateY(${place * ROW}px)`;
    row.dataset.robot = robot.name;
    row.dataset.number = this.matching[place];
    row.id = `robot-row-${this.matching[place]}`;
    row.setAttribute("aria-selected", robot.name === this.session.selected);
    swatch.style.background = robot.color;
    name.textContent = robot.person || robot.name;
    name.title = robot.person ? `${robot.person} · ${robot.name}` : robot.name;
    const yours = robot.owner && robot.owner === this.session.client;
    owner.textContent = yours ? "you" : ownerText(robot);
    owner.title = robot.owner ? `driven by ${robot.owner}` : "";
    if (robot.name === this.session.selected) this.list.setAttribute("aria-activedescendant", row.id);
  }

  #showContacts() {
    const { states } = this.session;
    const now = performance.now();
    for (const row of this.rows) {
      if (row.hidden) continue;
      const touching = states.glow(Number(row.dataset.number), now) > 0;
      if (row.classList.contains("touching") === touching) continue;
      row.classList.toggle("touching", touching);
      row.lastChild.title = touching ? "touches something" : "";
    }
  }

  /** Scroll to the selected robot. */
  reveal() {
    const place = this.matching.indexOf(this.session.index.get(this.session.selected));
    if (place < 0) return;
    const [highest, lowest] = [place * ROW, (place + 1) * ROW - this.list.clientHeight];
    this.list.scrollTop = Math.min(highest, Math.max(lowest, this.list.scrollTop));
  }

  /** Select the next or previous robot of the list. */
  move(steps) {
    if (!this.matching.length) return;
    const place = this.matching.indexOf(this.session.index.get(this.session.selected));
    const next = place < 0 ? 0 : (place + steps + this.matching.length) % this.matching.length;
    this.session.select(this.session.robots[this.matching[next]].name);
  }

  #key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!steps || this.session.driving) return;
    this.move(steps);
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Name of the client that drives a robot; empty if it is the student whose name the row shows. */
function ownerText({ owner, person }) {
  return person && personOf(owner) === person ? "" : owner;
}

function newRow() {
  const cells = makeCells({ swatch: "", name: "", owner: "", contact: "" });
  return make("div", "row", { role: "option", dataset: { testid: "robot-item" } }, ...cells);
}

// The lecturer's list with the states of all students. Those who need help come first; a click follows the robot.

import { make, setText } from "./dom.js";
import { capital, decimalsOf, pointsText, spanOf } from "./scoreboard.js";
import { shortTimeOf } from "./submissions.js";

const STATES = ["crashed", "stuck", "silent", "idle", "locked-out", "driving", "connected", "finished", "away"]; // the most urgent first
const NEED_HELP = new Set(["crashed", "stuck", "silent"]);
const EVERY = 1000; // [ms] between two updates of the durations

/** Columns: name, heading, sort key, and whether the first click sorts in descending order. */
const COLUMNS = [
  ["student", "Student", ({ name }) => name],
  ["state", "State", ({ state }) => STATES.indexOf(state)],
  ["since", "Since", ({ since }) => -since],
  ["detail", "Problem", ({ detail }) => detail || "\uffff"],
  ["best", "Best", ({ best }) => best ?? null, true], // ascending where a lower score is better
  ["score", "This run", ({ place }) => place || Infinity], // or heat
  ["fouls", "Fouls", ({ fouls }) => fouls, true],
  ["robot", "Robot", ({ robot }) => robot],
  ["connections", "Links", ({ connections }) => connections, true],
  ["submitted", "Submitted", ({ submitted }) => Date.parse(submitted) || Infinity],
];

const needsHelp = ({ state }) => NEED_HELP.has(state);

export class ClassList {
  rows = new Map(); // student's name → row
  sorting = { column: "state", down: false };
  helpOnly = false;

  constructor(session, { table, search, help, summary }, onChoose) {
    Object.assign(this, { session, table, search, help, summary, onChoose });
    this.body = table.querySelector("tbody");
    table.querySelector("thead").replaceChildren(make("tr", "", {}, ...COLUMNS.map((column) => this.#heading(column))));
    this.body.addEventListener("click", (event) => this.#choose(event.target.closest("tr")));
    this.body.addEventListener("keydown", (event) => this.#key(event));
    search.addEventListener("input", () => this.show());
    help.addEventListener("click", () => {
      this.helpOnly = !this.helpOnly;
      this.show();
    });
    for (const event of ["class", "robots"]) session.on(event, () => this.show());
    session.on("select", (selected) => {
      this.chosenName = this.students.find(({ robot }) => selected && robot === selected)?.name;
      this.show();
    });
    setInterval(() => this.#showTimes(), EVERY);
  }

  get students() {
    return this.session.roster?.students ?? [];
  }

  /** Last received state of the selected student. */
  get chosen() {
    return this.students.find(({ name }) => name === this.chosenName);
  }

  show() {
    if (!this.session.roster) return;
    const { students } = this;
    const wanted = this.search.value.trim().toLowerCase();
    const matches = ({ name, robot }) => `${name}\n${robot}`.toLowerCase().includes(wanted);
    const listed = students.filter((student) => matches(student) && (!this.helpOnly || needsHelp(student)));
    this.decimals = decimalsOf(students.flatMap(({ score, best }) => [score, best]));
    this.#place(this.#sorted(listed).map((student) => this.#fill(student)));
    this.#showSummary();
    this.onShow?.();
    setText(this.table.querySelector("th.score button"), capital(spanOf(this.session)));
    for (const heading of this.table.querySelectorAll("th")) {
      const sorted = heading.dataset.column === this.sorting.column;
      heading.setAttribute("aria-sort", sorted ? (this.sorting.down ? "descending" : "ascending") : "none");
    }
  }

  #showSummary() {
    const count = this.students.filter(needsHelp).length;
    const here = this.students.filter(({ connections }) => connections > 0).length;
    const moving = this.students.filter(({ state }) => state === "driving").length;
    const handed = this.session.roster.exercise && `${this.students.filter(({ submissions }) => submissions).length} submitted`;
    setText(this.summary, [`${this.students.length} students`, `${here} connected`, `${moving} driving`, handed].filter(Boolean).join(" · "));
    setText(this.help, `Needs help (${count})`);
    this.help.dataset.count = count;
    this.help.setAttribute("aria-pressed", this.helpOnly);
  }

  #sorted(students) {
    const { column, down } = this.sorting;
    const [, , key] = COLUMNS.find(([name]) => name === column);
    const sign = down ? -1 : 1;
    const lacks = (student) => key(student) === null; // students without a value come last in either direction
    const order = (a, b) => lacks(a) - lacks(b) || sign * compare(key(a), key(b)) || compare(a.name, b.name);
    return students.sort(order);
  }

  #heading([column, text, , largestFirst = false]) {
    const button = make("button", "", { type: "button", textContent: text, title: `Sort by ${text.toLowerCase()}` });
    button.addEventListener("click", () => {
      const again = this.sorting.column === column;
      const first = column === "best" ? !this.session.scoreInfo.lower_is_better : largestFirst;
      this.sorting = { column, down: again ? !this.sorting.down : first };
      this.show();
    });
    return make("th", column, { scope: "col", dataset: { column, testid: `sort-${column}` } }, button);
  }

  /** Put rows in order. Unchanged rows are not moved, because a moved row loses the focus. */
  #place(rows) {
    const focused = document.activeElement?.closest?.("tr");
    const same = rows.length === this.body.children.length && rows.every((row, i) => row === this.body.children[i]);
    if (!same) this.body.replaceChildren(...rows);
    if (!same && focused && rows.includes(focused)) focused.focus();
    const reachable = rows.find((row) => row === focused || row.ariaSelected === "true") ?? rows[0];
    for (const row of rows) row.tabIndex = row === reachable ? 0 : -1;
  }

  #fill(student) {
    const { name, state, detail, score, best, place, fouls, robot, connections } = student;
    const row = this.rows.get(name) ?? newRow();
    this.rows.set(name, row);
    Object.assign(row.dataset, { student: name, robot, state });
    row.setAttribute("aria-selected", name === this.chosenName);
    row.classList.toggle("alarm", needsHelp(student));
    const texts = {
      detail,
      best: this.#points(best),
      score: this.#points(score),
      fouls: fouls || "",
      submitted: submittedText(student),
      robot,
      connections: connections || "",
    };
    for (const [column, text] of Object.entries(texts)) setText(row.querySelector(`.${column}`), String(text));
    const [swatch, bdi] = row.querySelector(".student").children;
    swatch.style.background = this.session.robot(robot)?.color ?? "transparent";
    setText(bdi, name);
    bdi.title = name;
    row.querySelector(".detail").title = detail;
    row.querySelector(".robot").title = robot;
    row.querySelector(".score").title = place ? `place ${place}` : "";
    row.querySelector(".submitted").title = submittedTitle(student);
    const mark = row.querySelector(".state span");
    mark.dataset.state = state;
    setText(mark, stateText(state));
    setText(row.querySelector(".since"), sinceText(this.secondsIn(student)));
    return row;
  }

  #points(score) {
    const { unit } = this.session.scoreInfo;
    return score == null || !unit ? pointsText(score, this.decimals) : `${pointsText(score, this.decimals)} ${unit}`;
  }

  /** Duration of the current state of a student [s]. */
  secondsIn({ since }) {
    const { now, at } = this.session.roster;
    return Math.max(0, now - since + (performance.now() - at) / 1000);
  }

  #showTimes() {
    for (const student of this.students) {
      const row = this.rows.get(student.name);
      if (row?.isConnected) setText(row.querySelector(".since"), sinceText(this.secondsIn(student)));
    }
  }

  #choose(row) {
    if (!row) return;
    const student = this.students.find(({ name }) => name === row.dataset.student);
    this.onChoose(student);
    this.chosenName = student.name; // also if the robot does not exist
    this.show();
  }

  #key(event) {
    const row = event.target.closest("tr");
    if (event.key === "Enter" || event.key === " ") this.#choose(row);
    else if (event.key === "ArrowDown") row.nextSibling?.focus();
    else if (event.key === "ArrowUp") row.previousSibling?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function newRow() {
  const cells = COLUMNS.map(([column]) => make("td", column));
  cells[0].append(make("span", "swatch"), make("bdi"));
  cells[1].append(make("span", "state-mark"));
  return make("tr", "", { dataset: { testid: "student-row" } }, ...cells);
}

export function stateText(state) {
  return state.replace("-", " ");
}

/** Text of a duration in a suitable unit. */
export function sinceText(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}`;
}

/** Time or date of the last submission, and the number of submissions if there are several. */
function submittedText({ submitted, submissions, late }) {
  if (!submissions) return "";
  const count = submissions > 1 && `(${submissions})`;
  return [shortTimeOf(submitted), count, late && "late"].filter(Boolean).join(" ");
}

function submittedTitle({ submitted, submissions }) {
  if (!submissions) return "";
  const times = submissions === 1 ? "once" : `${submissions} times, the last time`;
  return `submitted ${times} on ${new Date(submitted).toLocaleString()}`;
}

function compare(a, b) {
  return typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b || 0;
}

// The exercise panel: text, allowed devices, starter code, and the student's score.

import { icon, make, setText } from "./dom.js";
import { renderMarkdown } from "./markdown.js";
import { capital, decimalsOf, foulsText, pointsText, spanOf } from "./scoreboard.js";
import { copyText } from "./snippet.js";
import { Submissions, timeOf } from "./submissions.js";

const COPIED = "Copied the starter code.";
const NO_COPY = "This browser does not allow copying: select the text instead.";

export class ExercisePanel {
  /** `tabs` switch between this panel and the monitor, and are hidden without an exercise; `dialog` asks questions. */
  constructor(session, panel, tabs, dialog) {
    Object.assign(this, { session, panel, tabs });
    this.score = make("p", "own-score", { dataset: { testid: "own-score" }, "aria-live": "polite" });
    this.submissions = new Submissions(session, dialog);
    session.on("exercise", () => this.show());
    for (const event of ["scores", "robots"]) session.on(event, () => this.#showScore());
    session.on("select", (robot) => robot && this.tabs.show("tab-robot"));
    session.on("welcome", () => session.classTitle || this.hide());
  }

  hide() {
    this.tabs.list.hidden = true;
    this.tabs.show("tab-robot");
  }

  show() {
    const { exercise } = this.session;
    if (!exercise) return this.hide();
    this.submissions.show(exercise);
    this.tabs.list.hidden = false;
    const { submissions, id, ...said } = exercise;
    const shown = JSON.stringify(said);
    if (this.shown === shown) return; // only the receipts have changed: keep the scroll position
    this.shown = shown;
    const title = make("h2", "", { textContent: exercise.title, dir: "auto", dataset: { testid: "exercise-title" } });
    const prose = renderMarkdown(withoutTitle(exercise));
    const text = make("article", "prose", { dataset: { testid: "exercise-text" } }, prose);
    const forStudents = this.session.ownRobot ? [this.score, this.submissions.element, ownMachine(this.session)] : [];
    this.panel.replaceChildren(title, ...this.#facts(exercise), ...forStudents, text, ...this.#starter(exercise));
    this.#showScore();
    this.tabs.show("tab-exercise");
  }

  #facts({ devices, due }) {
    const until = due && make("p", "facts", { dataset: { testid: "due" } }, `Due ${timeOf(due)}; later files are late.`);
    return [...(until ? [until] : []), ...this.#allowed(devices)];
  }

  #allowed(devices) {
    if (!devices) return [];
    const names = devices.flatMap((device, i) => [i ? ", " : "", make("code", "", { textContent: device })]);
    const allowed = names.length ? names : ["none"];
    return [make("p", "facts", { dataset: { testid: "allowed" } }, "Devices you may use: ", ...allowed)];
  }

  #starter({ starter }) {
    if (!starter) return [];
    const about = { type: "button", dataset: { testid: "starter-copy" } };
    const button = make("button", "quiet", about, icon("copy"), "Copy");
    button.addEventListener("click", async () => {
      const copied = await copyText(starter);
      this.session.emit("notice", copied ? COPIED : NO_COPY, copied ? "done" : "refused");
    });
    const head = make("header", "", {}, make("h3", "", { textContent: "Starter code" }), button);
    const code = make("code", "", { textContent: starter });
    const frame = make("pre", "", { tabIndex: 0, dataset: { testid: "starter" } }, code);
    return [make("section", "starter", {}, head, frame)];
  }

  #showScore() {
    const { ownRobot, scores, scoreInfo } = this.session;
    const mine = ownRobot && scores.find(({ robot }) => robot === ownRobot.name);
    this.score.hidden = !mine;
    if (!mine) return;
    const place = mine.place || 1 + scores.filter(({ score }) => score > mine.score).length;
    const points = pointsText(mine.score, decimalsOf([mine.score]));
    const what = `${capital(scoreInfo.label || "score")} in ${spanOf(this.session)}`;
    const of = this.session.shows === "nothing" ? "" : ` of ${scores.length}`; // the scores of others are hidden
    const rank = this.session.copy ? "" : `· place ${place}${of}`; // nobody else is in a private copy
    const reached = mine.score == null ? [] : [scoreInfo.unit, rank];
    const parts = [[`${what}: ${points}`, ...reached].filter(Boolean).join(" "), foulsText(mine.fouls)];
    setText(this.score, parts.filter(Boolean).join(" · "));
  }
}

/** The commands with which students work on their own machines, with their own link. */
function ownMachine(session) {
  const link = `${location.origin}/#token=${session.token}&robot=${encodeURIComponent(session.ownRobot.name)}`;
  const install = make("a", "", { href: "/install", target: "_blank", textContent: "Install Paddock" });
  const steps = [
    ["Run your file; it drives this robot until Ctrl-C", `paddock run -c mine.py --robot "${link}"`],
    ["Hand it in", `paddock class submit mine.py --link "${link}"`],
  ];
  const rows = steps.flatMap(([text, command]) => [make("p", "facts", { textContent: text }), commandRow(session, command)]);
  const heading = make("h3", "", { textContent: "On your own machine" });
  const first = make("p", "facts", {}, install, " once.");
  return make("section", "own-machine", { dataset: { testid: "own-machine" } }, heading, first, ...rows);
}

/** A command with a button that copies it. */
function commandRow(session, command) {
  const button = make("button", "quiet", { type: "button", "aria-label": "Copy this command" }, icon("copy"));
  button.addEventListener("click", async () => {
    const copied = await copyText(command);
    session.emit("notice", copied ? "Copied the command." : NO_COPY, copied ? "done" : "refused");
  });
  return make("div", "command", {}, make("code", "", { textContent: command, tabIndex: 0 }), button);
}

/** Text of an exercise without a first heading that repeats the title. */
function withoutTitle({ title, text }) {
  const [, first, rest] = /^\s*#\s+(.*?)\s*\n([^]*)$/.exec(text) ?? [];
  return first === title ? rest : text;
}

// The projector's view: a large arena, large scores and the clock of the heat, without controls.

import { make, setText } from "./dom.js";
import { clockText, heatText } from "./heat.js";
import { decimalsOf, foulsText, pointsText, ranked, scoreHeading } from "./scoreboard.js";

const PER_COLUMN = 16;
const MAX_COLUMNS = 3;
const SMALLEST = 0.7; // minimum size relative to other names

export function showProjector(session, { board, rows, heading, title, clock, heat }) {
  session.on("scene", (scene) => setText(title, session.exercise?.title || scene.title));
  session.on("exercise", () => session.exercise && setText(title, session.exercise.title));
  session.on("heat", show);
  for (const event of ["frame", "clock"]) session.on(event, showClock);
  for (const event of ["scores", "robots"]) session.on(event, showScores);

  function show() {
    const { state, seconds_left: left } = session.heat;
    setText(heat, state === "none" ? "" : heatText({ ...session.heat, seconds_left: 0, text: "" }));
    heat.dataset.state = state;
    clock.classList.toggle("last", state === "running" && left > 0 && left <= 10);
    showClock();
  }

  /** Show the remaining time of a heat, else the time of the run. */
  function showClock() {
    const { state, seconds_left: left } = session.heat;
    const counts = state === "countdown" || state === "running";
    setText(clock, clockText(counts && left > 0 ? left : Math.floor(session.clock.tick * session.dt)));
  }

  function showScores() {
    const sorted = ranked(session.scores);
    document.body.classList.toggle("scored", sorted.length > 0 || Boolean(session.scoreInfo.error));
    setText(heading, scoreHeading(session));
    heading.classList.toggle("with-fouls", sorted.some(({ fouls }) => fouls));
    const columns = Math.min(MAX_COLUMNS, Math.ceil(sorted.length / PER_COLUMN) || 1);
    board.style.setProperty("--columns", columns);
    board.style.setProperty("--rows", Math.max(8, Math.ceil(sorted.length / columns)));
    document.body.style.setProperty("--columns", columns);
    const decimals = decimalsOf(sorted.map(({ score }) => score));
    rows.replaceChildren(...sorted.map((score, i) => row(score, i, decimals)));
    for (const name of rows.querySelectorAll(".name")) shrinkToFit(name);
  }

  function row({ robot, name, score, place, fouls = 0 }, i, decimals) {
    const swatch = make("span", "swatch");
    swatch.style.background = session.robot(robot)?.color ?? "transparent";
    const flag = { textContent: `⚑${fouls}`, title: foulsText(fouls) };
    const marks = fouls ? [make("span", "fouls", flag)] : [];
    return make(
      "li",
      "",
      { dataset: { testid: "board-row", robot } },
      make("span", "place", { textContent: String(place || i + 1) }),
      swatch,
      make("bdi", "name", { textContent: name || session.personOf(robot) }),
      ...marks,
      make("span", "points", { textContent: pointsText(score, decimals) }),
    );
  }
}

/** Reduce the font size of a long name, down to a minimum; then the name is truncated. */
function shrinkToFit(name) {
  const share = name.clientWidth / name.scrollWidth;
  if (share < 1) name.style.fontSize = `${Math.max(SMALLEST, 0.98 * share)}em`;
}

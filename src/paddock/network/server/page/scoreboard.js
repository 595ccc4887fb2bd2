// The scoreboard: best first, with the full names of students.

import { make, makeCells, setText } from "./dom.js";

/** Show the scoreboard, if the server has one. */
export function scoreboard(session, panel, heading, rows) {
  session.on("scores", () => {
    panel.hidden = !session.scores.length && !session.scoreInfo.error;
    const sorted = ranked(session.scores);
    const decimals = decimalsOf(sorted.map(({ score }) => score));
    setText(heading, scoreHeading(session));
    rows.replaceChildren(...sorted.map((score) => scoreRow(session, score, decimals)));
  });
}

/** Sort scores, best first: by the referee's ranks, or else by points. */
export function ranked(scores) {
  const last = scores.length + 1;
  return [...scores].sort((a, b) => (a.place || last) - (b.place || last) || b.score - a.score);
}

/** Name and unit of the scores, or their error. */
export function scoreHeading(session) {
  const { label, unit, error } = session.scoreInfo;
  if (error) return `No scores: ${error}`;
  const what = [capital(label || "scores"), unit && `[${unit}]`].filter(Boolean).join(" ");
  return session.classTitle ? `${what} · ${spanOf(session)}` : what; // a class also stores the best scores
}

/** Time span of the scores. */
export function spanOf({ heat }) {
  return heat.state === "none" ? "this run" : "this heat";
}

/** Common number of decimals of all rows, so that points are aligned. */
export function decimalsOf(scores) {
  const finite = scores.filter(Number.isFinite);
  if (finite.every(Number.isInteger)) return 0;
  return Math.max(...finite.map(Math.abs)) < 100 ? 2 : 1;
}

function scoreRow(session, { robot, name, score, place, fouls = 0, note = "" }, decimals) {
  const person = name || session.personOf(robot);
  const title = [person, person !== robot && robot, note, foulsText(fouls)].filter(Boolean).join(" · ");
  const marks = { ...(note && { note }), ...(fouls && { fouls: `⚑${fouls}` }) };
  const cells = makeCells({ swatch: "", name: person, ...marks, points: pointsText(score, decimals) });
  const button = robotButton(session, robot, { title, dataset: { testid: "score-row", robot } }, cells);
  if (robot === session.ownRobot?.name) button.setAttribute("aria-current", "true");
  const row = make("li", "", {}, button);
  if (place) row.style.counterSet = `place ${place}`; // equal scores share a rank
  return row;
}

/** Create a button that selects a robot; its first cell gets the colour of the robot. */
export function robotButton(session, robot, properties, cells) {
  const button = make("button", "", { type: "button", ...properties }, ...cells);
  button.addEventListener("click", () => session.robot(robot) && session.select(robot));
  cells[0].style.background = session.robot(robot)?.color ?? "transparent";
  return button;
}

export function foulsText(fouls) {
  return fouls ? `${fouls} ${fouls === 1 ? "foul" : "fouls"}` : "";
}

/** Capitalise a word. */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function pointsText(score, decimals) {
  if (score == null) return "–"; // not achieved yet
  const rounded = Number(score.toFixed(decimals)) + 0; // no -0.00
  return rounded.toFixed(decimals);
}

// The scoreboard: best first, with the full names of students.

import { setText } from "./dom.js";

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
  const row = document.createElement("li");
  if (place) row.style.counterSet = `place ${place}`; // equal scores share a rank
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.testid = "score-row";
  button.dataset.robot = robot;
  button.addEventListener("click", () => session.robot(robot) && session.select(robot));
  const flag = fouls ? `⚑${fouls}` : "";
  const parts = { swatch: "", name: person, note, fouls: flag, points: pointsText(score, decimals) };
  if (robot === session.ownRobot?.name) button.setAttribute("aria-current", "true");
  button.title = [person, person !== robot && robot, note, foulsText(fouls)].filter(Boolean).join(" · ");
  for (const [part, text] of Object.entries(parts)) {
    if (["note", "fouls"].includes(part) && !text) continue;
    const cell = document.createElement(part === "name" ? "bdi" : "span");
    cell.className = part;
    cell.textContent = text;
    button.append(cell);
  }
  button.firstChild.style.background = session.robot(robot)?.color ?? "transparent";
  row.append(button);
  return row;
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

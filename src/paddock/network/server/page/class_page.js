// Additions of a class to the page: the exercise, the lecturer's list of students, or the projector's view.

import { ClassList } from "./class_list.js";
import { setText } from "./dom.js";
import { ExercisePanel } from "./exercise.js";
import { showHeat } from "./heat.js";
import { LessonBar, showLog } from "./lesson_bar.js";
import { showProjector } from "./projector.js";
import { StudentCard } from "./student_card.js";
import { Tabs } from "./tabs.js";

const PROJECTED_LABEL = 18; // pixels

const element = (id) => document.getElementById(id);

export function classPage(session, arena, clock, isProjector) {
  showHeat(session, { countdown: element("countdown"), pill: element("heat-pill") });
  session.on("world", () => arena.trails.clear());
  for (const event of ["welcome", "world"]) session.on(event, () => showVisibility(session, element("shows")));
  session.on("welcome", () => document.body.classList.toggle("in-class", Boolean(session.classTitle)));
  if (isProjector) return projectorPage(session, arena);
  showCopy(session, element("copy-note"), document.body);
  const tabs = new Tabs(element("side-tabs"));
  new ExercisePanel(session, element("exercise"), tabs, element("confirm"));
  lecturerPage(session, arena, clock, tabs);
}

/** Show the robot of a student, in the student's private copy of the world if there are such. */
async function openStudent(session, arena, { robot, private: isPrivate }) {
  if (isPrivate && session.copy !== robot) {
    const arrived = new Promise((done) => (session.onArrival = done));
    if (!(await session.ask("visit", { copy: robot }))) return;
    await arrived;
  }
  session.select(session.robot(robot) ? robot : "");
  arena.follow(!isPrivate);
}

/** Show in whose copy of the world the lecturer is, with a way back; and to students that theirs is private. */
function showCopy(session, note, robots) {
  const [text, back] = note.children;
  back.addEventListener("click", () => session.ask("visit", {}));
  const show = () => {
    note.hidden = !session.copy;
    back.hidden = !session.isSupervisor;
    const whose = session.personOf(session.copy);
    setText(text, session.isSupervisor ? `Private copy of ${whose}` : "Your own copy of the world");
    robots.classList.toggle("private", Boolean(session.copy));
  };
  for (const event of ["welcome", "world", "robots"]) session.on(event, show);
  session.on("robots", () => session.onArrival?.());
}

/** Show what is visible in this exercise. */
function showVisibility({ shows, copy }, note) {
  note.hidden = shows === "all" || (shows === "own" && Boolean(copy)); // in a private copy there are no others
  const text = shows === "own" ? "only your own robot" : "only the sensor readings of your robot";
  setText(note, `In this exercise you see ${text}.`);
}

function projectorPage(session, arena) {
  document.body.dataset.view = "projector";
  for (const id of ["stage", "board"]) element(id).hidden = false;
  arena.bodies.labelSize = PROJECTED_LABEL;
  arena.showRays = false;
  showProjector(session, {
    board: element("board"),
    rows: element("board-rows"),
    heading: element("board-heading"),
    title: element("stage-title"),
    clock: element("stage-clock"),
    heat: element("stage-heat"),
  });
}

function lecturerPage(session, arena, clock, tabs) {
  const dialog = element("confirm");
  const list = new ClassList(
    session,
    {
      table: element("class-table"),
      search: element("class-search"),
      help: element("class-help"),
      summary: element("class-summary"),
    },
    (student) => openStudent(session, arena, student),
  );
  const sensors = (on) => document.body.classList.toggle("sensors", on);
  new StudentCard(session, list, { card: element("student-card"), dialog, message: element("message") }, () => {
    tabs.show("tab-robot");
    sensors(true);
  });
  element("side-close").addEventListener("click", () => sensors(false));
  session.on("select", (robot) => robot || sensors(false));
  const heatButtons = { prepare: element("heat-prepare"), start: element("heat-start"), stop: element("heat-stop") };
  const lesson = { choice: element("lesson-choice"), open: element("lesson-open"), heat: element("heat-state") };
  new LessonBar(session, { ...lesson, heatButtons, dialog }, () => clock.readSeed());
  showLog(session, element("class-log"));
  session.on("welcome", () => {
    document.body.classList.toggle("lecturer", session.isLecturer);
    for (const id of ["lesson", "class-panel"]) element(id).hidden = !session.isLecturer;
    setText(element("class-title"), session.classTitle);
  });
}

// Assembles the parts of the page.

import { Arena, FEW } from "./arena.js";
import { chartSpans } from "./chart.js";
import { classPage } from "./class_page.js";
import { ClockBar } from "./clockbar.js";
import { Driver } from "./driver.js";
import { Gestures } from "./gestures.js";
import { GoalTool } from "./goal_tool.js";
import { joinLink, loadSetting, removeToken, storeRobot, storeSetting } from "./storage.js";
import { mapLegend } from "./map_legend.js";
import { Maps } from "./maps.js";
import { Monitor } from "./monitor.js";
import { Mover } from "./mover.js";
import { showModules } from "./modules.js";
import { showOrders } from "./orders.js";
import { PALETTE } from "./paint.js";
import { addRobots } from "./robot_adder.js";
import { RobotList } from "./robot_list.js";
import { scoreboard } from "./scoreboard.js";
import { Subscriptions } from "./subscriptions.js";
import { Session } from "./session.js";
import { shortcuts } from "./shortcuts.js";
import { showConnection } from "./connection.js";
import { showRun } from "./run_banner.js";
import { themeSwitch } from "./theme.js";
import { Timeline } from "./timeline.js";
import { Toasts } from "./toasts.js";

const element = (id) => document.getElementById(id);
const join = joinLink();
const isProjector = join.view === "projector";
const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
const session = new Session({ url, name: "page", token: join.token });
session.selected = join.robot;
session.on("select", storeRobot);
session.on("connection", ({ state }) => state === "refused" && !session.wasDisconnected && removeToken());
addEventListener("hashchange", () => location.reload()); // another join link was entered in the address bar

const toasts = new Toasts(element("toasts"));
session.on("notice", (text, kind) => toasts.show(text, kind));
const subscriptions = new Subscriptions(session, () => othersWithRays());
const maps = new Maps(session);
const arena = new Arena(session, subscriptions, maps, {
  holder: element("arena"),
  scaleBar: element("scale-bar"),
  ground: element("layer-ground"),
  map: element("layer-map"),
  trails: element("layer-trails"),
  robots: element("layer-robots"),
});
const mover = new Mover(session, arena);
const goalTool = new GoalTool(session, arena, element("goal"));
if (!isProjector) new Gestures(session, arena, mover, goalTool);
const toggleMap = mapLegend(session, maps, arena, { panel: element("map-legend"), task: element("map-task") });
const driver = new Driver(session, element("stick"));
const clock = new ClockBar(session, {
  play: element("play"),
  step: element("step"),
  time: element("time"),
  pace: element("pace"),
  speed: element("speed"),
  speedShown: element("speed-shown"),
  reset: element("reset"),
  seed: element("seed"),
});
const timeline = new Timeline(session, {
  panel: element("timeline"),
  position: element("timeline-position"),
  marks: element("timeline-marks"),
  shown: element("position-shown"),
  back: element("step-back"),
  live: element("go-live"),
});
const robotList = new RobotList(session, {
  list: element("robot-list"),
  count: element("robot-count"),
  search: element("robot-search"),
});
addRobots(session, { opener: element("robot-add"), dialog: element("add-robot") });
scoreboard(session, element("scores"), element("score-heading"), element("score-rows"));
showOrders(session, element("orders"), element("order-rows"));
showModules(session, maps, element("modules"), element("module-rows"));
new Monitor(session, subscriptions, driver, element("monitor"), (pointed) => {
  arena.pointed = pointed;
  arena.requestDraw();
});
showConnection(session, {
  pill: element("connection"),
  title: element("title"),
  about: element("about"),
  banner: element("banner"),
  bannerTitle: element("banner-title"),
  bannerText: element("banner-text"),
  codeForm: element("code-form"),
  retry: element("banner-retry"),
});
showRun(session, () => clock.runAgain(), {
  banner: element("run-banner"),
  title: element("run-title"),
  reason: element("run-reason"),
  again: element("run-again"),
  intervention: element("intervention"),
});

/** Names of the robots, other than the selected one, that show their rays. */
function othersWithRays() {
  if (!arena.showRays || arena.shown.length > FEW) return [];
  return arena.shown.map((i) => session.robots[i]?.name).filter((name) => name && name !== session.selected);
}

function toggle(id, property, onChange = () => {}) {
  const button = element(id);
  const show = () => button.setAttribute("aria-pressed", arena[property]);
  const turn = () => {
    arena[property] = !arena[property];
    storeSetting(property, arena[property]);
    onChange();
    show();
    arena.requestDraw();
  };
  arena[property] = loadSetting(property, arena[property]);
  button.addEventListener("click", turn);
  show();
  return turn;
}
const toggleRays = toggle("rays", "showRays", () => subscriptions.update());
const toggleTrails = toggle("trails", "showTrails", () => (arena.trails.stale = true));

function follow() {
  if (!session.selected && session.robots.length) robotList.move(0);
  arena.follow(!arena.following);
}
function zoom(factor) {
  arena.view.zoom(factor);
  arena.requestDraw();
}
function move(dx, dy) {
  arena.following = false;
  arena.view.pan(60 * dx, 60 * dy);
  arena.requestDraw();
}
element("follow").addEventListener("click", follow);
element("fit").addEventListener("click", () => arena.fit());
element("zoom-in").addEventListener("click", () => zoom(1.4));
element("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
setInterval(() => element("follow").setAttribute("aria-pressed", arena.following), 200);
const turnTheme = themeSwitch(element("theme"), () => arena.updateTheme());

shortcuts(
  [
    { keys: [" "], shown: "space", label: "play or pause", run: () => clock.toggle() },
    { keys: ["."], shown: ".", label: "advance by one tick", run: () => clock.advance(), repeats: true },
    { keys: [","], shown: ",", label: "back by one tick, in a recording", run: () => timeline.stepBack(), repeats: true },
    { keys: ["["], shown: "[", label: "slower", run: () => clock.faster(-1) },
    { keys: ["]"], shown: "]", label: "faster", run: () => clock.faster(1) },
    { keys: ["r"], shown: "R", label: "reset", run: () => clock.restart() },
    { keys: ["j"], shown: "J", label: "next robot", run: () => robotList.move(1), repeats: true },
    { keys: ["k"], shown: "K", label: "previous robot", run: () => robotList.move(-1), repeats: true },
    { keys: ["e"], shown: "E", label: "drive the selected robot, or stop driving", run: () => driver.toggle() },
    { keys: ["f"], shown: "F", label: "follow the selected robot", run: follow },
    { keys: ["0", "Home"], shown: "0", label: "show everything", run: () => arena.fit() },
    { keys: ["+", "="], shown: "+", label: "zoom in", run: () => zoom(1.25), repeats: true },
    { keys: ["-"], shown: "−", label: "zoom out", run: () => zoom(0.8), repeats: true },
    { keys: ["y"], shown: "Y", label: "rays on or off", run: toggleRays },
    { keys: ["t"], shown: "T", label: "trails on or off", run: toggleTrails },
    { keys: ["m"], shown: "M", label: "map on or off", run: toggleMap },
    { keys: ["g"], shown: "G", label: "send the selected robot to your next click", run: () => goalTool.toggle() },
    { keys: ["l"], shown: "L", label: "light or dark", run: turnTheme },
    { keys: ["?"], shown: "?", label: "this help", run: () => element("help").showModal() },
    { keys: ["Escape"], shown: "Esc", label: "cancel, stop driving, clear the selection", run: escape },
    { keys: ["ArrowLeft"], run: () => move(1, 0), repeats: true },
    { keys: ["ArrowRight"], run: () => move(-1, 0), repeats: true },
    { keys: ["ArrowUp"], run: () => move(0, 1), repeats: true },
    { keys: ["ArrowDown"], run: () => move(0, -1), repeats: true },
  ].filter(() => !isProjector), // the projector's page ignores keys pressed by accident
  driver,
  { dialog: element("help"), rows: element("help-rows"), opener: element("help-open") },
);

function escape() {
  if (mover.isBusy) mover.cancel();
  else if (goalTool.armed) goalTool.disarm();
  else if (driver.robot) driver.end();
  else session.select("");
}

// If there is only one robot, or only one that this page may drive, select it automatically, once.
let hasChosen = false;
session.on("robots", () => {
  if (session.selected || hasChosen) return;
  const mine = session.role === "controller" ? session.robots.filter((robot) => robot.yours) : session.robots;
  hasChosen = true;
  if (mine.length === 1) session.select(mine[0].name);
});

classPage(session, arena, clock, isProjector);
session.start();

// For tests and debugging; read-only.
window.paddock = {
  session,
  view: arena.view,
  palette: PALETTE,
  fps: () => arena.rate.perSecond,
  get frames() {
    return session.frames;
  },
  get selected() {
    return session.selected;
  },
  get state() {
    return session.connection.state;
  },
  get sensed() {
    return subscriptions.latest.get(session.selected);
  },
  get map() {
    return maps.current;
  },
  charts: () => chartSpans(),
  robots: () =>
    session.robots.map((robot, i) => ({ ...robot, ...session.states.pose(i), contacts: session.states.contacts[i] })),
  pixels: (name) => {
    const i = session.index.get(name);
    return arena.view.pixels(session.states.x[i], session.states.y[i]);
  },
};

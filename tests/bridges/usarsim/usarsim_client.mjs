// A small program for USARSim that knows nothing of Paddock: it drives forward until something is near, and tells.
import net from "node:net";

const NEAR = 0.8; // metres
const line = net.connect(Number(process.argv[2]), "127.0.0.1");
const seen = { greeting: null, sonars: 0, beams: 0, scans: 0, odometry: null, stopped: false };
let rest = "";

function say(text) {
  line.write(`${text}\r\n\n`);
}

function hear(text) {
  const type = text.split(" ")[0];
  const kind = /\{Type (\w+)\}/.exec(text)?.[1];
  if (type === "NFO") {
    seen.greeting = /\{Level ([^}]*)\}/.exec(text)[1];
    say("INIT {ClassName USARBot.P2DX} {Location 1.5,-2.0,0.0} {Rotation 0.0,0.0,0.0} {Name node}");
    say("DRIVE {Left 40.0} {Right 40.0} {Normalized true} {Light false} {Flip false}");
  } else if (kind === "RangeScanner") {
    seen.beams = /\{Range ([-0-9.,]+)\}/.exec(text)[1].split(",").length;
    seen.scans += 1;
  } else if (kind === "Odometry") {
    seen.odometry = /\{Pose ([-0-9.,]+)\}/.exec(text)[1].split(",").map(Number);
    if (seen.stopped && seen.scans > 2) {
      console.log(JSON.stringify(seen));
      line.end();
    }
  } else if (kind === "Sonar") {
    const ranges = [...text.matchAll(/\{Name F\d Range ([0-9.]+)\}/g)].map((found) => Number(found[1]));
    seen.sonars = ranges.length;
    if (!seen.stopped && Math.min(ranges[2], ranges[3], ranges[4], ranges[5]) < NEAR) {
      seen.stopped = true;
      say("DRIVE {Left 0.0} {Right 0.0} {Normalized true} {Light false} {Flip false}");
    }
  }
}

line.on("data", (data) => {
  const texts = (rest + data.toString("latin1")).split(/[\r\n]+/);
  rest = texts.pop();
  texts.filter(Boolean).forEach(hear);
});
line.on("error", (error) => {
  console.error(error.message);
  process.exitCode = 1;
});

// A planner in another language: it joins the modules of a robot through their gate, and needs only a socket.
//
//   paddock modules up mine.toml     (with gate = 5000, and without a module "planner")
//   node planner.mjs 127.0.0.1 5000
//
// It drives straight ahead while the sonars measure free space, and turns otherwise. After a stop by the reflex module
// it sends RESET with the number of the stop, drives away from the obstacle, and sends CLEAR. Every message is a line
// of JSON; `paddock modules schema` describes them all.
import net from "node:net";
import readline from "node:readline";

const [host = "127.0.0.1", port = "5000"] = process.argv.slice(2);
const ROOM = 0.8, SPEED = 0.3;
const socket = net.connect(Number(port), host).setNoDelay(true);
const numbers = new Map();
let gate = "blocked", epoch = 0;

function say(type, destination, fields = {}) {
  const sequence = numbers.get(destination) ?? 0;
  numbers.set(destination, sequence + 1);
  const address = { type, sourceModuleId: "PLANNER", destinationModuleId: destination };
  socket.write(JSON.stringify({ ...address, sequence, sent: Date.now() / 1000, ...fields }) + "\n");
}

function look({ rangeArray, time }) {
  const ahead = Math.min(...rangeArray.slice(2, 6).map((range) => range ?? Infinity));
  if (gate === "blocked" && epoch) say("RESET", "REFLEX", { epoch, time });
  if (gate === "escaping" && ahead > ROOM) say("CLEAR", "REFLEX", { epoch, time });
  const [left, right] = ahead > ROOM ? [SPEED, SPEED] : [-SPEED / 3, SPEED / 3];
  say("drive", "REFLEX", { left, right, epoch, time });
}

socket.on("connect", () => say("HELLO!!!", "ALL", { Bidirection: true, protocol: 1, hears: ["SENSOR", "REFLEX"] }));
socket.on("close", () => process.exit(0));
readline.createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "guard" || message.type === "STOP") [gate, epoch] = [message.gate ?? "blocked", message.epoch];
  if (message.type === "sensorSonar") look(message);
});

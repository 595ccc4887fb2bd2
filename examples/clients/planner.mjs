// A planner in another language: it joins the modules of a robot through their port, and needs only a socket.
//
//   paddock nodes up mine.toml     (with port = 5000, and without a module "planner")
//   node planner.mjs 127.0.0.1 5000
//
// It drives straight ahead while the sonars measure free space, and turns otherwise. After a stop by the reflex module
// it sends RESET with the number of the stop, drives away from the obstacle, and sends CLEAR. Every message is a line
// of JSON; `paddock nodes schema` describes them all.
import net from "node:net";
import readline from "node:readline";

const [host = "127.0.0.1", port = "5000"] = process.argv.slice(2);
const FREE = 0.8, SPEED = 0.3; // distance [m] that counts as free, wheel speed [m/s]
const socket = net.connect(Number(port), host).setNoDelay(true);
const numbers = new Map(); // destination → next sequence number
let gate = "blocked", epoch = 0;

function send(type, destination, fields = {}) {
  const sequence = numbers.get(destination) ?? 0;
  numbers.set(destination, sequence + 1);
  const address = { type, sourceModuleId: "PLANNER", destinationModuleId: destination };
  socket.write(JSON.stringify({ ...address, sequence, sent: Date.now() / 1000, ...fields }) + "\n");
}

function decide({ rangeArray, time }) {
  const ahead = Math.min(...rangeArray.slice(2, 6).map((range) => range ?? Infinity));
  if (gate === "blocked" && epoch) send("RESET", "REFLEX", { epoch, time });
  if (gate === "escaping" && ahead > FREE) send("CLEAR", "REFLEX", { epoch, time });
  const [left, right] = ahead > FREE ? [SPEED, SPEED] : [-SPEED / 3, SPEED / 3];
  send("drive", "REFLEX", { left, right, epoch, time });
}

socket.on("connect", () => send("HELLO!!!", "ALL", { Bidirection: true, protocol: 1, hears: ["SENSOR", "REFLEX"] }));
socket.on("close", () => process.exit(0));
readline.createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "guard" || message.type === "STOP") [gate, epoch] = [message.gate ?? "blocked", message.epoch];
  if (message.type === "sensorSonar") decide(message);
});

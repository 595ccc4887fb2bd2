// A client in plain JavaScript: it spawns a robot, drives it in lock-step, and removes it. No packages needed.
//
//   paddock serve clutter --lock-step
//   node --experimental-websocket examples/clients/drive.mjs http://127.0.0.1:8642/ 20
//
// Node 22 and later have WebSocket without the flag. The second argument is how long to drive, in simulated seconds.
// The protocol is described in docs/network/protocol.md.

const [address = "http://127.0.0.1:8642/", seconds = "20"] = process.argv.slice(2);
const url = new URL(address);
const token = new URLSearchParams(url.hash.slice(1)).get("token") ?? "";

const robot = "explorer";
const spec = { // the same keys as in a TOML file, see docs/simulation/robots.md
  name: "explorer",
  body: { radius: 0.04, height: 0.05, color: "teal" },
  drive: { wheel_separation: 0.06, wheel_diameter: 0.04, max_speed: 0.2 },
  sensors: [
    {
      kind: "proximity",
      name: "whiskers",
      mounts: [[0.035, 0.02, 0.03, 35], [0.04, 0, 0.03, 0], [0.035, -0.02, 0.03, -35]], // x, y, z [m], heading [°]
      range: 0.2,
      aperture_deg: 20,
      rays: 5,
    },
  ],
};

/** Opens the socket; returns a function that sends a request and waits for its answer. */
async function connect() {
  const socket = new WebSocket(`${url.protocol.replace("http", "ws")}//${url.host}/ws`);
  const waiting = new Map(); // request id → callbacks for the answer
  let lastId = 0;

  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data); // text, because we send text
    if (message.type === "released") console.log(`${message.client} was released from the lock: ${message.reason}`);
    const { resolve, reject } = waiting.get(message.id) ?? {};
    if (!resolve) return; // a message without a request: robots, clock, …
    waiting.delete(message.id);
    if (message.type === "refused") reject(new Error(`${message.error}: ${message.message}`));
    else resolve(message);
  };
  socket.onclose = ({ code, reason }) => {
    for (const { reject } of waiting.values()) reject(new Error(`the connection was closed: ${code} ${reason}`));
    waiting.clear();
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no answer from ${url.host}`));
  });
  socket.onerror = null; // a close event follows with the reason

  const ask = (type, fields = {}) =>
    new Promise((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN) throw new Error("the connection is closed");
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ type, id, ...fields }));
    });
  ask.close = () => socket.close();
  return ask;
}

/** Returns wheel speeds [m/s] for three distances [m]: forward, and towards the side with more free space. */
function wheelSpeeds([left, ahead, right]) {
  if (Math.min(left, ahead, right) < 0.05) return [-0.05, 0.05]; // too near: turn on the spot
  const turn = 0.4 * (left - right); // positive is to the left
  return [0.1 - turn / 2, 0.1 + turn / 2];
}

async function main() {
  const ask = await connect();
  try {
    const { client, role, world, dt } = await ask("hello", { version: 1, name: "drive.mjs", token });
    console.log(`I am ${client}, a ${role} in ${world.name}`);
    await ask("spawn", { robot, kind: spec });
    await ask("enable", { robot });
    await ask("lock", { timeout: 5 });

    let { robots, tick: start } = await ask("step", { ticks: 0 }); // read the sensors before the first move
    let tick = start;
    while ((tick - start) * dt < Number(seconds)) {
      const wheels = wheelSpeeds(robots[robot].readings.whiskers);
      ({ robots, tick } = await ask("step", { ticks: 5, commands: { [robot]: { wheels } } }));
    }

    const pose = robots[robot].truth?.pose; // for supervisors only
    console.log(`after ${((tick - start) * dt).toFixed(2)} s at ${JSON.stringify(pose)}`);
    await ask("release_robot", { robot });
    await ask("lock", { on: false });
  } finally {
    ask.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

package paddock;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A world on a running Paddock server.
 *
 * <pre>{@code
 * try (Arena arena = Arena.connect("http://127.0.0.1:8642/")) {
 *     Robot robot = arena.robot("red");
 *     robot.enable("ground");
 *     arena.joinLock();
 *     while (arena.time() < 20) {
 *         double[] ground = robot.read("ground");
 *         robot.setWheels(0.05, 0.05);
 *         arena.step();
 *     }
 * }
 * }</pre>
 *
 * Lengths are in metres, angles in radians, times in seconds, wheel speeds in m/s at the rim. Use an arena from one
 * thread only.
 */
public final class Arena implements AutoCloseable {
    static final int PORT = 8642;
    private static final int VERSION = 1;
    private static final double TIMEOUT = 10.0;

    private final Connection connection;
    private final Map<String, Robot> robots = new LinkedHashMap<>();
    private final List<String> names = new ArrayList<>();
    private final String client;
    private final String role;
    private final double dt;
    private long tick;

    private Arena(URI address, String name) {
        connection = new Connection(address, this::hear);
        String fragment = address.getFragment() == null ? "" : address.getFragment();
        String token = Stream.of(fragment.split("&")).filter(part -> part.startsWith("token="))
            .map(part -> part.substring("token=".length())).findFirst().orElse("");
        try {
            Map<String, Object> welcome = ask("hello", Map.of("version", VERSION, "name", name, "token", token));
            client = (String) welcome.get("client");
            role = (String) welcome.get("role");
            dt = ((Number) welcome.get("dt")).doubleValue();
            connection.await("clock"); // robots and clock follow the welcome
        } catch (PaddockException refused) {
            connection.close();
            throw refused;
        }
    }

    /** Connect to a join link, which {@code paddock serve} prints, or to {@code ws://host:port}. */
    public static Arena connect(String address) {
        return connect(address, "Java");
    }

    /**
     * Connect under a name that others see.
     *
     * @throws PaddockException if no server answers at the address, or the token is invalid
     */
    public static Arena connect(String address, String name) {
        URI place;
        try {
            place = new URI(address.contains("://") ? address : "ws://" + address);
        } catch (URISyntaxException problem) {
            throw new PaddockException("LinkError", "the address is not valid: " + problem.getMessage());
        }
        if (place.getHost() == null) {
            throw new PaddockException("LinkError", "expected an address such as http://127.0.0.1:8642/, got " + address);
        }
        return new Arena(place, name);
    }

    /** Return the name that the server assigned to this program. */
    public String name() {
        return client;
    }

    /** Return the role: {@code viewer}, {@code controller} or {@code supervisor}. */
    public String role() {
        return role;
    }

    /** Return the length of a tick [s]. */
    public double dt() {
        return dt;
    }

    /** Return the ticks since the start, as of the last answer. */
    public long tick() {
        return tick;
    }

    /** Return the simulated seconds since the start, as of the last answer. */
    public double time() {
        return tick * dt;
    }

    /** Return the names of all robots. */
    public List<String> robots() {
        return List.copyOf(names);
    }

    /** Return a robot by name. The first command claims the robot. */
    public Robot robot(String name) {
        if (!names.contains(name)) {
            throw new PaddockException("UnknownName", "no robot called '" + name + "': there are " + names);
        }
        return robots.computeIfAbsent(name, key -> new Robot(this, key));
    }

    /** Spawn a robot of a shipped kind at any free position. */
    public Robot spawn(String name, String kind) {
        ask("spawn", Map.of("robot", name, "kind", kind));
        return robot(name);
    }

    /** Spawn a robot of a shipped kind at a pose. */
    public Robot spawn(String name, String kind, double x, double y, double heading) {
        ask("spawn", Map.of("robot", name, "kind", kind, "at", new double[] {x, y}, "heading", heading));
        return robot(name);
    }

    /** Join the lock: the clock waits for this program's steps. */
    public void joinLock() {
        joinLock(TIMEOUT);
    }

    /** Join the lock: the clock waits for this program's steps, at most {@code timeout} seconds while others wait. */
    public void joinLock(double timeout) {
        ask("lock", Map.of("timeout", timeout));
    }

    /** Leave the lock: the clock no longer waits for this program. */
    public void leaveLock() {
        ask("lock", Map.of("on", false));
    }

    /** Send the robots' commands, let one tick pass, and receive the readings of the enabled devices. */
    public void step() {
        step(1);
    }

    /** The same for several ticks; 0 receives readings without letting time pass. */
    @SuppressWarnings("unchecked")
    public void step(int ticks) {
        Map<String, Object> commands = new LinkedHashMap<>();
        robots.values().forEach(robot -> robot.addCommand(commands));
        Map<String, Object> observed = ask("step", Map.of("ticks", ticks, "commands", commands));
        tick = (Long) observed.get("tick");
        Map<String, Object> seen = (Map<String, Object>) observed.get("robots");
        seen.forEach((name, readings) -> {
            if (robots.containsKey(name)) {
                robots.get(name).see((Map<String, Object>) readings);
            }
        });
    }

    /** Reset the world with the same seed (supervisors only). */
    public void reset() {
        ask("reset", Map.of());
        step(0);
    }

    /** Reset the world with another seed (supervisors only). */
    public void reset(long seed) {
        ask("reset", Map.of("seed", seed));
        step(0);
    }

    /** Start the clock (supervisors only). */
    public void play() {
        ask("play", Map.of());
    }

    /** Pause the clock (supervisors only). */
    public void pause() {
        ask("pause", Map.of());
    }

    /** Set the speed in simulated seconds per second, from 0.01 to 1000; 0 is as fast as possible (supervisors only). */
    public void setSpeed(double speed) {
        ask("set_speed", Map.of("speed", speed));
    }

    /** Return a digest of the state; equal digests mean equal states (supervisors only). */
    public String digest() {
        return (String) ask("digest", Map.of()).get("value");
    }

    /** Disconnect: claimed robots stop, spawned robots are removed. */
    @Override
    public void close() {
        connection.close();
    }

    Map<String, Object> ask(String type, Map<String, ?> fields) {
        return connection.ask(type, fields);
    }

    void forget(String name) {
        robots.remove(name);
    }

    @SuppressWarnings("unchecked")
    private void hear(Map<String, Object> news) {
        switch ((String) news.get("type")) {
            case "robots" -> {
                names.clear();
                for (Object robot : (List<Object>) news.get("robots")) {
                    names.add((String) ((Map<String, Object>) robot).get("name"));
                }
            }
            case "clock" -> tick = (Long) news.get("tick");
            case "released" -> System.err.println(news.get("client") + " was released from the lock: " + news.get("reason"));
            default -> { } // notifications for pages and reports
        }
    }
}

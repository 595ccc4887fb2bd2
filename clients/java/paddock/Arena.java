package paddock;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A world in a running Paddock server.
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
 * Lengths are metres, angles radians, times seconds, wheel speeds m/s at the rim. An arena belongs to one thread.
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
            connection.await("clock"); // it and the robots follow the welcome
        } catch (PaddockException refused) {
            connection.close();
            throw refused;
        }
    }

    /** Connect to a join link as {@code paddock serve} prints it, or to {@code ws://host:port}. */
    public static Arena connect(String address) {
        return connect(address, "Java");
    }

    /**
     * Connect under a name that others see.
     *
     * @throws PaddockException if nobody answers there, or the token is not valid
     */
    public static Arena connect(String address, String name) {
        URI place;
        try {
            place = new URI(address.contains("://") ? address : "ws://" + address);
        } catch (URISyntaxException problem) {
            throw new PaddockException("LinkError", "this is no usable address: " + problem.getMessage());
        }
        if (place.getHost() == null) {
            throw new PaddockException("LinkError", "expected an address such as http://127.0.0.1:8642/, got " + address);
        }
        return new Arena(place, name);
    }

    /** The name that the server gave this program. */
    public String name() {
        return client;
    }

    /** {@code viewer}, {@code controller} or {@code supervisor}. */
    public String role() {
        return role;
    }

    /** Length of a tick [s]. */
    public double dt() {
        return dt;
    }

    /** Ticks since the start, as of the last answer. */
    public long tick() {
        return tick;
    }

    /** Simulated seconds since the start, as of the last answer. */
    public double time() {
        return tick * dt;
    }

    /** The names of all robots. */
    public List<String> robots() {
        return List.copyOf(names);
    }

    /** A robot, by name. It is claimed by the first command that it gets. */
    public Robot robot(String name) {
        if (!names.contains(name)) {
            throw new PaddockException("UnknownName", "no robot called '" + name + "': there are " + names);
        }
        return robots.computeIfAbsent(name, key -> new Robot(this, key));
    }

    /** Bring a robot along, of a shipped kind, wherever there is room. */
    public Robot spawn(String name, String kind) {
        ask("spawn", Map.of("robot", name, "kind", kind));
        return robot(name);
    }

    /** Bring a robot along, of a shipped kind, at a place. */
    public Robot spawn(String name, String kind, double x, double y, double heading) {
        ask("spawn", Map.of("robot", name, "kind", kind, "at", new double[] {x, y}, "heading", heading));
        return robot(name);
    }

    /** Have time wait for this program's steps. */
    public void joinLock() {
        joinLock(TIMEOUT);
    }

    /** Have time wait for this program's steps; others wait for it for so many seconds at most. */
    public void joinLock(double timeout) {
        ask("lock", Map.of("timeout", timeout));
    }

    /** Time waits no longer for this program. */
    public void leaveLock() {
        ask("lock", Map.of("on", false));
    }

    /** Give the robots' commands, let a tick pass, and hear what the enabled devices then see. */
    public void step() {
        step(1);
    }

    /** The same for some ticks; 0 looks without letting time pass. */
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

    /** Back to the start with the same seed (supervisors only). */
    public void reset() {
        ask("reset", Map.of());
        step(0);
    }

    /** Back to the start with another seed (supervisors only). */
    public void reset(long seed) {
        ask("reset", Map.of("seed", seed));
        step(0);
    }

    /** Let the clock run (supervisors only). */
    public void play() {
        ask("play", Map.of());
    }

    /** Stop the clock (supervisors only). */
    public void pause() {
        ask("pause", Map.of());
    }

    /** Simulated seconds per second, from 0.01 to 1000; 0 is flat out (supervisors only). */
    public void setSpeed(double speed) {
        ask("set_speed", Map.of("speed", speed));
    }

    /** A fingerprint of the state: equal digests, equal futures (supervisors only). */
    public String digest() {
        return (String) ask("digest", Map.of()).get("value");
    }

    /** Leave: claimed robots stop, those brought along vanish. */
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
            default -> { } // news for pages and reports
        }
    }
}

package paddock;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A robot of an {@link Arena}. Its commands go with the arena's next step and hold until the next ones. */
public final class Robot {
    /** A camera's picture: rows from the top, each from the left, red, green, blue for each pixel. */
    public record Picture(int width, int height, byte[] pixels) {}

    /** Where a robot is: x, y [m], heading [rad]. */
    public record Pose(double x, double y, double heading) {}

    private final Arena arena;
    private final String name;
    private final Map<String, Object> command = new LinkedHashMap<>();
    private Map<String, Object> seen = Map.of();

    Robot(Arena arena, String name) {
        this.arena = arena;
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** Drive this robot from now on; refused if somebody else does. */
    public void claim() {
        arena.ask("claim", Map.of("robot", name));
    }

    /** Give the robot up: it stops; one that was brought along vanishes. */
    public void leave() {
        arena.ask("leave", Map.of("robot", name));
        arena.forget(name);
    }

    /** Switch devices on, all if none is named, and look with them. */
    public void enable(String... devices) {
        arena.ask("enable", Map.of("robot", name, "devices", List.of(devices)));
        arena.step(0);
    }

    /** Switch devices off, all if none is named. */
    public void disable(String... devices) {
        arena.ask("enable", Map.of("robot", name, "devices", List.of(devices), "on", false));
        arena.step(0);
    }

    /** What an enabled device saw at the last step, in SI units; NaN where there is no number. */
    public double[] read(String device) {
        return MessagePack.toNumbers(find("readings", device));
    }

    /** Ask for an enabled device now, also for one that is polled only. */
    public double[] poll(String device) {
        return MessagePack.toNumbers(arena.ask("read", Map.of("robot", name, "device", device)).get("values"));
    }

    /** Compute a range sensor only when {@link #poll} asks for it, or no longer so. */
    public void setPollOnly(String device, boolean on) {
        arena.ask("poll_only", Map.of("robot", name, "device", device, "on", on));
    }

    /** What an enabled camera saw at the last step. */
    @SuppressWarnings("unchecked")
    public Picture readPicture(String camera) {
        Map<String, Object> picture = (Map<String, Object>) find("pictures", camera);
        return new Picture(toInt(picture.get("width")), toInt(picture.get("height")), (byte[]) picture.get("data"));
    }

    /** How fast the wheels turn, left and right [m/s]. */
    public double[] wheels() {
        return toNumbers(seen.get("wheels"));
    }

    /** The true pose, which only supervisors get; see {@link Arena#role}. */
    @SuppressWarnings("unchecked")
    public Pose pose() {
        Map<String, Object> truth = (Map<String, Object>) seen.get("truth");
        if (truth == null) {
            String reason = seen.isEmpty() ? "enable a device of it first" : "only supervisors are told it";
            throw new PaddockException("Refused", name + ": no true pose: " + reason);
        }
        double[] pose = toNumbers(truth.get("pose"));
        return new Pose(pose[0], pose[1], pose[2]);
    }

    /** Wheel speeds [m/s]. */
    public void setWheels(double left, double right) {
        command.put("wheels", new double[] {left, right});
    }

    /** Brightness of a lamp, 0 to 1. */
    public void setLed(String lamp, double brightness) {
        set("leds", lamp, brightness);
    }

    /** Angle [rad] to which a pivoting device turns. */
    public void setPan(String device, double angle) {
        set("pans", device, angle);
    }

    /** Put the robot elsewhere (supervisors only). */
    public void setPose(double x, double y, double heading) {
        arena.ask("set_pose", Map.of("robot", name, "x", x, "y", y, "heading", heading));
        arena.step(0);
    }

    void addCommand(Map<String, Object> commands) {
        if (!command.isEmpty()) {
            commands.put(name, new LinkedHashMap<>(command));
            command.clear();
        }
    }

    void see(Map<String, Object> readings) {
        seen = readings;
    }

    @SuppressWarnings("unchecked")
    private void set(String part, String key, double value) {
        ((Map<String, Object>) command.computeIfAbsent(part, none -> new LinkedHashMap<String, Object>())).put(key, value);
    }

    @SuppressWarnings("unchecked")
    private Object find(String part, String device) {
        Map<String, Object> devices = (Map<String, Object>) seen.getOrDefault(part, Map.of());
        if (!devices.containsKey(device)) {
            throw new PaddockException("DeviceNotEnabled",
                name + "." + device + " is not enabled, or there is no such device: call enable(\"" + device + "\") first");
        }
        return devices.get(device);
    }

    private static int toInt(Object value) {
        return ((Number) value).intValue();
    }

    private static double[] toNumbers(Object value) {
        return ((List<?>) value).stream().mapToDouble(item -> ((Number) item).doubleValue()).toArray();
    }
}

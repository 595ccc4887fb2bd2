package paddock;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A robot of an {@link Arena}. Commands are sent with the arena's next step and stay valid until they are changed. */
public final class Robot {
    /** A camera picture: rows from the top, each from the left, red, green, blue for each pixel. */
    public record Picture(int width, int height, byte[] pixels) {}

    /** Pose of a robot: x, y [m], heading [rad]. */
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

    /** Take ownership of this robot; refused if another client drives it. */
    public void claim() {
        arena.ask("claim", Map.of("robot", name));
    }

    /** Give up ownership of the robot. It stops; a spawned robot is removed. */
    public void release() {
        arena.ask("release_robot", Map.of("robot", name));
        arena.forget(name);
    }

    /** Enable devices, all if none is named, and receive their readings. */
    public void enable(String... devices) {
        arena.ask("enable", Map.of("robot", name, "devices", List.of(devices)));
        arena.step(0);
    }

    /** Disable devices, all if none is named. */
    public void disable(String... devices) {
        arena.ask("enable", Map.of("robot", name, "devices", List.of(devices), "on", false));
        arena.step(0);
    }

    /** Return the reading of an enabled device at the last step, in SI units; values may be NaN. */
    public double[] read(String device) {
        return MessagePack.toNumbers(find("readings", device));
    }

    /** Request the reading of an enabled device now, also of a poll-only one. */
    public double[] poll(String device) {
        return MessagePack.toNumbers(arena.ask("read", Map.of("robot", name, "device", device)).get("values"));
    }

    /** Compute a range sensor only when {@link #poll} requests it, or end this mode. */
    public void setPollOnly(String device, boolean on) {
        arena.ask("poll_only", Map.of("robot", name, "device", device, "on", on));
    }

    /** Return the picture of an enabled camera at the last step. */
    @SuppressWarnings("unchecked")
    public Picture readPicture(String camera) {
        Map<String, Object> picture = (Map<String, Object>) find("pictures", camera);
        return new Picture(toInt(picture.get("width")), toInt(picture.get("height")), (byte[]) picture.get("data"));
    }

    /** Return the wheel speeds left and right [m/s]. */
    public double[] wheels() {
        return toNumbers(seen.get("wheels"));
    }

    /** Return the true pose (supervisors only); see {@link Arena#role}. */
    @SuppressWarnings("unchecked")
    public Pose pose() {
        Map<String, Object> truth = (Map<String, Object>) seen.get("truth");
        if (truth == null) {
            String reason = seen.isEmpty() ? "enable one of its devices first" : "only supervisors receive it";
            throw new PaddockException("Refused", name + ": no true pose: " + reason);
        }
        double[] pose = toNumbers(truth.get("pose"));
        return new Pose(pose[0], pose[1], pose[2]);
    }

    /** Set the wheel speeds [m/s]. */
    public void setWheels(double left, double right) {
        command.put("wheels", new double[] {left, right});
    }

    /** Set the brightness of an LED, 0 to 1. */
    public void setLed(String led, double brightness) {
        set("leds", led, brightness);
    }

    /** Set the target angle [rad] of a pivoting device. */
    public void setPan(String device, double angle) {
        set("pans", device, angle);
    }

    /** Set the pose of the robot (supervisors only). */
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

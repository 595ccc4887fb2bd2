import paddock.Arena;
import paddock.Robot;

/**
 * Follows a line with three ground sensors.
 *
 * <pre>
 *   paddock serve line-track --lock-step
 *   java -cp clients/java/paddock.jar clients/java/examples/LineFollower.java http://127.0.0.1:8642/ 20
 * </pre>
 */
public final class LineFollower {
    private static final double SPEED = 0.08; // [m/s]
    private static final double DARK = 0.5; // brightness below which the floor is a line

    public static void main(String[] arguments) {
        String address = arguments.length > 0 ? arguments[0] : "http://127.0.0.1:8642/";
        double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 20;
        try (Arena arena = Arena.connect(address, "LineFollower.java")) {
            Robot robot = arena.robot(arena.robots().get(0));
            robot.enable("ground");
            arena.joinLock();
            double side = 1; // side of the line at the last detection: 1 left, -1 right
            int onLine = 0;
            long first = arena.tick();
            long last = first + Math.round(seconds / arena.dt());
            while (arena.tick() < last) {
                double[] ground = robot.read("ground");
                boolean left = ground[0] < DARK, middle = ground[1] < DARK, right = ground[2] < DARK;
                if (left != right) {
                    side = left ? 1 : -1;
                }
                double turn = middle && !left && !right ? 0 : middle ? 0.55 : left || right ? 0.8 : 1.4;
                robot.setWheels(SPEED * Math.min(1, 1 - side * turn), SPEED * Math.min(1, 1 + side * turn));
                onLine += left || middle || right ? 1 : 0;
                arena.step();
            }
            System.out.printf("%s: %.0f s, %.1f %% of the time on the line%n",
                robot.name(), arena.time(), 100.0 * onLine / (last - first));
            if (arena.role().equals("supervisor")) {
                System.out.println("digest " + arena.digest());
            }
        }
    }
}

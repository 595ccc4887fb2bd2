import java.util.Locale;
import paddock.Arena;
import paddock.PaddockException;
import paddock.Robot;

/** Calls what the Java client has, and prints what came back. */
public final class Tour {
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        refused(() -> Arena.connect("http://127.0.0.1:9/"));
        refused(() -> Arena.connect("http://127.0.0.1 9/"));
        try (Arena arena = Arena.connect(arguments[0], "Tour")) {
            System.out.println(arena.name() + " " + arena.role() + " " + arena.dt() + " " + arena.robots());
            refused(() -> arena.robot("rde"));
            Robot bug = arena.spawn("bug", "e-puck", 1.5, 0.5, 0.25);
            refused(() -> bug.read("proximity"));
            refused(() -> bug.enable("radar"));
            bug.enable("proximity", "camera");
            arena.joinLock(5);
            bug.setWheels(0.05, 0.04);
            bug.setLed("led0", 1);
            arena.step(10);
            System.out.printf("time %.2f wheels %.3f %.3f proximity %d%n",
                arena.time(), bug.wheels()[0], bug.wheels()[1], bug.read("proximity").length);
            System.out.printf("pose %.4f %.4f %.4f%n", bug.pose().x(), bug.pose().y(), bug.pose().heading());
            Robot.Picture picture = bug.readPicture("camera");
            System.out.println("picture " + picture.width() + " " + picture.height() + " " + picture.pixels().length);
            bug.setPose(0.5, 0.5, 1);
            System.out.printf("moved to %.2f %.2f%n", bug.pose().x(), bug.pose().y());
            bug.setPollOnly("proximity", true);
            System.out.println("polled " + bug.poll("proximity").length);
            System.out.println("digest " + arena.digest());
            bug.release();
            arena.leaveLock();
            arena.pause();
            arena.reset(3);
            System.out.println("tick " + arena.tick() + " " + arena.robots());
        }
    }

    private static void refused(Runnable request) {
        try {
            request.run();
            System.out.println("not refused");
        } catch (PaddockException problem) {
            System.out.println(problem.error() + ": " + problem.getMessage());
        }
    }
}

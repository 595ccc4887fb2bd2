import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;

/** A planner that knows AP2DX's lines and nothing else: no numbers, no times, no epochs. */
public class OriginalPlanner {
    static OutputStream out;

    static void say(String fields, String type) throws Exception {
        String line = "{" + fields + "\"destinationModuleId\":\"REFLEX\",\"sourceModuleId\":\"PLANNER\",\"type\":\"" + type + "\"}\n";
        out.write(line.getBytes("UTF-8"));
    }

    public static void main(String[] arguments) throws Exception {
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(arguments[0]));
        out = socket.getOutputStream();
        out.write("{\"destinationModuleId\":\"REFLEX\",\"sourceModuleId\":\"PLANNER\",\"type\":\"HELLO!!!\",\"Bidirection\":true}\n".getBytes("UTF-8"));
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), "UTF-8"));
        String line;
        boolean shown = false;
        while ((line = in.readLine()) != null) {
            if (line.contains("\"type\":\"STOP\"")) {
                say("", "RESET");
                say("", "CLEAR");
            } else if (line.contains("sensorSonar")) {
                say("\"actionType\":\"FORWARD\",\"value\":20.0,", "motorAction");
                if (!shown) System.out.println(line);
                shown = true;
                System.out.flush();
            }
        }
    }
}

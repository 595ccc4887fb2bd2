package paddock;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One WebSocket: requests and their answers in order, with notifications in between. */
final class Connection implements WebSocket.Listener, AutoCloseable {
    private static final int SILENCE = 60; // timeout [s]; the server sends a message every second while a step is pending

    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private final Consumer<Map<String, Object>> news;
    private final String place;
    private final WebSocket socket;
    private long lastId;
    private PaddockException ended;

    Connection(URI address, Consumer<Map<String, Object>> news) {
        this.news = news;
        String scheme = address.getScheme().equals("https") || address.getScheme().equals("wss") ? "wss" : "ws";
        int usual = scheme.equals("wss") ? 443 : Arena.PORT;
        place = address.getHost() + ":" + (address.getPort() < 0 ? usual : address.getPort());
        String path = address.getPath() == null || address.getPath().length() < 2 ? "/ws" : address.getPath();
        try {
            socket = HttpClient.newHttpClient().newWebSocketBuilder()
                .buildAsync(URI.create(scheme + "://" + place + path), this).join();
        } catch (CompletionException problem) {
            throw new PaddockException("LinkError",
                "no Paddock server answers at " + place + ": " + problem.getCause() + "; start one with: paddock serve WORLD");
        }
    }

    /** Send a request and wait for its answer. */
    Map<String, Object> ask(String type, Map<String, ?> fields) {
        long id = ++lastId;
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("type", type);
        message.put("id", id);
        message.putAll(fields);
        send(message);
        while (true) {
            Map<String, Object> answer = receive();
            boolean refused = "refused".equals(answer.get("type"));
            Object of = answer.get("id");
            if (refused && (of == null || of.equals(id))) {
                throw new PaddockException((String) answer.get("error"), (String) answer.get("message"));
            } else if (of != null && of.equals(id)) {
                return answer;
            }
            news.accept(answer);
        }
    }

    /** Wait for a notification of a type. */
    void await(String type) {
        Map<String, Object> heard;
        do {
            heard = receive();
            news.accept(heard);
        } while (!type.equals(heard.get("type")));
    }

    private void send(Map<String, Object> message) {
        if (ended != null) {
            throw ended;
        }
        try {
            socket.sendBinary(MessagePack.pack(message), true).join();
        } catch (CompletionException problem) {
            throw end("the connection to " + place + " was lost: " + problem.getCause());
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> receive() {
        Object message;
        socket.request(1);
        try {
            message = received.poll(SILENCE, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PaddockException("LinkError", "interrupted while waiting for " + place);
        }
        if (message == null) {
            throw end(place + " has sent nothing for " + SILENCE + " s");
        } else if (message instanceof String reason) {
            throw end(reason);
        }
        return (Map<String, Object>) message;
    }

    private PaddockException end(String reason) {
        ended = new PaddockException("LinkError", reason);
        return ended;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        partial.writeBytes(bytes);
        if (last) {
            byte[] whole = partial.toByteArray();
            partial.reset();
            try {
                received.add(MessagePack.unpack(ByteBuffer.wrap(whole)));
            } catch (RuntimeException problem) {
                received.add("a message of " + place + " cannot be read: " + problem);
            }
        }
        if (!last) {
            from.request(1);
        }
        return null;
    }

    @Override
    public void onOpen(WebSocket opened) {
        // No request(1) here: only `receive` requests messages, so that a program that hangs answers no pings.
    }

    @Override
    public CompletionStage<?> onPing(WebSocket from, ByteBuffer data) {
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        received.add(place + " closed the connection: " + code + " " + reason);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable problem) {
        received.add("the connection to " + place + " was lost: " + problem);
    }

    @Override
    public void close() {
        if (ended == null) {
            ended = new PaddockException("LinkError", "the connection to " + place + " was closed");
            try {
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").orTimeout(1, TimeUnit.SECONDS).join();
            } catch (CompletionException gone) {
                // the server has already disconnected
            }
        }
        socket.abort();
    }
}

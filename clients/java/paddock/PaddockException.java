package paddock;

/** The server refused a request, or the connection is gone. What was refused was not done. */
public final class PaddockException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String error;

    PaddockException(String error, String message) {
        super(message);
        this.error = error;
    }

    /** The class of the error, such as {@code UnknownName}; see docs/protocol.md. */
    public String error() {
        return error;
    }
}

package paddock;

/** The server refused a request, or the connection was lost. A refused request has no effect. */
public final class PaddockException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String error;

    PaddockException(String error, String message) {
        super(message);
        this.error = error;
    }

    /** Return the class of the error, such as {@code UnknownName}; see docs/network/protocol.md. */
    public String error() {
        return error;
    }
}

package paddock;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes and decodes msgpack, without extension types, which the protocol does not use. */
final class MessagePack {
    private MessagePack() {}

    static ByteBuffer pack(Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        write(out, value);
        return ByteBuffer.wrap(out.toByteArray());
    }

    /** Decode a value: null, Boolean, Long, Double, String, byte[], List or Map. */
    static Object unpack(ByteBuffer data) {
        Object value = read(data);
        if (data.hasRemaining()) {
            throw new PaddockException("BadMessage", data.remaining() + " extra bytes in a message of the server");
        }
        return value;
    }

    private static void write(ByteArrayOutputStream out, Object value) {
        if (value == null) {
            out.write(0xc0);
        } else if (value instanceof Boolean truth) {
            out.write(truth ? 0xc3 : 0xc2);
        } else if (value instanceof Integer || value instanceof Long) {
            out.write(0xd3);
            put(out, ((Number) value).longValue(), 8);
        } else if (value instanceof Number number) {
            out.write(0xcb);
            put(out, Double.doubleToRawLongBits(number.doubleValue()), 8);
        } else if (value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            out.write(0xdb);
            put(out, bytes.length, 4);
            out.writeBytes(bytes);
        } else if (value instanceof double[] numbers) {
            out.write(0xdd);
            put(out, numbers.length, 4);
            for (double number : numbers) {
                write(out, number);
            }
        } else if (value instanceof List<?> list) {
            out.write(0xdd);
            put(out, list.size(), 4);
            list.forEach(item -> write(out, item));
        } else if (value instanceof Map<?, ?> map) {
            out.write(0xdf);
            put(out, map.size(), 4);
            map.forEach((key, item) -> {
                write(out, key);
                write(out, item);
            });
        } else {
            throw new IllegalArgumentException("a message cannot hold a " + value.getClass().getName());
        }
    }

    private static void put(ByteArrayOutputStream out, long bits, int bytes) {
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            out.write((int) (bits >>> shift));
        }
    }

    private static Object read(ByteBuffer data) {
        int code = data.get() & 0xff;
        if (code < 0x80) {
            return (long) code;
        } else if (code < 0x90) {
            return readMap(data, code & 0x0f);
        } else if (code < 0xa0) {
            return readList(data, code & 0x0f);
        } else if (code < 0xc0) {
            return readText(data, code & 0x1f);
        } else if (code >= 0xe0) {
            return (long) (byte) code;
        }
        return switch (code) {
            case 0xc0 -> null;
            case 0xc2 -> false;
            case 0xc3 -> true;
            case 0xc4, 0xc5, 0xc6 -> readBytes(data, (int) readUnsigned(data, 1 << (code - 0xc4)));
            case 0xca -> (double) data.getFloat();
            case 0xcb -> data.getDouble();
            case 0xcc, 0xcd, 0xce, 0xcf -> readUnsigned(data, 1 << (code - 0xcc));
            case 0xd0 -> (long) data.get();
            case 0xd1 -> (long) data.getShort();
            case 0xd2 -> (long) data.getInt();
            case 0xd3 -> data.getLong();
            case 0xd9, 0xda, 0xdb -> readText(data, (int) readUnsigned(data, 1 << (code - 0xd9)));
            case 0xdc, 0xdd -> readList(data, (int) readUnsigned(data, 2 << (code - 0xdc)));
            case 0xde, 0xdf -> readMap(data, (int) readUnsigned(data, 2 << (code - 0xde)));
            default -> throw new PaddockException("BadMessage", "the server sent a byte " + code + " that is not msgpack");
        };
    }

    private static long readUnsigned(ByteBuffer data, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << 8 | data.get() & 0xff;
        }
        return value;
    }

    private static byte[] readBytes(ByteBuffer data, int length) {
        byte[] bytes = new byte[length];
        data.get(bytes);
        return bytes;
    }

    private static String readText(ByteBuffer data, int length) {
        return new String(readBytes(data, length), StandardCharsets.UTF_8);
    }

    private static List<Object> readList(ByteBuffer data, int length) {
        List<Object> list = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            list.add(read(data));
        }
        return list;
    }

    private static Map<String, Object> readMap(ByteBuffer data, int length) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < length; i++) {
            map.put((String) read(data), read(data));
        }
        return map;
    }

    /** Decode the protocol's "numbers": float64, little-endian, one after the other. */
    static double[] toNumbers(Object value) {
        ByteBuffer data = ByteBuffer.wrap((byte[]) value).order(ByteOrder.LITTLE_ENDIAN);
        double[] numbers = new double[data.remaining() / Double.BYTES];
        data.asDoubleBuffer().get(numbers);
        return numbers;
    }
}

/* Implements paddock.h: a WebSocket (RFC 6455) with msgpack messages, see docs/network/protocol.md. Uses POSIX sockets. */
#define _POSIX_C_SOURCE 200809L
#include "paddock.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { VERSION = 1, SILENCE = 60, NAME = 4 * 64 + 1, HOST = 256, TOKEN = 201, TEXT = 1024 }; /* 64 characters */
enum { CONTINUED = 0, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };
static const char PORT[] = "8642";

typedef struct {
    unsigned char *data;
    size_t length, room;
} buffer;

typedef struct {
    char part[5]; /* "leds" or "pans" */
    char name[NAME];
    double value;
} setting;

typedef struct {
    char robot[NAME];
    int has_wheels, settings_count;
    double wheels[2];
    setting *settings;
} command;

struct paddock_arena {
    int socket, lost, clock_heard, robot_count, name_count, command_count;
    char place[HOST + 16], role[32], error[TEXT];
    double dt;
    long long tick, last_id;
    uint32_t mask;
    buffer out, stream, message, observed;
    char **robots; /* current robots, by number */
    char **names;  /* all names ever received, so that results of paddock_robot_name stay valid */
    command *commands;
};

static char connect_error[TEXT];

static int fail(paddock_arena *arena, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(arena->error, sizeof arena->error, format, values);
    va_end(values);
    return -1;
}

static void *reserve(void *memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (memory == NULL) {
        fputs("paddock: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void append(buffer *to, const void *data, size_t length) {
    if (to->length + length > to->room) {
        to->room = 2 * (to->length + length);
        to->data = reserve(to->data, to->room);
    }
    if (length > 0) memcpy(to->data + to->length, data, length);
    to->length += length;
}

/* ---- msgpack: writing */

static void put(buffer *to, int code, uint64_t bits, int bytes) {
    unsigned char data[9] = {(unsigned char)code};
    for (int i = 0; i < bytes; i++) data[1 + i] = (unsigned char)(bits >> (8 * (bytes - 1 - i)));
    append(to, data, 1 + (size_t)bytes);
}

static void put_map(buffer *to, size_t entries) { put(to, 0xdf, entries, 4); }
static void put_list(buffer *to, size_t entries) { put(to, 0xdd, entries, 4); }
static void put_int(buffer *to, long long value) { put(to, 0xd3, (uint64_t)value, 8); }
static void put_bool(buffer *to, int value) { put(to, value ? 0xc3 : 0xc2, 0, 0); }

static void put_text(buffer *to, const char *text) {
    put(to, 0xdb, strlen(text), 4);
    append(to, text, strlen(text));
}

static void put_number(buffer *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, 0xcb, bits, 8);
}

/* ---- msgpack: reading. After an error (end of data or unexpected type) a cursor has at == NULL. */

typedef struct {
    const unsigned char *at, *end;
} cursor;

static const unsigned char *take(cursor *from, size_t bytes) {
    const unsigned char *at = from->at;
    if (at == NULL || (size_t)(from->end - at) < bytes) {
        from->at = NULL;
        return NULL;
    }
    from->at += bytes;
    return at;
}

static uint64_t take_unsigned(cursor *from, int bytes) {
    const unsigned char *at = take(from, (size_t)bytes);
    uint64_t value = 0;
    for (int i = 0; at != NULL && i < bytes; i++) value = value << 8 | at[i];
    return value;
}

typedef enum { NIL, TRUTH, INTEGER, REAL, STRING, BYTES, LIST, MAP, DAMAGED } item_kind;

typedef struct {
    item_kind kind;
    long long integer; /* value of an integer or a bool; number of entries of a list or a map */
    double real;
    const unsigned char *data; /* of a text or bytes */
    size_t length;
} item;

static item take_data(cursor *from, item_kind which, size_t length) {
    item value = {which, 0, 0.0, take(from, length), length};
    if (value.data == NULL) value.kind = DAMAGED;
    return value;
}

static item take_real(cursor *from, int bytes) {
    item value = {REAL, 0, 0.0, NULL, 0};
    uint64_t bits = take_unsigned(from, bytes);
    if (bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float number;
        memcpy(&number, &half, sizeof number);
        value.real = (double)number;
    } else {
        memcpy(&value.real, &bits, sizeof value.real);
    }
    return value;
}

/* Read the next value; for a list or a map only its head, its entries follow. */
static item take_item(cursor *from) {
    const unsigned char *first = take(from, 1);
    item value = {DAMAGED, 0, 0.0, NULL, 0};
    if (first == NULL) return value;
    int code = *first;
    if (code < 0x80 || code >= 0xe0) value.kind = INTEGER, value.integer = (signed char)code;
    else if (code < 0x90) value.kind = MAP, value.integer = code & 0x0f;
    else if (code < 0xa0) value.kind = LIST, value.integer = code & 0x0f;
    else if (code < 0xc0) return take_data(from, STRING, code & 0x1f);
    else if (code == 0xc0) value.kind = NIL;
    else if (code == 0xc2 || code == 0xc3) value.kind = TRUTH, value.integer = code & 1;
    else if (code >= 0xc4 && code <= 0xc6) return take_data(from, BYTES, take_unsigned(from, 1 << (code - 0xc4)));
    else if (code == 0xca || code == 0xcb) return take_real(from, code == 0xca ? 4 : 8);
    else if (code >= 0xcc && code <= 0xcf) value.kind = INTEGER, value.integer = (long long)take_unsigned(from, 1 << (code - 0xcc));
    else if (code >= 0xd0 && code <= 0xd3) {
        int bytes = 1 << (code - 0xd0), unused = 64 - 8 * bytes;
        value.kind = INTEGER;
        value.integer = (long long)(take_unsigned(from, bytes) << unused) >> unused;
    } else if (code >= 0xd9 && code <= 0xdb) return take_data(from, STRING, take_unsigned(from, 1 << (code - 0xd9)));
    else if (code == 0xdc || code == 0xdd) value.kind = LIST, value.integer = (long long)take_unsigned(from, 2 << (code - 0xdc));
    else if (code == 0xde || code == 0xdf) value.kind = MAP, value.integer = (long long)take_unsigned(from, 2 << (code - 0xde));
    if (from->at == NULL) value.kind = DAMAGED;
    return value;
}

static void skip(cursor *from) {
    for (long long left = 1; left > 0 && from->at != NULL; left--) {
        item value = take_item(from);
        if (value.kind == DAMAGED) from->at = NULL;
        left += value.kind == LIST ? value.integer : value.kind == MAP ? 2 * value.integer : 0;
    }
}

/* Return the position of the value of a key in a map that begins at `from`; at == NULL: no such key. */
static cursor find(cursor from, const char *key) {
    item map = take_item(&from);
    for (long long i = 0; map.kind == MAP && i < map.integer; i++) {
        item name = take_item(&from);
        if (name.kind == STRING && name.length == strlen(key) && memcmp(name.data, key, name.length) == 0) return from;
        skip(&from);
    }
    from.at = NULL;
    return from;
}

static double to_number(item value) {
    return value.kind == REAL ? value.real : value.kind == INTEGER ? (double)value.integer : (double)NAN;
}

static void copy_text(cursor from, char *text, size_t room) {
    item value = take_item(&from);
    size_t length = value.kind != STRING ? 0 : value.length < room ? value.length : room - 1;
    if (length > 0) memcpy(text, value.data, length);
    text[length] = '\0';
}

static cursor whole(const buffer *message) {
    cursor from = {message->data, message->data + message->length};
    return from;
}

/* ---- WebSocket */

static int send_all(paddock_arena *arena, const void *data, size_t length) {
    const char *at = data;
    while (length > 0) {
        ssize_t sent = send(arena->socket, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) {
            arena->lost = 1;
            return fail(arena, "the connection to %s was lost: %s", arena->place, strerror(errno));
        }
        at += sent;
        length -= (size_t)sent;
    }
    return 0;
}

static int send_frame(paddock_arena *arena, int opcode, const unsigned char *data, size_t length) {
    buffer frame = {NULL, 0, 0};
    arena->mask = arena->mask * 1664525u + 1013904223u;
    unsigned char mask[4] = {(unsigned char)(arena->mask >> 24), (unsigned char)(arena->mask >> 16),
                             (unsigned char)(arena->mask >> 8), (unsigned char)arena->mask};
    unsigned char head[2] = {(unsigned char)(0x80 | opcode), 0x80};
    head[1] |= (unsigned char)(length < 126 ? length : length < 65536 ? 126 : 127);
    append(&frame, head, 2);
    int bytes = length < 126 ? 0 : length < 65536 ? 2 : 8;
    for (int i = bytes - 1; i >= 0; i--) {
        unsigned char part = (unsigned char)((uint64_t)length >> (8 * i));
        append(&frame, &part, 1);
    }
    append(&frame, mask, 4);
    size_t start = frame.length;
    append(&frame, data, length);
    for (size_t i = 0; i < length; i++) frame.data[start + i] ^= mask[i % 4];
    int done = send_all(arena, frame.data, frame.length);
    free(frame.data);
    return done;
}

/* Receive until the stream has at least `wanted` bytes. */
static int fill(paddock_arena *arena, size_t wanted) {
    unsigned char data[65536];
    while (arena->stream.length < wanted) {
        ssize_t got = recv(arena->socket, data, sizeof data, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            int silent = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
            arena->lost = 1;
            if (silent) return fail(arena, "%s has sent nothing for %d s", arena->place, SILENCE);
            return fail(arena, "%s closed the connection", arena->place);
        }
        append(&arena->stream, data, (size_t)got);
    }
    return 0;
}

static void drop(buffer *from, size_t bytes) {
    from->length -= bytes;
    memmove(from->data, from->data + bytes, from->length);
}

/* Receive the next frame. Its payload is then at the head of the stream; the caller has to drop it. */
static int receive_head(paddock_arena *arena, int *opcode, int *last, size_t *length) {
    if (fill(arena, 2) < 0) return -1;
    unsigned char code = arena->stream.data[0], size = arena->stream.data[1];
    int extra = (size & 0x7f) == 126 ? 2 : (size & 0x7f) == 127 ? 8 : 0;
    if (size & 0x80) {
        arena->lost = 1;
        return fail(arena, "%s does not use the WebSocket protocol", arena->place);
    }
    if (fill(arena, 2 + (size_t)extra) < 0) return -1;
    uint64_t bytes = extra == 0 ? size : 0;
    for (int i = 0; i < extra; i++) bytes = bytes << 8 | arena->stream.data[2 + i];
    drop(&arena->stream, 2 + (size_t)extra);
    *opcode = code & 0x0f, *last = code >> 7, *length = (size_t)bytes;
    return fill(arena, *length);
}

/* Receive the next message into arena->message. */
static int receive(paddock_arena *arena) {
    arena->message.length = 0;
    for (;;) {
        int opcode = 0, last = 0;
        size_t length = 0;
        if (receive_head(arena, &opcode, &last, &length) < 0) return -1;
        if (opcode == PING) {
            if (send_frame(arena, PONG, arena->stream.data, length) < 0) return -1;
        } else if (opcode == CLOSE) {
            arena->lost = 1;
            int code = length < 2 ? 0 : arena->stream.data[0] << 8 | arena->stream.data[1];
            return fail(arena, "%s closed the connection: %d %.*s", arena->place, code,
                        length < 2 ? 0 : (int)length - 2, (const char *)arena->stream.data + 2);
        } else if (opcode == BINARY || opcode == CONTINUED) {
            append(&arena->message, arena->stream.data, length);
        }
        drop(&arena->stream, length);
        if ((opcode == BINARY || opcode == CONTINUED) && last) return 0;
    }
}

static int shake_hands(paddock_arena *arena) {
    char request[HOST + 256];
    snprintf(request, sizeof request,
             "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: cGFkZG9jayBDIGNsaWVudA==\r\n\r\n",
             arena->place);
    if (send_all(arena, request, strlen(request)) < 0) return -1;
    for (size_t seen = 4;; seen++) {
        if (fill(arena, seen) < 0) return -1;
        if (memcmp(arena->stream.data + seen - 4, "\r\n\r\n", 4) != 0) continue;
        if (seen < 12 || memcmp(arena->stream.data, "HTTP/1.1 101", 12) != 0)
            return fail(arena, "%s is not a Paddock server, or refuses: %.*s", arena->place,
                        (int)strcspn((const char *)arena->stream.data, "\r\n"), (const char *)arena->stream.data);
        drop(&arena->stream, seen);
        return 0;
    }
}

/* ---- requests and answers */

static char *keep_name(paddock_arena *arena, const char *name) {
    for (int i = 0; i < arena->name_count; i++)
        if (strcmp(arena->names[i], name) == 0) return arena->names[i];
    arena->names = reserve(arena->names, sizeof *arena->names * (size_t)(arena->name_count + 1));
    return arena->names[arena->name_count++] = strcpy(reserve(NULL, strlen(name) + 1), name);
}

static void hear(paddock_arena *arena) {
    cursor message = whole(&arena->message), robots = find(message, "robots");
    char type[32];
    copy_text(find(message, "type"), type, sizeof type);
    if (strcmp(type, "clock") == 0) {
        cursor tick = find(message, "tick");
        arena->tick = take_item(&tick).integer;
        arena->clock_heard = 1;
    } else if (strcmp(type, "robots") == 0 && robots.at != NULL) {
        item list = take_item(&robots);
        if (list.kind != LIST || list.integer > robots.end - robots.at) return; /* each robot takes at least one byte */
        arena->robot_count = (int)list.integer;
        arena->robots = reserve(arena->robots, sizeof *arena->robots * (size_t)(arena->robot_count + 1));
        for (int i = 0; i < arena->robot_count; i++, skip(&robots)) {
            char name[NAME];
            copy_text(find(robots, "name"), name, sizeof name);
            arena->robots[i] = keep_name(arena, name);
        }
    }
}

/* Begin a request with `fields` fields in addition to type and id. */
static buffer *begin(paddock_arena *arena, const char *type, size_t fields) {
    buffer *out = &arena->out;
    out->length = 0;
    put_map(out, 2 + fields);
    put_text(out, "type");
    put_text(out, type);
    put_text(out, "id");
    put_int(out, ++arena->last_id);
    return out;
}

/* Send the prepared request, and wait for its answer in arena->message. */
static int ask(paddock_arena *arena) {
    if (arena->lost) return -1;
    if (send_frame(arena, BINARY, arena->out.data, arena->out.length) < 0) return -1;
    while (receive(arena) == 0) {
        cursor message = whole(&arena->message), id = find(message, "id");
        item number = {NIL, 0, 0.0, NULL, 0};
        char type[32];
        if (id.at != NULL) number = take_item(&id);
        copy_text(find(message, "type"), type, sizeof type);
        int ours = number.kind == INTEGER && number.integer == arena->last_id;
        if (strcmp(type, "refused") == 0 && (ours || number.kind == NIL)) {
            copy_text(find(message, "message"), arena->error, sizeof arena->error);
            return -1;
        }
        if (ours) return 0;
        hear(arena);
    }
    return -1;
}

static int ask_of_robot(paddock_arena *arena, const char *type, const char *robot) {
    buffer *out = begin(arena, type, 1);
    put_text(out, "robot");
    put_text(out, robot);
    return ask(arena);
}

/* Replace the stored readings by those of the received message. */
static void keep_observed(paddock_arena *arena) {
    cursor tick = find(whole(&arena->message), "tick");
    arena->tick = take_item(&tick).integer;
    buffer old = arena->observed;
    arena->observed = arena->message;
    arena->message = old;
}

/* ---- the interface */

static int open_socket(paddock_arena *arena, const char *host, const char *port) {
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    struct timeval silence = {.tv_sec = SILENCE};
    int unknown = getaddrinfo(host, port, &wanted, &found), on = 1;
    if (unknown) return fail(arena, "%s: %s", arena->place, gai_strerror(unknown));
    for (struct addrinfo *place = found; place != NULL && arena->socket < 0; place = place->ai_next) {
        arena->socket = socket(place->ai_family, place->ai_socktype, place->ai_protocol);
        if (arena->socket >= 0 && connect(arena->socket, place->ai_addr, place->ai_addrlen) != 0) {
            close(arena->socket);
            arena->socket = -1;
        }
    }
    freeaddrinfo(found);
    if (arena->socket < 0)
        return fail(arena, "no Paddock server answers at %s; start one with: paddock serve WORLD", arena->place);
    setsockopt(arena->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(arena->socket, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    return 0;
}

static int say_hello(paddock_arena *arena, const char *name, const char *token) {
    buffer *out = begin(arena, "hello", 3);
    put_text(out, "version");
    put_int(out, VERSION);
    put_text(out, "name");
    put_text(out, name);
    put_text(out, "token");
    put_text(out, token);
    if (ask(arena) < 0) return -1;
    cursor dt = find(whole(&arena->message), "dt");
    arena->dt = to_number(take_item(&dt));
    copy_text(find(whole(&arena->message), "role"), arena->role, sizeof arena->role);
    while (!arena->clock_heard) { /* robots and clock follow the welcome */
        if (receive(arena) < 0) return -1;
        hear(arena);
    }
    return 0;
}

static int open_arena(paddock_arena *arena, const char *address, const char *name) {
    char host[HOST] = "", port[8] = "", token[TOKEN] = "";
    const char *at = strstr(address, "://"), *fragment = strstr(address, "#token=");
    if (strncmp(address, "https:", 6) == 0 || strncmp(address, "wss:", 4) == 0)
        return fail(arena, "%s: this client does not support TLS; use an http:// address", address);
    at = at == NULL ? address : at + 3;
    int bracket = *at == '[';
    size_t length = strcspn(at += bracket, bracket ? "]" : ":/#");
    if (length == 0 || length >= HOST) return fail(arena, "expected an address such as http://127.0.0.1:8642/, got %s", address);
    memcpy(host, at, length);
    at += length + (size_t)(bracket && at[length] == ']');
    if (*at == ':') sscanf(at + 1, "%7[0-9]", port);
    if (fragment != NULL) {
        fragment += strlen("#token=");
        snprintf(token, sizeof token, "%.*s", (int)strcspn(fragment, "&"), fragment);
    }
    if (port[0] == '\0') strcpy(port, PORT);
    snprintf(arena->place, sizeof arena->place, bracket ? "[%s]:%s" : "%s:%s", host, port);
    if (open_socket(arena, host, port) < 0 || shake_hands(arena) < 0) return -1;
    return say_hello(arena, name == NULL ? "C" : name, token);
}

paddock_arena *paddock_connect(const char *address, const char *name) {
    paddock_arena *arena = reserve(NULL, sizeof *arena);
    memset(arena, 0, sizeof *arena);
    arena->socket = -1;
    arena->mask = (uint32_t)getpid();
    if (open_arena(arena, address, name) == 0) return arena;
    memcpy(connect_error, arena->error, sizeof connect_error);
    paddock_close(arena);
    return NULL;
}

void paddock_close(paddock_arena *arena) {
    if (arena == NULL) return;
    if (arena->socket >= 0) {
        if (!arena->lost) send_frame(arena, CLOSE, (const unsigned char *)"\x03\xe8", 2);
        close(arena->socket);
    }
    for (int i = 0; i < arena->command_count; i++) free(arena->commands[i].settings);
    free(arena->commands);
    for (int i = 0; i < arena->name_count; i++) free(arena->names[i]);
    free(arena->names);
    free(arena->robots);
    free(arena->out.data);
    free(arena->stream.data);
    free(arena->message.data);
    free(arena->observed.data);
    free(arena);
}

const char *paddock_error(const paddock_arena *arena) { return arena == NULL ? connect_error : arena->error; }
double paddock_time(const paddock_arena *arena) { return (double)arena->tick * arena->dt; }
long long paddock_tick(const paddock_arena *arena) { return arena->tick; }
double paddock_dt(const paddock_arena *arena) { return arena->dt; }
const char *paddock_role(const paddock_arena *arena) { return arena->role; }
int paddock_robot_count(const paddock_arena *arena) { return arena->robot_count; }

const char *paddock_robot_name(const paddock_arena *arena, int number) {
    return number >= 0 && number < arena->robot_count ? arena->robots[number] : NULL;
}

int paddock_join_lock(paddock_arena *arena, double timeout) {
    buffer *out = begin(arena, "lock", 1);
    put_text(out, "timeout");
    put_number(out, timeout);
    return ask(arena);
}

int paddock_leave_lock(paddock_arena *arena) {
    buffer *out = begin(arena, "lock", 1);
    put_text(out, "on");
    put_bool(out, 0);
    return ask(arena);
}

static void put_settings(buffer *out, const command *given, const char *part) {
    size_t count = 0;
    for (int i = 0; i < given->settings_count; i++) count += strcmp(given->settings[i].part, part) == 0;
    put_text(out, part);
    put_map(out, count);
    for (int i = 0; i < given->settings_count; i++) {
        if (strcmp(given->settings[i].part, part) != 0) continue;
        put_text(out, given->settings[i].name);
        put_number(out, given->settings[i].value);
    }
}

int paddock_step(paddock_arena *arena, int ticks) {
    buffer *out = begin(arena, "step", 2);
    put_text(out, "ticks");
    put_int(out, ticks);
    put_text(out, "commands");
    put_map(out, (size_t)arena->command_count);
    for (int i = 0; i < arena->command_count; i++) {
        command *given = &arena->commands[i];
        put_text(out, given->robot);
        put_map(out, given->has_wheels ? 3 : 2);
        put_settings(out, given, "leds");
        put_settings(out, given, "pans");
        if (given->has_wheels) {
            put_text(out, "wheels");
            put_list(out, 2);
            put_number(out, given->wheels[0]);
            put_number(out, given->wheels[1]);
        }
        free(given->settings);
    }
    arena->command_count = 0;
    if (ask(arena) < 0) return -1;
    keep_observed(arena);
    return 0;
}

int paddock_reset(paddock_arena *arena, long long seed) {
    buffer *out = begin(arena, "reset", seed < 0 ? 0 : 1);
    if (seed >= 0) {
        put_text(out, "seed");
        put_int(out, seed);
    }
    return ask(arena) < 0 ? -1 : paddock_step(arena, 0);
}

int paddock_play(paddock_arena *arena) {
    begin(arena, "play", 0);
    return ask(arena);
}

int paddock_pause(paddock_arena *arena) {
    begin(arena, "pause", 0);
    return ask(arena);
}

int paddock_set_speed(paddock_arena *arena, double speed) {
    buffer *out = begin(arena, "set_speed", 1);
    put_text(out, "speed");
    put_number(out, speed);
    return ask(arena);
}

int paddock_digest(paddock_arena *arena, char *text, int room) {
    begin(arena, "digest", 0);
    if (ask(arena) < 0) return -1;
    cursor value = find(whole(&arena->message), "value");
    item digest = take_item(&value);
    if (digest.kind != STRING || room <= 0 || digest.length >= (size_t)room)
        return fail(arena, "digest: it needs %d bytes, there is room for %d", (int)digest.length + 1, room);
    copy_text(find(whole(&arena->message), "value"), text, (size_t)room);
    return 0;
}

int paddock_claim(paddock_arena *arena, const char *robot) { return ask_of_robot(arena, "claim", robot); }
int paddock_release_robot(paddock_arena *arena, const char *robot) { return ask_of_robot(arena, "release_robot", robot); }

int paddock_spawn(paddock_arena *arena, const char *robot, const char *kind, double x, double y, double heading) {
    buffer *out = begin(arena, "spawn", 4);
    put_text(out, "robot");
    put_text(out, robot);
    put_text(out, "kind");
    put_text(out, kind);
    put_text(out, "at");
    put_list(out, 2);
    put_number(out, x);
    put_number(out, y);
    put_text(out, "heading");
    put_number(out, heading);
    return ask(arena);
}

int paddock_set_pose(paddock_arena *arena, const char *robot, double x, double y, double heading) {
    buffer *out = begin(arena, "set_pose", 4);
    put_text(out, "robot");
    put_text(out, robot);
    put_text(out, "x");
    put_number(out, x);
    put_text(out, "y");
    put_number(out, y);
    put_text(out, "heading");
    put_number(out, heading);
    return ask(arena) < 0 ? -1 : paddock_step(arena, 0);
}

int paddock_enable(paddock_arena *arena, const char *robot, const char *device) {
    buffer *out = begin(arena, "enable", 2);
    put_text(out, "robot");
    put_text(out, robot);
    put_text(out, "devices");
    put_list(out, device == NULL ? 0 : 1);
    if (device != NULL) put_text(out, device);
    return ask(arena) < 0 ? -1 : paddock_step(arena, 0);
}

/* Find a part of a robot's readings at the last step, and in it a device. */
static int find_seen(paddock_arena *arena, const char *robot, const char *part, const char *device, cursor *found) {
    *found = find(whole(&arena->observed), "robots");
    if (found->at != NULL) *found = find(*found, robot);
    if (found->at != NULL) *found = find(*found, part);
    if (found->at != NULL && device != NULL) *found = find(*found, device);
    if (found->at != NULL) return 0;
    if (device == NULL) return fail(arena, "%s: its %s are unknown: enable one of its devices first", robot, part);
    return fail(arena, "%s.%s is not enabled, or there is no such device: call paddock_enable first", robot, device);
}

int paddock_read(paddock_arena *arena, const char *robot, const char *device, double *values, int room) {
    cursor found;
    if (find_seen(arena, robot, "readings", device, &found) < 0) return -1;
    item numbers = take_item(&found); /* float64, little-endian */
    if (numbers.kind != BYTES) return fail(arena, "%s.%s: the server sent no numbers", robot, device);
    int count = (int)(numbers.length / 8);
    for (int i = 0; i < count && i < room; i++) {
        uint64_t bits = 0;
        for (int k = 7; k >= 0; k--) bits = bits << 8 | numbers.data[8 * i + k];
        memcpy(&values[i], &bits, sizeof bits);
    }
    return count;
}

int paddock_read_picture(paddock_arena *arena, const char *robot, const char *camera, unsigned char *pixels, int room,
                         int *width, int *height) {
    cursor found;
    if (find_seen(arena, robot, "pictures", camera, &found) < 0) return -1;
    cursor columns = find(found, "width"), rows = find(found, "height"), data = find(found, "data");
    item picture = take_item(&data);
    *width = (int)take_item(&columns).integer;
    *height = (int)take_item(&rows).integer;
    if (picture.kind != BYTES || picture.length > (size_t)(room < 0 ? 0 : room))
        return fail(arena, "%s.%s: the picture needs %d bytes, there is room for %d", robot, camera, (int)picture.length, room);
    memcpy(pixels, picture.data, picture.length);
    return (int)picture.length;
}

static void take_numbers(cursor from, double *values, int count) {
    take_item(&from); /* the head of the list */
    for (int i = 0; i < count; i++) values[i] = to_number(take_item(&from));
}

int paddock_get_wheels(paddock_arena *arena, const char *robot, double speeds[2]) {
    cursor found;
    if (find_seen(arena, robot, "wheels", NULL, &found) < 0) return -1;
    take_numbers(found, speeds, 2);
    return 0;
}

int paddock_get_pose(paddock_arena *arena, const char *robot, double pose[3]) {
    cursor found;
    if (strcmp(arena->role, "supervisor") != 0) return fail(arena, "%s: only supervisors receive the true pose", robot);
    if (find_seen(arena, robot, "truth", "pose", &found) < 0) return -1;
    take_numbers(found, pose, 3);
    return 0;
}

static command *find_command(paddock_arena *arena, const char *robot) {
    if (strlen(robot) >= NAME) {
        fail(arena, "no robot has a name of more than %d bytes: %s", NAME - 1, robot);
        return NULL;
    }
    for (int i = 0; i < arena->command_count; i++)
        if (strcmp(arena->commands[i].robot, robot) == 0) return &arena->commands[i];
    arena->commands = reserve(arena->commands, sizeof(command) * (size_t)(arena->command_count + 1));
    command *added = &arena->commands[arena->command_count++];
    memset(added, 0, sizeof *added);
    strcpy(added->robot, robot);
    return added;
}

int paddock_set_wheels(paddock_arena *arena, const char *robot, double left, double right) {
    command *given = find_command(arena, robot);
    if (given == NULL) return -1;
    given->has_wheels = 1;
    given->wheels[0] = left;
    given->wheels[1] = right;
    return 0;
}

static int add_setting(paddock_arena *arena, const char *robot, const char *part, const char *name, double value) {
    command *given = find_command(arena, robot);
    if (given == NULL) return -1;
    if (strlen(name) >= NAME) return fail(arena, "%s: no device has a name of more than %d bytes: %s", robot, NAME - 1, name);
    int at = 0;
    while (at < given->settings_count && (strcmp(given->settings[at].part, part) || strcmp(given->settings[at].name, name))) at++;
    if (at == given->settings_count)
        given->settings = reserve(given->settings, sizeof(setting) * (size_t)++given->settings_count);
    strcpy(given->settings[at].part, part);
    strcpy(given->settings[at].name, name);
    given->settings[at].value = value;
    return 0;
}

int paddock_set_led(paddock_arena *arena, const char *robot, const char *led, double brightness) {
    return add_setting(arena, robot, "leds", led, brightness);
}

int paddock_set_pan(paddock_arena *arena, const char *robot, const char *device, double angle) {
    return add_setting(arena, robot, "pans", device, angle);
}

/* A client for Paddock servers in C99: one header, one source file, no dependencies except POSIX sockets.
 *
 *     paddock_arena *arena = paddock_connect("http://127.0.0.1:8642/", "my program");
 *     if (arena == NULL) { fprintf(stderr, "%s\n", paddock_error(NULL)); return 1; }
 *     paddock_enable(arena, "red", "ground");
 *     paddock_join_lock(arena, 10);
 *     while (paddock_time(arena) < 20) {
 *         double ground[3];
 *         paddock_read(arena, "red", "ground", ground, 3);
 *         paddock_set_wheels(arena, "red", 0.05, 0.05);
 *         if (paddock_step(arena, 1) < 0) { fprintf(stderr, "%s\n", paddock_error(arena)); break; }
 *     }
 *     paddock_close(arena);
 *
 * Lengths are in metres, angles in radians, times in seconds, wheel speeds in m/s at the rim. Functions that return an
 * int return -1 if a request was refused or the connection was lost; paddock_error() returns the reason. Use an arena
 * from one thread only. The client answers the server's pings only during its calls: outside the lock, the robots of a
 * program that makes no calls for 15 s stop; real robots stop after 0.9 s. */
#ifndef PADDOCK_H
#define PADDOCK_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paddock_arena paddock_arena;

/* Connect to a join link, which `paddock serve` prints, or to ws://host:port, under a name that others see.
 * Returns NULL on failure; paddock_error(NULL) returns the reason. */
paddock_arena *paddock_connect(const char *address, const char *name);

/* Disconnect: claimed robots stop, spawned robots are removed. */
void paddock_close(paddock_arena *arena);

/* Return the last error of an arena; NULL: of paddock_connect. */
const char *paddock_error(const paddock_arena *arena);

/* ---- the world */

double paddock_time(const paddock_arena *arena);    /* simulated seconds since the start, as of the last answer */
long long paddock_tick(const paddock_arena *arena); /* ticks since the start, as of the last answer */
double paddock_dt(const paddock_arena *arena);      /* length of a tick [s] */
const char *paddock_role(const paddock_arena *arena); /* "viewer", "controller" or "supervisor" */
int paddock_robot_count(const paddock_arena *arena);
const char *paddock_robot_name(const paddock_arena *arena, int number); /* or NULL; valid until paddock_close */

/* ---- time */

int paddock_join_lock(paddock_arena *arena, double timeout); /* the clock waits for this program, at most timeout [s] */
int paddock_leave_lock(paddock_arena *arena);
int paddock_step(paddock_arena *arena, int ticks); /* send commands, wait for ticks, receive readings; 0 ticks: readings only */
int paddock_reset(paddock_arena *arena, long long seed); /* reset the world (supervisors); -1: the same seed */
int paddock_play(paddock_arena *arena);                  /* supervisors only */
int paddock_pause(paddock_arena *arena);                 /* supervisors only */
int paddock_set_speed(paddock_arena *arena, double speed); /* simulated seconds per second; 0: as fast as possible (supervisors) */
int paddock_digest(paddock_arena *arena, char *text, int room); /* equal digests mean equal states (supervisors) */

/* ---- robots */

int paddock_claim(paddock_arena *arena, const char *robot);
int paddock_spawn(paddock_arena *arena, const char *robot, const char *kind, double x, double y, double heading);
int paddock_release_robot(paddock_arena *arena, const char *robot);
int paddock_set_pose(paddock_arena *arena, const char *robot, double x, double y, double heading); /* supervisors */

/* Enable a device and receive its readings; NULL: all devices. */
int paddock_enable(paddock_arena *arena, const char *robot, const char *device);

/* Copy the reading of an enabled device at the last step, in SI units; values may be NaN. Returns the number of values
 * of the device; at most `room` of them are written. */
int paddock_read(paddock_arena *arena, const char *robot, const char *device, double *values, int room);

/* Copy the picture of an enabled camera at the last step: rows from the top, red, green, blue for each pixel. Returns
 * the number of bytes of the picture; -1 with an error if `room` is too small. */
int paddock_read_picture(paddock_arena *arena, const char *robot, const char *camera, unsigned char *pixels, int room,
                         int *width, int *height);

int paddock_get_wheels(paddock_arena *arena, const char *robot, double speeds[2]); /* left, right [m/s] */
int paddock_get_pose(paddock_arena *arena, const char *robot, double pose[3]);     /* the true pose, for supervisors */

/* Commands are sent with the next step, and stay valid until they are changed. */
int paddock_set_wheels(paddock_arena *arena, const char *robot, double left, double right); /* [m/s] */
int paddock_set_led(paddock_arena *arena, const char *robot, const char *led, double brightness);
int paddock_set_pan(paddock_arena *arena, const char *robot, const char *device, double angle);

#ifdef __cplusplus
}
#endif
#endif

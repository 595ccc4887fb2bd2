/* A client of a Paddock server in C99: one header, one source file, no library but the system's sockets.
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
 * Lengths are metres, angles radians, times seconds, wheel speeds m/s at the rim. Functions that return an int return
 * -1 when something was refused or the connection is gone; paddock_error() tells what. An arena belongs to one thread.
 * The server counts a program as gone that is silent for long: outside the lock, robots of a program that calls nothing
 * for 15 s stop; where robots are real, after 0.9 s. */
#ifndef PADDOCK_H
#define PADDOCK_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paddock_arena paddock_arena;

/* Connect to a join link as `paddock serve` prints it, or to ws://host:port, under a name that others see.
 * NULL: paddock_error(NULL) tells why. */
paddock_arena *paddock_connect(const char *address, const char *name);

/* Leave: claimed robots stop, those brought along vanish. */
void paddock_close(paddock_arena *arena);

/* What went wrong last. NULL: in paddock_connect. */
const char *paddock_error(const paddock_arena *arena);

/* ---- the world */

double paddock_time(const paddock_arena *arena);    /* simulated seconds since the start, as of the last answer */
long long paddock_tick(const paddock_arena *arena); /* ticks since the start, as of the last answer */
double paddock_dt(const paddock_arena *arena);      /* length of a tick [s] */
const char *paddock_role(const paddock_arena *arena); /* "viewer", "controller" or "supervisor" */
int paddock_robot_count(const paddock_arena *arena);
const char *paddock_robot_name(const paddock_arena *arena, int number); /* NULL: none; valid until paddock_close */

/* ---- time */

int paddock_join_lock(paddock_arena *arena, double timeout); /* time waits for this program, for so many seconds */
int paddock_leave_lock(paddock_arena *arena);
int paddock_step(paddock_arena *arena, int ticks); /* give commands, let time pass, look; 0 looks only */
int paddock_reset(paddock_arena *arena, long long seed); /* back to the start (supervisors); -1: the same seed */
int paddock_play(paddock_arena *arena);                  /* supervisors only */
int paddock_pause(paddock_arena *arena);                 /* supervisors only */
int paddock_set_speed(paddock_arena *arena, double speed); /* simulated seconds per second; 0 flat out (supervisors) */
int paddock_digest(paddock_arena *arena, char *text, int room); /* equal digests, equal futures (supervisors) */

/* ---- robots */

int paddock_claim(paddock_arena *arena, const char *robot);
int paddock_spawn(paddock_arena *arena, const char *robot, const char *kind, double x, double y, double heading);
int paddock_leave(paddock_arena *arena, const char *robot);
int paddock_set_pose(paddock_arena *arena, const char *robot, double x, double y, double heading); /* supervisors */

/* Switch a device on and look with it; NULL: all devices. */
int paddock_enable(paddock_arena *arena, const char *robot, const char *device);

/* What an enabled device saw at the last step, in SI units, NaN where there is no number. Returns how many numbers the
 * device has; at most `room` of them are written. */
int paddock_read(paddock_arena *arena, const char *robot, const char *device, double *values, int room);

/* What an enabled camera saw at the last step: rows from the top, red, green, blue for each pixel. Returns how many bytes
 * the picture has; -1 with an error if `room` is too small. */
int paddock_read_picture(paddock_arena *arena, const char *robot, const char *camera, unsigned char *pixels, int room,
                         int *width, int *height);

int paddock_get_wheels(paddock_arena *arena, const char *robot, double speeds[2]); /* left, right [m/s] */
int paddock_get_pose(paddock_arena *arena, const char *robot, double pose[3]);     /* the true one, for supervisors */

/* Commands go with the next step, and hold until the next ones. */
int paddock_set_wheels(paddock_arena *arena, const char *robot, double left, double right); /* [m/s] */
int paddock_set_led(paddock_arena *arena, const char *robot, const char *lamp, double brightness);
int paddock_set_pan(paddock_arena *arena, const char *robot, const char *device, double angle);

#ifdef __cplusplus
}
#endif
#endif

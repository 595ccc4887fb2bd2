/* Follows a line with three ground sensors.
 *
 *     paddock serve line-track --lock-step
 *     cc -O2 -Iclients/c clients/c/line_follower.c clients/c/paddock.c -lm -o line_follower
 *     ./line_follower http://127.0.0.1:8642/ 20
 */
#include "paddock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SPEED = 0.08; /* [m/s] */
static const double DARK = 0.5;   /* brightness below which the floor is a line */

static int follow(paddock_arena *arena, double seconds) {
    const char *robot = paddock_robot_name(arena, 0);
    char digest[80];
    double side = 1; /* side of the line at the last detection: 1 left, -1 right */
    int on_line = 0;
    if (robot == NULL || paddock_enable(arena, robot, "ground") < 0 || paddock_join_lock(arena, 10) < 0) return -1;
    long long first = paddock_tick(arena), last = first + llround(seconds / paddock_dt(arena));
    while (paddock_tick(arena) < last) {
        double ground[3];
        if (paddock_read(arena, robot, "ground", ground, 3) != 3) return -1;
        int left = ground[0] < DARK, middle = ground[1] < DARK, right = ground[2] < DARK;
        if (left != right) side = left ? 1 : -1;
        double turn = middle && !left && !right ? 0 : middle ? 0.55 : left || right ? 0.8 : 1.4;
        paddock_set_wheels(arena, robot, SPEED * fmin(1, 1 - side * turn), SPEED * fmin(1, 1 + side * turn));
        on_line += left || middle || right;
        if (paddock_step(arena, 1) < 0) return -1;
    }
    printf("%s: %.0f s, %.1f %% of the time on the line\n", robot, paddock_time(arena), 100.0 * on_line / (double)(last - first));
    if (paddock_digest(arena, digest, sizeof digest) < 0) return -1;
    printf("digest %s\n", digest);
    return 0;
}

int main(int count, char **arguments) {
    paddock_arena *arena = paddock_connect(count > 1 ? arguments[1] : "http://127.0.0.1:8642/", "line_follower.c");
    if (arena == NULL) {
        fprintf(stderr, "%s\n", paddock_error(NULL));
        return 1;
    }
    int failed = follow(arena, count > 2 ? atof(arguments[2]) : 20);
    if (failed) fprintf(stderr, "%s\n", paddock_error(arena));
    paddock_close(arena);
    return failed ? 1 : 0;
}

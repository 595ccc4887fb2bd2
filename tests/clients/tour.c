/* Calls what the C client has, and prints what came back. */
#include "paddock.h"

#include <stdio.h>
#include <stdlib.h>

static void tell(const paddock_arena *arena, int result) {
    printf("%s\n", result < 0 ? paddock_error(arena) : "not refused");
}

int main(int count, char **arguments) {
    double values[8], pose[3], wheels[2];
    unsigned char *pixels = malloc(1 << 20);
    char digest[80];
    int width, height;
    if (count < 2) return 2;
    tell(NULL, paddock_connect("http://127.0.0.1:9/", "Tour") == NULL ? -1 : 0);
    tell(NULL, paddock_connect("https://127.0.0.1:9/", "Tour") == NULL ? -1 : 0);
    paddock_arena *arena = paddock_connect(arguments[1], "Tour");
    if (arena == NULL) {
        tell(NULL, -1);
        return 1;
    }
    printf("%s %g", paddock_role(arena), paddock_dt(arena));
    for (int i = 0; i < paddock_robot_count(arena); i++) printf(" %s", paddock_robot_name(arena, i));
    printf("\n");
    tell(arena, paddock_claim(arena, "rde"));
    if (paddock_spawn(arena, "bug", "e-puck", 1.5, 0.5, 0.25) < 0) tell(arena, -1);
    tell(arena, paddock_read(arena, "bug", "proximity", values, 8));
    tell(arena, paddock_enable(arena, "bug", "radar"));
    paddock_enable(arena, "bug", "proximity");
    paddock_enable(arena, "bug", "camera");
    paddock_join_lock(arena, 5);
    paddock_set_wheels(arena, "bug", 0.05, 0.04);
    paddock_set_led(arena, "bug", "led0", 1);
    if (paddock_step(arena, 10) < 0) tell(arena, -1);
    paddock_get_wheels(arena, "bug", wheels);
    printf("time %.2f wheels %.3f %.3f proximity %d\n", paddock_time(arena), wheels[0], wheels[1],
           paddock_read(arena, "bug", "proximity", values, 8));
    paddock_get_pose(arena, "bug", pose);
    printf("pose %.4f %.4f %.4f\n", pose[0], pose[1], pose[2]);
    tell(arena, paddock_read_picture(arena, "bug", "camera", pixels, 10, &width, &height));
    int bytes = paddock_read_picture(arena, "bug", "camera", pixels, 1 << 20, &width, &height);
    printf("picture %d %d %d\n", width, height, bytes);
    paddock_set_pose(arena, "bug", 0.5, 0.5, 1);
    paddock_get_pose(arena, "bug", pose);
    printf("moved to %.2f %.2f\n", pose[0], pose[1]);
    tell(arena, paddock_digest(arena, digest, 10));
    paddock_digest(arena, digest, sizeof digest);
    printf("digest %s\n", digest);
    paddock_release_robot(arena, "bug");
    paddock_leave_lock(arena);
    paddock_pause(arena);
    paddock_reset(arena, 3);
    printf("tick %lld robots %d\n", paddock_tick(arena), paddock_robot_count(arena));
    paddock_close(arena);
    free(pixels);
    return 0;
}

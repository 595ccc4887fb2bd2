// Times Enki on the scenario that enki_cpp.py pipes in, and prints one JSON line.
// usage: enki_cpp SCENARIO STEPS SIDE < "r x y heading" and "o x y" lines (metres, radians)
#include <enki/PhysicalEngine.h>
#include <enki/robots/e-puck/EPuck.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

using namespace Enki;

// An e-puck with its 8 proximity sensors only, and the controller of scenario.py (centimetres).
struct Epuck8 : EPuck {
    Epuck8() : EPuck(CAPABILITY_BASIC_SENSORS) {}

    void controlStep(double dt) override {
        IRSensor* sensors[8] = {
            &infraredSensor0, &infraredSensor1, &infraredSensor2, &infraredSensor3,
            &infraredSensor4, &infraredSensor5, &infraredSensor6, &infraredSensor7};
        double near[8];
        for (int i = 0; i < 8; ++i) near[i] = 1 - std::min(sensors[i]->getDist(), 10.) / 10;
        const bool ahead = near[0] + near[7] + .5 * (near[1] + near[6]) > .4;
        leftSpeed = ahead ? -5 : 10 * (1 - .5 * near[2]);
        rightSpeed = ahead ? 5 : 10 * (1 - .5 * near[5]);
        EPuck::controlStep(dt);
    }
};

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const std::string scenario = argv[1];
    const int steps = std::atoi(argv[2]);
    const double side = 100 * std::atof(argv[3]), dt = 0.05;

    World world(side, side);  // owns and deletes its objects
    const PhysicalObject* first = nullptr;
    int robots = 0;
    char kind;
    double x, y, heading;
    while (std::cin >> kind >> x >> y) {
        PhysicalObject* body;
        if (kind == 'r') {
            std::cin >> heading;
            body = new Epuck8;
            body->angle = heading;
            if (robots++ == 0) first = body;
        } else {
            body = new PhysicalObject;
            body->setCylindric(5, 10, -1);  // mass < 0: immovable
        }
        body->pos = Point(100 * x, 100 * y);
        world.addObject(body);
    }
    if (first == nullptr) return 2;

    world.step(dt, 1);
    const Point start = first->pos;
    const std::clock_t cpu_start = std::clock();
    const auto wall_start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) world.step(dt, 1);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    const double cpu = double(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    std::printf("{\"peer\": \"enki-c++\", \"version\": \"\", \"scenario\": \"%s\", \"robots\": %d, "
                "\"steps\": %d, \"dt\": %g, \"wall_s\": %.4f, \"cpu_s\": %.4f, \"moved_m\": %.3f}\n",
                scenario.c_str(), robots, steps, dt, wall.count(), cpu,
                (first->pos - start).norm() / 100);
}

"""What a call of Simulation.step costs on the pendulum, beyond its steps: ./lilyan python bench/python_overhead.py"""

import time

import lilyan


def best(function, repetitions):
    """The shortest of several times that a function takes, in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def calls(simulation, n, count):
    def loop():
        for _ in range(count):
            simulation.step(n)

    return loop


sim = lilyan.Simulation("pendulum")
print(f"a call that makes no step: {1e9 * best(calls(sim, 0, 2000), 30) / 2000:.0f} ns")
for n in (1, 10, 100, 1000, 10000):
    count = max(1, 20000 // n)
    seconds = best(calls(sim, n, count), 10) / count
    print(f"{n:6} steps in a call: {1e6 * seconds:9.2f} µs, {1e9 * seconds / n:7.1f} ns a step")

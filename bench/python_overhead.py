"""What a call of Simulation.step costs on the pendulum, beyond its steps: ./lilyan python bench/python_overhead.py

The steps of one long call are made by C++ alone. What a call takes more than so many of these is its overhead.
"""

import time

import lilyan


def best(function, calls, repetitions=400):
    """The shortest of many times that a call takes, in seconds: other programs only ever add to it."""
    shortest = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        shortest = min(shortest, (time.perf_counter() - start) / calls)
    return shortest


sim = lilyan.Simulation("pendulum")
long = 10_000
step = best(lambda: sim.step(long), 1, 200) / long
print(f"a step in C++: {1e9 * step:.0f} ns")
for n in (1, 10, 100, 1000):
    seconds = best(lambda: sim.step(n), max(1, 300 // n))
    print(f"{n:6} steps in a call: {1e6 * seconds:8.2f} µs, of which the call itself {1e9 * (seconds - n * step):6.0f} ns")

"""One damping constant at many step sizes."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLACK

FAMILIES = {
    "explicit": {},
    "implicit": {"integrator.alpha": 0.5, "body.0.damping.model": "strain"},
    "backward-euler": {"integrator.method": "backward-euler", "body.0.damping.model": "strain"},
}
INTERVAL = 0.1  # between rows of the tables
SETTLED = 10  # by then vibrations that the largest steps do not resolve are gone at every step


def simulate(lab):
    steps = {
        "explicit": lab.pick((0.0005, 0.001, 0.002, 0.004, 0.01, 0.02), (0.004, 0.02)),
        "implicit": lab.pick((0.01, 0.02, 0.05, 0.1), (0.05, 0.1)),
        "backward-euler": lab.pick((0.01, 0.02, 0.05, 0.1), (0.05, 0.1)),
    }
    duration = lab.pick(100, 20)
    jobs, rows = {}, {"run": [], "family": [], "h": []}
    for family, settings in FAMILIES.items():
        for h in steps[family]:
            name = f"{family}-{h}"
            jobs[name] = Job(name, "strain-damped-rod",
                             settings | {"integrator.step": h, "output.every": 0,
                                         "output.series_every": round(INTERVAL / h)}, steps=round(duration / h))
            for key, value in zip(rows, (name, family, h)):
                rows[key].append(value)
    runs = lab.run_all(list(jobs.values()))
    lab.table("runs", rows)
    first = runs[rows["run"][0]]
    for quantity in ("total", "elastic"):
        lab.table(quantity, {"t": first.series["t"]} | {name: runs[name].series[f"energy_{quantity}"] for name in jobs})


def of_family(data, family):
    table = data["runs"]
    chosen = table["family"] == family
    return list(zip(table["run"][chosen], table["h"][chosen]))


def difference(data, name, since=0.0):
    """From the run with the smallest step, over the energy at the start."""
    energy = data["total"]
    reference = energy[data["runs"]["run"][0]]
    return np.abs(energy[name] - reference)[energy["t"] >= since].max() / reference[0]


def judge(data, verdict):
    def worst(family, since=0.0):
        return max(difference(data, name, since) for name, _ in of_family(data, family))

    def steps(family):
        every = [h for _, h in of_family(data, family)]
        return f"h = {min(every):g} … {max(every):g}"

    verdict.below(f"The damping of explicit steps does not depend on the step, {steps('explicit')}: largest difference of the "
                  "energies at any time, over E₀", worst("explicit"), 0.02)
    verdict.below(f"The damping of implicit steps does not depend on the step, {steps('implicit')}: largest difference of the "
                  f"energies from t = {SETTLED} on, over E₀", worst("implicit", SETTLED), 0.02)
    verdict.above(f"Implicit Euler adds losses of its own: difference of the energies from t = {SETTLED} on, over E₀, with the "
                  f"smallest of its steps, {steps('backward-euler')}",
                  difference(data, of_family(data, "backward-euler")[0][0], SETTLED), 0.1)
    losses = [data["total"][name][0] - data["total"][name][data["total"]["t"] <= SETTLED][-1]
              for name, _ in of_family(data, "backward-euler")]
    verdict.above(f"The losses of implicit Euler depend on the step: its loss until t = {SETTLED} with the largest step over that with the smallest",
                  losses[-1] / losses[0], 1.1)
    verdict.note("The implicit steps of 0.05 and 0.1 do not resolve the rod's fastest vibrations, which start with the "
                 f"sudden release: until these are gone, the energies differ by up to {worst('implicit'):.2g} E₀.")


def draw(data):
    figure, axes = plt.subplots(2, 2, figsize=(10, 5.6), sharey="row")
    reference = data["runs"]["run"][0]
    groups = (("explicit", "implicit"), ("backward-euler",))
    every = np.unique(data["runs"]["h"])
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.92, len(every)))
    for column, families in enumerate(groups):
        for row, (quantity, until) in enumerate((("total", np.inf), ("elastic", 12))):
            panel, table = axes[row, column], data[quantity]
            shown = table["t"] <= until
            for family in families:
                for name, h in of_family(data, family):
                    panel.plot(table["t"][shown], table[name][shown], color=shades[np.searchsorted(every, h)],
                               linestyle="--" if family == "implicit" else "-",
                               label=f"{h:g} {family}" if column == 0 else f"{h:g}")
            if column == 1:
                panel.plot(table["t"][shown], table[reference][shown], color=BLACK, linestyle=":",
                           label=f"{data['runs']['h'][0]:g} explicit, left")
            panel.set(xlabel="time [s]", ylim=(0, None))
        axes[0, column].legend(title="h [s]", ncols=2, fontsize=8, loc="lower left" if column == 0 else "upper right")
    axes[0, 0].set(title="Hamilton–Pontryagin, $k_D$ = 0.002 s", ylabel="energy")
    axes[0, 1].set_title("backward Euler, the same $k_D$")
    axes[1, 0].set_ylabel("elastic energy")
    return figure


EXPERIMENT = Experiment(
    title="The same damping at every step size",
    source="Kharevych et al. 2006, sections 4.3, 5.2 and 5.4",
    shows="The damped rod with one damping constant and steps from 0.0005 to 0.1 s: the energy (above), and the elastic "
          "energy of the first vibrations (below). The variational steps agree; backward Euler takes several times as "
          "much energy, and the more the longer its steps are.",
    given={"damping:": "of strain, explicit and implicit form"},
    chosen={"rod and k_D:": "as in K-fig3", "steps": "explicit up to 0.02, near the limit of stability, implicit up to 0.1",
            "duration": "100 s: later the vibration is chaotic, and only its decay can be compared"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)

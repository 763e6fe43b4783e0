"""A hopping bunny."""

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.figure import BLACK, BLUE, GREEN, ORANGE, RED, colour, picture

MASS, GRAVITY = 10, 9.81
PICTURES = 8
SMALL = "../assets/bunny/bunny.msh"
# Its scheme, with the damping term that belongs to it; k_D and the step are those of section 5.4 and of K-fig3.
UNDAMPED = {"integrator.method": "hp", "integrator.alpha": 0.5, "integrator.step": 0.01}
PAPER = UNDAMPED | {"body.0.damping.model": "strain", "body.0.damping.time": 0.002}
DURATION = 1.32
# A flight: so long off the floor, in which a thrown body rises by g t²/8, 1.2 cm, and so high at least.
IN_THE_AIR, RISE = 0.1, 0.01


def simulate(lab):
    steps = lab.pick(40, 12)
    settings = {"output.every": 1, "output.precision": "float32"}
    if lab.quick:  # starts at the floor, with the speed of the fall
        settings |= {"body.0.mesh": SMALL, "body.0.translate": "[0, 0.02, 0]", "body.0.velocity": "[-1.5, -2.8, 0]"}
    bunny = lab.run(Job("bunny", "hopping-bunny", settings, steps=steps, frames=True))
    keep(lab, bunny)
    frames = np.linspace(0, steps, PICTURES).round().astype(int)
    lab.pictures([bunny], list(frames), "--size", lab.pick("440,300", "220,150"), "--from", "-0.25,0.2,1")
    lab.table("frames", {"frame": frames, "t": bunny.series["t"][frames]})
    if lab.quick:
        return
    steps = round(DURATION / UNDAMPED["integrator.step"])
    paper = lab.run(Job("paper", "hopping-bunny", PAPER, steps=steps, may_fail=True))
    keep(lab, paper)
    undamped = lab.run(Job("undamped", "hopping-bunny", UNDAMPED | {"body.0.mesh": SMALL}, steps=steps, may_fail=True))
    lab.table("done", {"name": ["paper", "undamped"]} | {
        key: [run.summary[key] for run in (paper, undamped)] for key in ("steps_done", "steps_asked")}
        | {"vertices": [run.summary["size"]["vertices"] for run in (paper, undamped)]})


def keep(lab, run):
    series = run.series
    energies = {kind: series[f"energy_{kind}"] for kind in ("kinetic", "elastic", "gravity", "contact", "total")}
    height = series["energy_gravity"] / (MASS * GRAVITY)  # of the centre of mass
    step = np.diff(series["t"], prepend=0)
    lab.table(run.name, {"t": series["t"], "height": height, "x": np.cumsum(series["momentum_x"] * step) / MASS}
              | energies | {"dissipated": -np.cumsum(series["ledger_dissipation"])})


def flights(table):
    """From one touch of the floor to the next: how far the centre of mass rose and came down again."""
    t, height = table["t"], table["height"]
    touching = np.flatnonzero(table["contact"] > 0)
    found = []
    for a, b in zip(touching, [*touching[1:], len(t) - 1]):  # the last may end in the air
        rise = height[a:b + 1].max() - height[a]
        if t[b] - t[a] >= IN_THE_AIR and rise >= RISE:
            found.append(rise)
    return found


def rebound(table):
    landed = np.flatnonzero(table["contact"] > 0)[0]
    return table["height"][landed:].max() / table["height"][:landed].max()


def judge(data, verdict):
    bunny = data["bunny"]
    hops = flights(bunny)
    ours = verdict.further
    ours.above("AVF's bunny hops: flights after the first landing", len(hops), 0.5)
    ours.above("AVF's bunny rises as it hops: rise of its centre of mass in the highest flight, of a bunny of 1 m", max(hops, default=0),
               0.05, unit="m")
    ours.above("AVF's bunny moves forward: mean speed", abs(bunny["x"][-1]) / bunny["t"][-1], 0.3, unit="m/s")
    balance = bunny["total"] + bunny["dissipated"]
    ours.below("With AVF the energy and what friction took of it are balanced on the floor as in the air: largest deviation over E₀",
               np.abs(balance / balance[0] - 1).max(), 1e-8)
    ours.above("Friction takes energy from AVF's bunny: what it took, over E₀", bunny["dissipated"][-1] / bunny["total"][0], 0.01)
    if data.quick:  # it does not begin with a throw
        return
    ours.below("AVF's bunny does not hop higher than it was thrown: greatest height after landing divided by the greatest height before", rebound(bunny), 1)
    judge_paper(data, verdict)


def judge_paper(data, verdict):
    """The paper's own scheme."""
    row, small = (data.row("done", "name", name) for name in ("paper", "undamped"))
    paper = data["paper"]
    verdict.that(f"The paper's scheme with its damping term animates the bunny of {row['vertices']:.0f} vertices: steps done",
                 row["steps_done"] == row["steps_asked"], f"{row['steps_done']:.0f} of {row['steps_asked']:.0f}",
                 bound=f"all {row['steps_asked']:.0f}",
                 reason=f"it comes to {paper['t'][-1]:.2f} s, and no step from there can be solved, also when it is halved six times")
    verdict.above("The bunny of the paper's scheme hops: flights after the first landing", len(flights(paper)), 0.5,
                  reason="the bunny comes down and stays on the floor")
    verdict.below("The bunny of the paper's scheme does not hop higher than it was thrown: greatest height after landing divided by the greatest height before",
                  rebound(paper), 1)
    taken = paper["dissipated"][-1]
    error = np.abs(paper["total"] + paper["dissipated"] - paper["total"][0]).max()
    verdict.further.below("In the paper's scheme friction and damping take more energy than the scheme makes up or loses: largest "
                          "|E + dissipated − E₀| over what they took", error / taken, 1,
                          reason=f"the error is {error / paper['total'][0]:.3f} E₀, and they took {taken / paper['total'][0]:.3f} E₀")
    verdict.note(f"Without its damping term the scheme is not the paper's. On the bunny of {small['vertices']:.0f} vertices it then does "
                 f"{small['steps_done']:.0f} of {small['steps_asked']:.0f} steps.")


def draw(data):
    figure = plt.figure(figsize=(10, 6.4))
    top, bottom = figure.subfigures(2, 1, height_ratios=(1.3, 1))
    for axes, frame, t in zip(top.subplots(2, PICTURES // 2).flat, data["frames"]["frame"], data["frames"]["t"]):
        picture(axes, data.image(f"bunny-{frame:.0f}"), f"t = {t:.2f} s")
    left, right = bottom.subplots(1, 2)
    table = data["bunny"]
    for kind, shade in (("kinetic", ORANGE), ("elastic", GREEN), ("gravity", BLUE), ("contact", RED)):
        left.plot(table["t"], table[kind], color=shade, label=kind)
    left.plot(table["t"], table["total"], color=BLACK, label="total")
    left.plot(table["t"], table["total"] + table["dissipated"], color=BLACK, linestyle=":", label="total + taken by friction")
    left.set(xlabel="time [s]", ylabel="energy [J]", ylim=(0, 1.35 * table["total"].max()))
    left.legend(ncols=3, loc="upper center", fontsize=8)
    right.plot(table["t"], table["height"], color=colour("avf"), label="AVF, h = 0.033")
    if not data.quick:
        paper = data["paper"]
        right.plot(paper["t"], paper["height"], color=colour("implicit-midpoint"), label="the paper's, α = ½ with strain damping, h = 0.01")
    for a, b in zip(*touches(table)):
        right.axvspan(a, b, color="#eeeeee", linewidth=0, zorder=0)
    right.set(xlabel="time [s]", ylabel="height of the centre of mass [m]", ylim=(0, 1.25 * table["height"].max()))
    right.legend(loc="upper right", fontsize=8)
    return figure


def touches(table):
    """Beginnings and ends of the times on the floor."""
    on = np.concatenate(([False], table["contact"] > 0, [False]))
    change = np.flatnonzero(np.diff(on.astype(int)))
    t = np.append(table["t"], table["t"][-1])
    return t[change[::2]], t[change[1::2]]


EXPERIMENT = Experiment(
    title="Hopping bunny",
    source="Kharevych et al. 2006, figure 4",
    shows="A soft bunny is thrown, lands, and hops on over the floor (grey: times at which it touches it).",
    given={"bunny:": "12.6 thousand vertices", "material:": "neo-Hookean", "floor:": "by penalty forces", "method:": "implicit"},
    chosen={"size and mass": "1 m and 10 kg", "Young's modulus and Poisson's ratio": "20 kPa and 0.4, soft enough to see",
            "floor:": "2000 N/m a vertex, friction 0.3",
            "method:": "the paper's with its damping term: α = ½, h = 0.01 as in its section 5.4, k_D = 0.002 s as in K-fig3; and AVF with "
                       "adaptive quadrature, h = 0.033, an animation's step, for the pictures",
            "duration:": "1.32 s",
            "flight:": f"at least {IN_THE_AIR} s off the floor and {100 * RISE:.0f} cm up"},
    simulate=simulate,
    judge=judge,
    draw=draw,
)

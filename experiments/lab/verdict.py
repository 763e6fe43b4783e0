"""Claims, each checked against what was measured."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

HOLDS = "holds"
NOT_REPRODUCED = "does not reproduce"  # and it is said why
FAILS = "fails"


PAPER = "paper"  # what the paper claims
FURTHER = "further"  # what we checked besides


@dataclass
class Claim:
    text: str  # a whole sentence that stands alone, without its full stop
    of: str  # what was measured, in words
    measured: str
    bound: str  # what was asked of it, in words
    paper: str  # what the paper says, where it gives a value
    status: str
    reason: str = ""  # why it does not reproduce
    origin: str = PAPER


class Claims:
    """States claims of one origin. Each is written as "Sentence: what was measured". The sentence has its own
    subject and one thought, and no colon. `reason` is given to those that are known not to hold here, and explains
    why. A claim that does not hold and has no reason fails the experiment."""

    def __init__(self, claims: list[Claim], origin: str):
        self.claims = claims
        self.origin = origin

    def that(self, text: str, holds: bool, measured: str, *, bound="", paper="", reason="") -> None:
        status = HOLDS if holds else NOT_REPRODUCED if reason else FAILS
        sentence, _, of = text.partition(": ")
        self.claims.append(Claim(sentence, of, measured, bound, paper, status, "" if holds else reason, self.origin))

    def below(self, text: str, value: float, limit: float, *, unit="", paper="", reason="") -> None:
        self.that(text, value < limit, number(value, unit), bound=f"< {number(limit, unit)}", paper=paper, reason=reason)

    def above(self, text: str, value: float, limit: float, *, unit="", paper="", reason="") -> None:
        self.that(text, value > limit, number(value, unit), bound=f"> {number(limit, unit)}", paper=paper, reason=reason)

    def between(self, text: str, value: float, low: float, high: float, *, unit="", paper="", reason="") -> None:
        self.that(text, low <= value <= high, number(value, unit),
                  bound=f"{number(low)} … {number(high, unit)}", paper=paper, reason=reason)


class Verdict(Claims):
    """What `judge` fills: the claims of the paper, and under `further` those that we checked besides."""

    def __init__(self):
        super().__init__([], PAPER)
        self.further = Claims(self.claims, FURTHER)
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Something a reader of the page should know."""
        self.notes.append(text)

    @property
    def failed(self) -> bool:
        return any(claim.status == FAILS for claim in self.claims)

    def write(self, file: Path, **more) -> None:
        file.write_text(json.dumps({**more, "claims": [asdict(c) for c in self.claims], "notes": self.notes},
                                   indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def number(value: float, unit: str = "") -> str:
    """Four digits, as people write them."""
    value = float(value)
    if not math.isfinite(value):
        text = "not finite" if math.isnan(value) else "∞" if value > 0 else "−∞"
    elif value == 0:
        text = "0"
    elif abs(value) < 1e-3 or abs(value) >= 1e6:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    else:
        text = f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return f"{text} {unit}".strip()

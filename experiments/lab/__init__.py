"""What the experiments share: running the program, keeping tables, judging claims, drawing."""

from .experiment import Experiment
from .run import Job

__all__ = ["Experiment", "Job"]

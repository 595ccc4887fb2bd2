"""Run many independent jobs in this process, in worker processes, or on a Ray cluster."""

from paddock.core.jobs.runner import FinishedJobs, JobRunner, Workers, parse_workers, run_jobs
from paddock.core.jobs.worker import JobAnswer, JobFailure

__all__ = ["FinishedJobs", "JobAnswer", "JobFailure", "JobRunner", "Workers", "parse_workers", "run_jobs"]

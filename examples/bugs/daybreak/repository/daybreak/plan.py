"""Several jobs in the order in which they run."""

import heapq


class Plan:
    """Jobs with different names."""

    def __init__(self, jobs=()):
        self._jobs = {}
        for job in jobs:
            self.add(job)

    def add(self, job):
        if job.name in self._jobs:
            raise ValueError(f"there is a job of that name: {job.name}")
        self._jobs[job.name] = job

    def between(self, start, stop):
        """(moment, name) of everything that runs later than `start` and no later than `stop`."""
        return heapq.merge(*(self._runs(job, start, stop) for job in self._jobs.values()))

    @staticmethod
    def _runs(job, start, stop):
        for moment in job.occurrences(start):
            if moment > stop:
                return
            yield moment, job.name

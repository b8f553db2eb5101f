-- Version 2. Runs of one kind and one status, in the order of the listing: without it, all runs of a kind are looked at to find the few that are running.

CREATE INDEX runs_by_kind_status ON runs (kind, status, created_ms DESC, id DESC);

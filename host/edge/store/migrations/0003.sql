-- Version 3. What a listing filters by, beside each other: two conditions that hold for very many runs each, and for few or none together, are one range of an
-- index. Without it, all runs that one of them holds for are looked at.

CREATE TABLE listed (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    scenario_name TEXT NOT NULL,
    subject TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (run_id, scenario_name)
);
INSERT INTO listed (run_id, scenario_name, subject, kind, status, created_ms)
    SELECT DISTINCT r.id, s.name, r.subject, r.kind, r.status, r.created_ms
    FROM runs r JOIN run_scenarios x ON x.run_id = r.id JOIN scenarios s ON s.hash = x.scenario_hash;
CREATE INDEX listed_by_scenario ON listed (scenario_name, kind, status, created_ms DESC, run_id DESC);
CREATE INDEX listed_by_subject ON listed (scenario_name, subject, kind, status, created_ms DESC, run_id DESC);
CREATE INDEX runs_by_subject_kind_status ON runs (subject, kind, status, created_ms DESC, id DESC);

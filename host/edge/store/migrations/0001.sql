-- Version 1. One text for SQLite and PostgreSQL: TEXT, BIGINT and DOUBLE PRECISION mean the same in both.
-- Times are milliseconds since the epoch, UTC. A released migration never changes: add the next one.

CREATE TABLE scenarios (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    summary TEXT NOT NULL,
    source TEXT NOT NULL
);
CREATE INDEX scenarios_name ON scenarios (name);

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    subject TEXT NOT NULL,
    subject_hash TEXT,
    command TEXT NOT NULL,
    tool TEXT NOT NULL,
    verdict TEXT,
    error TEXT,
    backtrace TEXT,
    owner TEXT,
    created_ms BIGINT NOT NULL,
    started_ms BIGINT,
    finished_ms BIGINT,
    CHECK (finished_ms IS NULL OR started_ms IS NULL OR finished_ms >= started_ms)
);
-- The listing is newest first; the id decides among those of the same millisecond.
CREATE INDEX runs_newest ON runs (created_ms DESC, id DESC);
CREATE INDEX runs_by_status ON runs (status, created_ms DESC, id DESC);
CREATE INDEX runs_by_kind ON runs (kind, created_ms DESC, id DESC);
CREATE INDEX runs_by_subject ON runs (subject, created_ms DESC, id DESC);

CREATE TABLE run_scenarios (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    scenario_hash TEXT NOT NULL REFERENCES scenarios (hash),
    PRIMARY KEY (run_id, scenario_hash)
);
CREATE INDEX run_scenarios_by_scenario ON run_scenarios (scenario_hash, run_id);

CREATE TABLE iterations (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    source_hash TEXT,
    error TEXT,
    backtrace TEXT,
    started_ms BIGINT,
    finished_ms BIGINT,
    PRIMARY KEY (run_id, number),
    CHECK (finished_ms IS NULL OR started_ms IS NULL OR finished_ms >= started_ms)
);

-- `samples` is a JSON array of [seed, value]; without an interval (fewer than two values) the bounds are infinite.
CREATE TABLE kpis (
    run_id TEXT NOT NULL,
    scenario_hash TEXT NOT NULL,
    measure TEXT NOT NULL,
    place BIGINT NOT NULL,
    unit TEXT NOT NULL,
    better TEXT NOT NULL,
    n BIGINT NOT NULL,
    mean DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION NOT NULL,
    high DOUBLE PRECISION NOT NULL,
    samples TEXT NOT NULL,
    PRIMARY KEY (run_id, scenario_hash, measure),
    FOREIGN KEY (run_id, scenario_hash) REFERENCES run_scenarios (run_id, scenario_hash) ON DELETE CASCADE
);
CREATE INDEX kpis_board ON kpis (scenario_hash, measure, run_id);

CREATE TABLE trajectories (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    task TEXT NOT NULL,
    seed TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    outcome TEXT,
    score DOUBLE PRECISION NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (run_id, id)
);
CREATE INDEX trajectories_by_task ON trajectories (task, run_id);

CREATE TABLE artifacts (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (run_id, name)
);
CREATE INDEX artifacts_by_hash ON artifacts (hash);

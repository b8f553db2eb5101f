//! The store through its interface: one suite against a real SQLite and a real PostgreSQL, the faults of each, and artifacts.

#![expect(clippy::unwrap_used, reason = "tests, and what they share")]
#![expect(clippy::needless_pass_by_value, reason = "a check takes what it is given")]

mod artifacts;
mod conformance;
mod faults;
mod journal;
mod versions;

use assay_store::{
    Access, ArtifactPlace, Better, Iteration, Kind, Known, Kpi, Limits, Location, Owner, Run, RunEntry, RunId,
    Scenario, Spread, Status, Store, StoreError, Time, Trajectory, Trouble,
};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Nothing but a test of waiting waits as long as this.
const LIMITS: Limits = Limits { wait: Duration::from_secs(60), bytes_max: 1 << 30 };
/// For tests that wait to the end.
const SHORT: Limits = Limits { wait: Duration::from_secs(2), ..LIMITS };

/// Runs a test to its end on one thread, as the command line does.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// A place for a store that goes away with it.
struct Ground {
    location: Location,
    folder: TempDir,
    /// URL of the server, and the database that was made for this test.
    database: Option<(String, String)>,
}

impl Ground {
    fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { location: Location::of_project(folder.path()), folder, database: None }
    }

    /// A database of its own on the tests' server, which `tests/postgres/setup` starts.
    async fn postgres() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let setup = Command::new(root.join("tests/postgres/setup")).output().unwrap();
        assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stderr));
        let server = String::from_utf8(setup.stdout).unwrap().trim().to_owned();
        let name = format!("t{}", RunId::now().to_string().replace('-', ""));
        execute(&server, &format!("CREATE DATABASE {name}")).await;
        let url = server.replace("/postgres?", &format!("/{name}?"));
        let location = Location::parse(&url).unwrap();
        Self { location, folder: tempfile::tempdir().unwrap(), database: Some((server, name)) }
    }

    fn artifacts(&self) -> ArtifactPlace {
        ArtifactPlace::Folder(self.folder.path().join("artifacts"))
    }

    async fn try_open(&self, access: Access) -> Result<Store, StoreError> {
        Store::open(&self.location, &self.artifacts(), access, LIMITS).await
    }

    async fn open(&self) -> Store {
        self.try_open(Access::Write).await.unwrap()
    }

    /// The file of SQLite.
    fn file(&self) -> std::path::PathBuf {
        match &self.location {
            Location::Sqlite(path) => path.clone(),
            Location::Postgres(_) => panic!("a server has no file"),
        }
    }

    /// URL by which sqlx finds it.
    fn url(&self) -> String {
        match (&self.location, &self.database) {
            (Location::Sqlite(path), _) => format!("sqlite://{}?mode=rw", path.display()),
            (Location::Postgres(url), _) => url.clone(),
        }
    }

    async fn remove(self) {
        if let Some((server, name)) = &self.database {
            execute(server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

/// Says something to a database behind the store's back.
async fn execute(url: &str, statement: &str) {
    use sqlx::Connection as _;
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn run(id: RunId, status: Status, created: i64) -> Run {
    Run {
        id,
        kind: Kind::Run,
        status,
        subject: "maker.rs".to_owned(),
        subject_hash: None,
        command: "assay run maker.rs".to_owned(),
        tool: "0.1.0".to_owned(),
        verdict: None,
        trouble: None,
        owner: Owner::this_process(),
        created: Time(created),
        started: Some(Time(created)),
        finished: status.is_end().then_some(Time(created + 10)),
    }
}

fn scenario(name: &str) -> Scenario {
    Scenario {
        hash: format!("hash-{name}"),
        name: name.to_owned(),
        summary: "a market".to_owned(),
        source: "x".to_owned(),
    }
}

fn kpi(scenario: &str, values: &[f64]) -> Kpi {
    let samples: Vec<(u64, f64)> = (1..).zip(values.iter().copied()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let interval = (values.len() > 1).then_some((mean - 1.0, mean + 1.0));
    let spread = Spread { n: u32::try_from(values.len()).unwrap(), mean, interval };
    let (scenario, measure, unit) = (format!("hash-{scenario}"), "pnl".to_owned(), "cents".to_owned());
    Kpi { scenario, measure, unit, better: Better::Higher, spread, samples }
}

/// A run with everything that a run can have, text and numbers from the edges of what is allowed.
fn full(id: RunId, created: i64) -> RunEntry {
    let trouble = Trouble {
        error: "fuel ran out\u{1f4a5} 'quoted' \"too\"".to_owned(),
        backtrace: Some("at a\nat b".to_owned()),
    };
    let mut entry = RunEntry::of(Run {
        subject_hash: Some("abc".to_owned()),
        verdict: Some("failed".to_owned()),
        trouble: Some(trouble.clone()),
        ..run(id, Status::Failed, created)
    });
    entry.scenarios = vec![scenario("calm"), scenario("wild")];
    let iteration = |number, status, trouble| Iteration {
        number,
        status,
        source_hash: Some(format!("source-{number}")),
        trouble,
        started: Some(Time(created)),
        finished: Some(Time(created + 5)),
    };
    entry.iterations = vec![iteration(1, Status::Failed, Some(trouble)), iteration(2, Status::Completed, None)];
    entry.kpis = vec![kpi("wild", &[0.1, -2.5, f64::MAX]), kpi("calm", &[1e-300])];
    entry.kpis[0].samples[2].0 = u64::MAX;
    let trajectory = |id: &str, outcome: Option<&str>, score| Trajectory {
        id: id.to_owned(),
        task: "stash".to_owned(),
        seed: u64::MAX,
        attempt: 1,
        outcome: outcome.map(str::to_owned),
        score,
        path: "episodes/a.jsonl".to_owned(),
    };
    entry.trajectories = vec![trajectory("a", Some("success"), Some(1.0)), trajectory("b", None, None)];
    entry
}

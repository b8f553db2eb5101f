//! In the place of commands that this build was made without: each says so, whatever it was asked. Cargo.toml says which feature brings which.

use assay_commands::{Ending, Failure};

type Refused = Result<Ending, Failure>;

fn no(what: &str) -> Refused {
    Err(Failure::left_out(what))
}

pub(super) mod board {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("boards")
    }
}

pub(super) mod doctor {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("doctor")
    }
}

pub(super) mod gate {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("gate")
    }
}

pub(super) mod query {
    pub(crate) fn run<A>(_: A) -> super::Refused {
        super::no("queries")
    }
}

pub(super) mod rollout {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("rollouts")
    }
}

pub(super) mod serve {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("pages")
    }
}

pub(super) mod tasks {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("tasks")
    }
}

pub(super) mod trace {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("traces")
    }
}

pub(super) mod worlds {
    pub(crate) fn run<A, B>(_: A, _: B) -> super::Refused {
        super::no("worlds")
    }
}

pub(super) mod store {
    use super::{Refused, no};

    pub(crate) fn compare<A>(_: A) -> Refused {
        no("store")
    }

    pub(crate) fn export<A>(_: A) -> Refused {
        no("store")
    }

    pub(crate) fn leaderboard<A>(_: A) -> Refused {
        no("store")
    }

    pub(crate) fn remove<A>(_: A) -> Refused {
        no("store")
    }

    pub(crate) fn runs<A>(_: A) -> Refused {
        no("store")
    }

    pub(crate) fn show<A>(_: A) -> Refused {
        no("store")
    }
}

#[cfg(test)]
mod tests {
    use super::{board, doctor, gate, query, rollout, serve, store, tasks, trace, worlds};
    use assay_commands::Ending;

    #[test]
    fn what_was_left_out_says_so_and_where_to_get_it() {
        let refused = [
            ("boards", board::run((), ())),
            ("doctor", doctor::run((), ())),
            ("gate", gate::run((), ())),
            ("queries", query::run(())),
            ("rollouts", rollout::run((), ())),
            ("pages", serve::run((), ())),
            ("tasks", tasks::run((), ())),
            ("traces", trace::run((), ())),
            ("worlds", worlds::run((), ())),
            ("store", store::compare(())),
            ("store", store::export(())),
            ("store", store::leaderboard(())),
            ("store", store::remove(())),
            ("store", store::runs(())),
            ("store", store::show(())),
        ];
        for (what, refused) in refused {
            let failure = refused.unwrap_err();
            assert_eq!(failure.ending, Ending::Infrastructure);
            assert_eq!(failure.message, format!("this build of assay has no {what}"));
            assert_eq!(failure.hint.as_deref(), Some("build the whole program with `make build`"));
        }
    }
}

//! The budget of a run, over real requests.

use crate::support::{RETRY, Server, Step, frames, hello, offline, settings, stream, stream_head, try_open, user};
use assay_llm::{Amount, Budget, PriceTable, Retry, Run, Settings};
use assay_rollout::ports::ModelError;
use std::fs;
use std::sync::Arc;

const PART: &str = r#"{"choices":[{"index":0,"delta":{"content":"0123456789"}}]}"#;

fn tokens(max: u64) -> Run {
    Run::new(Budget { tokens: Some(max), microdollars: None }, PriceTable::built_in())
}

fn money(max: u64) -> Run {
    Run::new(Budget { tokens: None, microdollars: Some(max) }, PriceTable::built_in())
}

#[tokio::test]
async fn a_run_stops_when_its_tokens_are_used() {
    let server = Server::start(vec![hello()]).await;
    let run = tokens(30);
    // Two models, one budget.
    let one = try_open("openai:m", &settings(&server), &run).expect("it opens");
    let other = try_open("openai-compatible:n", &settings(&server), &run).expect("it opens");
    for model in [&one, &other, &one] {
        model.ask(user("hi")).await.expect("12 tokens each");
    }
    let error = other.ask(user("hi")).await.expect_err("36 of 30");
    assert_eq!(error, ModelError::BudgetSpent { what: "36 of 30 tokens".to_owned() });
    assert!(!error.is_infrastructure());
    assert_eq!((server.seen().len(), run.ledger().spent().tokens), (3, 36));
}

#[tokio::test]
async fn a_run_stops_when_its_money_is_used() {
    let server = Server::start(vec![hello()]).await;
    let run = money(8);
    let model = try_open("openai:gpt-4.1-mini", &settings(&server), &run).expect("its price is known");
    for _ in 0..2 {
        // 10 tokens at 0.4 and 2 at 1.6 micro-dollars: 7.2, rounded up.
        assert_eq!(model.ask(user("hi")).await.expect("an answer").cost_microdollars, Some(8));
        if run.ledger().spent().microdollars >= 8 {
            break;
        }
    }
    let error = model.ask(user("hi")).await.expect_err("8 of 8");
    assert_eq!(error, ModelError::BudgetSpent { what: "0.000008 of 0.000008 dollars".to_owned() });
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_unknown_price_is_an_error_only_where_money_is_limited() {
    let server = Server::start(vec![hello()]).await;
    let error = try_open("openai:gpt-99", &settings(&server), &money(1)).err().expect("no price");
    assert!(error.to_string().contains("price of `openai:gpt-99` is unknown"), "{error}");
    assert!(error.hint().expect("a hint").contains("your own price table"));
    assert_eq!(server.seen().len(), 0);
    assert!(try_open("openai:gpt-99", &settings(&server), &tokens(1)).is_ok());
    let episodes = assay_llm::Settings { needs_price: true, ..settings(&server) };
    let error = try_open("openai:gpt-99", &episodes, &tokens(1)).err().expect("no price");
    assert!(error.to_string().contains("price of `openai:gpt-99` is unknown"), "{error}");
    assert!(try_open("openai:gpt-4.1-mini", &episodes, &tokens(1)).is_ok());
    let own = "version = \"1\"\nsource = \"us\"\n[models.\"openai:gpt-99\"]\ninput = 0\noutput = 0\n";
    let prices = PriceTable::built_in().overridden_by(PriceTable::parse(own).expect("well-formed"));
    let run = Run::new(Budget { tokens: None, microdollars: Some(1) }, prices);
    assert!(try_open("openai:gpt-99", &settings(&server), &run).is_ok());
}

#[tokio::test]
async fn what_nobody_counted_is_counted_from_the_bytes() {
    let uncounted = stream(&[PART, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"]);
    let server = Server::start(vec![uncounted]).await;
    let run = tokens(1_000);
    let model = try_open("openai:m", &settings(&server), &run).expect("it opens");
    assert_eq!(model.ask(user("0123456789")).await.expect("an answer").usage, None);
    assert_eq!(run.ledger().spent(), Amount { tokens: 5 + 5, microdollars: 0 });
}

#[tokio::test]
async fn an_answer_that_broke_off_is_paid_for_and_a_refused_request_is_not() {
    let server = Server::start(vec![stream(&[PART]), crate::support::plain(500, "", ""), hello()]).await;
    let run = tokens(1_000);
    let model = try_open("openai:m", &settings(&server), &run).expect("it opens");
    assert_eq!(model.ask(user("0123456789")).await.expect("an answer").retries, 2);
    assert_eq!(run.ledger().spent().tokens, (5 + 5) + 12);
}

#[tokio::test]
async fn a_question_dropped_amid_its_answer_is_paid_for() {
    let server = Server::start(vec![vec![stream_head(), frames(&[PART]), Step::Stall]]).await;
    let run = Arc::new(tokens(1_000));
    let model = try_open("openai:m", &settings(&server), &run).expect("it opens");
    let asked = tokio::spawn(async move { model.ask(user("0123456789")).await });
    server.until_seen(1).await;
    // The answer has begun once it counts, which only a drop shows from outside.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    asked.abort();
    assert!(asked.await.expect_err("aborted").is_cancelled());
    assert_eq!(run.ledger().spent().tokens, 5 + 5);
}

#[tokio::test]
async fn requests_at_once_overshoot_by_no_more_than_those_under_way() {
    let server = Server::start(vec![hello()]).await;
    let run = tokens(60);
    let settings = Settings { concurrency_max: 64, retry: Retry { retries_max: 0, ..RETRY }, ..settings(&server) };
    let model = try_open("openai:m", &settings, &run).expect("it opens");
    // Each reserves 1 token of input and 19 of output, so three fill the budget; each uses 12.
    let ask = || model.ask(assay_rollout::ports::ModelRequest { output_tokens_max: Some(19), ..user("hi") });
    let results = futures::future::join_all((0..64).map(|_| ask())).await;
    let answered = results.iter().filter(|result| result.is_ok()).count();
    assert!(results.iter().all(|result| matches!(result, Ok(_) | Err(ModelError::BudgetSpent { .. }))));
    assert!((5..=7).contains(&answered), "{answered}");
    assert!(server.peak() <= 3, "{}", server.peak());
    assert!(run.ledger().spent().tokens <= 60 + 2 * 12, "{:?}", run.ledger().spent());
}

#[tokio::test]
async fn scripts_count_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.toml");
    fs::write(&path, "[[answers]]\ntext = \"a\"\nusage = { input = 5, output = 5 }\n").expect("writable");
    let run = tokens(10);
    let model = try_open(&format!("scripted:{}", path.display()), &offline(), &run).expect("it opens");
    model.ask(user("hi")).await.expect("the first");
    assert!(matches!(model.ask(user("hi")).await, Err(ModelError::BudgetSpent { .. })));
}

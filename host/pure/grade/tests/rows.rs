//! Rows of every data set become tasks; what they lack or spoil is named; what is secret stays apart.

use assay_grade::rule::Expected;
use assay_grade::task::{Gold, Kind, Public, Task, Tests, import};
use serde_json::{Value, json};

const TASKS: &str = include_str!("../../../../docs/tasks.md");
const README: &str = include_str!("../../../../docs/README.md");
const COMMANDS: &str = include_str!("../../../../docs/commands.md");

fn swe_bench() -> Value {
    json!({
        "repo": "astropy/astropy", "instance_id": "astropy__astropy-1", "base_commit": "abc", "patch": "SECRET-patch",
        "test_patch": "SECRET-test", "problem_statement": "It breaks.", "hints_text": "SECRET-hint", "created_at": "2022",
        "version": 4.3, "FAIL_TO_PASS": "[\"SECRET-f2p\"]", "PASS_TO_PASS": ["SECRET-p2p", "b"],
        "environment_setup_commit": "def", "difficulty": "SECRET-other",
    })
}

fn with(mut row: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else { panic!("changes are an object") };
    for (key, value) in changes {
        row[key] = value;
    }
    row
}

fn without(mut row: Value, key: &str) -> Value {
    row.as_object_mut().expect("a row is an object").remove(key);
    row
}

fn r2e() -> Value {
    let commit = json!({"file_diffs": [{
        "header": {"file": {"path": "src/x.py"}}, "old_file_content": "SECRET-old", "new_file_content": "SECRET-new",
    }]});
    let execution = json!({
        "test_file_names": ["test_1.py"], "test_file_codes": ["SECRET-code"],
        "old_commit_res_stdout": "== short test summary info ==\nFAILED r2e_tests/test_1.py::SECRET-a - x\n",
    });
    json!({
        "repo_name": "orange3", "docker_image": "namanjain12/orange3_final:0123456789abcdef", "commit_hash": "0123456789abcdef",
        "parsed_commit_content": commit.to_string(), "execution_result_content": execution.to_string(),
        "expected_output_json": "{\"SECRET-a\": \"PASSED\", \"SECRET-b\": \"ERROR\"}",
        "problem_statement": "[ISSUE]\nIt breaks.\n[/ISSUE]", "prompt": "SECRET-prompt", "modified_files": ["SECRET-file"],
    })
}

fn multi_swe() -> Value {
    json!({
        "org": "Tokio-rs", "repo": "Bytes", "number": 7, "title": "SECRET-title", "body": "SECRET-body", "base": {"sha": "abc"},
        "resolved_issues": [{"number": 1, "title": "It breaks.", "body": null}, {"title": "So does this", "body": "often"}],
        "fix_patch": "SECRET-patch", "test_patch": "SECRET-test", "f2p_tests": {"SECRET-a": {}}, "p2p_tests": {"b": {}},
        "s2p_tests": {}, "n2p_tests": {"SECRET-c": {}}, "lang": "rust",
    })
}

fn swe_smith() -> Value {
    json!({
        "instance_id": "a__b.0.x", "repo": "swesmith/a__b.0", "patch": "SECRET-bug", "FAIL_TO_PASS": ["SECRET-a"],
        "PASS_TO_PASS": [], "image_name": "swesmith.x86_64.a__b.0", "base_commit": "abc", "problem_statement": "It breaks.",
    })
}

fn swe_bench_5() -> Value {
    with(
        without(swe_bench(), "environment_setup_commit"),
        json!({
            "image": "registry/image:1", "eval_script": "SECRET-script", "log_parser": "parse_log_django", "eval_type": "fail_only",
            "image_assets": "{}",
        }),
    )
}

#[track_caller]
fn one(row: &Value) -> Task {
    let mut imported = import(&row.to_string());
    assert_eq!(imported.errors, []);
    imported.tasks.remove(0)
}

fn swe_rebench() -> Value {
    with(
        swe_bench(),
        json!({
            "repo": "some/body", "image_name": "reb/some:1", "docker_image": "reb/some:old",
            "test_patch": "diff --git a/tests/test_a b.py b/tests/test_a b.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_a b.py\n@@ -0,0 +1 @@\n+x = 'SECRET'\n",
            "install_config": {"install": "SECRET-install", "log_parser": "parse_log_pytest", "python": "3.9", "test_cmd": "pytest --no-header -rA"},
        }),
    )
}

/// Who brings the tests along is no row of SWE-smith, whatever names its image.
#[test]
fn rows_of_others_say_their_image_command_and_parser() {
    let task = one(&swe_rebench());
    assert_eq!((task.kind, task.bench.image.as_str()), (Kind::SweRebench, "reb/some:1"));
    assert_eq!(task.bench.test_command.as_deref(), Some("pytest --no-header -rA 'tests/test_a b.py'"));
    assert_eq!(task.parser().map(|parser| parser.name()), Some("pytest"));
    assert!(matches!(task.secret.gold, Gold::Patch(_)));
    assert!(["install_config", "docker_image"].iter().all(|key| task.secret.other.contains_key(*key)));
    let bare = without(without(swe_rebench(), "image_name"), "docker_image");
    assert_eq!(one(&bare).bench.image, "swerebench/sweb.eval.x86_64.astropy_1776_astropy-1:latest");

    let config = |config: Value| one(&with(swe_rebench(), json!({"install_config": config}))).bench.test_command;
    let listed = config(json!({"test_cmd": ["make", "pytest -rA"]}));
    assert_eq!(listed.as_deref(), Some("make && pytest -rA 'tests/test_a b.py'"));
    assert_eq!(config(json!("{\"test_cmd\": \"tox\"}")).as_deref(), Some("tox 'tests/test_a b.py'"));
    assert_eq!(config(json!({})), None);
    let go = with(
        swe_rebench(),
        json!({"language": "Go", "install_config": {"test_cmd": "go test -v ./...", "log_parser": "gotest"}}),
    );
    assert_eq!(one(&go).bench.test_command.as_deref(), Some("go test -v ./..."), "no files behind it");

    let scripted = with(swe_bench(), json!({"image_name": "i:2", "eval_script": "SECRET-script"}));
    let task = one(&scripted);
    assert_eq!((task.kind, task.bench.image.as_str()), (Kind::SweBench5, "i:2"));
    assert!(matches!(task.secret.gold, Gold::Patch(_)), "not the bug");
    let wrong = import(&with(swe_rebench(), json!({"install_config": {"test_cmd": 3}})).to_string()).errors;
    assert_eq!(
        wrong[0].to_string(),
        "row 1: key `install_config.test_cmd`: expected a command, or a list of them, found a number"
    );
}

#[test]
fn what_a_user_says_of_the_tests_wins() {
    let script = with(swe_bench_5(), json!({"repo": "some/body", "log_parser": null}));
    assert_eq!(one(&script).parser(), None);
    let pytest = "pytest".parse().ok();
    let task = one(&script).with_tests(Some("pytest -rA tests"), pytest);
    assert_eq!(task.parser(), pytest);
    assert_eq!(task.bench.test_command.as_deref(), Some("pytest -rA tests"));
    assert_eq!(task.secret.eval_script, None);
    assert!(task.secret.other.contains_key("eval_script"), "nothing is lost");
    let same = one(&script);
    assert_eq!(same.clone().with_tests(None, None), same);
}

#[test]
fn every_data_set_is_known() {
    let gym = without(swe_bench(), "environment_setup_commit");
    for (row, kind, id, image, parser) in [
        (
            swe_bench(),
            Kind::SweBench,
            "astropy__astropy-1",
            "swebench/sweb.eval.x86_64.astropy_1776_astropy-1:latest",
            Some("pytest_v2"),
        ),
        (swe_bench_5(), Kind::SweBench5, "astropy__astropy-1", "registry/image:1", Some("django")),
        (
            with(gym, json!({"instance_id": "Project-MONAI__MONAI-1", "repo": "Project-MONAI/MONAI"})),
            Kind::SweGym,
            "Project-MONAI__MONAI-1",
            "xingyaoww/sweb.eval.x86_64.project-monai_s_monai-1",
            Some("pytest"),
        ),
        (swe_smith(), Kind::SweSmith, "a__b.0.x", "swesmith.x86_64.a__b.0", Some("smith_pytest")),
        (r2e(), Kind::R2eGym, "orange3__0123456789ab", "namanjain12/orange3_final:0123456789abcdef", Some("r2e")),
        (multi_swe(), Kind::MultiSwe, "Tokio-rs__Bytes-7", "mswebench/tokio-rs_m_bytes:pr-7", Some("cargo")),
        (
            with(multi_swe(), json!({"lang": "cobol"})),
            Kind::MultiSwe,
            "Tokio-rs__Bytes-7",
            "mswebench/tokio-rs_m_bytes:pr-7",
            None,
        ),
    ] {
        let task = one(&row);
        assert_eq!((task.kind, task.public.instance_id.as_str(), task.bench.image.as_str()), (kind, id, image));
        assert_eq!(task.parser().map(|parser| parser.name()), parser, "{kind}");
        assert!(task.public.problem_statement.starts_with("It breaks."), "{kind}");
        let text = serde_json::to_string(&task).unwrap();
        assert_eq!(serde_json::from_str::<Task>(&text).unwrap(), task, "{kind} survives JSON");
    }
}

#[test]
fn every_data_set_is_listed() {
    let introduction = TASKS.split("\n\n").nth(1).unwrap_or_default();
    let row = README.lines().find(|line| line.starts_with("| `assay tasks import ROWS`"));
    let help = COMMANDS.split("\n\n").find(|part| part.contains("Reads rows of "));
    let (_, table) = TASKS.split_once("| kind of task | command |\n").expect("docs/tasks.md has the table");
    let rows = table.lines().skip(1).map_while(|line| line.strip_prefix("| ")?.split_once(" | "));
    let in_table: Vec<&str> = rows.flat_map(|(kinds, _)| kinds.split(", ")).collect();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Native) {
        let family = kind.name().trim_end_matches(" 5");
        for text in [introduction, row.unwrap_or_default(), help.unwrap_or_default()] {
            let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '-'));
            assert!(words.any(|word| word == family), "{family} is not in:\n{text}");
        }
        let is_in_table = in_table.iter().any(|name| name.split(" and ").next() == Some(kind.name()));
        assert!(is_in_table, "{kind} is not in the table of commands of docs/tasks.md");
    }
}

/// The type of the public part has no place for a secret; this looks whether an importer put one there.
#[test]
fn nothing_secret_is_public() {
    for row in [swe_bench(), swe_bench_5(), swe_rebench(), swe_smith(), r2e(), multi_swe()] {
        let task = one(&row);
        // Every field by name: a new one does not compile here until someone has judged it.
        let Public { instance_id, repository, problem_statement, language } = &task.public;
        for text in [instance_id, repository, problem_statement, language] {
            assert!(!text.contains("SECRET"), "{}: {text}", task.kind);
        }
        let shown = format!("{task:?}{:?}{:?}{:?}", task.secret, task.secret.gold, task.secret.tests);
        assert!(!shown.contains("SECRET"), "{}: {shown}", task.kind);
        assert!(!import(&row.to_string()).describe().contains("SECRET"), "{}", task.kind);
        assert!(serde_json::to_string(&task.secret).unwrap().contains("SECRET"), "{}: the secrets are kept", task.kind);
    }
}

#[test]
fn the_secret_part_is_read() {
    let task = one(&r2e());
    let Expected::Map { after, before } = &task.secret.expected else { panic!("R2E expects a map") };
    assert_eq!((after.len(), before.as_ref().map(|map| map.len())), (2, Some(1)));
    let Gold::Files(files) = &task.secret.gold else { panic!("R2E gives files") };
    assert_eq!((files[0].path.as_str(), files[0].new.as_deref()), ("src/x.py", Some("SECRET-new")));
    assert!(matches!(&task.secret.tests, Tests::Files(files) if files[0].0 == "test_1.py"));
    assert_eq!(task.bench.test_command.as_deref(), Some("bash run_tests.sh"));
    assert!(["prompt", "modified_files", "commit_hash"].iter().all(|key| task.secret.other.contains_key(*key)));

    assert!(matches!(one(&swe_smith()).secret.gold, Gold::Bug(_)), "SWE-smith's patch is the bug");
    let task = one(&multi_swe());
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.secret.expected else { panic!("lists") };
    assert_eq!((fail_to_pass.len(), pass_to_pass.len()), (2, 1));
    assert_eq!(task.public.problem_statement, "It breaks.\n\nSo does this\n\noften");
    assert_eq!(one(&swe_bench()).bench.version.as_deref(), Some("4.3"));
    assert_eq!(one(&swe_bench()).secret.other.keys().collect::<Vec<_>>(), ["difficulty", "environment_setup_commit"]);
}

#[test]
fn the_files_of_the_tests_are_protected() {
    let patch = "diff --git a/tests/new.py b/tests/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/new.py\n@@ -0,0 +1 @@\n+x\n";
    let ids =
        json!({"test_patch": patch, "FAIL_TO_PASS": ["tests/old.py::T::a[x.py::y]"], "PASS_TO_PASS": ["test_b (m.T)"]});
    for (row, expected) in [
        (with(swe_bench(), ids), vec!["tests/new.py", "tests/old.py"]),
        (r2e(), vec!["r2e_tests/", "run_tests.sh"]),
        (with(swe_smith(), json!({"FAIL_TO_PASS": ["t/a.py::x", "t/a.py::y"]})), vec!["t/a.py"]),
    ] {
        assert_eq!(one(&row).protected_files(), expected);
    }
}

#[test]
fn errors_name_row_key_and_what_was_expected() {
    for (row, message) in [
        (without(swe_bench(), "repo").to_string(), "row 2: key `repo`: expected a text, found nothing"),
        (
            with(swe_bench(), json!({"FAIL_TO_PASS": 3})).to_string(),
            "row 2: key `FAIL_TO_PASS`: expected a list of texts, or a text that is the JSON of one, found a number",
        ),
        (
            with(swe_bench(), json!({"PASS_TO_PASS": "[\"SECRET"})).to_string(),
            "row 2: key `PASS_TO_PASS`: expected a list of texts, or a text that is the JSON of one, found another text",
        ),
        (
            with(swe_bench_5(), json!({"eval_type": "SECRET"})).to_string(),
            "row 2: key `eval_type`: expected `pass_and_fail` or `fail_only`, found another text",
        ),
        (
            with(r2e(), json!({"parsed_commit_content": "{\"file_diffs\": [{\"header\": {\"file\": {}}}]}"}))
                .to_string(),
            "row 2: key `parsed_commit_content.file_diffs.header.file.path`: expected a text, found nothing",
        ),
        (
            with(multi_swe(), json!({"resolved_issues": null})).to_string(),
            "row 2: key `resolved_issues`: expected a list of issues, found null",
        ),
        ("[1]".to_owned(), "row 2: expected a JSON object, found another list"),
        (
            "{\"a\": 1}".to_owned(),
            "row 2: its keys fit none of R2E-Gym (parsed_commit_content), SWE-bench and SWE-Gym (FAIL_TO_PASS, test_patch), \
             SWE-smith (image_name) and Multi-SWE-bench (fix_patch); it has: a",
        ),
    ] {
        let imported = import(&format!("{}\n{row}\n\n", swe_bench()));
        assert_eq!(imported.tasks.len(), 1, "the good row is kept");
        assert_eq!(imported.errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
        assert!(imported.describe().contains(message));
    }
    let broken = import("{\"SECRET").errors;
    assert!(broken[0].to_string().starts_with("row 1: expected a JSON object, found broken JSON"), "{broken:?}");
    assert!(!broken[0].to_string().contains("SECRET"));
}

#[test]
fn an_import_says_what_it_understood() {
    let lines = [swe_bench(), swe_smith(), r2e()].map(|row| row.to_string()).join("\n");
    let expected = "\
R2E-Gym: 1 tasks
  repositories orange3 1
  images       1
  expected     2 tests with their statuses
  gold fix     whole files 1
  tests        whole files 1
  log parsers  r2e 1
  kept as is   commit_hash, modified_files, prompt
SWE-bench: 1 tasks
  repositories astropy/astropy 1
  images       1
  expected     1 tests to fix, 2 to keep passing
  gold fix     a patch 1
  tests        a patch 1
  log parsers  pytest_v2 1
  kept as is   difficulty, environment_setup_commit
SWE-smith: 1 tasks
  repositories swesmith/a__b.0 1
  images       1
  expected     1 tests to fix, 0 to keep passing
  gold fix     the reverse of the bug's patch 1
  tests        in the parent commit 1
  log parsers  smith_pytest 1
";
    assert_eq!(import(&lines).describe(), expected);
}

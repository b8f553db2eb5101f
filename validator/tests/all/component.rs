//! Attacks on the component pass that are easier to make than to write down, each with exactly its codes.

use crate::support::{MEMORY, component, component_of, expected, ids, module};
use assay_validator::{Findings, Place, check_component};
use std::fmt::Write as _;

fn findings(bytes: Vec<u8>) -> Findings {
    check_component(bytes).err().unwrap_or_default()
}

fn check(name: &str, bytes: Vec<u8>, codes: &str) {
    let found = findings(bytes);
    assert_eq!(ids(&found), expected(codes), "{name}:\n{found}");
}

fn repeat(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

#[test]
fn an_honest_component_passes_and_is_measured() {
    let bytes = component(&module(MEMORY, "i64.const 5 call $wake-at", ""));
    let checked = check_component(bytes.clone()).expect("an honest component passes");
    assert_eq!(checked.bytes(), bytes);
    assert_eq!(checked.hash(), blake3::hash(&bytes));
    let facts = checked.facts();
    assert_eq!((facts.modules, facts.memory_pages, facts.bytes), (3, 17, bytes.len() as u64));
    assert!(facts.functions > 10 && facts.function_bytes_max > 5, "{facts:?}");
}

#[test]
fn a_component_may_use_nothing_of_the_exchange() {
    let silent = module(MEMORY, "", "");
    let silent: String = silent.lines().filter(|line| !line.contains("(import")).collect();
    check("silent", component(&silent), "");
}

#[test]
fn names_of_functions_have_a_length() {
    let named = |bytes: usize| component(&module(MEMORY, "", &format!("(func ${})", "x".repeat(bytes))));
    check("as long as may be", named(16 << 10), "");
    check("longer", named((16 << 10) + 1), "C032");
    check(
        "a module's",
        component(&module(MEMORY, "", "").replacen("(module", &format!("(module ${}", "m".repeat(17_000)), 1)),
        "C032",
    );
}

#[test]
fn files_that_are_no_components() {
    let honest = component(&module(MEMORY, "", ""));
    let core = wat::parse_str(module(MEMORY, "", "")).expect("the module parses");
    check("empty", Vec::new(), "C001");
    check("garbage", vec![0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3], "C002");
    check("text", b"(component)".to_vec(), "C002");
    check("python", b"import os; os.system('id')".to_vec(), "C002");
    check("core module", core, "C003");
    check("ELF", [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 64]].concat(), "C004");
    check("Windows", [b"MZ".as_slice(), &[0; 64]].concat(), "C004");
    check("magic alone", b"\0asm".to_vec(), "C006");
    check("unknown version", b"\0asm\x09\0\x01\0".to_vec(), "C006");
    check("header alone", b"\0asm\x0d\0\x01\0".to_vec(), "C010 C016");
    check("truncated", honest[..honest.len() / 2].to_vec(), "C006");
    check("trailing bytes", [honest.as_slice(), b"extra"].concat(), "C006");
    check("50 MB", vec![0; 50 << 20], "C005");
}

/// Core module, `fields`, body of `on-tick`, further fields, codes.
struct Attack(&'static str, String, String, String, &'static str);

fn attack(name: &'static str, fields: &str, tick: &str, extra: &str, codes: &'static str) -> Attack {
    Attack(name, fields.to_owned(), tick.to_owned(), extra.to_owned(), codes)
}

fn run(attacks: Vec<Attack>) {
    for Attack(name, fields, tick, extra, codes) in attacks {
        check(name, component(&module(&fields, &tick, &extra)), codes);
    }
}

#[test]
fn sizes_of_memories_and_tables() {
    let memory = |limits: &str| format!(r#"(memory (export "memory") {limits})"#);
    run(vec![
        attack("4 GiB from the start", &memory("65536"), "", "", "C012"),
        attack("one page too many", &memory("1025"), "", "", "C012"),
        attack("all that is allowed", &memory("1024 1024"), "", "", ""),
        attack("declared maximum", &memory("1 65536"), "", "", "C012"),
        attack("two memories", &format!("{MEMORY} (memory 1)"), "", "", "C007 C016"),
        attack("table of 10 million", MEMORY, "", "(table 10000000 funcref)", "C017"),
        attack("table that may grow", MEMORY, "", "(table 1 10001 funcref)", "C017"),
        attack("three tables", MEMORY, "", &"(table 1 1 funcref)".repeat(3), "C017"),
        attack("memory growth is not refused", MEMORY, "i32.const 1 memory.grow drop", "", ""),
    ]);
}

#[test]
fn operators_on_tables_and_start_functions() {
    let table = "(table $t 1 1 funcref)";
    run(vec![
        attack("table.grow", MEMORY, "ref.null func i32.const 9 table.grow $t drop", table, "C018"),
        attack("table.fill", MEMORY, "i32.const 0 ref.null func i32.const 1 table.fill $t", table, "C018"),
        attack("table.set", MEMORY, "i32.const 0 ref.null func table.set $t", table, "C018"),
        attack("table.size", MEMORY, "table.size $t drop", table, "C018"),
        attack(
            "call_indirect is honest",
            MEMORY,
            "i32.const 0 call_indirect $t (type $void)",
            &format!("(type $void (func)) {table}"),
            "",
        ),
        attack("bulk memory is honest", MEMORY, "i32.const 0 i32.const 1 i32.const 2 memory.fill", "", ""),
        attack("start function", MEMORY, "", "(start $begin) (func $begin (loop br 0))", "C015"),
        attack("initializer of the C library", MEMORY, "", r#"(func (export "_initialize"))"#, "C015 C034"),
    ]);
}

#[test]
fn proposals_that_are_switched_off() {
    let shared = r#"(memory (export "memory") 17 1024 shared)"#;
    run(vec![
        attack("SIMD", MEMORY, "v128.const i64x2 0 0 drop", "", "C007"),
        attack("SIMD in a signature", MEMORY, "", "(func (param v128))", "C007"),
        attack(
            "relaxed SIMD",
            MEMORY,
            "v128.const i64x2 0 0 v128.const i64x2 0 0 i8x16.relaxed_swizzle drop",
            "",
            "C007",
        ),
        attack("threads", shared, "atomic.fence", "", "C007"),
        attack("atomics without shared memory", MEMORY, "i32.const 0 i32.atomic.load drop", "", "C007"),
        attack("tail call", MEMORY, "return_call $callee", "(func $callee)", "C007"),
        attack("exceptions", MEMORY, "throw $e", "(tag $e)", "C007"),
        attack("extended constants", MEMORY, "", "(global i32 (i32.add (i32.const 1) (i32.const 2)))", "C007"),
        attack("externref", MEMORY, "ref.null extern drop", "", "C007"),
        attack("garbage collection", MEMORY, "", "(type (struct (field i32)))", "C007"),
        attack("function references", MEMORY, "ref.null $f drop", "(type $f (func))", "C007"),
        attack("64-bit table", MEMORY, "", "(table i64 1 1 funcref)", "C007"),
        attack(
            "second memory",
            &format!("{MEMORY} (memory $second 1)"),
            "i32.const 0 i32.load $second drop",
            "",
            "C007 C016",
        ),
        attack("wide arithmetic", MEMORY, "i64.const 1 i64.const 2 i64.mul_wide_u drop drop", "", "C007"),
        attack("custom page size", MEMORY, "", r#"(memory 1 (pagesize 1))"#, "C007 C016"),
        attack("floats are honest", MEMORY, "f64.const 1 f64.sqrt i64.trunc_sat_f64_s drop", "", ""),
    ]);
}

/// A different function type for each number below 1331.
fn signature(number: usize) -> String {
    let (i32s, i64s, f32s) = (number % 11, number / 11 % 11, number / 121);
    format!("(type (func (param {}{}{})))", "i32 ".repeat(i32s), "i64 ".repeat(i64s), "f32 ".repeat(f32s))
}

#[test]
fn floods_of_items() {
    run(vec![
        attack("100k functions", MEMORY, "", &repeat(100_000, |_| "(func)".to_owned()), "C019"),
        attack("as many functions as fit", MEMORY, "", &repeat(9_000, |_| "(func)".to_owned()), ""),
        attack("types", MEMORY, "", &repeat(1_100, signature), "C026"),
        attack("globals", MEMORY, "", &repeat(1_001, |_| "(global i32 (i32.const 0))".to_owned()), "C027"),
        attack("data segments", MEMORY, "", &repeat(1_001, |_| r#"(data (i32.const 0) "x")"#.to_owned()), "C030"),
        attack(
            "element segments",
            MEMORY,
            "",
            &format!("(table 1 1 funcref) {}", repeat(1_001, |_| "(elem (i32.const 0) $tick)".to_owned())),
            "C030",
        ),
        attack("1001 exports", MEMORY, "", &repeat(1_001, |n| format!(r#"(export "e{n}" (func $tick))"#)), "C029"),
        attack("1000 parameters", MEMORY, "", &format!("(func (param {}))", "i32 ".repeat(1000)), "C025"),
        attack("65 results", MEMORY, "", &format!("(func (result {}) unreachable)", "i32 ".repeat(65)), "C025"),
        attack("long name", MEMORY, "", &format!(r#"(func (export "{}"))"#, "n".repeat(2_000)), "C032"),
    ]);
}

#[test]
fn compile_bombs() {
    let ifs = |count: usize| "(if (i32.const 1) (then nop))".repeat(count);
    let locals = |count: usize| format!("(local {})", "i64 ".repeat(count));
    let table = |targets: usize| format!("(block i32.const 0 br_table {})", "0 ".repeat(targets + 1));
    run(vec![
        attack("50k locals", MEMORY, &locals(50_000), "", "C006 C021"),
        attack("one local too many", MEMORY, &locals(1_001), "", "C021"),
        attack("10k conditions and 1000 locals", MEMORY, &format!("{} {}", locals(1000), ifs(10_000)), "", "C022 C023"),
        attack("many of both, each within its limit", MEMORY, &format!("{} {}", locals(900), ifs(2_000)), "", "C023"),
        attack("large branch table", MEMORY, &table(70_000), "", "C024"),
        attack("branch table within the limit", MEMORY, &table(4_096), "", ""),
        attack("one huge function", MEMORY, &"i64.const 1152921504606846976 drop ".repeat(20_000), "", "C020"),
        attack("nested blocks", MEMORY, &format!("{}{}", "(block ".repeat(6_000), ")".repeat(6_000)), "", "C022"),
    ]);
}

#[test]
fn imports_of_the_host_offered_as_exports() {
    // `wake-at` has the type of `on-simulation-end`, so only the origin tells them apart.
    let text = module(MEMORY, "", "").replace(
        r#"(func (export "on-simulation-end") (param i64))"#,
        r#"(export "on-simulation-end" (func $wake-at))"#,
    );
    check("re-exported import", component(&text), "C014");
}

#[test]
fn locals_that_lie_about_their_number_cost_nothing() {
    // Four billion locals in six bytes.
    use wasm_encoder::{CodeSection, Function, Instruction, ValType};
    let honest = wat::parse_str(module(MEMORY, "", "(func)")).expect("the module parses");
    let mut function = Function::new([(u32::MAX, ValType::I64)]);
    function.instruction(&Instruction::End);
    let mut code = CodeSection::new();
    code.function(&function);
    let mut bytes = Vec::new();
    wasm_encoder::Encode::encode(&code, &mut bytes);
    assert!(honest.len() > bytes.len());
    let body = bytes[bytes.len() - 7..].to_vec();
    // The last function of the honest module is `02 00 0b`: two bytes long, no locals, end.
    let at = honest.windows(3).rposition(|window| window == [2, 0, 0x0b]).expect("the empty function is there");
    let mut forged = honest;
    forged.splice(at..at + 3, [0x08, 0x01].into_iter().chain(body));
    let outcome = findings(wrap(&forged));
    assert!(ids(&outcome).contains("C006"), "{outcome}");
}

/// A component that only holds a module, to carry bytes that the encoder would refuse.
fn wrap(module: &[u8]) -> Vec<u8> {
    let mut component = wasm_encoder::Component::new();
    component.section(&wasm_encoder::RawSection { id: 1, data: module });
    component.finish()
}

#[test]
fn custom_sections_are_bounded() {
    let custom = |bytes: usize| {
        let module = wat::parse_str(module(MEMORY, "", "")).expect("the module parses");
        let mut section = vec![0_u8];
        let mut content = vec![4];
        content.extend_from_slice(b"junk");
        content.resize(content.len() + bytes, 7);
        wasm_encoder::Encode::encode(&(content.len() as u32), &mut section);
        section.extend(content);
        (module, section)
    };
    let (module, section) = custom(10);
    check("a few bytes", component_of([module.clone(), section.clone()].concat()), "");
    check("many sections", component_of([module, section.repeat(100)].concat()), "C031");
    let (module, section) = custom(2 << 20);
    check("two megabytes", component_of([module, section].concat()), "C031");
}

#[test]
fn findings_name_the_function_and_escape_its_name() {
    let mut text = String::new();
    let _ = write!(text, r#"(func $"evil\1b[2J\e2\80\ae" {} )"#, format_args!("(local {})", "i64 ".repeat(2_000)));
    let found = findings(component(&module(MEMORY, "", &text)));
    let finding = found.iter().next().expect("there is a finding");
    let Place::Component { section: "code", function: Some(function), offset } = &finding.place else {
        panic!("not placed in a function: {:?}", finding.place)
    };
    assert_eq!(function.name.as_deref(), Some("evil\\u{1b}[2J\\u{202e}"));
    assert!(*offset > 0);
    assert_eq!(finding.observed.as_deref(), Some("2000 locals"));
    assert_eq!(finding.limit.as_deref(), Some("1000 locals"));
}

#[test]
fn all_findings_are_reported_at_once() {
    let fields = r#"(memory (export "memory") 2000)"#;
    let extra = format!("(table 1 1 funcref) (start $s) (func $s (local {}))", "i64 ".repeat(1_001));
    check(
        "many",
        component(&module(fields, "table.size 0 drop v128.const i64x2 0 0 drop", &extra)),
        "C007 C012 C015 C018 C021",
    );
}

/// A module that calls `position` and `cash`, imported in this order.
fn two_imports() -> Vec<u8> {
    let imports = r#"(import "assay:strategy/exchange@0.2.0" "position" (func $position (result i64)))
        (import "assay:strategy/exchange@0.2.0" "cash" (func $cash (result i64)))"#;
    component(&module(imports, "call $position call $cash drop drop", MEMORY))
}

#[test]
fn only_what_the_encoder_makes_of_the_module_is_taken() {
    check("as encoded", two_imports(), "");

    // The core instance that is handed to the module: `cash` under the name of `position`, and the other way round.
    let mut crossed = two_imports();
    let index = |bytes: &[u8], name: &str| {
        let pattern: Vec<u8> = [&[name.len() as u8], name.as_bytes(), &[0]].concat();
        let at = bytes.windows(pattern.len()).rposition(|window| window == pattern).expect("it is handed over");
        at + pattern.len()
    };
    let (position, cash) = (index(&crossed, "position"), index(&crossed, "cash"));
    crossed.swap(position, cash);
    assert_ne!(crossed, two_imports());
    check("crossed imports", crossed, "C038");

    // Custom sections mean nothing: one of one byte, its name empty.
    let mut commented = two_imports();
    commented.extend([0, 1, 0]);
    check("custom section", commented, "");

    for (export, codes) in [
        ("_initialize", "C015 C034"),
        ("cabi_post_on-tick", "C038"),
        ("cabi_import_realloc", "C038"),
        ("anything", "C038"),
    ] {
        let signature =
            if export.ends_with("realloc") { "(param i32 i32 i32 i32) (result i32) i32.const 1024" } else { "" };
        let text = module(MEMORY, "", &format!(r#"(func (export "{export}") {signature})"#));
        check(export, component(&text), codes);
    }
}

/// A component with another module in place of its first one.
fn splice(component: &[u8], module: &[u8]) -> Vec<u8> {
    use wasm_encoder::RawSection;
    let mut reader = wasmparser::BinaryReader::new(&component[8..], 8);
    let (mut spliced, mut done) = (wasm_encoder::Component::new(), false);
    while !reader.eof() {
        let id = reader.read_u8().expect("a section");
        let length = reader.read_var_u32().expect("its length");
        let data = reader.read_bytes(length as usize).expect("its content");
        let first_module = id == 1 && !done;
        done |= first_module;
        spliced.section(&RawSection { id, data: if first_module { module } else { data } });
    }
    spliced.finish()
}

#[test]
fn names_that_mean_something_to_the_encoder_are_refused() {
    // Put into the module after encoding: some of them make the encoder panic.
    let check = |name: &str, fields: &str, codes: &str| {
        let other = wat::parse_str(module(MEMORY, "", fields)).expect("the module parses");
        check(name, splice(&component(&module(MEMORY, "", "")), &other), codes);
    };
    for name in ["[async-lift-stackful]on-simulation-end", "cm32p2||on-simulation-end", "__wasm_init_task"] {
        check(name, &format!(r#"(func $end (param i64)) (export "{name}" (func $end))"#), "C038");
    }
    let inits =
        r#"(func $init) (export "__wasm_init_task" (func $init)) (export "__wasm_init_async_task" (func $init))"#;
    check("both inits", inits, "C038");
    // Custom sections mean nothing, broken or not.
    for custom in [r#"(@custom "name" "\01\ff")"#, r#"(@custom "producers" "\80\00")"#, r#"(@custom "x" "y")"#] {
        check(custom, custom, "");
    }
    check("a world of its own", r#"(@custom "component-type:x" "\00")"#, "");
}

#[test]
fn a_component_of_another_version_is_told_to_be_built_again() {
    // As the first version was: other parameters too, of which nothing is said.
    for version in ["0.1.0", "0.3.0", "1.0.0"] {
        let text = format!(
            r#"(component
                (import "assay:strategy/exchange@{version}" (instance (export "random" (func (result u64)))))
                (import "assay:strategy/other@{version}" (func)))"#
        );
        let bytes = wat::parse_str(&text).expect("a component as text");
        let found = findings(bytes);
        // There is no memory, and there are no entry points either.
        assert_eq!(ids(&found), expected("C016 C039"), "{found}");
        let finding = found.iter().find(|finding| finding.code.id() == "C039").expect("there is one");
        assert_eq!(finding.observed.as_deref(), Some(format!("assay:strategy/exchange@{version}").as_str()));
        assert!(
            finding.limit.as_deref().is_some_and(|limit| limit.contains("assay:strategy/exchange@0.2.0")),
            "{found}"
        );
        assert!(finding.hint.contains("Build it again"), "{found}");
    }
}

//! Every limit of the three passes, named once with its reason. Findings, documentation and tests all read these.
//!
//! Shape limits on components exist because compile time is not linear in size: a few hundred kilobytes made of blocks and
//! locals take a compiler seconds and hundreds of megabytes, while honest strategies stay two orders of magnitude below.

use std::time::Duration;

/// Findings kept for one check; the rest are only counted. More would bury whoever has to act on them.
pub const FINDINGS_MAX: usize = 100;
/// Findings of one code kept for one check, so that a flood of one kind does not bury the others.
pub const FINDINGS_OF_A_CODE_MAX: usize = 25;
/// Bytes of each text of a finding; names of a guest may be a hundred kilobytes.
pub const FINDING_TEXT_BYTES_MAX: usize = 16 << 10;

/// Bytes of one source file. A strategy written by hand or by a model is a few kilobytes.
pub const SOURCE_BYTES_MAX: u64 = 1 << 20;
/// Bytes of one Python source file. Every episode compiles it again.
pub const PYTHON_SOURCE_BYTES_MAX: u64 = 256 << 10;
/// Depth of a Python syntax tree. The deepest honest code seen is below 30; the interpreter's own compiler gives up at some hundreds.
pub const PYTHON_DEPTH_MAX: u64 = 100;
/// Depth of brackets in one source file; the deepest honest code seen is below 30.
pub const BRACKET_DEPTH_MAX: u64 = 64;
/// Tokens that one expression, type or pattern may chain, brackets inside it included: this bounds the recursion of every
/// reader of the syntax tree.
pub const CHAIN_TOKENS_MAX: u64 = 2048;
/// Parts of one path; the longest honest one seen has 6.
pub const PATH_PARTS_MAX: usize = 64;
/// Stack of the thread that parses: twice what `CHAIN_TOKENS_MAX` levels of recursion were seen to take in an unoptimised build.
pub const PARSE_STACK_BYTES: usize = 256 << 20;
/// Source files of one crate.
pub const CRATE_FILES_MAX: u64 = 100;
/// Bytes of all source files of one crate.
pub const CRATE_BYTES_MAX: u64 = 4 << 20;
/// Depth of folders under `src`.
pub const CRATE_FOLDER_DEPTH_MAX: u64 = 16;

/// Bytes of a `Cargo.toml`.
pub const MANIFEST_BYTES_MAX: u64 = 64 << 10;
/// Direct dependencies of one crate.
pub const DEPENDENCIES_MAX: u64 = 20;
/// How long cargo may take to say what a crate depends on. It reads a few kilobytes of text, which takes it a second at most.
pub const CARGO_WALL: Duration = Duration::from_secs(20);
/// Bytes of that answer; the one for all allowed crates is a tenth of it.
pub const CARGO_ANSWER_BYTES_MAX: u64 = 4 << 20;

/// Bytes of a component: ten times the largest honest strategy.
pub const COMPONENT_BYTES_MAX: u64 = 4 << 20;
/// Core modules that the component encoder makes: the program, its shim and the fix-up.
pub const MODULES_MAX: u64 = 3;
/// Core instances that run a module; the pool reserves four for a component.
pub const MODULE_INSTANCES_MAX: u64 = 4;
/// Core and component instances of every kind, bundles of exports included.
pub const INSTANCES_MAX: u64 = 64;
/// Items of one component-level section: types, aliases, canonical functions. The interface needs fewer than 200.
pub const COMPONENT_ITEMS_MAX: u64 = 1000;
/// Pages of 64 KiB a memory may start with: 64 MiB, the slot of the pool. The scenario's budget decides below that.
pub const MEMORY_PAGES_MAX: u64 = 1024;
/// Tables of a component: the program's and the shim's.
pub const TABLES_MAX: u64 = 2;
/// Elements of a table.
pub const TABLE_ELEMENTS_MAX: u64 = 10_000;
/// Functions of a component, imported ones included.
pub const FUNCTIONS_MAX: u64 = 10_000;
/// Bytes of one function: the bound on how far a straight run of code overshoots its fuel.
pub const FUNCTION_BYTES_MAX: u64 = 192 << 10;
/// Locals of one function, parameters not included.
pub const LOCALS_MAX: u64 = 1000;
/// Blocks, loops and conditions of one function.
pub const BLOCKS_MAX: u64 = 5000;
/// Blocks times locals of one function: the shape that makes register allocation explode.
pub const BLOCKS_TIMES_LOCALS_MAX: u64 = 1_000_000;
/// Targets of one branch table; compilers have failed above 65 520.
pub const BRANCH_TARGETS_MAX: u64 = 4096;
/// Parameters of one function, and separately results.
pub const PARAMETERS_MAX: u64 = 64;
/// Core types of a component.
pub const TYPES_MAX: u64 = 1024;
/// Globals of a component.
pub const GLOBALS_MAX: u64 = 1000;
/// Core imports of one module.
pub const IMPORTS_MAX: u64 = 100;
/// Core exports of one module.
pub const EXPORTS_MAX: u64 = 1000;
/// Data segments of a component, and separately element segments.
pub const SEGMENTS_MAX: u64 = 1000;
/// Bytes of all custom sections; debug names of an honest strategy are a tenth of that.
pub const CUSTOM_BYTES_MAX: u64 = 1 << 20;
/// Custom sections of a component.
pub const CUSTOM_SECTIONS_MAX: u64 = 32;
/// Parameters that a strategy may declare: more than anybody can tune.
pub const TUNABLE_MAX: u64 = 64;
/// Bytes of their declaration.
pub const PARAMETERS_BYTES_MAX: u64 = 16 << 10;
/// Bytes of a parameter's name.
pub const PARAMETER_NAME_BYTES_MAX: u64 = 64;
/// Bytes of one import or export name.
pub const NAME_BYTES_MAX: u64 = 512;
/// Bytes of the name of one function, or of a module, in the name section: room for mangled names of deep generics, of which honest ones
/// have some hundreds to a few thousand.
pub const FUNCTION_NAME_BYTES_MAX: u64 = 16 << 10;

//! The stable codes: what each finding means, why it is refused, where the limit lies, how to mend it.
//!
//! A code's id and name never change and are never given to something else; new ones are added at the end of their letter.

use crate::limits;
use crate::severity::Severity;

/// What a code stands for, in words for the person or the model that has to act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Stable id: `S` source, `P` Python source, `D` dependencies, `C` component, `B` build (reported by what builds, in the same form).
    pub id: &'static str,
    /// Stable name in words.
    pub name: &'static str,
    /// What was found.
    pub means: &'static str,
    /// Why it is refused.
    pub why: &'static str,
    /// The bound and its unit, where there is one.
    pub limit: Option<(u64, &'static str)>,
    /// How to mend it.
    pub mend: &'static str,
}

macro_rules! codes {
    ($($variant:ident = $id:literal $name:literal, $means:literal, $why:literal, [$($bound:expr, $unit:literal)?], $mend:literal;)*) => {
        /// A kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $means] $variant,)*
        }

        impl Code {
            /// Every code, in order of id.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// What the code stands for.
            #[must_use]
            pub const fn meaning(self) -> Meaning {
                match self {
                    $(Self::$variant => Meaning {
                        id: $id,
                        name: $name,
                        means: $means,
                        why: $why,
                        limit: bound!($($bound, $unit)?),
                        mend: $mend,
                    },)*
                }
            }
        }
    };
}

macro_rules! bound {
    () => {
        None
    };
    ($bound:expr, $unit:literal) => {
        Some(($bound, $unit))
    };
}

impl Code {
    /// Stable id such as `S001`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.meaning().id
    }

    /// Stable name such as `unsafe-code`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.meaning().name
    }

    /// Whether it refuses the strategy.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::NoEffect | Self::EmptySide | Self::CompileWarning | Self::UnknownCallback => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The code with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id() == id)
    }
}

codes! {
    UnsafeCode = "S001" "unsafe-code", "The `unsafe` keyword, anywhere, including inside a macro.",
        "Unsafe code can break the guarantees that the compiler gives about everything else.", [],
        "Write it in safe Rust; indexing, iterators and `Vec` cover what strategies need.";
    ExternCode = "S002" "extern-code", "The `extern` keyword: a foreign block, a function with a foreign calling convention, or `extern crate`.",
        "A strategy's only imports are those of its interface.", [],
        "Remove it; `std` and `assay_sdk` are available without `extern`.";
    LinkageAttribute = "S003" "linkage-attribute", "An attribute that changes symbols or linking, such as `no_mangle`, `export_name`, `link`, `link_section` or `used`.",
        "Symbols and sections of the artifact belong to the SDK; a forged one could stand in for an entry point.", [],
        "Remove the attribute; `export!(YourStrategy)` defines every symbol that is needed.";
    UnstableFeature = "S004" "unstable-feature", "A `feature` attribute.",
        "Strategies compile with a stable compiler; unstable features reach its internals.", [],
        "Remove it and use stable Rust.";
    UnlistedAttribute = "S005" "unlisted-attribute", "An attribute outside the list of harmless ones.",
        "Attributes can change how the crate is built; only those known to affect nothing outside the file are allowed.", [],
        "Remove the attribute.";
    UnlistedDerive = "S006" "unlisted-derive", "A `derive` of something other than the traits of the standard library.",
        "Other derives are procedural macros: programs that run on the host while it compiles.", [],
        "Derive only Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord and Hash; write other impls by hand.";
    ProceduralMacro = "S007" "procedural-macro", "Use of `proc_macro`.",
        "Procedural macros run on the host while it compiles.", [],
        "Use `macro_rules!` or plain functions.";
    FileModule = "S008" "file-module", "A module whose text is in another file, or a `path` attribute.",
        "A one-file strategy is one file; `path` can name any file of the host.", [],
        "Write the module inline: `mod name { … }`. A crate may have `mod name;`, without `path`.";
    CompileTimeInput = "S009" "compile-time-input", "`include!`, `include_str!`, `include_bytes!`, `env!` or `option_env!`.",
        "These copy files or the environment of the compiling host into the strategy.", [],
        "Put the data into the source as constants.";
    InlineAssembly = "S010" "inline-assembly", "`asm!`, `global_asm!` or `naked_asm!`.",
        "Assembly escapes every check of the compiler.", [],
        "Write it in Rust.";
    OutsideWorld = "S011" "outside-world", "A part of the standard library that reaches files, network, processes, environment or terminal.",
        "None of it exists in the sandbox: calls fail or trap, at a point that is hard to find.", [],
        "Use what is available to the strategy: market data, its own state, and the SDK's calls. `log` writes to the report.";
    HostClock = "S012" "host-clock", "`Instant`, `SystemTime` or another view of the host's clock.",
        "The simulation's clock is the only one; reading another traps.", [],
        "Use the `now` that every callback gets, in nanoseconds; `std::time::Duration` is fine.";
    Threads = "S013" "threads", "Threads.",
        "A strategy is one thread by design: same seed, same result. Spawning fails.", [],
        "Do the work in the callback; ask for a wake-up to continue later.";
    RuntimeHook = "S014" "runtime-hook", "A panic hook, a global allocator or a panic handler.",
        "The SDK installs these, so that a panic is reported and memory is metered.", [],
        "Remove it; a panic already ends the strategy with its message in the report.";
    LowLevel = "S015" "low-level", "Processor intrinsics or foreign-function types: `std::arch`, `std::intrinsics`, `std::ffi`, `std::os`.",
        "They bypass the language, where nothing is checked.", [],
        "Use the safe counterparts of the standard library.";
    StaticMut = "S016" "static-mut", "A `static mut`.",
        "It can be read and written only with `unsafe`.", [],
        "Keep the state in the strategy's struct.";
    ObscuredName = "S017" "obscured-name", "A name of the standard library or of a macro that cannot be followed: renamed, globbed or assembled from pieces.",
        "It hides which parts of the standard library are used.", [],
        "Name what you use in full, for example `use std::time::Duration;`.";
    ForeignCrate = "S018" "foreign-crate", "A crate other than `std` and `assay_sdk` in a one-file strategy.",
        "A one-file strategy compiles only against the SDK.", [],
        "Write the few functions that you need, or make a crate with an allowed dependency. The SDK has `random`.";
    MissingStrategy = "S019" "missing-strategy", "No `impl Strategy for …`.",
        "There is nothing to run.", [],
        "Implement the trait: `impl Strategy for MyStrategy { … }`.";
    MissingExport = "S020" "missing-export", "No `export!(…)`.",
        "Without it the component has no entry points.", [],
        "Add `assay_sdk::export!(MyStrategy);` at the end of the file.";
    DuplicateExport = "S021" "duplicate-export", "More than one `export!(…)`.",
        "There can be only one set of entry points.", [],
        "Keep the `export!` of the strategy that should run.";
    NoEffect = "S022" "no-effect", "Something that compiles but does nothing in the sandbox: printing, catching a panic, `async`.",
        "There is no terminal, and a panic immediately ends the strategy.", [],
        "Use the SDK's `log`; return early instead of panicking.";
    SourceTooLarge = "S023" "source-too-large", "A source file that is too large.",
        "Reading it would take too much time and memory.", [limits::SOURCE_BYTES_MAX, "bytes"],
        "Remove embedded data; compute values where possible.";
    NotUtf8 = "S024" "not-utf8", "A source file that is not UTF-8.",
        "Source is UTF-8.", [],
        "Save the file as UTF-8; check that it is a text file.";
    HiddenCharacter = "S025" "hidden-character", "A control character, or one that is invisible or changes the direction of text.",
        "It lets the text that a reader sees differ from the one that runs.", [],
        "Remove the character; in a string, write it as an escape such as `\\u{202e}`.";
    NestedTooDeep = "S026" "nested-too-deep", "Code that is nested or chained too deep.",
        "Compilers walk code recursively; deep enough code makes them run out of stack.", [limits::BRACKET_DEPTH_MAX, "open brackets"],
        "Split the expression into variables and functions, or put the values into an array and loop.";
    SyntaxError = "S027" "syntax-error", "Text that is not Rust.",
        "What cannot be parsed cannot be checked.", [],
        "Correct the syntax at this place.";
    UnreadableSource = "S028" "unreadable-source", "A source file or folder that cannot be read, or a link to another place.",
        "Everything that is compiled must be checked first.", [],
        "Keep plain files under `src`.";
    TooManySources = "S029" "too-many-sources", "Too many source files, too deep folders or too many bytes in all.",
        "Reading them would take too much time and memory.", [limits::CRATE_FILES_MAX, "files"],
        "Put the strategy into fewer files.";

    EmptySide = "S030" "empty-side", "`.unwrap()` or `.expect(…)` on a side of the quote, on the last price, or on a value computed from them.",
        "A side of the book can be empty in any callback, and before the first trade there is no last price; the panic ends the strategy and its score.", [],
        "Unpack it or return: `let Some(bid) = quote.bid else { return };`.";

    PythonSyntax = "P001" "python-syntax", "Text that is not Python.",
        "What cannot be parsed cannot be checked.", [],
        "Correct the syntax at this place.";
    UnlistedModule = "P002" "unlisted-module", "An import of a module outside the list of those that a strategy can use.",
        "Files, network, processes, threads, clocks and the interpreter itself are out of reach in the sandbox; other modules do not exist there.", [],
        "Use `assay` and modules that only compute: math, statistics, collections, itertools, functools, dataclasses, random and the like.";
    DynamicCode = "P003" "dynamic-code", "`eval`, `exec`, `compile`, `__import__`, `globals`, `locals` or `vars`.",
        "They run or reach code that a reader of the file, and this check, cannot see.", [],
        "Write out what should run; keep state in attributes of the strategy.";
    OutsideCall = "P004" "outside-call", "`open`, `input`, `breakpoint`, `exit`, `quit` or `help`.",
        "There are no files and there is no terminal; ending the interpreter ends the strategy.", [],
        "Use what is available to the strategy: market data and its own state. `print` and `exchange.log` write to the report.";
    InternalName = "P005" "internal-name", "A name that leads to the internals of the interpreter, such as `__subclasses__`, `__globals__` or `f_back`; also as text.",
        "It is a way around every other rule of this check.", [],
        "Use ordinary attributes; `type(x).__name__` is fine.";
    MissingPythonStrategy = "P006" "missing-python-strategy", "No class that derives from `Strategy`.",
        "There is nothing to run.", [],
        "Write `from assay import *` and `class MyStrategy(Strategy):`.";
    SeveralStrategies = "P007" "several-strategies", "More than one class that derives from `Strategy` and from which no other does.",
        "A file contains one strategy.", [],
        "Keep the class that should run; derive it from the others if it builds on them.";
    CallbackShape = "P008" "callback-shape", "A callback whose parameters differ from the call, or that is `async` or a generator.",
        "It could not be called, or would do nothing.", [],
        "Write `initialize(self, config)`, `on_tick(self)`, `on_market_data(self)`, `on_order_update(self, update)` and `on_simulation_end(self)`, those that you need, as plain methods.";
    UnknownCallback = "P009" "unknown-callback", "A method of the strategy whose name begins with `on_` and is not a callback.",
        "The simulation never calls it.", [],
        "The callbacks are `initialize`, `on_tick`, `on_market_data`, `on_order_update` and `on_simulation_end`.";
    PythonTooDeep = "P010" "python-too-deep", "Code that is nested or chained too deep, or contains too many names to check.",
        "Compilers walk code recursively; deep enough code makes them run out of stack.", [limits::PYTHON_DEPTH_MAX, "levels"],
        "Split the expression into variables and functions, or put the values into a list and loop.";

    UnreadableManifest = "D001" "unreadable-manifest", "A `Cargo.toml` that is missing, too large, or not a valid manifest.",
        "Dependencies that cannot be read cannot be checked.", [limits::MANIFEST_BYTES_MAX, "bytes"],
        "Write a plain manifest: `[package]`, `[lib]`, `[dependencies]`.";
    UnlistedCrate = "D002" "unlisted-crate", "A dependency outside the list of allowed crates.",
        "Allowed crates are pure: no build script, no procedural macro, no access to the outside.", [],
        "Use an allowed crate, or write the code you need.";
    PathDependency = "D003" "path-dependency", "A dependency by path.",
        "It would compile code that was not checked.", [],
        "Put the code into the crate's own `src`.";
    GitDependency = "D004" "git-dependency", "A dependency from a git repository.",
        "It would fetch and compile code that was not checked.", [],
        "Use the released version of an allowed crate.";
    OtherRegistry = "D005" "other-registry", "A dependency from another registry.",
        "The list of allowed crates is about crates.io.", [],
        "Remove `registry` and `registry-index`.";
    UnlistedVersion = "D006" "unlisted-version", "A version of an allowed crate outside the range that was reviewed.",
        "Only the reviewed versions are known to be pure.", [],
        "Require a version within the range.";
    BuildScript = "D007" "build-script", "A build script.",
        "It is a program that runs on the host while it compiles.", [],
        "Remove `build.rs` and the `build` key; put generated code into the source.";
    ProcMacroCrate = "D008" "proc-macro-crate", "A procedural-macro crate.",
        "It is a program that runs on the host while it compiles.", [],
        "Make it an ordinary library.";
    ReplacedSource = "D009" "replaced-source", "`[patch]` or `[replace]`.",
        "It swaps allowed crates for others.", [],
        "Remove the section.";
    ToolConfiguration = "D010" "tool-configuration", "A `.cargo` folder or a toolchain file in the crate.",
        "They select the programs that the host runs to compile.", [],
        "Remove it; Assay chooses toolchain, target and flags.";
    NativeLibrary = "D011" "native-library", "A `links` key.",
        "It links a native library.", [],
        "Remove the key.";
    UnlistedFeature = "D012" "unlisted-feature", "A feature of an allowed crate outside the reviewed ones.",
        "A feature can bring in code that is not pure.", [],
        "Enable only the listed features.";
    UnlistedKey = "D013" "unlisted-key", "A key of the manifest outside the list of harmless ones.",
        "Profiles, targets, workspaces and unstable keys change how or what the host compiles.", [],
        "Remove the key; Assay sets profile, target and crate type.";
    TooManyDependencies = "D014" "too-many-dependencies", "Too many dependencies.",
        "Each takes compile time.", [limits::DEPENDENCIES_MAX, "dependencies"],
        "Remove those that are not used.";
    UnresolvedGraph = "D015" "unresolved-graph", "A dependency graph that cargo cannot compute offline, or a lock file without checksums.",
        "What cannot be resolved cannot be checked, nor built.", [],
        "Run `cargo generate-lockfile` and `cargo fetch` in the crate, or remove the `Cargo.lock`.";
    OtherEdition = "D016" "other-edition", "An edition of Rust other than 2021 and 2024, or none, which means 2015.",
        "The same characters are different tokens there, so the checked code would not be the compiled code.", [],
        "Write `edition = \"2024\"` under `[package]`.";

    EmptyInput = "C001" "empty-input", "An empty file.",
        "There is nothing to check.", [],
        "Give the component that the build produced.";
    NotWebAssembly = "C002" "not-webassembly", "A file that is not WebAssembly.",
        "Only binary components are accepted.", [],
        "Give the component that the build produced, or the Rust source itself.";
    CoreModule = "C003" "core-module", "A core module instead of a component.",
        "A module has no typed interface to check or to link.", [],
        "Build with Assay from source; it wraps the module into a component.";
    PrecompiledArtifact = "C004" "precompiled-artifact", "A native or precompiled artifact.",
        "Precompiled code runs outside every check; it is never taken from a guest.", [],
        "Give the WebAssembly component, not its compiled form.";
    ComponentTooLarge = "C005" "component-too-large", "A component that is too large.",
        "Compile time grows with size.", [limits::COMPONENT_BYTES_MAX, "bytes"],
        "Remove embedded data and unused code.";
    InvalidComponent = "C006" "invalid-component", "Bytes that are not a valid component.",
        "What does not validate cannot be run safely.", [],
        "Rebuild from source; do not edit the binary.";
    ForbiddenProposal = "C007" "forbidden-proposal", "A WebAssembly proposal that is switched off.",
        "Each proposal is more code that must be deterministic, metered and free of bugs.", [],
        "Build for plain `wasm32-unknown-unknown` without target features.";
    UnknownImport = "C008" "unknown-import", "An import outside the strategy interface.",
        "A strategy reaches the exchange interface and nothing else: no WASI, no files, no clock.", [],
        "Use only the SDK; build for `wasm32-unknown-unknown`, not for WASI.";
    ImportType = "C009" "import-type", "An import whose type differs from the interface.",
        "It could not be linked.", [],
        "Build against this version of the SDK.";
    MissingExportFunction = "C010" "missing-export-function", "An entry point that is missing.",
        "The simulation calls all five.", [],
        "Add `assay_sdk::export!(MyStrategy);`.";
    UnknownExport = "C011" "unknown-export", "An export outside the strategy interface.",
        "The simulation calls the five entry points; nothing else may be offered.", [],
        "Remove the export.";
    MemoryMax = "C012" "memory-max", "A memory that starts or may grow too large.",
        "The memory must fit the slot of the pool.", [limits::MEMORY_PAGES_MAX, "pages of 64 KiB"],
        "Make static arrays smaller; allocate what is needed when it is needed.";
    ExportType = "C013" "export-type", "An entry point whose type differs from the interface.",
        "It could not be called.", [],
        "Build against this version of the SDK.";
    ReexportedImport = "C014" "reexported-import", "A host function offered as an export.",
        "Calling it would enter the host from the host.", [],
        "Export functions of your own.";
    StartFunction = "C015" "start-function", "A start function.",
        "It would run before the budgets of the first callback are set.", [],
        "Do the work in `initialize`.";
    MemoryCount = "C016" "memory-count", "Not exactly one memory.",
        "The interface passes lists and strings through one memory; the pool reserves one.", [1, "memory"],
        "Build with the SDK.";
    TableSize = "C017" "table-size", "Too many tables, or one that is too large.",
        "Tables are reserved in the pool.", [limits::TABLE_ELEMENTS_MAX, "elements"],
        "Use fewer distinct function pointers and trait objects.";
    TableOperator = "C018" "table-operator", "An instruction that changes a table.",
        "Its cost grows with an operand but it is metered as one instruction. Rust never emits it.", [],
        "Build from Rust source.";
    FunctionCount = "C019" "function-count", "Too many functions.",
        "Each costs compile time and memory.", [limits::FUNCTIONS_MAX, "functions"],
        "Remove generated code.";
    FunctionSize = "C020" "function-size", "A function that is too large.",
        "A straight run of code overshoots its fuel by up to its length.", [limits::FUNCTION_BYTES_MAX, "bytes"],
        "Split the function; use loops instead of unrolling.";
    FunctionLocals = "C021" "function-locals", "A function with too many locals.",
        "Register allocation grows faster than the number of locals.", [limits::LOCALS_MAX, "locals"],
        "Split the function; keep values in arrays.";
    FunctionBlocks = "C022" "function-blocks", "A function with too many blocks.",
        "Compilers take more than linear time in blocks.", [limits::BLOCKS_MAX, "blocks"],
        "Split the function; replace long chains of conditions by tables.";
    CompileCost = "C023" "compile-cost", "A function with too many blocks times locals.",
        "This product is what makes a compile bomb.", [limits::BLOCKS_TIMES_LOCALS_MAX, "blocks × locals"],
        "Split the function.";
    BranchTable = "C024" "branch-table", "A branch table with too many targets.",
        "Large tables take much memory to compile.", [limits::BRANCH_TARGETS_MAX, "targets"],
        "Replace the large `match` by a lookup in an array.";
    SignatureSize = "C025" "signature-size", "A function type with too many parameters or results.",
        "Wide signatures have broken compilers.", [limits::PARAMETERS_MAX, "parameters"],
        "Pass a struct by reference.";
    TypeCount = "C026" "type-count", "Too many types.",
        "Each is registered with the engine.", [limits::TYPES_MAX, "types"],
        "Remove generated code.";
    GlobalCount = "C027" "global-count", "Too many globals.",
        "Each takes memory of the instance.", [limits::GLOBALS_MAX, "globals"],
        "Build from Rust source.";
    ImportCount = "C028" "import-count", "Too many core imports in a module.",
        "The interface has fewer.", [limits::IMPORTS_MAX, "imports"],
        "Build with the SDK.";
    ExportCount = "C029" "export-count", "Too many exports in a module.",
        "Each is looked up when the component is linked.", [limits::EXPORTS_MAX, "exports"],
        "Build with the SDK.";
    SegmentCount = "C030" "segment-count", "Too many data or element segments.",
        "Each is copied at every start and costs no fuel.", [limits::SEGMENTS_MAX, "segments"],
        "Build from Rust source.";
    CustomSections = "C031" "custom-sections", "Too many or too large custom sections.",
        "They carry nothing that runs.", [limits::CUSTOM_BYTES_MAX, "bytes"],
        "Build without debug information.";
    NameLength = "C032" "name-length", "An import, export or function whose name is too long.",
        "Names are copied, compared and shown to people.", [limits::NAME_BYTES_MAX, "bytes"],
        "Build with the SDK.";
    NestedComponent = "C033" "nested-component", "A component inside the component.",
        "The build makes none; nesting hides what is run.", [],
        "Build from source with Assay.";
    ModuleCount = "C034" "module-count", "Too many core modules or instances.",
        "One module instantiated many times multiplies memory.", [limits::MODULES_MAX, "modules"],
        "Build from source with Assay.";
    CanonicalOption = "C035" "canonical-option", "A canonical option other than UTF-8, memory, realloc and post-return.",
        "Other encodings and asynchronous calls are switched off.", [],
        "Build with the SDK.";
    ForbiddenItem = "C036" "forbidden-item", "A component feature that a strategy has no use for: resources, streams, futures, values, start, built-ins.",
        "The interface has none; each would expose more host code to the guest.", [],
        "Build with the SDK.";
    ComponentItems = "C037" "component-items", "Too many component-level types, aliases or canonical functions.",
        "The interface needs fewer than 200.", [limits::COMPONENT_ITEMS_MAX, "items"],
        "Build with the SDK.";
    ForeignEncoding = "C038" "foreign-encoding", "A component that is not what the encoder makes of its module.",
        "The sandbox runs the module itself; a component that wires it otherwise would not run as it says.", [],
        "Build from source with Assay, or encode the module with `wasm-tools component new` of the release that Assay uses.";
    OtherInterface = "C039" "other-interface", "A component built against another version of the strategy interface.",
        "Calls and numbers differ between versions; it could be called, but not understood.", [],
        "Build it again from its source with this version: `assay run my.rs`, or by `rustc` and the SDK of this version.";
    ParameterDeclaration = "C040" "parameter-declaration", "A declaration of parameters that cannot be read, or more than one.",
        "What tunes a strategy sets its parameters by number and within their ranges.", [limits::TUNABLE_MAX, "parameters"],
        "Declare them once, with `parameters!` (in Python, `name = parameter(default, low, high)` in the body of the class): different names, finite numbers, each default within its range, and a range above 0 for `log`.";
    CompileError = "B001" "compile-error", "The compiler does not accept the source.",
        "What does not compile cannot run.", [],
        "Fix what the compiler reports, at the place that it names.";
    CompileWarning = "B002" "compile-warning", "The compiler accepts the source but warns about it.",
        "Warnings are often mistakes: an unused result, a comparison that is always true.", [],
        "Fix it or ignore it: it does not refuse the strategy.";
    CompilerLimit = "B003" "compiler-limit", "The source made the compiler exceed its processor time or memory, or crash.",
        "Compilers run within limits, so that no source can block a machine: 20 s of processor time for a file, 120 s for a crate. A busy machine is not the source's fault and refuses nothing.", [],
        "Look for loops in `const` items, huge arrays, and macros or types that grow by themselves.";
    NotAStrategy = "B004" "not-a-strategy", "The source compiles but does not produce a component with the strategy interface.",
        "The sandbox calls the five functions of the interface and knows no other way in.", [],
        "Implement `assay_sdk::Strategy` for a type and add `assay_sdk::export!(TheType);`.";
}

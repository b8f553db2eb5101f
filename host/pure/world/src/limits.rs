//! Every limit of a world, by name. World files are untrusted and agents are hostile, so nothing here grows without one.

/// Collections of documents: the largest benchmark world has a dozen.
pub const COLLECTIONS_MAX: usize = 256;
/// Documents of all collections: the largest benchmark world has 3,000.
pub const DOCUMENTS_MAX: usize = 200_000;
/// Bytes of one document as JSON.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;
/// Bytes of an id of a document or of the name of a collection.
pub const NAME_BYTES_MAX: usize = 200;
/// Levels of a JSON value; readers of JSON stop at 128.
pub const DEPTH_MAX: usize = 32;
/// Programs with a memory; the largest benchmark world has eight.
pub const MEMORIES_MAX: usize = 64;
/// Bytes of what one program remembers; the largest of a benchmark has 20 KB.
pub const MEMORY_BYTES_MAX: usize = 1 << 20;
/// Turns of a conversation that is written out; the longest of a benchmark has eight.
pub const SAID_TURNS_MAX: usize = 100;
/// Letters of all mailboxes.
pub const LETTERS_MAX: usize = 20_000;
/// Bytes of a letter's subject and body.
pub const LETTER_BYTES_MAX: usize = 64 << 10;
/// Bytes of all files of a world.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
/// Files and folders of a world.
pub const FILES_MAX: u64 = 20_000;
/// Events that happen by themselves in a task; the examples have two at most.
pub const EVENTS_MAX: usize = 1_000;
/// Events that wait in an agenda.
pub const AGENDA_MAX: usize = 10_000;
/// Events that happen between two steps: more is a world that talks to itself.
pub const EVENTS_PER_STEP_MAX: usize = 1_000;
/// Documents and letters that one call looks at, and steps that it takes, together.
pub const WORK_PER_CALL_MAX: u64 = 1_000_000;
/// Bytes of memory that one call, or one event, may build: values, texts, copies of documents.
pub const BUILT_BYTES_MAX: u64 = 64 << 20;
/// Bytes of memory of all documents, as [`weight`](crate::value::weight) counts them; the largest benchmark world has a tenth.
pub const DOCUMENTS_BYTES_MAX: u64 = 512 << 20;
/// Bytes of all messages in mailboxes.
pub const MAIL_BYTES_MAX: u64 = 64 << 20;
/// Bytes of memory of all that waits in an agenda.
pub const AGENDA_BYTES_MAX: u64 = 64 << 20;
/// Bytes of memory of the calls and messages of one episode; the episode ends where there are more.
pub const EPISODE_BYTES_MAX: u64 = 64 << 20;
/// Seconds that anything in a world may take or wait: 100 years.
pub const SECONDS_MAX: u64 = 100 * 366 * 24 * 3_600;
/// Bytes of the arguments of one call.
pub const ARGUMENT_BYTES_MAX: usize = 64 << 10;
/// Bytes of an answer to a call; what is longer is an error that says so.
pub const ANSWER_BYTES_MAX: usize = 64 << 10;
/// How much the query of a condition may work, in steps of the database's machine: it is asked after every call.
pub const QUERY_FUEL: u64 = 2_000_000;
/// Bytes of one message of an agent; the rest is cut off.
pub const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Wrong answers of all facts and conditions of a task: they are looked for after every call. The examples have twenty at most.
pub const WRONG_ANSWERS_MAX: usize = 500;
/// Calls of one turn; the others are refused.
pub const CALLS_PER_TURN_MAX: usize = 64;
/// Calls of one episode.
pub const CALLS_MAX: usize = 2_000;
/// Tools of a world.
pub const TOOLS_MAX: usize = 512;
/// Steps of one tool or event, those within steps included.
pub const STEPS_MAX: usize = 256;

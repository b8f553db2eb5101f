//! Parquet of any shape comes back as the JSON that it was made from.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use arrow::json::ReaderBuilder;
use arrow::json::reader::infer_json_schema;
use assay_data::read_rows;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

fn write(path: &Path, rows: &[Value], compression: Compression) {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let (schema, _) = infer_json_schema(Cursor::new(&lines), None).unwrap();
    let schema = Arc::new(schema);
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), schema.clone(), Some(properties)).unwrap();
    for batch in ReaderBuilder::new(schema).build(Cursor::new(&lines)).unwrap() {
        writer.write(&batch.unwrap()).unwrap();
    }
    writer.close().unwrap();
}

fn row(number: usize) -> Value {
    json!({
        "instance_id": format!("a__b-{number}"),
        "FAIL_TO_PASS": ["one", "two\nlines", "\u{1f980}"],
        "PASS_TO_PASS": [],
        "number": number,
        "nothing": if number.is_multiple_of(2) { Value::Null } else { json!("something") },
        "nested": {"header": {"path": "x.py"}, "hunks": [{"lines": ["+a", "-b"]}]},
    })
}

#[test]
fn rows_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    for (name, count, compression) in [
        ("plain", 1, Compression::UNCOMPRESSED),
        ("snappy", 100, Compression::SNAPPY),
        ("zstd", 65, Compression::ZSTD(Default::default())),
    ] {
        let path = folder.path().join(name);
        let rows: Vec<Value> = (0..count).map(row).collect();
        write(&path, &rows, compression);
        let found: Vec<Value> =
            read_rows(&path).unwrap().map(|line| serde_json::from_slice(&line.unwrap()).unwrap()).collect();
        assert_eq!(found, rows, "{name}");
    }
}

#[test]
fn what_is_no_parquet_or_not_whole_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    assert!(read_rows(&path).is_err());
    write(&path, &(0..50).map(row).collect::<Vec<_>>(), Compression::SNAPPY);
    let whole = std::fs::read(&path).unwrap();
    for cut in [0, 4, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(read_rows(&path).is_err(), "cut at {cut}");
    }
    let mut bad = whole;
    bad[8..200].fill(0xff);
    std::fs::write(&path, bad).unwrap();
    let rows: Vec<_> = read_rows(&path).map(|rows| rows.take(1000).collect()).unwrap_or_default();
    assert!(rows.iter().any(Result::is_err), "broken pages are an error, and the last thing");
    assert!(rows.iter().position(Result::is_err).is_none_or(|at| at + 1 == rows.len()));
}

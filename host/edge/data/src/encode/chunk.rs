//! One column of one row group, page by page.

use super::bits;
use crate::schema::{Column, Kind, Packing};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter as _};
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// The level that costs least; higher ones gain a few per cent on numbers packed already.
const ZSTD_LEVEL: i32 = 1;

/// Values of rows of which some have none. Rows without one cost nothing.
#[derive(Debug)]
pub(crate) struct Optional<T> {
    values: Vec<T>,
    /// A bit for each row, set if it has a value; ends with the last row that has.
    rows: Vec<u64>,
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Self { values: Vec::new(), rows: Vec::new() }
    }
}

impl<T> Optional<T> {
    /// Gives `row`, which is above every row that has a value, this one.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: T) {
        let word = row / 64;
        if word >= self.rows.len() {
            self.rows.resize(word + 1, 0);
        }
        self.rows[word] |= 1 << (row % 64);
        self.values.push(value);
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.rows.clear();
    }
}

/// The rows of a page, as a column's kind wants them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data<'a> {
    Integers(&'a [i64]),
    OptionalIntegers(&'a Optional<i64>),
    Numbers(&'a [f64]),
    /// Positions in the column's list of names.
    Names(&'a [u8]),
    OptionalNames(&'a Optional<u8>),
    Texts(&'a [String]),
}

impl Data<'_> {
    /// Rows, where each has a value.
    fn rows(self) -> Option<usize> {
        match self {
            Self::Integers(values) => Some(values.len()),
            Self::Numbers(values) => Some(values.len()),
            Self::Names(values) => Some(values.len()),
            Self::Texts(values) => Some(values.len()),
            Self::OptionalIntegers(_) | Self::OptionalNames(_) => None,
        }
    }

    /// Whether the column may hold this.
    fn fits(self, column: &Column, rows: usize) -> bool {
        let kind = match self {
            Self::Integers(_) => matches!(column.kind, Kind::Integer | Kind::Time) && !column.nullable,
            Self::OptionalIntegers(_) => matches!(column.kind, Kind::Integer | Kind::Time) && column.nullable,
            Self::Numbers(_) => column.kind == Kind::Number && !column.nullable,
            Self::Names(_) => matches!(column.kind, Kind::Name(_)) && !column.nullable,
            Self::OptionalNames(_) => matches!(column.kind, Kind::Name(_)) && column.nullable,
            Self::Texts(_) => column.kind == Kind::Text && !column.nullable,
        };
        kind && self.rows().is_none_or(|found| found == rows)
    }
}

/// A column chunk: its bytes, and what the footer says of them, with offsets counted from their beginning.
#[derive(Debug)]
pub(crate) struct EncodedChunk {
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: ColumnChunkMetaData,
}

/// Builds an [`EncodedChunk`].
pub(crate) struct ChunkEncoder {
    column: &'static Column,
    descriptor: ColumnDescPtr,
    sink: TrackedWrite<Vec<u8>>,
    uncompressed: usize,
    has_dictionary: bool,
    data_page_offset: Option<u64>,
    encoding: Encoding,
    rows: usize,
    nulls: usize,
    range: Option<(i64, i64)>,
}

impl ChunkEncoder {
    pub(crate) fn new(column: &'static Column, descriptor: ColumnDescPtr) -> Result<Self> {
        let mut encoder = Self {
            column,
            descriptor,
            sink: TrackedWrite::new(Vec::new()),
            uncompressed: 0,
            has_dictionary: false,
            data_page_offset: None,
            encoding: Encoding::PLAIN,
            rows: 0,
            nulls: 0,
            range: None,
        };
        if let Kind::Name(names) = column.kind {
            let mut dictionary = Vec::new();
            names.iter().for_each(|name| plain_text(name, &mut dictionary));
            encoder.dictionary(dictionary, names.len())?;
        }
        Ok(encoder)
    }

    /// Adds a page of `rows` rows.
    pub(crate) fn page(&mut self, data: Data<'_>, rows: usize) -> Result<()> {
        // A bug of ours: what is produced is not what the schema promises.
        assert!(data.fits(self.column, rows), "column {} does not hold {data:?} of {rows} rows", self.column.name);
        let mut page = Vec::new();
        match data {
            Data::Integers(values) => self.integers(values, &mut page),
            Data::OptionalIntegers(optional) => {
                self.presence(optional, rows, &mut page);
                self.integers(&optional.values, &mut page);
            }
            Data::Names(values) => self.names(values, &mut page),
            Data::OptionalNames(optional) => {
                self.presence(optional, rows, &mut page);
                self.names(&optional.values, &mut page);
            }
            Data::Numbers(values) => {
                self.encoding = Encoding::PLAIN;
                page.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Data::Texts(values) => {
                self.encoding = Encoding::PLAIN;
                values.iter().for_each(|text| plain_text(text, &mut page));
            }
        }
        self.data_page(page, rows)
    }

    /// Adds `rows` rows that all hold this text.
    pub(crate) fn repeat_text(&mut self, text: &str, rows: usize) -> Result<()> {
        assert!(self.column.kind == Kind::Label, "column {} holds more than one text", self.column.name);
        let mut dictionary = Vec::new();
        plain_text(text, &mut dictionary);
        self.repeat(dictionary, rows)
    }

    /// Adds `rows` rows that all hold this seed.
    pub(crate) fn repeat_seed(&mut self, seed: u64, rows: usize) -> Result<()> {
        assert!(self.column.kind == Kind::Seed, "column {} holds no seeds", self.column.name);
        // Parquet has no unsigned type of its own: the bits are those of a signed one.
        let bits = i64::from_le_bytes(seed.to_le_bytes());
        self.range = Some((bits, bits));
        self.repeat(seed.to_le_bytes().to_vec(), rows)
    }

    fn repeat(&mut self, dictionary: Vec<u8>, rows: usize) -> Result<()> {
        self.dictionary(dictionary, 1)?;
        self.encoding = Encoding::RLE_DICTIONARY;
        let mut page = vec![1];
        bits::run(0, rows, 1, &mut page);
        self.data_page(page, rows)
    }

    fn integers(&mut self, values: &[i64], page: &mut Vec<u8>) {
        self.encoding = Encoding::DELTA_BINARY_PACKED;
        bits::deltas(values, page);
        // Of columns that only grow the range costs nothing, and helps those who look for a time.
        if let (true, Some(first), Some(last)) = (self.column.is_ascending(), values.first(), values.last()) {
            self.range = Some((self.range.map_or(*first, |(low, _)| low), *last));
        }
    }

    fn names(&mut self, values: &[u8], page: &mut Vec<u8>) {
        self.encoding = Encoding::RLE_DICTIONARY;
        let Kind::Name(names) = self.column.kind else { return };
        let width = bits::width(names.len() as u64 - 1).max(1);
        page.push(width as u8);
        bits::hybrid(values, width, page);
    }

    /// The definition levels: which rows have a value.
    fn presence<T>(&mut self, optional: &Optional<T>, rows: usize, page: &mut Vec<u8>) {
        let set = optional.values.len();
        assert!(
            set <= rows && optional.rows.len() <= rows.div_ceil(64),
            "column {}: more values than rows",
            self.column.name
        );
        self.nulls += rows - set;
        page.extend_from_slice(&[0; 4]);
        bits::bitmap(&optional.rows, rows, set, page);
        let length = page.len() as u32 - 4;
        page[..4].copy_from_slice(&length.to_le_bytes());
    }

    fn dictionary(&mut self, bytes: Vec<u8>, count: usize) -> Result<()> {
        self.has_dictionary = true;
        let (bytes, uncompressed) = self.compress(bytes)?;
        let page = Page::DictionaryPage {
            buf: bytes.into(),
            num_values: count as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        self.write(page, uncompressed).map(|_| ())
    }

    fn data_page(&mut self, bytes: Vec<u8>, rows: usize) -> Result<()> {
        self.rows += rows;
        let (bytes, uncompressed) = self.compress(bytes)?;
        let page = Page::DataPage {
            buf: bytes.into(),
            num_values: rows as u32,
            encoding: self.encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let offset = self.write(page, uncompressed)?;
        self.data_page_offset.get_or_insert(offset);
        Ok(())
    }

    fn compress(&self, bytes: Vec<u8>) -> Result<(Vec<u8>, usize)> {
        let uncompressed = bytes.len();
        let bytes = match self.column.packing() {
            Packing::Plain => bytes,
            Packing::Zstd => zstd::bulk::compress(&bytes, ZSTD_LEVEL)?,
        };
        Ok((bytes, uncompressed))
    }

    fn write(&mut self, page: Page, uncompressed: usize) -> Result<u64> {
        let spec = SerializedPageWriter::new(&mut self.sink).write_page(CompressedPage::new(page, uncompressed))?;
        self.uncompressed += spec.uncompressed_size;
        Ok(spec.offset)
    }

    pub(crate) fn finish(self) -> Result<EncodedChunk> {
        let compressed = self.sink.bytes_written();
        let bytes = self.sink.into_inner()?;
        let compression = match self.column.packing() {
            Packing::Plain => Compression::UNCOMPRESSED,
            Packing::Zstd => Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?),
        };
        let nulls = Some(self.nulls as u64);
        let statistics = match self.range {
            Some((low, high)) => Statistics::int64(Some(low), Some(high), None, nulls, false),
            None if matches!(self.column.kind, Kind::Integer | Kind::Time | Kind::Seed) => {
                Statistics::int64(None, None, None, nulls, false)
            }
            None if self.column.kind == Kind::Number => Statistics::double(None, None, None, nulls, false),
            None => Statistics::byte_array(None::<ByteArray>, None, None, nulls, false),
        };
        let metadata = ColumnChunkMetaData::builder(self.descriptor)
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, self.encoding])
            .set_compression(compression)
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(compressed as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_data_page_offset(self.data_page_offset.unwrap_or(0) as i64)
            .set_dictionary_page_offset(self.has_dictionary.then_some(0))
            .set_statistics(statistics)
            .build()?;
        Ok(EncodedChunk { bytes, metadata })
    }
}

/// A text as the `PLAIN` encoding has it.
fn plain_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

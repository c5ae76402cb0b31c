//! Javabin version 2, Solr's own binary notation: a version byte, then one value. A value is a tag and what
//! belongs to it; the tags of texts, arrays, maps and small numbers hold their first bits. Who writes and who
//! reads share the tags. Layout as of Solr 9.10.1 (`JavaBinCodec`), confirmed by bytes recorded from one.

mod read;
mod write;

pub(crate) use read::{JavabinReader, JavabinToken};
pub(crate) use write::Encoder;

/// The first byte.
pub(crate) const VERSION: u8 = 2;

/// Tags that are a byte of their own.
mod tag {
    pub const NULL: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const SHORT: u8 = 4;
    pub const DOUBLE: u8 = 5;
    pub const INT: u8 = 6;
    pub const LONG: u8 = 7;
    pub const FLOAT: u8 = 8;
    pub const DATE: u8 = 9;
    pub const MAP: u8 = 10;
    pub const DOCUMENT: u8 = 11;
    pub const DOCUMENT_LIST: u8 = 12;
    pub const BYTES: u8 = 13;
    pub const ITERATOR: u8 = 14;
    pub const END: u8 = 15;
    pub const INPUT_DOCUMENT: u8 = 16;
    pub const MAP_ENTRIES: u8 = 17;
    pub const ENUM: u8 = 18;
    pub const MAP_ENTRY: u8 = 19;
    pub const PRIMITIVES: u8 = 21;

    /// The bits of a tag that begins a size or a number.
    pub const KIND: u8 = 0xe0;
    pub const TEXT: u8 = 1 << 5;
    pub const SMALL_INT: u8 = 2 << 5;
    pub const SMALL_LONG: u8 = 3 << 5;
    pub const ARRAY: u8 = 4 << 5;
    pub const ORDERED_MAP: u8 = 5 << 5;
    pub const NAMED_LIST: u8 = 6 << 5;
    pub const NAME: u8 = 7 << 5;
}

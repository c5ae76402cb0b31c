//! Writes javabin, value by value: the caller says how many values a list has and then writes them. The tags
//! are `mod.rs`, the other direction `read.rs`; responses and cursor marks are written by it. It keeps the
//! table of names while it writes, which the reader builds up in the same order.

use std::collections::HashMap;

use super::{VERSION, tag};

/// Appends to `out`. A name is written once and afterwards by its number.
pub(crate) struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    names: HashMap<String, usize>,
}

impl<'a> Encoder<'a> {
    /// Begins with the version.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(VERSION);
        Self { out, names: HashMap::new() }
    }

    pub fn null(&mut self) {
        self.out.push(tag::NULL);
    }

    pub fn boolean(&mut self, flag: bool) {
        self.out.push(if flag { tag::TRUE } else { tag::FALSE });
    }

    pub fn int(&mut self, number: i32) {
        match u64::try_from(number) {
            Ok(small) if small > 0 => self.small(tag::SMALL_INT, small),
            _ => self.tagged(tag::INT, &number.to_be_bytes()),
        }
    }

    pub fn long(&mut self, number: i64) {
        match u64::try_from(number) {
            Ok(small) if small >> 56 == 0 => self.small(tag::SMALL_LONG, small),
            _ => self.tagged(tag::LONG, &number.to_be_bytes()),
        }
    }

    pub fn float(&mut self, number: f32) {
        self.tagged(tag::FLOAT, &number.to_be_bytes());
    }

    pub fn double(&mut self, number: f64) {
        self.tagged(tag::DOUBLE, &number.to_be_bytes());
    }

    /// Milliseconds since the epoch.
    pub fn date(&mut self, ms: i64) {
        self.tagged(tag::DATE, &ms.to_be_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.push(tag::BYTES);
        self.variable(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.sized(tag::TEXT, text.len());
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Before this many values.
    pub fn array(&mut self, len: usize) {
        self.sized(tag::ARRAY, len);
    }

    /// Before this many names with their values: Solr's `SimpleOrderedMap`.
    pub fn ordered_map(&mut self, len: usize) {
        self.sized(tag::ORDERED_MAP, len);
    }

    /// Before this many names with their values: a Java map.
    pub fn map(&mut self, len: usize) {
        self.out.push(tag::MAP);
        self.variable(len as u64);
    }

    /// Before this many names with their values: Solr's `NamedList`.
    pub fn named_list(&mut self, len: usize) {
        self.sized(tag::NAMED_LIST, len);
    }

    /// Before this many fields with their values.
    pub fn document(&mut self, len: usize) {
        self.out.push(tag::DOCUMENT);
        self.ordered_map(len);
    }

    /// Before an array of the facts of a query and an array of documents.
    pub fn document_list(&mut self) {
        self.out.push(tag::DOCUMENT_LIST);
    }

    pub fn name(&mut self, name: Option<&str>) {
        let Some(name) = name else { return self.null() };
        match self.names.get(name) {
            Some(number) => {
                let number = *number;
                self.sized(tag::NAME, number);
            }
            None => {
                self.names.insert(name.to_owned(), self.names.len() + 1);
                self.sized(tag::NAME, 0);
                self.text(name);
            }
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.out.push(tag);
        self.out.extend_from_slice(bytes);
    }

    /// Five bits in the tag, and what goes beyond in more bytes.
    fn sized(&mut self, tag: u8, size: usize) {
        match u8::try_from(size) {
            Ok(small) if small < 0x1f => self.out.push(tag | small),
            _ => {
                self.out.push(tag | 0x1f);
                self.variable(size as u64 - 0x1f);
            }
        }
    }

    /// Four bits in the tag; a fifth tells whether there are more.
    fn small(&mut self, tag: u8, number: u64) {
        let low = tag | (number & 0x0f) as u8;
        if number < 0x0f {
            self.out.push(low);
        } else {
            self.out.push(low | 0x10);
            self.variable(number >> 4);
        }
    }

    /// Seven bits a byte, the lowest first.
    fn variable(&mut self, mut number: u64) {
        while number > 0x7f {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}

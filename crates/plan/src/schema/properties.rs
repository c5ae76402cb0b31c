//! How a field is kept: the switches of Solr's schema, resolved from the schema's version, the type and the
//! field. Defaults by schema version are those of Solr's reference guide ("version" attribute of `schema`).
//! In: what type and field declare, as texts; out: one record of switches, with every default filled in,
//! which is all that other layers ask. Combinations that Solr refuses are refused here.

use crate::error::{Error, Result};
use crate::schema::class::FieldClass;

/// Where documents without a value sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortMissing {
    /// As if the value were below all others: first ascending, last descending.
    AsLowest,
    First,
    Last,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    pub indexed: bool,
    pub stored: bool,
    pub doc_values: bool,
    pub multi_valued: bool,
    pub tokenized: bool,
    pub omit_norms: bool,
    pub omit_term_freq_and_positions: bool,
    pub omit_positions: bool,
    pub store_offsets: bool,
    pub term_vectors: bool,
    pub term_positions: bool,
    pub term_offsets: bool,
    pub term_payloads: bool,
    pub uninvertible: bool,
    pub use_doc_values_as_stored: bool,
    pub sort_missing_first: bool,
    pub sort_missing_last: bool,
    pub required: bool,
    pub large: bool,
}

impl Properties {
    /// What a type of `class` gets in a schema of `version` before any attribute is read.
    pub fn defaults(class: FieldClass, version: f32) -> Self {
        let primitive = class.is_primitive();
        Self {
            indexed: true,
            // A path is for searching and for telling documents apart (Solr's `NestPathField`).
            // Nor can a number that ranks be given back (Solr's `RankField`).
            stored: !matches!(class, FieldClass::NestPath | FieldClass::Rank),
            doc_values: version >= 1.7 && class.has_doc_values_by_default(),
            multi_valued: version < 1.1,
            tokenized: class.is_text() || class == FieldClass::NestPath,
            omit_norms: version >= 1.5 && primitive || class.is_on_tree(),
            omit_term_freq_and_positions: version >= 1.2 && !class.is_text(),
            omit_positions: class.is_on_tree(),
            store_offsets: false,
            term_vectors: false,
            term_positions: false,
            term_offsets: false,
            term_payloads: false,
            uninvertible: version < 1.7,
            use_doc_values_as_stored: version >= 1.6
                && !matches!(class, FieldClass::NestPath | FieldClass::SortableText),
            sort_missing_first: false,
            sort_missing_last: false,
            required: false,
            large: false,
        }
    }

    /// Applies the attributes that are switches; returns the others untouched. `owner` names the field in
    /// errors.
    pub fn apply<'a>(
        &mut self,
        attributes: &'a [(String, String)],
        owner: &str,
    ) -> Result<Vec<&'a (String, String)>> {
        let mut others = Vec::new();
        for attribute in attributes {
            match self.switch(&attribute.0) {
                Some(switch) => *switch = parse_bool(owner, &attribute.0, &attribute.1)?,
                None => others.push(attribute),
            }
        }
        if attributes.iter().any(|(name, value)| name == "omitTermFreqAndPositions" && value == "true") {
            self.omit_positions = true;
        }
        Ok(others)
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "indexed" => &mut self.indexed,
            "stored" => &mut self.stored,
            "docValues" => &mut self.doc_values,
            "multiValued" => &mut self.multi_valued,
            "tokenized" => &mut self.tokenized,
            "omitNorms" => &mut self.omit_norms,
            "omitTermFreqAndPositions" => &mut self.omit_term_freq_and_positions,
            "omitPositions" => &mut self.omit_positions,
            "storeOffsetsWithPositions" => &mut self.store_offsets,
            "termVectors" => &mut self.term_vectors,
            "termPositions" => &mut self.term_positions,
            "termOffsets" => &mut self.term_offsets,
            "termPayloads" => &mut self.term_payloads,
            "uninvertible" => &mut self.uninvertible,
            "useDocValuesAsStored" => &mut self.use_doc_values_as_stored,
            "sortMissingFirst" => &mut self.sort_missing_first,
            "sortMissingLast" => &mut self.sort_missing_last,
            "required" => &mut self.required,
            "large" => &mut self.large,
            _ => return None,
        })
    }

    /// The switches by Solr's names, in the order the schema API shows them.
    pub fn named(&self) -> [(&'static str, bool); 19] {
        [
            ("indexed", self.indexed),
            ("stored", self.stored),
            ("docValues", self.doc_values),
            ("termVectors", self.term_vectors),
            ("termPositions", self.term_positions),
            ("termOffsets", self.term_offsets),
            ("termPayloads", self.term_payloads),
            ("omitNorms", self.omit_norms),
            ("omitTermFreqAndPositions", self.omit_term_freq_and_positions),
            ("omitPositions", self.omit_positions),
            ("storeOffsetsWithPositions", self.store_offsets),
            ("multiValued", self.multi_valued),
            ("large", self.large),
            ("uninvertible", self.uninvertible),
            ("sortMissingFirst", self.sort_missing_first),
            ("sortMissingLast", self.sort_missing_last),
            ("required", self.required),
            ("tokenized", self.tokenized),
            ("useDocValuesAsStored", self.use_doc_values_as_stored),
        ]
    }

    pub fn sort_missing(&self) -> SortMissing {
        match (self.sort_missing_first, self.sort_missing_last) {
            (true, _) => SortMissing::First,
            (false, true) => SortMissing::Last,
            (false, false) => SortMissing::AsLowest,
        }
    }

    /// Whether Solr keeps term vectors that tell where in a text its terms stand.
    pub fn has_offset_vectors(&self) -> bool {
        self.term_positions && self.term_offsets
    }

    /// Whether values can be given back: stored, or a column that stands in for it.
    pub fn retrievable(&self) -> bool {
        self.stored || (self.doc_values && self.use_doc_values_as_stored)
    }
}

fn parse_bool(owner: &str, name: &str, value: &str) -> Result<bool> {
    match value.trim() {
        "true" | "on" | "yes" => Ok(true),
        "false" | "off" | "no" => Ok(false),
        _ => {
            Err(Error::bad_request(format!("`{owner}`: attribute `{name}` is `{value}`; use true or false")))
        }
    }
}

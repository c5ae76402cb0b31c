//! Update processors as a `solrconfig.xml` declares them: pure settings, with Solr's defaults filled in. Read
//! by `solr::config`, done by `solr::update::processors`; the one that works by the clock is the engine's. No
//! pattern is compiled and nothing is looked up here: a configuration is data that can be compared and sent,
//! and what is made of it is kept beside it.

use serde::{Deserialize, Serialize};

/// What a collection does to updates before they reach its shard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateProcessing {
    pub chains: Vec<UpdateChain>,
    /// Those that have a name of their own, which requests and chains may call for.
    pub named: Vec<UpdateProcessor>,
    /// Which of the chains requests take that name none; without one they only reach the shard.
    pub default_chain: Option<usize>,
}

impl UpdateProcessing {
    /// The fields that say when documents end, and every how many seconds those are deleted that have.
    pub fn expiries(&self) -> Vec<(String, u64)> {
        let all = self.chains.iter().flat_map(|chain| &chain.processors);
        let mut found: Vec<(String, u64)> = Vec::new();
        for processor in all.chain(self.named.iter().map(|it| &it.processor)) {
            if let Processor::Expire(Expiry { field, delete_every_s: Some(every_s), .. }) = processor {
                found.retain(|(known, _)| known != field);
                found.push((field.clone(), *every_s));
            }
        }
        found
    }
}

/// Processors in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateChain {
    /// Empty where the file gives none.
    pub name: String,
    pub processors: Vec<Processor>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UpdateProcessor {
    pub name: String,
    pub processor: Processor,
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Processor {
    /// Where the shard takes over: what stands behind is done to whole documents, edits merged.
    Distribute,
    /// Where documents are indexed; a chain without it changes nothing.
    Run,
    /// One whose work is done anyway, or that only keeps a log.
    Nothing,
    /// Changes the values of fields.
    Change {
        fields: FieldChoice,
        change: Change,
    },
    /// Gives a field a value where it has none; `None` is the unique key.
    Default {
        field: Option<String>,
        value: DefaultValue,
    },
    /// Adds the values of fields to others.
    Clone {
        fields: FieldChoice,
        dest: CloneDest,
    },
    /// Renames fields.
    Rename {
        fields: FieldChoice,
        pattern: String,
        replacement: String,
    },
    /// Adds fields to the schema that it does not know.
    AddFields(AddFields),
    /// Refuses documents, or only complains, once there are this many fields.
    LimitFields {
        fields_max: u64,
        warn_only: bool,
    },
    Sign(Signing),
    /// Goes on after errors; `None` after any number.
    Tolerate {
        errors_max: Option<u64>,
    },
    Expire(Expiry),
    Revise(Revising),
    /// Leaves out new documents that are there already, edits of what is not.
    SkipExisting {
        inserts: bool,
        updates: bool,
    },
    /// Makes edits of fields that `atomic.FIELD` names.
    EditByParameters,
    /// Adds fields by templates: `template.field=name:text with {other}`.
    Templates,
    /// Keeps clients from committing.
    IgnoreCommits {
        status: u16,
        message: Option<String>,
        optimize_only: bool,
    },
}

/// Which fields a processor concerns: all conditions that are set must hold, of those of one kind any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldChoice {
    /// `None` where the file sets no condition.
    pub wanted: Option<FieldConditions>,
    pub excluded: Vec<FieldConditions>,
    /// What is meant where the file sets no condition.
    pub otherwise: FieldDefault,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldConditions {
    pub names: Vec<String>,
    /// Java's regular expressions, of whole names.
    pub patterns: Vec<String>,
    pub type_names: Vec<String>,
    /// Short names of classes.
    pub type_classes: Vec<String>,
    /// Whether the schema knows the name.
    pub known: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldDefault {
    #[default]
    None,
    All,
    /// That the schema does not know.
    Unknown,
    /// Those, and fields of the type that the processor makes.
    UnknownOrOfItsType,
    /// Of text or strings, for one value.
    SingleText,
}

/// What is done to the values of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    Trim,
    RemoveBlank,
    Replace {
        pattern: String,
        replacement: String,
        literal: bool,
    },
    Truncate {
        chars_max: usize,
    },
    StripHtml,
    /// A text by the count of its characters.
    Length,
    Join {
        delimiter: String,
    },
    Count,
    First,
    Last,
    Least,
    Greatest,
    /// Each value once.
    Unique,
    /// Drops the field.
    Ignore,
    Parse(Parsing),
}

/// What texts are read as; a field changes only when all its values can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Parsing {
    Bool {
        yes: Vec<String>,
        no: Vec<String>,
        case_sensitive: bool,
    },
    Int(NumberStyle),
    Long(NumberStyle),
    Float(NumberStyle),
    Double(NumberStyle),
    /// By patterns of Java's `DateTimeFormatter`; `zone` is that of texts that name none.
    Date {
        patterns: Vec<String>,
        zone: Option<String>,
    },
}

/// How a language writes numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberStyle {
    pub group: char,
    pub point: char,
}

impl NumberStyle {
    pub const ROOT: Self = Self { group: ',', point: '.' };
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultValue {
    Text(String),
    Now,
    Uuid,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CloneDest {
    Field(String),
    /// The source's name with the pattern replaced.
    Renamed {
        pattern: String,
        replacement: String,
    },
}

/// Which types guessed fields get.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AddFields {
    pub fields: FieldChoice,
    /// Where no mapping fits.
    pub default_type: String,
    pub mappings: Vec<TypeMapping>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeMapping {
    pub field_type: String,
    pub values: Vec<ValueClass>,
    /// Copies of the new field: destination, which may hold a `*` for the name, and how many characters.
    pub copies: Vec<(String, usize)>,
}

/// Java's classes of values, as far as a mapping can name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueClass {
    Text,
    Bool,
    Date,
    Whole,
    Float,
    Double,
    Number,
    Any,
}

/// A digest of some fields, by which documents are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signing {
    pub field: String,
    /// In order of their names; empty means all.
    pub fields: Vec<String>,
    pub kind: SignatureKind,
    /// Whether documents of the same signature give way to the newest.
    pub overwrite: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SignatureKind {
    Lookup3,
    Md5,
    TextProfile { quantum_rate: f32, token_chars_min: usize },
}

/// Documents that live for a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiry {
    /// Where the end is written.
    pub field: String,
    /// What holds the time to live; `None` where the file names nothing on purpose.
    pub ttl_field: Option<String>,
    pub ttl_param: Option<String>,
    /// How often what has ended is deleted.
    pub delete_every_s: Option<u64>,
}

/// Documents that bear revisions: an older one does not replace a newer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revising {
    pub fields: Vec<String>,
    /// Older ones are passed over instead of refused.
    pub ignore_old: bool,
    /// Parameters that give the revisions of a delete, which leaves a mark of it.
    pub delete_params: Vec<String>,
    /// Whether a document without revision may be replaced.
    pub missing_allowed: bool,
    /// More fields of the mark that a delete leaves.
    pub mark_fields: Vec<(String, String)>,
}

//! Filters about payloads and types: `delimitedPayload`, `numericPayload`, `tokenOffsetPayload`,
//! `typeAsPayload`, `typeAsSynonym`, `type`, `delimitedTermFrequency`, `delimitedBoost`, `dropIfFlagged`.
//! Payloads have Lucene's bytes: numbers big-endian, text in UTF-8.

use std::sync::Arc;

use plan::PayloadKind;

use crate::args::Args;
use crate::definition::{FilterDefinition, StoredPayloads};
use crate::error::Error;
use crate::filter::shape::{Keep, Keeping, Plain, Rewrite, Rewriting};
use crate::stage::{Filter, Input};
use crate::token::{Boost, Token};
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[
    &DELIMITED_PAYLOAD,
    &NUMERIC_PAYLOAD,
    &TOKEN_OFFSET_PAYLOAD,
    &TYPE_AS_PAYLOAD,
    &TYPE_AS_SYNONYM,
    &TYPE,
    &DELIMITED_TERM_FREQUENCY,
    &DELIMITED_BOOST,
    &DROP_IF_FLAGGED,
];

static DELIMITED_PAYLOAD: FilterDefinition = FilterDefinition::new(
    "delimitedPayload",
    "payloads.DelimitedPayloadTokenFilterFactory",
    &["encoder", "delimiter"],
    "Takes what follows the delimiter (|) as the payload: a float, an integer or the text (identity).",
    build_delimited,
)
.storing(StoredPayloads::Encoded);

static NUMERIC_PAYLOAD: FilterDefinition = FilterDefinition::new(
    "numericPayload",
    "payloads.NumericPayloadTokenFilterFactory",
    &["payload", "typeMatch"],
    "Gives tokens of one type a number as payload.",
    |args| {
        args.required("payload")?;
        let payload = args.float("payload", 0.0)?.to_be_bytes();
        Ok(Box::new(Rewriting(NumericPayload { payload, kind: Arc::from(args.required("typeMatch")?) })))
    },
)
.storing(StoredPayloads::Always(PayloadKind::Float));

static TOKEN_OFFSET_PAYLOAD: FilterDefinition = FilterDefinition::new(
    "tokenOffsetPayload",
    "payloads.TokenOffsetPayloadTokenFilterFactory",
    &[],
    "Stores the token's offsets (bytes of the text) as payload.",
    |_| Ok(Box::new(Rewriting(Plain(offsets_as_payload)))),
)
.storing(StoredPayloads::Always(PayloadKind::Text));

static TYPE_AS_PAYLOAD: FilterDefinition = FilterDefinition::new(
    "typeAsPayload",
    "payloads.TypeAsPayloadTokenFilterFactory",
    &[],
    "Stores the token's type as payload.",
    |_| {
        Ok(Box::new(Rewriting(Plain(|token: &mut Token| {
            token.payload = Some(token.kind.as_bytes().to_vec());
        }))))
    },
)
.storing(StoredPayloads::Always(PayloadKind::Text));

static TYPE_AS_SYNONYM: FilterDefinition = FilterDefinition::new(
    "typeAsSynonym",
    "miscellaneous.TypeAsSynonymFilterFactory",
    &["prefix", "ignore", "synFlagsMask"],
    "Adds the token's type as a synonym of it.",
    build_type_as_synonym,
);

static TYPE: FilterDefinition = FilterDefinition::new(
    "type",
    "core.TypeTokenFilterFactory",
    &["types", "useWhitelist"],
    "Drops tokens whose type is in the files `types`, or all others (`useWhitelist`).",
    |args| {
        args.required("types")?;
        let types = args.words("types", false)?.unwrap_or_default();
        Ok(Keeping::boxed(Types { types: Arc::new(types), keeps_listed: args.flag("useWhitelist", false) }))
    },
)
.reading(&["types"]);

static DELIMITED_TERM_FREQUENCY: FilterDefinition = FilterDefinition::new(
    "delimitedTermFrequency",
    "miscellaneous.DelimitedTermFrequencyTokenFilterFactory",
    &["delimiter"],
    "Takes the number after the delimiter (|) as the term's frequency.",
    |args| Ok(Box::new(Rewriting(TermFrequency { delimiter: args.character("delimiter", '|')? }))),
);

static DELIMITED_BOOST: FilterDefinition = FilterDefinition::new(
    "delimitedBoost",
    "boost.DelimitedBoostTokenFilterFactory",
    &["delimiter"],
    "Takes the number after the delimiter (|) as a boost of the term in queries.",
    |args| Ok(Box::new(Rewriting(TermBoost { delimiter: args.character("delimiter", '|')? }))),
);

static DROP_IF_FLAGGED: FilterDefinition = FilterDefinition::new(
    "dropIfFlagged",
    "miscellaneous.DropIfFlaggedFilterFactory",
    &["dropFlags"],
    "Drops tokens that have all the flags of a mask.",
    |args| Ok(Keeping::boxed(DropFlagged { mask: args.int("dropFlags", 2)? as u32 })),
);

#[derive(Clone, Copy)]
enum Encoder {
    Float,
    Integer,
    Identity,
}

fn build_delimited(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let name = args.required("encoder")?;
    let encoder = match name.rsplit('.').next() {
        Some("float" | "FloatEncoder") => Encoder::Float,
        Some("integer" | "IntegerEncoder") => Encoder::Integer,
        Some("identity" | "IdentityEncoder") => Encoder::Identity,
        _ => return Err(args.bad("encoder", name, "is unknown; use float, integer or identity")),
    };
    Ok(Box::new(Rewriting(DelimitedPayload { encoder, delimiter: args.character("delimiter", '|')? })))
}

#[derive(Clone)]
struct DelimitedPayload {
    encoder: Encoder,
    delimiter: char,
}

/// Cuts a token at the first delimiter and returns what followed it.
fn split_off(token: &mut Token, delimiter: char) -> Option<String> {
    let at = token.text.find(delimiter)?;
    let rest = token.text.split_off(at);
    // The delimiter may be any character, so it is skipped as one, not as one byte.
    Some(rest.chars().skip(1).collect())
}

impl Rewrite for DelimitedPayload {
    /// Solr differs: a number that cannot be read fails the document there; here the token gets no payload.
    fn rewrite(&mut self, token: &mut Token) {
        let Some(rest) = split_off(token, self.delimiter) else {
            token.payload = None;
            return;
        };
        token.payload = match self.encoder {
            Encoder::Float => rest.parse::<f32>().ok().map(|number| number.to_be_bytes().to_vec()),
            Encoder::Integer => rest.parse::<i32>().ok().map(|number| number.to_be_bytes().to_vec()),
            Encoder::Identity => Some(rest.into_bytes()),
        };
    }
}

#[derive(Clone)]
struct NumericPayload {
    payload: [u8; 4],
    kind: Arc<str>,
}

impl Rewrite for NumericPayload {
    fn rewrite(&mut self, token: &mut Token) {
        if *token.kind == *self.kind {
            token.payload = Some(self.payload.to_vec());
        }
    }
}

fn offsets_as_payload(token: &mut Token) {
    token.payload = Some([token.start.to_be_bytes(), token.end.to_be_bytes()].concat());
}

fn build_type_as_synonym(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let ignored = args.list("ignore").into_iter().map(str::to_owned);
    Ok(Box::new(TypeAsSynonym {
        prefix: Arc::from(args.get("prefix").unwrap_or_default()),
        ignored: Arc::new(WordSet::new(ignored, false)),
        mask: args.int("synFlagsMask", -1)? as u32,
        waiting: None,
    }))
}

struct TypeAsSynonym {
    prefix: Arc<str>,
    ignored: Arc<WordSet>,
    mask: u32,
    waiting: Option<Token>,
}

impl Filter for TypeAsSynonym {
    fn reset(&mut self) {
        self.waiting = None;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(synonym) = self.waiting.take() {
            *token = synonym;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        if !self.ignored.contains(&token.kind) {
            let text = format!("{}{}", self.prefix, token.kind);
            // Flags tell other filters about the original; the mask says which of them hold for the synonym
            // too.
            let flags = token.flags & self.mask;
            self.waiting = Some(Token { text, flags, position_increment: 0, ..token.clone() });
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(TypeAsSynonym {
            prefix: self.prefix.clone(),
            ignored: self.ignored.clone(),
            mask: self.mask,
            waiting: None,
        })
    }
}

#[derive(Clone)]
struct Types {
    types: Arc<WordSet>,
    keeps_listed: bool,
}

impl Keep for Types {
    fn keeps(&mut self, token: &Token) -> bool {
        self.types.contains(&token.kind) == self.keeps_listed
    }
}

#[derive(Clone)]
struct TermFrequency {
    delimiter: char,
}

impl Rewrite for TermFrequency {
    fn rewrite(&mut self, token: &mut Token) {
        if let Some(rest) = split_off(token, self.delimiter) {
            token.frequency = rest.parse().unwrap_or(1);
        }
    }
}

#[derive(Clone)]
struct TermBoost {
    delimiter: char,
}

impl Rewrite for TermBoost {
    fn rewrite(&mut self, token: &mut Token) {
        if let Some(rest) = split_off(token, self.delimiter) {
            token.boost = rest.parse().map_or(Boost::ONE, Boost::new);
        }
    }
}

#[derive(Clone)]
struct DropFlagged {
    mask: u32,
}

impl Keep for DropFlagged {
    fn keeps(&mut self, token: &Token) -> bool {
        token.flags & self.mask != self.mask
    }
}

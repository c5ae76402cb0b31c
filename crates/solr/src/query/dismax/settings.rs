//! The parameters of a `dismax` or `edismax` query, read before its text. Local ones come first, as for every
//! parser; what the boosts are is read where they are made (`boosts.rs`). In: a request, local parameters and
//! its own; out: `Settings` for both parsers, `Extended` for `edismax` alone. Defaults are those of the
//! parameters' definitions (`params/dismax.rs`), but for those that follow from another parameter.

use plan::{Error, Result};

use super::field_list::{PhraseField, Weighted, phrase_fields, weighted};
use super::user_fields::UserFields;
use crate::params::{dismax as param, query};
use crate::query::request::Request;
use crate::query::syntax::SyntaxError;

/// What both parsers read.
#[derive(Debug)]
pub(super) struct Settings {
    pub fields: Vec<Weighted>,
    pub tie: f32,
    /// `mm`, if it is given.
    pub own_minimum: Option<String>,
    /// `q.op=AND`.
    pub all_required: bool,
    pub relax: bool,
    /// `qs`.
    pub phrase_slop: u32,
}

impl Settings {
    pub(super) fn read(request: &Request<'_>) -> Result<Self> {
        Ok(Self {
            fields: fields(request)?,
            tie: tie(request)?,
            own_minimum: request.near(&param::MM)?,
            all_required: request.text_of(&query::Q_OP).eq_ignore_ascii_case("and"),
            relax: request.near(&param::MM_AUTO_RELAX)?,
            phrase_slop: slop(request.near(&param::QS)?),
        })
    }

    /// `mm`, or what follows from `q.op`.
    pub(super) fn minimum(&self) -> &str {
        let default = if self.all_required { "100%" } else { "0%" };
        self.own_minimum.as_deref().unwrap_or(default)
    }
}

/// What only `edismax` reads.
#[derive(Debug)]
pub(super) struct Extended {
    pub user_fields: UserFields,
    pub phrase_fields: Vec<PhraseField>,
    pub lowercase_operators: bool,
    /// Whether stop words stay out where the query analyzer takes them out.
    pub stopwords: bool,
    /// `sow`.
    pub split: bool,
}

impl Extended {
    pub(super) fn read(request: &Request<'_>) -> Result<Self> {
        let slop = request.near(&param::PS)?;
        let mut all = phrase_fields(request.all(&param::PF), 0, slop)?;
        for (fields, words, own) in [(&param::PF2, 2, &param::PS2), (&param::PF3, 3, &param::PS3)] {
            let slop = request.near(own)?.unwrap_or(slop);
            all.extend(phrase_fields(request.all(fields), words, slop)?);
        }
        Ok(Self {
            user_fields: UserFields::read(request.all(&param::UF))?,
            phrase_fields: all,
            lowercase_operators: request.near(&param::LOWERCASE_OPERATORS)?,
            stopwords: request.near(&param::STOPWORDS)?,
            split: request.near(&query::SOW)?,
        })
    }
}

/// `qf`, else `df`.
fn fields(request: &Request<'_>) -> Result<Vec<Weighted>> {
    let fields = weighted(request.all(&param::QF))?;
    if !fields.is_empty() {
        return Ok(fields);
    }
    let name = request.near(&query::DF)?;
    let name = name.ok_or_else(|| SyntaxError::plain("Neither qf nor df are present."))?;
    // With a factor of 1 rather than none, which only debug output tells apart.
    Ok(vec![Weighted { name, boost: Some(1.0) }])
}

/// Solr differs: a factor out of bounds is an error 500 there, and only where several fields are searched;
/// here it is the client's (`compat/query/edismax_params.yaml`).
fn tie(request: &Request<'_>) -> Result<f32> {
    let tie = request.near(&param::TIE)?;
    if (0.0..=1.0).contains(&tie) {
        return Ok(tie);
    }
    Err(Error::bad_request("tieBreakerMultiplier must be in [0, 1]"))
}

/// Below zero nothing may stand between.
pub(super) fn slop(slop: i32) -> u32 {
    u32::try_from(slop).unwrap_or(0)
}

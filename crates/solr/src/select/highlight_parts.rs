//! Parts of the collection's `<highlighting>`, as a request names them: which one, and with which settings. A
//! parameter of the request comes before the part's own preset. In: the declarations as the configuration was
//! read (`config/highlighting.rs`); out: what work a part stands for, and values of parameters. A name that
//! nobody declared is an error here, before the search.

use plan::{PartKind, PartWork, Result};

use super::highlight::unknown;
use super::highlight_options::HighlightReader;
use crate::params::{Fallback, Param};

/// A part that was found.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) work: Option<PartWork>,
    presets: &'a [(String, String)],
}

impl<'a> HighlightReader<'a> {
    /// The part that a parameter names, or the usual one. Errors: a name that nothing declares.
    pub(super) fn part(&self, kind: PartKind, param: &Param<String>) -> Result<Part<'a>> {
        let name = param.sent_for(self.context.params, self.field).unwrap_or_default();
        let (work, presets) = self.parts.find(kind, name).ok_or_else(|| {
            let kind = param.name.strip_prefix("hl.").unwrap_or(param.name);
            unknown(kind, name)
        })?;
        Ok(Part { work: Some(work), presets })
    }

    /// The settings of a part: by the request, by its presets, or what Solr's class assumes.
    pub(super) fn told<T, D: Fallback>(&self, part: &Part<'_>, param: &Param<T, D>) -> Result<D::Read<T>> {
        let sent = param.sent_for(self.context.params, self.field);
        let preset =
            part.presets.iter().find(|(name, _)| name == param.name).map(|(_, value)| value.as_str());
        param.parse(sent.or(preset))
    }
}

//! Parts of the collection's `<highlighting>`, as a request names them: which one, and what it is told.

use plan::{PartKind, PartWork, Result};

use super::highlight::unknown;
use super::highlight_options::Reader;
use crate::params::Param;

/// A part that was found.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) work: Option<PartWork>,
    presets: &'a [(String, String)],
}

impl<'a> Reader<'a> {
    /// The part that a parameter names, or the usual one. Errors: a name that nothing declares.
    pub(super) fn part(&self, kind: PartKind, param: &Param<String>) -> Result<Part<'a>> {
        let name = self.context.params.get_for(self.field, param.name).unwrap_or_default();
        let (work, presets) = self.parts.find(kind, name).ok_or_else(|| {
            let kind = param.name.strip_prefix("hl.").unwrap_or(param.name);
            unknown(kind, name)
        })?;
        Ok(Part { work: Some(work), presets })
    }

    /// What a part is told: by the request, by its presets, or what Solr's class assumes.
    pub(super) fn told<T>(&self, part: &Part<'_>, param: &Param<T>) -> Result<Option<T>> {
        let sent = self.context.params.get_for(self.field, param.name);
        let preset =
            part.presets.iter().find(|(name, _)| name == param.name).map(|(_, value)| value.as_str());
        sent.or(preset).or(param.default).map(param.parse).transpose()
    }
}

//! What one facet is of: the text of its parameter, cut into local parameters, field and key. Every kind of
//! classic facet begins here, so that `key`, `ex` and parameters for one field mean the same in all. It
//! neither looks the field up nor checks an option: that is each facet's own, in its own words.

use plan::Result;

use crate::params::{Fallback, Param};
use crate::query::{Field, LocalParams, QueryContext, split_local_params};

/// A field facet's or range facet's text: local parameters, the field, the key in the response.
pub(super) struct Target {
    pub local: LocalParams,
    pub field: String,
    pub key: String,
}

impl Target {
    pub fn parse(context: &QueryContext<'_>, text: &str) -> Result<Self> {
        let (local, rest) = split_local_params(text, context.params)?;
        // `{!key=a v=$f}`: the field may stand in another parameter.
        let field = local.get("v").unwrap_or(rest).to_owned();
        let key = local.get("key").unwrap_or(&field).to_owned();
        Ok(Self { local, field, key })
    }

    /// All values of a parameter: its own local ones, else those for the field, else those for all.
    pub fn all<'a, D: Fallback>(
        &'a self,
        context: &'a QueryContext<'_>,
        param: &Param<String, D>,
    ) -> Vec<&'a str> {
        let local: Vec<_> = self.local.all(param.name).collect();
        if local.is_empty() { param.sent_all_for(context.params, &self.field) } else { local }
    }
}

/// Whether the field holds numbers or dates and has no docValues to count them by. Most of Solr asks for
/// those, whether the field is uninvertible or not.
pub(super) fn lacks_column(field: &Field) -> bool {
    field.spec.class().is_point() && !field.spec.properties.doc_values
}

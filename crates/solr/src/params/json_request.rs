//! Requests in JSON: a body, the parameter `json`, or parts of it as `json.<path>`. What they mean is
//! `json_request/`'s; what they are called is here. Definitions only (`spec.rs`). A key below `json` that is
//! known by no definition is refused, as in Solr.

use super::spec::{is_true, text};
use super::{Family, NoDefault, Param, ParamDoc, Preset};

pub const JSON: Param<String> = Param::new(
    "json",
    text,
    NoDefault,
    "A request as JSON, as a body of that type is: `query`, `filter`, `offset`, `limit`, `sort`, `fields`, `params`, `queries`, `facet`. May repeat.",
);
/// But for those that say how JSON is written (`json.nl`, `json.wrf`).
pub const PARTS: Family = Family {
    name: "json.<path>",
    about: "A value of the JSON request at this path, laid over what is there.",
};
/// One of the parts.
pub const FACET_TREE: Param<String> = Param::new(
    "json.facet",
    text,
    NoDefault,
    "A tree of facets with statistics, under `facets` of the answer.",
);
pub const EXPAND_MACROS: Preset<bool> = Param::new(
    "expandMacros",
    is_true,
    "true",
    "Whether `${name}` and `${name:default}` stand for other parameters.",
);

pub const DOCS: &[ParamDoc] = &[JSON.doc(), FACET_TREE.doc(), PARTS.doc(), EXPAND_MACROS.doc()];

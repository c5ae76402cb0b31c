//! Requests in JSON: a body, the parameter `json`, or parts of it as `json.<path>`. What they mean is `json_request/`'s; what
//! they are called is here.

use super::{Kind, ParamDoc};

const fn doc(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Text, default, about)
}

pub const DOCS: &[ParamDoc] = &[
    doc(
        "json",
        None,
        "A request as JSON, as a body of that type is: `query`, `filter`, `offset`, `limit`, `sort`, `fields`, `params`, `queries`, `facet`. May repeat.",
    ),
    doc("json.facet", None, "A tree of facets with statistics, under `facets` of the answer."),
    doc("json.<path>", None, "A value of the JSON request at this path, laid over what is there."),
    ParamDoc::plain(
        "expandMacros",
        Kind::Switch,
        Some("true"),
        "Whether `${name}` and `${name:default}` stand for other parameters.",
    ),
];

//! How a configuration is refused, and how what has no effect is reported: the words that all readers of it
//! share.

use plan::Error;

use crate::xml_tree::Element;

/// The file cannot be read, or asks for what cannot be.
pub(super) fn wrong(message: &str) -> Error {
    Error::bad_request(format!("cannot read solrconfig.xml: {message}"))
}

/// An element that is passed over, as a warning.
pub(super) fn not_supported(element: &Element) -> String {
    let name = element.attribute("name").map(|name| format!(" `{name}`")).unwrap_or_default();
    let class = element.attribute("class").map(|class| format!(" of class `{class}`")).unwrap_or_default();
    format!("{}{name}{class} is not supported yet and has no effect", element.name)
}

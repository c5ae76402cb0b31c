//! What an error looks like to a client: the one mapping from kinds to HTTP status, and the `error` entry of
//! the body. Names of Java classes are there because clients read them. In: an error of the layers below,
//! which know no HTTP; out: numbers and entries. What a person needs to know stands in the message and is not
//! added here.

use plan::{Error, ErrorKind, RootCause};

use crate::response::{Entries, Name, Node};

const SOLR_EXCEPTION: &str = "org.apache.solr.common.SolrException";

/// The HTTP status, which is also `status` and `code` in the body.
pub fn status(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::BadRequest => 400,
        ErrorKind::InUse => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::MethodNotAllowed => 405,
        ErrorKind::Conflict => 409,
        ErrorKind::TooLarge => 413,
        ErrorKind::UnsupportedMedia => 415,
        ErrorKind::Busy => 429,
        ErrorKind::SchemaChanged | ErrorKind::Unavailable | ErrorKind::Unknown | ErrorKind::ReplicaLost => {
            503
        }
        ErrorKind::DataLoss | ErrorKind::Internal => 500,
    }
}

/// The error that another node of ours answered with, as if it had been met here; `answer` is its body, where
/// that could be read.
pub fn told(status: u16, answer: Option<&Entries>) -> Error {
    let kind = match status {
        400 => ErrorKind::BadRequest,
        // Whom that node did not let in was let in here by the same rules, so that it is no longer so.
        401 | 403 => ErrorKind::InUse,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::Conflict,
        429 => ErrorKind::Busy,
        503 => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    };
    let message = answer.into_iter().flatten().find_map(|(name, node)| match node {
        Node::Map(error) if *name == "error" => error.iter().find_map(|(name, node)| match node {
            Node::Str(message) if *name == "msg" => Some(message.clone().into_owned()),
            _ => None,
        }),
        _ => None,
    });
    let untold = || format!("the node that serves it answered with status {status}");
    Error::new(kind, message.unwrap_or_else(untold))
}

/// The `error` entry. Solr 9 shows class names below 500, and a trace from 500 up.
pub fn entry(error: &Error) -> (Name, Node) {
    let code = status(error.kind);
    let mut entries: Vec<(Name, Node)> = Vec::with_capacity(4);
    if code != 500 {
        let class = |name: &'static str, class: &'static str| (Some(name.into()), Node::str(class));
        let metadata =
            vec![class("error-class", SOLR_EXCEPTION), class("root-error-class", root_class(error))];
        entries.push(("metadata".into(), Node::NamedList(metadata)));
    }
    entries.push(("msg".into(), Node::Str(error.message.clone().into())));
    if code == 500 {
        entries.push(("trace".into(), Node::Str(format!("{error:?}").into())));
    }
    entries.push(("code".into(), Node::Int(i32::from(code))));
    ("error".into(), Node::Map(entries))
}

/// [`entry`] with more in its metadata, before the classes: what clients of a cluster look for.
pub fn entry_with(error: &Error, (name, value): (&'static str, &'static str)) -> (Name, Node) {
    let (key, mut node) = entry(error);
    if let Node::Map(entries) = &mut node
        && let Some((_, Node::NamedList(metadata))) = entries.iter_mut().find(|(key, _)| key == "metadata")
    {
        metadata.insert(0, (Some(name.into()), Node::str(value)));
    }
    (key, node)
}

/// The `error` entry of a Schema API request some of whose commands do not apply; `details` are the commands,
/// each with its messages. The status is that of a bad request.
pub fn commands_entry(message: String, details: Node) -> (Name, Node) {
    const CLASS: &str = "org.apache.solr.api.ApiBag$ExceptionWithErrObject";
    let metadata =
        ["error-class", "root-error-class"].map(|name| (Some(Name::Borrowed(name)), Node::str(CLASS)));
    let node = Node::map([
        ("metadata", Node::NamedList(metadata.into())),
        ("details", details),
        ("msg", Node::Str(message.into())),
        ("code", Node::Int(i32::from(status(ErrorKind::BadRequest)))),
    ]);
    ("error".into(), node)
}

/// Solr's XML parser has classes of their own for a body that ends too early and for what is no character.
fn root_class(error: &Error) -> &'static str {
    match error.root {
        Some(RootCause::NumberFormat) => "java.lang.NumberFormatException",
        Some(RootCause::QuerySyntax) => "org.apache.solr.parser.ParseException",
        Some(RootCause::Xml) if error.message.starts_with("Unexpected EOF") => {
            "com.ctc.wstx.exc.WstxEOFException"
        }
        Some(RootCause::Xml) if error.message.starts_with("Illegal character (") => {
            "com.ctc.wstx.exc.WstxUnexpectedCharException"
        }
        Some(RootCause::Xml) => "com.ctc.wstx.exc.WstxParsingException",
        Some(RootCause::IllegalArgument) => "java.lang.IllegalArgumentException",
        Some(RootCause::ShapeSyntax | RootCause::DateMath) => "java.text.ParseException",
        Some(RootCause::ClassCast) => "java.lang.ClassCastException",
        Some(RootCause::InvalidShape) => "org.locationtech.spatial4j.exception.InvalidShapeException",
        Some(RootCause::Unsupported) => "java.lang.UnsupportedOperationException",
        Some(RootCause::TooShort) => "java.lang.StringIndexOutOfBoundsException",
        Some(RootCause::DateFormat | RootCause::Json) | None => SOLR_EXCEPTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{Format, JsonStyle};

    #[test]
    fn what_another_node_told_is_told_again() {
        let check = |error: Error| {
            let body = vec![("responseHeader".into(), Node::Map(vec![])), entry(&error)];
            let again = told(status(error.kind), Some(&body));
            assert_eq!((again.kind, again.message), (error.kind, error.message));
        };
        check(Error::bad_request("no such field"));
        check(Error::new(ErrorKind::Conflict, "another was first"));
        check(Error::new(ErrorKind::Unavailable, "later"));
        check(Error::internal("a bug"));
        assert!(told(401, None).message.contains("401"));
    }

    #[test]
    fn errors_read_as_solrs() {
        let check = |error: &Error, expected: &str| {
            let mut out = Vec::new();
            Format::Json(JsonStyle::default()).write(&vec![entry(error)], &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        check(
            &Error::bad_request("For input string: \"x\"").with_root(RootCause::NumberFormat),
            "{\"error\":{\"metadata\":[\"error-class\",\"org.apache.solr.common.SolrException\",\
             \"root-error-class\",\"java.lang.NumberFormatException\"],\"msg\":\"For input string: \\\"x\\\"\",\
             \"code\":400}}",
        );
        check(&Error::internal("oh"), "{\"error\":{\"msg\":\"oh\",\"trace\":\"Internal: oh\",\"code\":500}}");
    }
}

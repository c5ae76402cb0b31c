//! The envelope: `responseHeader` with status, time and the request's own parameters. What `echoParams` shows
//! is in the order of a Java hash map, as clients have seen it. It is made last, since it tells the time, and
//! written first.

use plan::{Error, Result, java_bucket};

use super::node::{Name, Node};
use crate::params::Params;
use crate::params::response::ECHO_PARAMS;

/// Which parameters the header repeats (`echoParams`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Echo {
    #[default]
    None,
    /// Those the request itself sent.
    Explicit,
    /// Also what the handler presets.
    All,
}

impl Echo {
    pub fn parse(params: &Params) -> Result<Self> {
        match ECHO_PARAMS.text(params) {
            text if text.eq_ignore_ascii_case("none") => Ok(Echo::None),
            text if text.eq_ignore_ascii_case("explicit") => Ok(Echo::Explicit),
            text if text.eq_ignore_ascii_case("all") => Ok(Echo::All),
            other => Err(Error::bad_request(format!(
                "Invalid value '{other}' for echoParams parameter, use 'EXPLICIT' or 'ALL'"
            ))),
        }
    }
}

/// The header of one response. `echoed` is what `echoParams` asks to repeat.
#[derive(Clone, Debug, Default)]
pub struct Header<'a> {
    /// 0, or the HTTP status of the error.
    pub status: u16,
    pub elapsed_ms: u64,
    /// Solr's class of the handler, for `echoHandler`.
    pub handler: Option<&'static str>,
    /// Whether to say that there is no ZooKeeper to be connected to, as pings do.
    pub zookeeper: bool,
    pub echoed: Option<&'a Params>,
    pub warnings: &'a [String],
    /// What it begins with.
    pub flags: &'a [(Name, Node)],
}

impl Header<'_> {
    /// The entry that opens a response.
    pub fn entry(&self) -> (Name, Node) {
        let elapsed = i32::try_from(self.elapsed_ms).unwrap_or(i32::MAX);
        let mut entries = self.flags.to_vec();
        if self.zookeeper {
            entries.push(("zkConnected".into(), Node::Null));
        }
        entries.push(("status".into(), Node::Int(i32::from(self.status))));
        entries.push(("QTime".into(), Node::Int(elapsed)));
        if let Some(class) = self.handler {
            entries.push(("handler".into(), Node::str(class)));
        }
        if let Some(params) = self.echoed {
            entries.push(("params".into(), echo(params)));
        }
        if !self.warnings.is_empty() {
            let warnings = self.warnings.iter().cloned().map(Node::from).collect();
            entries.push(("warnings".into(), Node::Array(warnings)));
        }
        ("responseHeader".into(), Node::Map(entries))
    }
}

/// Parameters by name, those that repeat as arrays.
fn echo(params: &Params) -> Node {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in params.pairs() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    order_as_java(&mut names);
    let entry = |name: &&str| {
        let mut values: Vec<Node> =
            params.all_by_name(name).map(|value| Node::str(value.to_owned())).collect();
        let node = match values.len() {
            1 => values.remove(0),
            _ => Node::Array(values),
        };
        (Name::Owned((*name).to_owned()), node)
    };
    Node::Map(names.iter().map(entry).collect())
}

/// The order in which Solr shows them is that of a Java hash map: by bucket, within one by arrival.
fn order_as_java(names: &mut [&str]) {
    let count = names.len();
    names.sort_by_key(|name| java_bucket(name, count));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders recorded from Solr 9.10.1.
    #[test]
    fn parameters_come_in_solrs_order() {
        let check = |sent: &str, expected: &str| {
            let mut names: Vec<&str> = sent.split(' ').collect();
            order_as_java(&mut names);
            assert_eq!(names.join(" "), expected);
        };
        check("q fl sort rows wt", "q fl sort rows wt");
        check(
            "id author_s in_print_b published_dt rating_d copies_l pages_i price_f",
            "in_print_b author_s pages_i price_f published_dt id rating_d copies_l",
        );
        check("q fl sort indent wt", "q indent fl sort wt");
        check(
            "q fl sort wt indent facet facet.field facet.query fq facet.range facet.range.start facet.range.end \
             facet.range.gap facet.range.other",
            "facet.range facet.field facet.range.gap facet.range.other indent fl sort fq facet.query q wt facet \
             facet.range.start facet.range.end",
        );
    }

    #[test]
    fn repeated_parameters_become_arrays() {
        let params =
            Params::new(vec![("fq".into(), "a".into()), ("q".into(), "x".into()), ("fq".into(), "b".into())]);
        let (_, node) = Header { elapsed_ms: 3, echoed: Some(&params), ..Header::default() }.entry();
        let Node::Map(entries) = node else { panic!("a map") };
        let expected =
            Node::map([("q", Node::str("x")), ("fq", Node::Array(vec![Node::str("a"), Node::str("b")]))]);
        assert_eq!(entries[2], ("params".into(), expected));
    }
}

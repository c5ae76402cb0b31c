//! What a request allows itself to use up, and what the header says of an answer that was cut short. What
//! looks at the limits on the way is [`meter::Allowance`]'s; names and wording are Solr's (`QueryLimits`).
//! In: parameters and, at the end, the allowance as it was used up; out: flags of the header and the body of
//! an answer without hits. Stopping is done by whoever works.

use meter::{Allowance, Limit, Limits};
use plan::Result;

use crate::params::{Params, limits};
use crate::response::{DocList, Entries, Name, Node};
use crate::select::DebugFlags;

/// What a request says of limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsAsked {
    pub limits: Limits,
    /// Whether an answer that was cut short is shown.
    pub partial: bool,
}

impl LimitsAsked {
    /// Solr reads these before all else: of a mistake in them it tells in an answer without a header.
    /// Solr differs: those in a JSON body or among a handler's defaults come too late for it and count
    /// nothing (`compat/select/limits.yaml`).
    pub fn parse(params: &Params) -> Result<Self> {
        const MEGABYTE: f32 = 1024.0 * 1024.0;
        let least = |value: Option<i64>, least: i64| value.filter(|it| *it >= least).map(i64::unsigned_abs);
        let memory = limits::MEM_ALLOWED.read(params)?.filter(|megabytes| *megabytes > 0.0);
        let limits = Limits {
            time_ms: least(limits::TIME_ALLOWED.read(params)?, 0),
            cpu_ms: least(limits::CPU_ALLOWED.read(params)?, 1),
            memory_bytes: memory.map(|megabytes| (megabytes * MEGABYTE) as u64),
            memory_bytes_max: None,
        };
        Ok(Self { limits, partial: limits::PARTIAL_RESULTS.read(params)? })
    }
}

/// In which pass over a handler's components it was found that a limit is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    Prepare,
    Process,
}

/// An answer that was cut short before one of the handler's components.
#[derive(Clone, Copy, Debug)]
pub struct CutShort<'a> {
    pub pass: Pass,
    pub before: &'a str,
    /// All of the handler's, in order.
    pub components: &'a [&'a str],
    /// Whether debug output is asked for.
    pub debug: bool,
    /// Whether what there is is shown.
    pub partial: bool,
}

impl CutShort<'_> {
    /// What the header begins with.
    pub fn flags(&self, allowance: &Allowance) -> Entries {
        let partial = Name::Borrowed("partialResults");
        if !self.partial {
            return vec![(partial, Node::str("omitted"))];
        }
        let details = Node::from(self.details(allowance));
        vec![(partial, Node::Bool(true)), (Name::Borrowed("partialResultsDetails"), details)]
    }

    fn details(&self, allowance: &Allowance) -> String {
        let pass = match self.pass {
            Pass::Prepare => "prepare",
            Pass::Process => "process",
        };
        let (debug, before) = (if self.debug { " debug" } else { "" }, self.before);
        let limits: String = allowance.limits().into_iter().map(status).collect();
        format!(
            "Limits exceeded! ([{pass}{debug}] Limit(s) exceeded prior to {before} in [{}]): Query limits: {limits}",
            self.components.join(", ")
        )
    }
}

fn status((limit, met): (Limit, bool)) -> String {
    let name = match limit {
        Limit::Time => "TimeAllowedLimit",
        Limit::Cpu => "CpuAllowedLimit",
        Limit::Memory => "MemAllowedLimit",
    };
    format!("[{name}:{}]", if met { "LIMIT EXCEEDED" } else { "within limit" })
}

/// What the header begins with where shards have lost a part of their documents, behind what it was to begin
/// with; `partial` is whether such an answer is shown.
pub fn missing_flags(flags: Entries, missing: &str, partial: bool) -> Entries {
    let name = Name::Borrowed("partialResults");
    if !partial {
        return vec![(name, Node::str("omitted"))];
    }
    let mut details = String::new();
    for (name, node) in flags {
        if let (Node::Str(before), true) = (node, &*name == "partialResultsDetails") {
            details = format!("{before}; ");
        }
    }
    details.push_str(missing);
    vec![(name, Node::Bool(true)), (Name::Borrowed("partialResultsDetails"), Node::from(details))]
}

/// The body of an answer to a search that was not begun.
pub fn nothing_begun(params: &Params, cut: &CutShort<'_>) -> Entries {
    let mut entries = Entries::new();
    if !cut.partial {
        return entries;
    }
    entries.push(no_hits());
    if let Some(mark) = crate::params::paging::CURSOR_MARK.sent(params) {
        entries.push(("nextCursorMark".into(), Node::str(mark.to_owned())));
    }
    entries.extend(no_debug(cut.debug));
    entries
}

/// A page without hits.
pub fn no_hits() -> (Name, Node) {
    ("response".into(), Node::DocList(DocList { num_found_exact: true, ..DocList::default() }))
}

/// The debug section of an answer that was cut short.
pub fn no_debug(debug: bool) -> Option<(Name, Node)> {
    let explain = (Some(Name::Borrowed("explain")), Node::NamedList(vec![]));
    debug.then(|| ("debug".into(), Node::NamedList(vec![explain])))
}

/// Whether the request asks for debug output, as far as it can be read.
pub fn asks_debug(params: &Params) -> bool {
    DebugFlags::parse(params).is_ok_and(DebugFlags::any)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use meter::Clock;

    use super::*;

    struct Still;

    impl Clock for Still {
        fn now_ms(&self) -> i64 {
            0
        }
    }

    fn asked(query: &str) -> Result<LimitsAsked, String> {
        let params = crate::parse_form(query.as_bytes()).map_err(|error| error.message)?;
        LimitsAsked::parse(&params).map_err(|error| error.message)
    }

    #[test]
    fn limits_are_read_as_solr_reads_them() {
        let none = Limits::default();
        let check = |query: &str, limits: Limits| {
            assert_eq!(asked(query), Ok(LimitsAsked { limits, partial: true }), "{query}");
        };
        check("", none);
        check("timeAllowed=0&cpuAllowed=0&memAllowed=0", Limits { time_ms: Some(0), ..none });
        check("timeAllowed=-1&cpuAllowed=-1&memAllowed=NaN", none);
        check("cpuAllowed=7&memAllowed=0.5", Limits { cpu_ms: Some(7), memory_bytes: Some(1 << 19), ..none });
        for (query, message) in [
            ("timeAllowed=1.5", "For input string: \"1.5\""),
            ("cpuAllowed=", "For input string: \"\""),
            ("memAllowed=abc", "For input string: \"abc\""),
            ("partialResults=abc", "invalid boolean value: abc"),
        ] {
            assert_eq!(asked(query), Err(message.to_owned()), "{query}");
        }
    }

    #[test]
    fn the_header_says_what_was_left_out() {
        let limits = Limits { time_ms: Some(0), cpu_ms: Some(5), ..Limits::default() };
        let allowance = Allowance::new(limits, Arc::new(Still), 0);
        assert!(allowance.is_used_up());
        let components = ["query", "facet"];
        let cut = CutShort {
            pass: Pass::Process,
            before: "facet",
            components: &components,
            debug: true,
            partial: true,
        };
        let details = "Limits exceeded! ([process debug] Limit(s) exceeded prior to facet in [query, facet]): Query limits: \
                       [TimeAllowedLimit:LIMIT EXCEEDED][CpuAllowedLimit:within limit]";
        assert_eq!(
            cut.flags(&allowance),
            [
                ("partialResults".into(), Node::Bool(true)),
                ("partialResultsDetails".into(), Node::str(details))
            ]
        );
        let omitted = CutShort { partial: false, ..cut };
        assert_eq!(omitted.flags(&allowance), [("partialResults".into(), Node::str("omitted"))]);
    }

    #[test]
    fn what_is_missing_is_told_behind_what_was_cut() {
        let told = |details: &str| {
            vec![
                (Name::Borrowed("partialResults"), Node::Bool(true)),
                (Name::Borrowed("partialResultsDetails"), Node::from(details.to_owned())),
            ]
        };
        assert_eq!(missing_flags(vec![], "a segment", true), told("a segment"));
        assert_eq!(missing_flags(told("out of time"), "a segment", true), told("out of time; a segment"));
        let omitted = vec![(Name::Borrowed("partialResults"), Node::str("omitted"))];
        assert_eq!(missing_flags(told("out of time"), "a segment", false), omitted);
    }
}

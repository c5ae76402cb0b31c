//! `uf`: which fields the text of a query may name, and with what factor where it gives none. `_query_`, the
//! door to other parsers, is closed unless it is named. Read once for a request (`settings.rs`), asked for
//! each colon in the text (`split.rs`). It guards names within the text alone: what `qf` names is the
//! application's own.

use plan::{Error, Result};

use super::field_list::{Weighted, weighted};
use crate::params::dismax::UF;

/// Rules of which a field must meet one that allows and none that forbids.
#[derive(Debug)]
pub(super) struct UserFields {
    allowed: Vec<Rule>,
    forbidden: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    boost: Option<f32>,
}

#[derive(Debug)]
enum Pattern {
    Name(String),
    Starts(String),
    Ends(String),
}

impl UserFields {
    pub(super) fn read<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut rules = weighted(texts)?;
        if rules.is_empty() {
            rules = weighted([UF.default])?;
        }
        let named = rules.iter().any(|rule| rule.name == "_query_");
        let mut fields = Self { allowed: Vec::new(), forbidden: Vec::new() };
        for Weighted { name, boost } in rules {
            match name.strip_prefix('-') {
                Some(name) => fields.forbidden.push(Rule { pattern: Pattern::read(name)?, boost }),
                None => fields.allowed.push(Rule { pattern: Pattern::read(&name)?, boost }),
            }
        }
        // `*`, the default, does not open it: `_query_` reaches every parser, and the text may be a
        // stranger's.
        if !named {
            fields.forbidden.push(Rule { pattern: Pattern::Name("_query_".to_owned()), boost: None });
        }
        // A name before any pattern, the longer pattern before the shorter.
        fields.allowed.sort_by_key(|rule| std::cmp::Reverse(rule.pattern.weight()));
        Ok(fields)
    }

    pub(super) fn allows(&self, field: &str) -> bool {
        self.rule(field).is_some() && !self.forbidden.iter().any(|rule| rule.pattern.matches(field))
    }

    /// The factor of clauses on `field` that have none of their own.
    pub(super) fn boost(&self, field: &str) -> Option<f32> {
        self.rule(field)?.boost
    }

    fn rule(&self, field: &str) -> Option<&Rule> {
        self.allowed.iter().find(|rule| rule.pattern.matches(field))
    }
}

impl Pattern {
    fn read(text: &str) -> Result<Self> {
        match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(end), _) => Ok(Self::Ends(end.to_owned())),
            (None, Some(start)) => Ok(Self::Starts(start.to_owned())),
            (None, None) if text.contains('*') => {
                Err(Error::bad_request("dynamic field name must start or end with *"))
            }
            (None, None) => Ok(Self::Name(text.to_owned())),
        }
    }

    fn matches(&self, field: &str) -> bool {
        match self {
            Self::Name(name) => field == name,
            Self::Starts(start) => field.starts_with(start.as_str()),
            Self::Ends(end) => field.ends_with(end.as_str()),
        }
    }

    fn weight(&self) -> usize {
        match self {
            Self::Name(_) => usize::MAX,
            Self::Starts(part) | Self::Ends(part) => part.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UserFields;

    #[test]
    fn fields_that_queries_may_name() {
        let check = |uf: &str, allowed: &[&str], refused: &[&str]| {
            let fields = UserFields::read([uf]).unwrap();
            assert!(allowed.iter().all(|field| fields.allows(field)), "{uf}");
            assert!(!refused.iter().any(|field| fields.allows(field)), "{uf}");
        };
        check("", &["a", "_val_"], &["_query_"]);
        check("*", &["a"], &["_query_"]);
        check("* _query_", &["a", "_query_"], &[]);
        check("* -a", &["b"], &["a"]);
        check("-a", &[], &["a", "b"]);
        check("-*", &[], &["a"]);
        check("a b*^2 *_s", &["a", "bc", "x_s"], &["c", "ab"]);
        check("* -*_s", &["a_t"], &["a_s"]);
        assert!(UserFields::read(["a*b"]).is_err());
    }

    #[test]
    fn the_closest_rule_gives_the_factor() {
        let fields = UserFields::read(["*^1 *_s^2 *b_s^3 ab_s^4 c_s"]).unwrap();
        let check = |field: &str, expected: Option<f32>| assert_eq!(fields.boost(field), expected, "{field}");
        check("x", Some(1.0));
        check("x_s", Some(2.0));
        check("xb_s", Some(3.0));
        check("ab_s", Some(4.0));
        check("c_s", None);
    }
}

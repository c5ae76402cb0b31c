//! `mm`: how many of a query's optional clauses must match, as a number, a share, or by how many there are.
//! The grammar and its rounding are those of Solr's reference; counts are of clauses, not of documents. In: a
//! query and the text of `mm`; out: the same query with `minimum_should_match`. What counts as a clause is
//! decided before, by `flatten.rs`.

use plan::{Clause, Error, Occur, Query, Result, RootCause};

/// The query with its minimum set, if it is of several clauses. `relax` counts, of the clauses over many
/// fields, only those for which most fields have something to search: stop words of some fields shall not be
/// asked of the others.
pub(super) fn with_minimum(query: Query, spec: &str, relax: bool) -> Result<Query> {
    let Query::Boolean { clauses, minimum_should_match } = query else { return Ok(query) };
    let minimum = match minimum_of(optional_clauses(&clauses, relax), spec)? {
        0 => minimum_should_match,
        some => some,
    };
    Ok(Query::Boolean { clauses, minimum_should_match: minimum })
}

fn optional_clauses(clauses: &[Clause], relax: bool) -> usize {
    let optional = clauses.iter().filter(|clause| clause.occur == Occur::Should);
    let (mut plain, mut widest, mut over_widest) = (0, 0, 0);
    for clause in optional {
        match &clause.query {
            Query::DisjunctionMax { queries, .. } if relax => {
                if queries.len() > widest {
                    (widest, over_widest) = (queries.len(), 0);
                }
                // A word that fewer fields can search than others is likely a stop word in the rest;
                // requiring it would find nothing.
                over_widest += usize::from(queries.len() == widest);
            }
            _ => plain += 1,
        }
    }
    plain + over_widest
}

/// How many of `optional` clauses `spec` asks for, never more than there are.
pub(super) fn minimum_of(optional: usize, spec: &str) -> Result<usize> {
    let all = i32::try_from(optional).unwrap_or(i32::MAX);
    let wanted = if spec.contains('<') { conditional(all, spec)? } else { simple(all, spec.trim())? };
    // Never more than there are: `mm=5` of two words asks for both and not for the impossible.
    Ok(usize::try_from(wanted).unwrap_or(0).min(optional))
}

/// `2<-1 5<80%`: the last condition holds that the number of clauses exceeds.
fn conditional(all: i32, spec: &str) -> Result<i32> {
    // Solr allows blanks around `<` and parts conditions by blanks, so the former have to go first.
    let tight = spec.split('<').map(str::trim).collect::<Vec<_>>().join("<");
    let mut wanted = all;
    for condition in tight.split_whitespace() {
        let (bound, then) = match condition.split_once('<') {
            Some((bound, then)) if !then.is_empty() => (bound, then),
            _ => {
                return Err(Error::bad_request(format!(
                    "Invalid 'mm' spec: '{condition}'. Expecting values before and after '<'"
                )));
            }
        };
        if all <= number(bound)? {
            return Ok(wanted);
        }
        wanted = simple(all, then.split('<').next().unwrap_or(then))?;
    }
    Ok(wanted)
}

/// A number or a share of all; below zero, what may be missing. A share is cut towards zero.
fn simple(all: i32, spec: &str) -> Result<i32> {
    let part = if spec.contains('%') {
        let mut digits = spec.chars();
        digits.next_back();
        // In Java's 32 bits and single precision: `33%` of three clauses is 0.99 and so none.
        all.wrapping_mul(number(digits.as_str())?) as f32 * 0.01
    } else {
        number(spec)? as f32
    };
    let whole = part as i32;
    Ok(if part < 0.0 { all.saturating_add(whole) } else { whole })
}

fn number(text: &str) -> Result<i32> {
    text.parse().map_err(|_| {
        Error::bad_request("Invalid 'mm' spec. Expecting an integer.").with_root(RootCause::NumberFormat)
    })
}

#[cfg(test)]
mod tests {
    use super::minimum_of;

    #[test]
    fn specs_read_as_solr_reads_them() {
        let check = |optional: usize, spec: &str, expected: usize| {
            assert_eq!(minimum_of(optional, spec).unwrap(), expected, "{optional} {spec}");
        };
        check(4, "2", 2);
        check(4, " 2 ", 2);
        check(4, "+2", 2);
        check(4, "9", 4);
        check(4, "-1", 3);
        check(4, "-9", 0);
        check(4, "0", 0);
        check(4, "75%", 3);
        check(3, "75%", 2);
        check(4, "-25%", 3);
        check(3, "-25%", 3);
        check(4, "0%", 0);
        check(4, "-0%", 0);
        check(4, "200%", 4);
        check(2, "2<-25% 9<-3", 2);
        check(4, "2<-25% 9<-3", 3);
        check(9, "2<-25% 9<-3", 7);
        check(12, "2<-25% 9<-3", 9);
        check(4, "1 < 50% 3 < 2", 2);
        check(2, "2<a", 2);
        check(0, "100%", 0);
    }

    #[test]
    fn errors_are_solrs() {
        let check = |spec: &str, expected: &str| {
            assert_eq!(minimum_of(4, spec).unwrap_err().message, format!("Invalid 'mm' spec{expected}"));
        };
        check("bogus", ". Expecting an integer.");
        check("", ". Expecting an integer.");
        check("%", ". Expecting an integer.");
        check("50%x", ". Expecting an integer.");
        check("1.5", ". Expecting an integer.");
        check("<5", ". Expecting an integer.");
        check("2<", ": '2<'. Expecting values before and after '<'");
        check("5 2<3", ": '5'. Expecting values before and after '<'");
    }
}

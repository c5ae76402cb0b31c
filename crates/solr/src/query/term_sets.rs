//! Long lists of plain values in a filter, `id:(1 2 3 …)`, become sets: nothing is scored there, and a set
//! has no bound on its clauses. When that happens is Solr's rule (more than 16 values in one boolean query,
//! at least 16 of them of the field).

use std::sync::Arc;

use plan::{Clause, Error, Occur, Query, Result, Schema, Value};

/// Up to this many values stay clauses.
const CLAUSES_MAX: usize = 16;

/// A clause, and whether it is made of plain values: unquoted, unboosted, of a field without analysis.
pub(crate) struct Candidate {
    pub clause: Clause,
    pub plain: bool,
}

/// How many clauses Solr counts: every plain value is one, unless they are to become sets.
pub(crate) fn count(candidates: &[Candidate], filtering: bool) -> usize {
    let values = |one: &Candidate| if one.plain { values_in(&one.clause.query) } else { 1 };
    let plain: usize = candidates.iter().filter(|one| one.plain).map(values).sum();
    match filtering && plain > CLAUSES_MAX {
        true => candidates.len(),
        false => candidates.iter().map(values).sum(),
    }
}

/// The clauses with long lists made sets, which come last.
pub(crate) fn gather(mut candidates: Vec<Candidate>, schema: &Schema) -> Vec<Clause> {
    // A field with a column alone is searched by that, in Solr clause by clause; such clauses do not count
    // for the bound either.
    candidates.iter_mut().for_each(|one| one.plain &= has_terms(&one.clause.query, schema));
    let plain: usize =
        candidates.iter().filter(|one| one.plain).map(|one| values_in(&one.clause.query)).sum();
    if plain <= CLAUSES_MAX {
        return candidates.into_iter().map(|one| one.clause).collect();
    }
    let (mut clauses, mut lists) = (Vec::new(), Lists::default());
    for Candidate { clause, plain } in candidates {
        if plain && clause.occur == Occur::Should {
            lists.add(clause.query);
        } else {
            clauses.push(clause);
        }
    }
    clauses.extend(lists.into_queries().map(|query| Clause { occur: Occur::Should, query }));
    clauses
}

/// Whether the field of these values is indexed: what has only a column stays as it is.
fn has_terms(query: &Query, schema: &Schema) -> bool {
    match query {
        Query::Term { field, .. } => schema.field(field).is_some_and(|spec| spec.properties.indexed),
        Query::Boolean { clauses, .. } => clauses.iter().all(|clause| has_terms(&clause.query, schema)),
        _ => false,
    }
}

fn values_in(query: &Query) -> usize {
    match query {
        Query::Boolean { clauses, .. } => clauses.len(),
        _ => 1,
    }
}

/// Values by field, in the order of the fields' first appearance.
#[derive(Default)]
struct Lists {
    fields: Vec<(Arc<str>, Vec<Value>)>,
}

impl Lists {
    fn add(&mut self, query: Query) {
        match query {
            Query::Boolean { clauses, .. } => clauses.into_iter().for_each(|clause| self.add(clause.query)),
            Query::Term { field, value } => match self.fields.iter_mut().find(|(name, _)| *name == field) {
                Some((_, values)) => values.push(value),
                None => self.fields.push((field, vec![value])),
            },
            _ => {}
        }
    }

    fn into_queries(self) -> impl Iterator<Item = Query> {
        self.fields.into_iter().flat_map(|(field, values)| {
            // Few values of one field stay clauses although the list as a whole is long: Solr counts twice.
            if values.len() < CLAUSES_MAX {
                let each = values.into_iter().map(|value| Query::Term { field: field.clone(), value });
                return each.collect::<Vec<_>>();
            }
            vec![term_set(field, values)]
        })
    }
}

/// Solr's ways to find a set (`method` of `{!terms}`); here the plan decides, and only names are checked.
/// Solr differs: one it does not know is an error 500 (`compat/query/fuzzy.yaml`).
pub(crate) fn check_method(name: Option<&str>) -> Result<()> {
    match name {
        None | Some("termsFilter" | "booleanQuery" | "automaton" | "docValuesTermsFilter") => Ok(()),
        Some("docValuesTermsFilterPerSegment" | "docValuesTermsFilterTopLevel") => Ok(()),
        Some(other) => Err(Error::bad_request(format!(
            "`method` of `{{!terms}}` is `{other}`; leave it out: how a set is found is decided here"
        ))),
    }
}

/// A set in the order of its values, each once.
pub(crate) fn term_set(field: Arc<str>, mut values: Vec<Value>) -> Query {
    values.sort_by(compare);
    values.dedup();
    Query::TermSet { field, values }
}

/// Values of one field have one type.
fn compare(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}

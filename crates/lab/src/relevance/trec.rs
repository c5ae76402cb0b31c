//! TREC's two files. Judgments ("qrels"): `query 0 document grade` a line. Runs: `query Q0 document rank
//! score tag` a line; as in trec_eval the score orders them, not the rank, as a number of 32 bits, and of
//! equal scores the later name comes first.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::fault::Fault;

/// The grades of documents, by query. A grade of 1 or more is relevant, unless a measure says otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgments {
    pub by_query: BTreeMap<String, HashMap<String, i64>>,
}

/// The documents found, best first, by query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub by_query: BTreeMap<String, Vec<String>>,
}

/// Reads judgments. A document judged twice for a query is a fault: which grade holds is not for us to say.
pub fn parse_judgments(text: &str) -> Result<Judgments, Fault> {
    let mut judgments = Judgments::default();
    for (line, columns) in rows(text) {
        let [query, _, document, grade] = columns[..] else {
            return Err(Fault::at(line, "a judgment has four columns: `query 0 document grade`"));
        };
        let grade: i64 = grade.parse().map_err(|_| {
            Fault::at(line, format!("the grade `{grade}` is not a whole number; 0 is not relevant"))
        })?;
        let grades = judgments.by_query.entry(query.to_owned()).or_default();
        if grades.insert(document.to_owned(), grade).is_some() {
            return Err(Fault::at(line, format!("`{document}` is judged twice for the query `{query}`")));
        }
    }
    if judgments.by_query.is_empty() {
        return Err(Fault("there are no judgments; a line is `query 0 document grade`".to_owned()));
    }
    Ok(judgments)
}

/// Reads a run.
pub fn parse_run(text: &str) -> Result<Run, Fault> {
    let mut scored: BTreeMap<&str, Vec<(f32, &str)>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (line, columns) in rows(text) {
        let [query, _, document, _, score, _] = columns[..] else {
            return Err(Fault::at(line, "a run has six columns: `query Q0 document rank score tag`"));
        };
        let score: f32 = score
            .parse()
            .ok()
            .filter(|score: &f32| !score.is_nan())
            .ok_or_else(|| Fault::at(line, format!("the score `{score}` is not a number")))?;
        if !seen.insert((query, document)) {
            return Err(Fault::at(line, format!("`{document}` is found twice for the query `{query}`")));
        }
        scored.entry(query).or_default().push((score, document));
    }
    let by_query = scored.into_iter().map(|(query, found)| (query.to_owned(), in_order(found))).collect();
    Ok(Run { by_query })
}

fn in_order(mut found: Vec<(f32, &str)>) -> Vec<String> {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(a.1)));
    found.into_iter().map(|(_, document)| document.to_owned()).collect()
}

/// A run as a file. A document's score is its distance from the end of the page, so that the order is kept by
/// whoever sorts by scores. Errors: a name that holds white space, which no run can say.
pub fn write_run(run: &Run, tag: &str) -> Result<String, Fault> {
    let mut text = String::new();
    for (query, documents) in &run.by_query {
        for (at, document) in documents.iter().enumerate() {
            if let Some(name) = [query, document].into_iter().find(|name| !is_one_word(name)) {
                return Err(Fault(format!(
                    "cannot write `{name}` into a run: its columns are parted by white space"
                )));
            }
            let (rank, score) = (at + 1, documents.len() - at);
            text.push_str(&format!("{query} Q0 {document} {rank} {score} {tag}\n"));
        }
    }
    Ok(text)
}

fn is_one_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

/// The columns of each line with its number; empty lines are left out.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let columns = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    columns.enumerate().map(|(at, columns)| (at + 1, columns)).filter(|(_, columns)| !columns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_orders_a_run_then_the_later_name() {
        let run = parse_run("q Q0 a 1 2.0 t\nq Q0 b 2 2.0 t\n\nq Q0 z 3 1e1 t\nq Q0 é 4 2 t\n").unwrap();
        assert_eq!(run.by_query["q"], ["z", "é", "b", "a"]);
        assert_eq!(parse_run(&write_run(&run, "t").unwrap()).unwrap(), run);
    }

    #[test]
    fn faults_name_the_line() {
        let check = |fault: Option<Fault>, expected: &str| {
            let fault = fault.unwrap().to_string();
            assert!(fault.contains(expected), "{fault}");
        };
        check(parse_judgments("q 0 a 1\nq 0 a\n").err(), "line 2: a judgment has four columns");
        check(parse_judgments("q 0 a x").err(), "the grade `x` is not a whole number");
        check(parse_judgments("q 0 a 1\nq 0 a 2").err(), "line 2: `a` is judged twice");
        check(parse_judgments(" \n").err(), "there are no judgments");
        check(parse_run("q Q0 a 1 NaN t").err(), "the score `NaN` is not a number");
        check(parse_run("q Q0 a 1 1 t\nq Q0 a 2 0 t").err(), "found twice");
        check(write_run(&Run { by_query: [("q".into(), vec!["a b".into()])].into() }, "t").err(), "`a b`");
    }
}

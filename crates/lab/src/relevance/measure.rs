//! The measures, written as `ir-measures` writes them: `nDCG@10`, `RR` (or `MRR`), `P@5`, `R@100`, `AP`,
//! `Success@1`, `Judged@10`; `(rel=2)` behind a name raises the grade from which a document is relevant.
//! Definitions are trec_eval's: the gain of nDCG is the grade, discounted by log2 of one more than the rank.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    kind: Kind,
    /// From this grade on a document is relevant. nDCG and Judged take no notice.
    relevant: i64,
    /// How many documents count.
    cutoff: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Ndcg,
    ReciprocalRank,
    Precision,
    Recall,
    AveragePrecision,
    Success,
    Judged,
}

/// Names, the first of which is shown; whether a cutoff must be given; whether a grade may.
const KINDS: &[(Kind, &[&str], bool, bool)] = &[
    (Kind::Ndcg, &["nDCG", "NDCG"], false, false),
    (Kind::ReciprocalRank, &["RR", "MRR"], false, true),
    (Kind::Precision, &["P", "Precision"], true, true),
    (Kind::Recall, &["R", "Recall"], true, true),
    (Kind::AveragePrecision, &["AP", "MAP"], false, true),
    (Kind::Success, &["Success"], true, true),
    (Kind::Judged, &["Judged"], true, false),
];

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "`{text}` is no measure; use nDCG@k, RR, P@k, R@k, AP, Success@k or Judged@k, as in `nDCG@10` or `P(rel=2)@5`"
            )
        };
        let (head, cutoff) = match text.split_once('@') {
            None => (text, None),
            Some((head, cutoff)) => {
                (head, Some(cutoff.parse().ok().filter(|cutoff| *cutoff > 0).ok_or_else(unknown)?))
            }
        };
        let (name, relevant) = match head.split_once("(rel=") {
            None => (head, None),
            Some((name, grade)) => (
                name,
                Some(grade.strip_suffix(')').and_then(|grade| grade.parse().ok()).ok_or_else(unknown)?),
            ),
        };
        let (kind, _, needs_cutoff, takes_grade) =
            KINDS.iter().find(|(_, names, ..)| names.contains(&name)).ok_or_else(unknown)?;
        if (*needs_cutoff && cutoff.is_none()) || (!takes_grade && relevant.is_some()) {
            return Err(unknown());
        }
        Ok(Measure { kind: *kind, relevant: relevant.unwrap_or(1).max(1), cutoff })
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            KINDS.iter().find(|(kind, ..)| *kind == self.kind).map_or(&[][..], |(_, names, ..)| names);
        f.write_str(names.first().unwrap_or(&""))?;
        if self.relevant != 1 {
            write!(f, "(rel={})", self.relevant)?;
        }
        self.cutoff.map_or(Ok(()), |cutoff| write!(f, "@{cutoff}"))
    }
}

impl Measure {
    /// How many documents of an answer it looks at, if that is bounded.
    pub fn depth(&self) -> Option<usize> {
        self.cutoff
    }

    /// The measure of one query's documents, best first. Unjudged documents have no gain.
    pub fn of(&self, grades: &HashMap<String, i64>, found: &[String]) -> f64 {
        let considered = &found[..self.cutoff.unwrap_or(found.len()).min(found.len())];
        let grade = |document: &String| grades.get(document).copied();
        let is_relevant = |document: &&String| grade(document).is_some_and(|grade| grade >= self.relevant);
        let hits = || considered.iter().filter(is_relevant).count();
        let wanted = grades.values().filter(|grade| **grade >= self.relevant).count();
        match self.kind {
            Kind::Ndcg => self.ndcg(grades, considered.iter().map(|document| grade(document).unwrap_or(0))),
            Kind::ReciprocalRank => considered
                .iter()
                .position(|document| is_relevant(&document))
                .map_or(0.0, |at| 1.0 / (at + 1) as f64),
            Kind::Precision => share(hits(), self.cutoff.unwrap_or(found.len())),
            Kind::Recall => share(hits(), wanted),
            Kind::AveragePrecision => {
                let places = considered.iter().enumerate().filter(|(_, document)| is_relevant(document));
                let precisions = places.enumerate().map(|(before, (at, _))| share(before + 1, at + 1));
                if wanted == 0 { 0.0 } else { precisions.sum::<f64>() / wanted as f64 }
            }
            Kind::Success => f64::from(u8::from(hits() > 0)),
            Kind::Judged => share(
                considered.iter().filter(|document| grade(document).is_some()).count(),
                considered.len(),
            ),
        }
    }

    /// The gain of an answer beside that of the best there could be.
    fn ndcg(&self, grades: &HashMap<String, i64>, answer: impl Iterator<Item = i64>) -> f64 {
        let mut best: Vec<i64> = grades.values().copied().filter(|grade| *grade > 0).collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        best.truncate(self.cutoff.unwrap_or(best.len()));
        let ideal = discounted(best.into_iter());
        if ideal == 0.0 { 0.0 } else { discounted(answer) / ideal }
    }
}

fn discounted(grades: impl Iterator<Item = i64>) -> f64 {
    grades.enumerate().fold(0.0, |sum, (at, grade)| sum + grade.max(0) as f64 / ((at + 2) as f64).log2())
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        let grades: HashMap<String, i64> = [("a", 3), ("b", 2), ("c", 0), ("d", 1), ("n", -1)]
            .map(|(name, grade)| (name.to_owned(), grade))
            .into();
        let check = |measure: &str, found: &str, expected: f64| {
            let found: Vec<String> = found.chars().map(String::from).collect();
            let measured = measure.parse::<Measure>().unwrap().of(&grades, &found);
            assert!((measured - expected).abs() < 1e-9, "{measure} of {found:?}: {measured}");
        };
        let ideal = 3.0 + 2.0 / 3_f64.log2() + 1.0 / 2.0;
        check("nDCG", "abd", 1.0);
        check("nDCG", "xbna", (2.0 / 3_f64.log2() + 3.0 / 5_f64.log2()) / ideal);
        check("nDCG@2", "ba", (2.0 + 3.0 / 3_f64.log2()) / (3.0 + 2.0 / 3_f64.log2()));
        check("nDCG", "", 0.0);
        check("RR", "xca", 1.0 / 3.0);
        check("MRR@2", "xca", 0.0);
        check("RR(rel=3)", "dba", 1.0 / 3.0);
        check("P@5", "ab", 0.4);
        check("P(rel=2)@2", "ad", 0.5);
        check("R@2", "axd", 1.0 / 3.0);
        check("AP", "axb", (1.0 + 2.0 / 3.0) / 3.0);
        check("AP@2", "axb", 1.0 / 3.0);
        check("Success@1", "xa", 0.0);
        check("Success@2", "xa", 1.0);
        check("Judged@4", "xa", 0.5);
        check("R(rel=4)@2", "ab", 0.0);
    }

    #[test]
    fn names_are_those_of_ir_measures() {
        for (text, shown) in
            [("MRR", "RR"), ("NDCG@3", "nDCG@3"), ("P(rel=2)@5", "P(rel=2)@5"), ("MAP", "AP")]
        {
            assert_eq!(text.parse::<Measure>().unwrap().to_string(), shown);
        }
        for text in ["", "P", "ndcg", "P@0", "P@x", "P(rel=x)@5", "nDCG(rel=2)", "R", "nDCG@10@5", "P@-1"] {
            assert!(text.parse::<Measure>().is_err(), "{text}");
        }
    }
}

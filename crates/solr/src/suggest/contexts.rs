//! `suggest.cfq`: of which contexts suggestions must be. Written as a query without fields; contexts are
//! whole terms, so a word is one, and two words in quotes are none. In: the text of `suggest.cfq`; out: a
//! tree of contexts that the engine holds against each entry. It reads the classic syntax; what contexts
//! cannot be looked up by is refused.

use std::sync::LazyLock;

use analysis::Analyzer;
use plan::{AnalyzerSpec, ComponentSpec, Contexts, Error, Occur, Resources, Result};

use crate::query::syntax::escape::unescape;
use crate::query::syntax::parse::parse;
use crate::query::syntax::tree::{Body, Clause, ConjoinedClause, Conjunction, Modifier};

/// The field that contexts are in, by its name in Lucene.
const FIELD: &str = "contexts";

/// Bounds on what a request can ask for: each clause is a set of entries, each pattern is held against every
/// context.
const CLAUSES_MAX: usize = 1024;
const PATTERNS_MAX: usize = 32;

/// Errors: text that cannot be read, asks for what contexts cannot be looked up by, or for too much.
pub(super) fn parse_contexts(text: &str) -> Result<Contexts> {
    let items = parse(text, true).map_err(|failure| {
        Error::bad_request(format!("cannot parse `suggest.cfq`: {}", Error::from(failure.error)))
    })?;
    let contexts = clauses(&items)?;
    for (found, most, what) in [
        (count(&contexts, &|it| !matches!(it, Contexts::Clauses(_))), CLAUSES_MAX, "clauses"),
        (count(&contexts, &|it| matches!(it, Contexts::Like(_))), PATTERNS_MAX, "patterns"),
    ] {
        if found > most {
            return Err(Error::bad_request(format!("`suggest.cfq` has `{found}` {what}, more than {most}")));
        }
    }
    Ok(contexts)
}

fn count(contexts: &Contexts, is: &dyn Fn(&Contexts) -> bool) -> usize {
    let below = match contexts {
        Contexts::Clauses(clauses) => clauses.iter().map(|(_, below)| count(below, is)).sum(),
        _ => 0,
    };
    below + usize::from(is(contexts))
}

/// As the classic parser reads operators: `AND` also requires what stands before it.
fn clauses(items: &[ConjoinedClause<'_>]) -> Result<Contexts> {
    let mut clauses: Vec<(Occur, Contexts)> = Vec::with_capacity(items.len());
    for item in items {
        if item.conjunction == Conjunction::And
            && let Some((before @ Occur::Should, _)) = clauses.last_mut()
        {
            *before = Occur::Must;
        }
        let occur = match item.modifier {
            Modifier::Prohibited => Occur::MustNot,
            Modifier::Required => Occur::Must,
            Modifier::None if item.conjunction == Conjunction::And => Occur::Must,
            Modifier::None => Occur::Should,
        };
        clauses.push((occur, clause(&item.clause)?));
    }
    Ok(match clauses.as_slice() {
        [] => Contexts::Nothing,
        [(Occur::Should | Occur::Must, _)] => clauses.remove(0).1,
        _ => Contexts::Clauses(clauses),
    })
}

fn clause(clause: &Clause<'_>) -> Result<Contexts> {
    if clause.field.is_some_and(|field| field != FIELD && field != "*") {
        return Ok(Contexts::Nothing);
    }
    let any = |words: Vec<String>| {
        let mut words: Vec<_> = words.into_iter().map(|word| (Occur::Should, Contexts::Is(word))).collect();
        match words.len() {
            0 => Contexts::Nothing,
            1 => words.remove(0).1,
            _ => Contexts::Clauses(words),
        }
    };
    Ok(match &clause.body {
        Body::Terms(texts) => any(words(&unescape(&texts.join(" "))?)?),
        Body::Quoted { text, .. } => match words(&unescape(text)?)?.as_slice() {
            [only] => Contexts::Is(only.clone()),
            _ => Contexts::Nothing,
        },
        Body::Prefix(text) => Contexts::Like(format!("{}*", unescape(text)?)),
        Body::Wildcard(text) => Contexts::Like((*text).to_owned()),
        Body::Group(items) => clauses(items)?,
        _ => {
            return Err(Error::bad_request(
                "`suggest.cfq` has a range, an expression or a word with `~`, which contexts cannot be looked up by; use \
                 words and `*`",
            ));
        }
    })
}

/// The words of a text as Solr reads contexts: by the standard tokenizer, their case as it is.
fn words(text: &str) -> Result<Vec<String>> {
    static ANALYZER: LazyLock<std::result::Result<Analyzer, String>> = LazyLock::new(|| {
        let tokenizer = ComponentSpec { name: "standard".to_owned(), ..ComponentSpec::default() };
        let spec = AnalyzerSpec { tokenizer, ..AnalyzerSpec::default() };
        Analyzer::build(&spec, &Resources::default()).map_err(|error| error.to_string())
    });
    let analyzer = ANALYZER.as_ref().map_err(Error::internal)?;
    Ok(analyzer.analyze(text).into_iter().map(|token| token.text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_read() {
        let is = |word: &str| Contexts::Is(word.to_owned());
        let check = |text: &str, expected: Contexts| {
            assert_eq!(parse_contexts(text).unwrap(), expected, "{text}");
        };
        let all = |clauses: &[(Occur, &str)]| {
            Contexts::Clauses(clauses.iter().map(|(occur, word)| (*occur, is(word))).collect())
        };
        check("film", is("film"));
        check("\"film\"", is("film"));
        check("\"film noir\"", Contexts::Nothing);
        check("a b", all(&[(Occur::Should, "a"), (Occur::Should, "b")]));
        check("+a -b c", all(&[(Occur::Must, "a"), (Occur::MustNot, "b"), (Occur::Should, "c")]));
        check("a OR b AND c", all(&[(Occur::Should, "a"), (Occur::Must, "b"), (Occur::Must, "c")]));
        check("NOT a", all(&[(Occur::MustNot, "a")]));
        check("sci-fi", all(&[(Occur::Should, "sci"), (Occur::Should, "fi")]));
        check("ga*", Contexts::Like("ga*".into()));
        check("g?r", Contexts::Like("g?r".into()));
        check("other:a", Contexts::Nothing);
        let group = Contexts::Clauses(vec![
            (Occur::Must, all(&[(Occur::Should, "a"), (Occur::Should, "b")])),
            (Occur::MustNot, is("c")),
        ]);
        check("(a OR b) AND NOT c", group);
        let (many, patterns) = ("a ".repeat(2000), "a* ".repeat(100));
        for text in ["+(", "a~", "[a TO b]", &many, &patterns] {
            assert!(parse_contexts(text).unwrap_err().message.contains("suggest.cfq"), "{text}");
        }
    }
}

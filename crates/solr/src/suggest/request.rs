//! What a request asks of a suggesting component, and what it is answered. In: parameters and the component;
//! out: which suggesters to build, a plan for each that is asked, and their answers as Solr writes them. What
//! is found for a plan is the engine's; building and asking is the handler's.

use std::collections::BTreeSet;
use std::sync::Arc;

use analysis::{Analyzer, Ending, PathOptions, Token, graph_paths};
use plan::{
    CutDepth, Error, FieldType, Lookup, PrefixLookup, Result, SuggestAsk, SuggestComponent, SuggestPlan,
    Suggester, Suggestion,
};

use super::contexts::parse_contexts;
use super::highlight::highlight;
use crate::params::{Params, query, suggesting};
use crate::response::{Entries, Name, Node};
use crate::select::ResolveContext;

/// Bounds on what a request can ask for.
const COUNT_MAX: i32 = 10_000;
const PATHS_MAX: usize = 256;
const TEXT_BYTES_MAX: usize = 4096;

/// A request that asks for suggestions.
#[derive(Debug)]
pub struct SuggestRequest<'a> {
    params: &'a Params,
    component: &'a SuggestComponent,
    /// Whom it asks, by name; or why nobody can be.
    asked: Result<Vec<&'a Suggester>>,
}

/// One suggester's part of a request.
#[derive(Debug)]
pub struct ResolvedSuggest<'a> {
    pub suggester: &'a Suggester,
    pub plan: Arc<SuggestPlan>,
    highlights: bool,
}

impl<'a> SuggestRequest<'a> {
    /// `None` when the request asks for none. Errors come before anything is done: a name that nothing has.
    pub fn prepare(params: &'a Params, component: &'a SuggestComponent) -> Result<Option<Self>> {
        if !suggesting::SUGGEST.read(params)? {
            return Ok(None);
        }
        let request = Self { params, component, asked: asked(params, component) };
        let of_all = suggesting::BUILD_ALL.read(params)? || suggesting::RELOAD_ALL.read(params)?;
        match request.asked {
            Err(error) if !of_all => Err(error),
            _ => Ok(Some(request)),
        }
    }

    /// What is to be done first: its name in the response, and the suggesters to build.
    pub fn command(&self) -> Result<Option<(&'static str, Vec<&'a Suggester>)>> {
        let (build, all) = (suggesting::BUILD.read(self.params)?, suggesting::BUILD_ALL.read(self.params)?);
        if build || all {
            let suggesters = if all { self.component.suggesters.iter().collect() } else { self.suggesters() };
            return Ok(Some((if all { "buildAll" } else { "build" }, suggesters)));
        }
        let (reload, all) =
            (suggesting::RELOAD.read(self.params)?, suggesting::RELOAD_ALL.read(self.params)?);
        Ok((reload || all).then_some((if all { "reloadAll" } else { "reload" }, vec![])))
    }

    pub fn suggesters(&self) -> Vec<&'a Suggester> {
        self.asked.as_deref().unwrap_or_default().to_vec()
    }

    /// The text to complete, if there is any.
    pub fn text(&self) -> Option<&'a str> {
        suggesting::QUERY.sent(self.params).or_else(|| query::Q.sent(self.params))
    }

    /// Most suggestions of each. Errors: no number.
    pub fn count(&self) -> Result<i32> {
        suggesting::COUNT.read(self.params)
    }

    /// What to look up in a suggester. Errors: a count out of bounds; contexts or a text that cannot be read.
    /// Solr differs: it answers them with 500 (`component/suggesters`).
    pub fn ask(
        &self,
        context: &ResolveContext<'_>,
        suggester: &'a Suggester,
        text: &str,
        count: i32,
    ) -> Result<ResolvedSuggest<'a>> {
        let count =
            usize::try_from(count).ok().filter(|it| (1..=COUNT_MAX as usize).contains(it)).ok_or_else(
                || Error::bad_request(format!("`suggest.count` is `{count}`; use 1 to {COUNT_MAX}")),
            )?;
        if text.len() > TEXT_BYTES_MAX {
            return Err(Error::bad_request(format!(
                "the text to complete has `{}` bytes, more than {TEXT_BYTES_MAX}; send its last words",
                text.len()
            )));
        }
        let contexts = suggesting::CONTEXTS.sent(self.params).map(str::trim).filter(|it| !it.is_empty());
        let analyzer = analyzer(context, suggester)?;
        let reading = analyzer.map_or_else(Reading::default, |analyzer| Reading::of(analyzer, text));
        let (mut highlights, ask) = match &suggester.lookup {
            Lookup::Infix(lookup) => {
                let all_required = match contexts {
                    Some(_) => suggesting::ALL_REQUIRED.read(self.params)?,
                    None => lookup.all_required,
                };
                let contexts = contexts.map(parse_contexts).transpose()?;
                let (words, prefix) = reading.words();
                let key = text.to_owned();
                (lookup.highlight, SuggestAsk::Infix { key, words, prefix, all_required, contexts })
            }
            Lookup::Prefix(lookup) => {
                let paths = match analyzer {
                    Some(_) => graph_paths(&reading.tokens, reading.ending, spelling(lookup)),
                    None => vec![text.to_owned()],
                };
                (false, SuggestAsk::Prefix { key: text.to_owned(), paths })
            }
            Lookup::NextWord(lookup) => (false, reading.last_words(lookup.grams)?),
            Lookup::Sorted(lookup) => {
                let key = if lookup.lowercase { text.to_lowercase() } else { text.to_owned() };
                (false, SuggestAsk::Sorted { key })
            }
        };
        highlights &= contexts.is_none();
        let plan = SuggestPlan {
            component: self.component.name.clone(),
            suggester: suggester.name.clone(),
            ask,
            count,
            depth: CutDepth::Page,
        };
        Ok(ResolvedSuggest { suggester, plan: Arc::new(plan), highlights })
    }
}

/// The suggesters named, each once, in the order of their names.
fn asked<'a>(params: &Params, component: &'a SuggestComponent) -> Result<Vec<&'a Suggester>> {
    let mut names: BTreeSet<&str> = suggesting::DICTIONARY.sent_all(params).collect();
    if names.is_empty() {
        names.insert(suggesting::DICTIONARY.default);
    }
    let find = |name: &str| {
        let found = component.suggesters.iter().find(|it| it.name == name);
        found.ok_or_else(|| Error::bad_request(format!("No suggester named {name} was configured")))
    };
    names.into_iter().map(find).collect()
}

/// By which a suggester reads requests; `None` takes them as they are.
fn analyzer<'a>(context: &ResolveContext<'a>, suggester: &Suggester) -> Result<Option<&'a Analyzer>> {
    let Some(name) = &suggester.field_type else { return Ok(None) };
    let missing = |what: &str| {
        Error::bad_request(format!("field type `{name}` of suggester `{}` {what}", suggester.name))
    };
    let kind: &FieldType = context.schema.field_type(name).ok_or_else(|| missing("does not exist"))?;
    context.analyzers.query(kind)?.ok_or_else(|| missing("has no analyzer")).map(Some)
}

fn spelling(lookup: &PrefixLookup) -> PathOptions {
    PathOptions { holes: lookup.holes, separated: lookup.separated, paths_max: PATHS_MAX }
}

/// A text after analysis.
#[derive(Default)]
struct Reading {
    tokens: Vec<Token>,
    ending: Ending,
}

impl Reading {
    fn of(analyzer: &Analyzer, text: &str) -> Self {
        let mut tokens = Vec::new();
        let ending = analyzer.tokens(text, &mut |token| tokens.push(token.clone()));
        Self { tokens, ending }
    }

    /// Whether something stands behind the last word, a space say.
    fn ended(&self) -> bool {
        let last = self.tokens.iter().map(|token| token.end).max();
        last.is_none_or(|last| self.ending.offset > last)
    }

    /// The whole words, and the one that is still being typed.
    fn words(&self) -> (Vec<String>, Option<String>) {
        let mut words: Vec<String> = self.tokens.iter().map(|token| token.text.clone()).collect();
        let prefix = if self.ended() { None } else { words.pop() };
        (words, prefix)
    }

    fn last_words(&self, count: usize) -> Result<SuggestAsk> {
        /// Stands for a word left out, as in the sequences counted.
        const LEFT_OUT: &str = "_";
        let mut words = Vec::new();
        for token in &self.tokens {
            words.extend((1..token.position_increment.min(16)).map(|_| LEFT_OUT.to_owned()));
            words.push(token.text.clone());
        }
        if words.iter().all(String::is_empty) {
            return Err(Error::bad_request(
                "no tokens produced by analyzer, or the only tokens were empty strings",
            ));
        }
        let left_out = self.ending.position_increment as usize;
        words.drain(..words.len().saturating_sub(count));
        Ok(SuggestAsk::NextWord { words, ended: self.ended() || left_out > 0, left_out })
    }
}

impl ResolvedSuggest<'_> {
    /// What a suggester found, as Solr shows it: by its name and what was asked.
    pub fn respond(
        &self,
        context: &ResolveContext<'_>,
        text: &str,
        found: Vec<Suggestion>,
    ) -> Result<(Name, Node)> {
        let analyzer = analyzer(context, self.suggester)?;
        let shown = |found: Suggestion| {
            let term = match (&self.plan.ask, analyzer) {
                (SuggestAsk::Infix { words, prefix, .. }, Some(analyzer)) if self.highlights => {
                    highlight(analyzer, &found.text, words, prefix.as_deref())
                }
                _ => found.text,
            };
            Node::map([
                ("term", Node::Str(term.into())),
                ("weight", Node::Long(found.weight)),
                ("payload", Node::Str(found.payload.unwrap_or_default().into())),
            ])
        };
        let entries: Entries = vec![
            ("numFound".into(), Node::count(found.len() as u64)),
            ("suggestions".into(), Node::Array(found.into_iter().map(shown).collect())),
        ];
        let by_text = Node::Map(vec![(Name::Owned(text.to_owned()), Node::Map(entries))]);
        Ok((Name::Owned(self.suggester.name.clone()), by_text))
    }
}

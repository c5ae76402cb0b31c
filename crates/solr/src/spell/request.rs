//! What a request asks of a spelling component: which dictionaries, which words, how many suggestions, and
//! the trial of a corrected query. Values are read when Solr reads them, which decides what is answered
//! beside an error.

use analysis::{SchemaAnalyzers, Token};
use plan::{
    Checker, Error, ErrorKind, Filter, Query, Result, Schema, SearchPlan, SearchResult, SortBy, SortKey,
    SpellComponent, SpellDictionary, SpellMode, SpellPlan, SpellWord, WordRole,
};

use super::collation::CollationBounds;
use super::query_words::{query_words, words_of};
use crate::params::json_request::FACET_TREE;
use crate::params::{Params, Preset, dismax, facet, grouping, paging, query, response, spelling, stats};
use crate::query::{Budget, QueryContext, parse_query};
use crate::select::{ResolveContext, SelectRequest};

/// Bounds on what a request can ask for.
const WORDS_MAX: usize = 1024;
const COUNT_MAX: i32 = 1000;

/// A request that asks for spelling.
#[derive(Debug)]
pub struct SpellRequest<'a> {
    params: &'a Params,
    component: &'a SpellComponent,
    names: Vec<&'a str>,
}

/// Up to how many hits of the query suggestions are made.
#[derive(Debug)]
pub enum HitsBound {
    /// However many.
    None,
    Hits(u64),
    /// A share of what the narrowest of these filters finds; of none, no bound.
    Share(f32, Vec<Query>),
}

/// What to look up and how to show it.
#[derive(Debug)]
pub struct Spelling {
    /// `None` when the query found enough.
    pub plan: Option<SpellPlan>,
    /// The text that words were taken from.
    pub(super) query: String,
    pub(super) extended: bool,
    pub(super) is_correct: bool,
    pub(super) collation: Option<CollationBounds>,
    pub(super) collation_extended: bool,
    /// How many hits of a trial are counted; 0 is all.
    trial_documents_max: usize,
}

impl<'a> SpellRequest<'a> {
    /// `None` when the request asks for no spelling. Errors come before anything is searched.
    pub fn prepare(params: &'a Params, component: &'a SpellComponent) -> Result<Option<Self>> {
        let is_empty = component.dictionaries.is_empty() && component.unserved.is_empty();
        if !spelling::SPELLCHECK.read(params)? || is_empty {
            return Ok(None);
        }
        let mut names: Vec<&str> = spelling::DICTIONARY.sent_all(params).collect();
        if names.is_empty() {
            names.push(spelling::DICTIONARY.default);
        }
        let request = Self { params, component, names };
        request.check_served()?;
        request.check_together()?;
        Ok(Some(request))
    }

    /// What was done before the search, as Solr reports it. Nothing needs to be: dictionaries are the terms
    /// of the index.
    pub fn command(&self) -> Result<Option<&'static str>> {
        Ok(match (spelling::BUILD.read(self.params)?, spelling::RELOAD.read(self.params)?) {
            (true, _) => Some("build"),
            (false, true) => Some("reload"),
            (false, false) => None,
        })
    }

    /// A dictionary that was declared and is not here would be an answer without suggestions.
    fn check_served(&self) -> Result<()> {
        let found = self.component.unserved.iter().find(|(name, _)| self.names.contains(&&**name));
        let Some((name, class)) = found else { return Ok(()) };
        Err(Error::bad_request(format!(
            "the dictionary `{name}` of class `{class}` is not supported; declare it as a \
             solr.DirectSolrSpellChecker, or a suggester in a solr.SuggestComponent"
        )))
    }

    /// Solr differs: it answers 500 (`component/word_breaks`).
    ///
    /// Dictionaries are asked together only if they agree on what alike means and on what a word is.
    fn check_together(&self) -> Result<()> {
        let known: Vec<_> = self.names.iter().filter_map(|name| self.dictionary(name).ok()).collect();
        let near: Vec<_> = known
            .iter()
            .filter_map(|it| match &it.checker {
                Checker::Near(near) => Some(near),
                Checker::Broken(_) => None,
            })
            .collect();
        let refuse =
            |what: &str| Err(Error::bad_request(format!("All checkers need to use the same {what}.")));
        if near.windows(2).any(|two| two.first().map(|it| it.measure) != two.last().map(|it| it.measure)) {
            return refuse("StringDistance");
        }
        if near.windows(2).any(|two| two.first().map(|it| it.accuracy) != two.last().map(|it| it.accuracy)) {
            return refuse("Accuracy");
        }
        Ok(())
    }

    fn dictionary(&self, name: &str) -> Result<&'a SpellDictionary> {
        let found = self.component.dictionaries.iter().find(|it| it.name == name);
        found.ok_or_else(|| {
            let names = self.names.join(" ");
            Error::new(ErrorKind::NotFound, format!("Specified dictionaries do not exist: {names}"))
        })
    }

    /// What bounds the hits; `filters` are those of the search. A filter that cannot be read bounds nothing,
    /// as in Solr.
    pub fn bound(&self, context: &ResolveContext<'_>, filters: &[Filter]) -> Result<HitsBound> {
        let bound = spelling::RESULTS_MAX.read(self.params)?;
        if bound <= 0.0 {
            return Ok(HitsBound::None);
        }
        if bound.fract() == 0.0 {
            return Ok(HitsBound::Hits(bound as u64));
        }
        let own = spelling::RESULTS_MAX_FILTER.sent(self.params);
        Ok(match own.map(|text| self.filter(context, text)) {
            Some(Ok(query)) => HitsBound::Share(bound, vec![query]),
            Some(Err(_)) => HitsBound::None,
            None => HitsBound::Share(bound, filters.iter().map(|filter| filter.query.clone()).collect()),
        })
    }

    fn filter(&self, context: &ResolveContext<'_>, text: &str) -> Result<Query> {
        let (dates, budget) = (context.dates(self.params)?, Budget::of(self.params));
        let context = QueryContext { filtering: true, ..context.queries(self.params, &dates, &budget) };
        Ok(parse_query(&context, text, "lucene")?.executable())
    }

    /// What to look up, for a query with this many hits; `None` when there are no words.
    pub fn resolve(
        &self,
        context: &ResolveContext<'_>,
        hits: u64,
        hits_max: Option<u64>,
    ) -> Result<Option<Spelling>> {
        let dictionaries = self.names.iter().map(|name| self.dictionary(name).cloned());
        let dictionaries = dictionaries.collect::<Result<Vec<_>>>()?;
        let Some((query, words)) = self.words(context, &dictionaries)? else { return Ok(None) };
        let alternatives = self.count(&spelling::ALTERNATIVES, 0)?;
        let mode = if spelling::MORE_POPULAR.read(self.params)? {
            SpellMode::MorePopular
        } else if alternatives > 0 {
            SpellMode::Always
        } else {
            SpellMode::Unknown
        };
        let overlap =
            dictionaries.len() > 1 || dictionaries.iter().any(|it| matches!(it.checker, Checker::Broken(_)));
        let plan = SpellPlan {
            schema_version: Some(context.schema.lineage.version),
            dictionaries,
            words,
            count: self.count(&spelling::COUNT, 1)?,
            alternatives,
            mode,
            accuracy: spelling::ACCURACY.read(self.params)?,
        };
        let collate = spelling::COLLATE.read(self.params)?;
        let collation_extended = spelling::COLLATION_EXTENDED.read(self.params)?;
        let counted = self.count(&spelling::COLLATION_DOCUMENTS_MAX, 0)?;
        Ok(Some(Spelling {
            plan: hits_max.is_none_or(|most| hits <= most).then_some(plan),
            query,
            extended: spelling::EXTENDED.read(self.params)?,
            is_correct: hits > hits_max.unwrap_or(0),
            collation: if collate { Some(self.collation(overlap)?) } else { None },
            collation_extended,
            trial_documents_max: if collation_extended { counted } else { 1 },
        }))
    }

    /// The text and its words.
    fn words(
        &self,
        context: &ResolveContext<'_>,
        dictionaries: &[SpellDictionary],
    ) -> Result<Option<(String, Vec<SpellWord>)>> {
        let reader = SpellWordReader { schema: context.schema, analyzers: context.analyzers };
        let (text, words) = match spelling::QUERY.sent(self.params) {
            Some(text) => {
                let tokens = reader.tokens(dictionaries.first().and_then(|it| reader.type_of(it)), text)?;
                (text, words_of(text, &tokens, 0, WordRole::default()))
            }
            None => {
                let Some(text) = query::Q.sent(self.params) else { return Ok(None) };
                let named = self.component.query_type.as_deref();
                let kind = named.and_then(|name| reader.type_named(name));
                (text, query_words(text, &|piece| reader.tokens(kind, piece))?)
            }
        };
        if words.len() > WORDS_MAX {
            return Err(Error::bad_request(format!(
                "the query has `{}` words to check, more than {WORDS_MAX}; send fewer as `spellcheck.q`",
                words.len()
            )));
        }
        Ok(if words.is_empty() { None } else { Some((text.to_owned(), words)) })
    }

    fn collation(&self, overlap: bool) -> Result<CollationBounds> {
        let evaluations = spelling::COLLATION_EVALUATIONS_MAX.read(self.params)?;
        Ok(CollationBounds {
            shown_max: self.count(&spelling::COLLATIONS_MAX, 0)?,
            tries_max: self.count(&spelling::COLLATION_TRIES_MAX, 0)?,
            evaluations_max: usize::try_from(evaluations).unwrap_or(0),
            overlap,
        })
    }

    /// A number from `least` up, and within bounds. Solr differs: it answers 500 to counts below 1, and knows
    /// no upper bound (`component/spelling`).
    fn count(&self, param: &Preset<i32>, least: i32) -> Result<usize> {
        let count = param.read(self.params)?;
        if count > COUNT_MAX || (count < least && least > 0) {
            return Err(Error::bad_request(format!(
                "`{}` is `{count}`; use {least} to {COUNT_MAX}",
                param.name
            )));
        }
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// How to find out what a corrected query finds: as the request's own query, with
    /// `spellcheck.collateParam.*` in place of its other parameters, and within `filters`.
    pub fn trial(
        &self,
        context: &ResolveContext<'_>,
        spelling: &Spelling,
        query: &str,
        filters: &[Filter],
    ) -> Result<SearchPlan> {
        let mut params = self.trial_params();
        params.set(query::Q.name, query.to_owned());
        let plan = SelectRequest::parse(&params)?.resolve(context)?.plan;
        let mut trial = SearchPlan::count(plan.query.clone());
        trial.schema_version = plan.schema_version;
        trial.sort = vec![SortKey { by: SortBy::IndexOrder, descending: false }];
        trial.page.rows = spelling.trial_documents_max;
        trial.filters = filters.iter().chain(&plan.filters).cloned().collect();
        trial.shape.collapses = plan.shape.collapses.clone();
        Ok(trial)
    }

    fn trial_params(&self) -> Params {
        /// What shows more than the number of hits, or orders them.
        const LEFT_OUT: &[&str] = &[
            paging::START.name,
            paging::ROWS.name,
            response::FL.name,
            query::SORT.name,
            paging::CURSOR_MARK.name,
            dismax::TIE.name,
            dismax::PF.name,
            dismax::PF2.name,
            dismax::PF3.name,
            dismax::BQ.name,
            dismax::BF.name,
            grouping::GROUP.name,
            grouping::EXPAND.name,
            facet::FACET.name,
            stats::STATS.name,
            response::DEBUG.name,
            response::DEBUG_QUERY.name,
            FACET_TREE.name,
        ];
        let replaced = |name: &str| self.params.pairs().iter().any(|(key, _)| overrides(key) == Some(name));
        let own = self.params.pairs().iter().filter(|(name, _)| !replaced(name));
        let others = self.params.pairs().iter().filter_map(|(name, value)| {
            let name = overrides(name).filter(|_| !value.is_empty())?;
            Some((name.to_owned(), value.clone()))
        });
        let pairs = own.cloned().chain(others);
        Params::new(pairs.filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())).collect())
    }
}

/// The parameter that another stands for in trials.
fn overrides(name: &str) -> Option<&str> {
    name.strip_prefix(spelling::COLLATION_PARAMS.beginning()).filter(|it| !it.is_empty())
}

impl Spelling {
    /// How many documents a trial finds, of an index of this many: counted, or estimated by where counting
    /// ended.
    pub fn trial_hits(&self, result: &SearchResult, documents_max: u64) -> u64 {
        let counted = self.trial_documents_max;
        let last = counted.checked_sub(1).and_then(|at| result.hits.get(at));
        match last {
            None => result.total,
            Some(hit) if hit.place + 1 == documents_max => counted as u64,
            Some(hit) => {
                (documents_max.saturating_mul(counted as u64) as f32 / (hit.place + 1) as f32) as u64
            }
        }
    }
}

/// Reads words by the types of a schema.
struct SpellWordReader<'a> {
    schema: &'a Schema,
    analyzers: &'a SchemaAnalyzers,
}

impl<'a> SpellWordReader<'a> {
    fn type_of(&self, dictionary: &SpellDictionary) -> Option<&'a plan::FieldType> {
        let named = dictionary.field_type.as_deref().and_then(|name| self.type_named(name));
        named.or_else(|| self.schema.field(&dictionary.field).map(|spec| &*spec.field_type))
    }

    fn type_named(&self, name: &str) -> Option<&'a plan::FieldType> {
        self.schema.field_type(name).map(|kind| &**kind)
    }

    /// By the type's query analyzer; whole, by a type without one; cut at white space where there is no type.
    fn tokens(&self, kind: Option<&plan::FieldType>, text: &str) -> Result<Vec<Token>> {
        match kind {
            Some(kind) if kind.query_analyzer.is_some() => self.analyzers.tokens(kind, text),
            Some(_) if text.is_empty() => Ok(vec![]),
            Some(_) => Ok(vec![piece(text, 0, text.len())]),
            None => Ok(text
                .split_whitespace()
                .map(|word| {
                    let start = word.as_ptr().addr() - text.as_ptr().addr();
                    piece(text, start, start + word.len())
                })
                .collect()),
        }
    }
}

/// A part of a text as a token.
fn piece(text: &str, start: usize, end: usize) -> Token {
    let mut token = Token::default();
    token.text.push_str(text.get(start..end).unwrap_or_default());
    token.start = u32::try_from(start).unwrap_or(u32::MAX);
    token.end = u32::try_from(end).unwrap_or(u32::MAX);
    token
}

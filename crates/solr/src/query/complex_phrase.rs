//! `{!complexphrase}`: the grammar of `lucene`, in whose phrases a place may be a pattern, a range or alternatives:
//! `"(john jon) sm*th"`. Only phrases of neighbours in order: what stands further apart is refused.

use plan::{Error, PatternPhrase, Query, Result};

use super::lucene::{Grammar, LuceneOptions};
use super::parsers::Request;
use super::pieces::{LucenePieces, Piece, Pieces, Place};
use super::syntax::parse::parse;
use super::syntax::tree::{Body, Conjunction, Item, Modifier};

/// Places of one phrase; Solr differs: it has no bound.
const PLACES_MAX: usize = 64;

pub(super) fn complex_phrase(request: &Request<'_>) -> Result<Option<Query>> {
    if request.text.is_empty() {
        return Ok(None);
    }
    if request.param("inOrder").is_some_and(|in_order| in_order == "false") {
        return Err(Error::bad_request(
            "`inOrder=false` of `{!complexphrase}` is not supported yet; leave it out",
        ));
    }
    let options = LuceneOptions {
        default_field: request.param("df"),
        all_required: request.param("q.op").is_some_and(|operator| operator.eq_ignore_ascii_case("and")),
        split: true,
    };
    let pieces = PatternPieces { lucene: LucenePieces { options: &options } };
    let all_required = options.all_required;
    let grammar = Grammar { context: request.context, pieces: &pieces, all_required, split: true };
    grammar.query(request.text, request.depth).map(Some)
}

/// Those of `lucene`, but for phrases.
struct PatternPieces<'a> {
    lucene: LucenePieces<'a>,
}

impl Pieces for PatternPieces<'_> {
    fn read(&self, piece: &Piece<'_>, place: Place<'_>) -> Result<Option<Query>> {
        let Piece::Quoted { text, slop } = piece else { return self.lucene.read(piece, place) };
        if slop.is_some_and(|slop| slop > 0) {
            return Err(Error::bad_request(
                "a slop in `{!complexphrase}` is not supported yet; leave out what stands behind `~`",
            ));
        }
        let field = place.context.field(self.lucene.name(place.field)?)?;
        if !field.spec.class().is_text() {
            return self.lucene.read(piece, place);
        }
        let items = parse(text, true).map_err(|failure| failure.error)?;
        if items.len() > PLACES_MAX {
            return Err(Error::bad_request(format!(
                "a phrase of `{{!complexphrase}}` has more than {PLACES_MAX} places; use fewer words"
            )));
        }
        let mut places = Vec::with_capacity(items.len());
        for item in &items {
            let alternatives = self.alternatives(item, place)?;
            if !alternatives.is_empty() {
                places.push(alternatives);
            }
        }
        Ok(match places.is_empty() {
            true => None,
            false => {
                Some(Query::PatternPhrase(PatternPhrase { field: field.name, places, text: text.clone() }))
            }
        })
    }

    fn is_plain(&self, context: &super::QueryContext<'_>, field: Option<&str>) -> bool {
        self.lucene.is_plain(context, field)
    }
}

impl PatternPieces<'_> {
    /// What may stand at one place.
    fn alternatives(&self, item: &Item<'_>, place: Place<'_>) -> Result<Vec<Query>> {
        let refused = || {
            Error::bad_request(
                "a phrase of `{!complexphrase}` holds what is not supported yet; use words, patterns, ranges, and \
                 `(a OR b)`",
            )
        };
        let plain = item.modifier == Modifier::None && item.conjunction == Conjunction::None;
        if item.clause.boost.is_some() || item.clause.field.is_some() || !plain {
            return Err(refused());
        }
        let items = match &item.clause.body {
            Body::Group(items) => items,
            body => return Ok(self.one(body, place)?.into_iter().collect()),
        };
        let mut queries = Vec::with_capacity(items.len());
        for Item { conjunction, modifier, clause } in items {
            if *conjunction == Conjunction::And || *modifier != Modifier::None || clause.boost.is_some() {
                return Err(refused());
            }
            queries.extend(self.one(&clause.body, place)?);
        }
        Ok(queries)
    }

    fn one(&self, body: &Body<'_>, place: Place<'_>) -> Result<Option<Query>> {
        match body {
            Body::Terms(_) | Body::Prefix(_) | Body::Wildcard(_) | Body::Fuzzy { .. } | Body::Range(_) => {
                self.lucene.read(&super::lucene::piece(body)?, place)
            }
            _ => Err(Error::bad_request(
                "a phrase of `{!complexphrase}` holds more than words, patterns and ranges; use those alone",
            )),
        }
    }
}

//! BBoxField: a box a document as its four edges, each in a field of its own, and whether it crosses the date
//! line in another. How it is related to a box that is asked for is found by ranges of those; how much of it
//! is common, by a function.
//!
//! Solr differs: what is no box to ask for, or asked wrongly, is an error 500 there
//! (`compat/query/boxes.yaml`).

use std::ops::Bound;

use plan::{
    Area, BoxScore, Clause, Edge, Error, Function, Occur, Operator, Query, Range, Rect, Result, Value, coerce,
};

use super::Measure;
use super::arguments::{BoxArguments, BoxRelation, restricts};
use crate::query::context::{Field, QueryContext};
use crate::query::java_float;
use crate::query::request::Request;

/// How much of the score the share of what was asked is, unless the request sets it.
const ASKED_SHARE: f64 = 0.25;

/// The fields of a field of boxes.
struct BoxFields {
    /// As [`Edge::ALL`] has them.
    edges: Vec<Field>,
    crosses: Field,
}

impl BoxFields {
    fn of(context: &QueryContext<'_>, field: &Field) -> Result<Self> {
        let edge = |edge: &Edge| context.field(&edge.sub_field(&field.name));
        let edges = Edge::ALL.iter().map(edge).collect::<Result<_>>()?;
        Ok(Self { edges, crosses: edge(&Edge::Crosses)? })
    }

    fn edge(&self, edge: Edge) -> &Field {
        let at = Edge::ALL.iter().position(|known| *known == edge);
        at.and_then(|at| self.edges.get(at)).unwrap_or(&self.crosses)
    }

    fn range(&self, edge: Edge, least: Option<f64>, most: Option<f64>) -> Result<Query> {
        let field = self.edge(edge);
        let bound = |value: Option<f64>| -> Result<Bound<Value>> {
            let Some(value) = value else { return Ok(Bound::Unbounded) };
            Ok(Bound::Included(coerce(&Value::Double(value), field.spec.class())?))
        };
        Ok(Query::Range(Range { field: field.name.clone(), lower: bound(least)?, upper: bound(most)? }))
    }

    fn at_least(&self, edge: Edge, least: f64) -> Result<Query> {
        self.range(edge, Some(least), None)
    }

    fn at_most(&self, edge: Edge, most: f64) -> Result<Query> {
        self.range(edge, None, Some(most))
    }

    /// Whether the document's box crosses the date line.
    fn crossing(&self, crosses: bool) -> Result<Query> {
        let flag = f64::from(u8::from(crosses));
        self.range(Edge::Crosses, Some(flag), Some(flag))
    }

    fn present(&self) -> Result<Query> {
        // Any edge would do to tell that a box is there; the south one has a range that all of them lie in.
        self.range(Edge::South, Some(-90.0), Some(90.0))
    }

    fn relation(&self, relation: BoxRelation, asked: Rect) -> Result<Query> {
        use Edge::{East, North, South, West};
        match relation {
            BoxRelation::Intersects => Ok(all(vec![
                self.at_most(South, asked.north)?,
                self.at_least(North, asked.south)?,
                self.meets(asked)?,
            ])),
            BoxRelation::Disjoint => {
                let meets = self.relation(BoxRelation::Intersects, asked)?;
                Ok(clauses([(Occur::Must, self.present()?), (Occur::MustNot, meets)]))
            }
            BoxRelation::Within => Ok(all(vec![
                self.at_least(South, asked.south)?,
                self.at_most(North, asked.north)?,
                self.within(asked)?,
            ])),
            BoxRelation::Contains => Ok(all(vec![
                self.at_most(South, asked.south)?,
                self.at_least(North, asked.north)?,
                self.contains(asked)?,
            ])),
            BoxRelation::Equals => {
                let edges = [West, East, South, North].into_iter().zip(asked.edges());
                let same = edges.map(|(edge, value)| self.range(edge, Some(value), Some(value)));
                Ok(all(same.collect::<Result<_>>()?))
            }
        }
    }

    /// From west to east: the two have a meridian in common.
    fn meets(&self, asked: Rect) -> Result<Query> {
        let west = self.at_most(Edge::West, asked.east)?;
        let east = self.at_least(Edge::East, asked.west)?;
        let both = vec![west, east];
        Ok(match asked.crosses() {
            // A box over the date line has its west greater than its east: it meets what begins east of the
            // one or ends west of the other.
            false => any(vec![all(both.clone()), all(vec![self.crossing(true)?, any(both)])]),
            true => any(vec![self.crossing(true)?, any(both)]),
        })
    }

    /// From west to east: the document's lies in what is asked.
    fn within(&self, asked: Rect) -> Result<Query> {
        // All the way round: every box lies in it, whatever its edges are.
        if asked.width() >= 360.0 {
            return self.present();
        }
        let west = self.at_least(Edge::West, asked.west)?;
        let east = self.at_most(Edge::East, asked.east)?;
        let both = vec![west, east];
        let plain = if asked.crosses() { any(both.clone()) } else { all(both.clone()) };
        let plain = all(vec![self.crossing(false)?, plain]);
        Ok(match asked.crosses() {
            false => plain,
            true => any(vec![plain, all([both, vec![self.crossing(true)?]].concat())]),
        })
    }

    /// From west to east: what is asked lies in the document's.
    fn contains(&self, asked: Rect) -> Result<Query> {
        let west = self.at_most(Edge::West, asked.west)?;
        let east = self.at_least(Edge::East, asked.east)?;
        let both = vec![west, east];
        let around = all(vec![self.at_most(Edge::West, -180.0)?, self.at_least(Edge::East, 180.0)?]);
        Ok(match (asked.crosses(), asked.width() >= 360.0) {
            (_, true) => around,
            (false, _) => any(vec![all(both.clone()), all(vec![self.crossing(true)?, any(both)])]),
            (true, _) => any(vec![around, all([both, vec![self.crossing(true)?]].concat())]),
        })
    }

    fn score(&self, score: BoxScore) -> Query {
        let value = |field: &Field| Function::Field {
            field: field.name.clone(),
            class: field.spec.class(),
            pick: None,
        };
        let edges = self.edges.iter().map(value).collect();
        Query::Function(Box::new(Function::call(Operator::BoxScore(score), edges)))
    }
}

fn clauses(clauses: impl IntoIterator<Item = (Occur, Query)>) -> Query {
    let clauses = clauses.into_iter().map(|(occur, query)| Clause { occur, query }).collect();
    Query::Boolean { clauses, minimum_should_match: 0 }
}

fn all(queries: Vec<Query>) -> Query {
    clauses(queries.into_iter().map(|query| (Occur::Must, query)))
}

fn any(queries: Vec<Query>) -> Query {
    clauses(queries.into_iter().map(|query| (Occur::Should, query)))
}

impl QueryContext<'_> {
    /// Documents whose boxes lie so to an area, which must be a box.
    pub(super) fn boxes_query(&self, field: &Field, relation: BoxRelation, area: &Area) -> Result<Query> {
        let query = Box::new(BoxFields::of(self, field)?.relation(relation, rect(area)?)?);
        Ok(Query::ConstantScore { query, score: 1.0 })
    }

    /// Documents with a box. Solr differs: it answers 500, since the field itself has no values
    /// (`compat/query/boxes.yaml`).
    pub(in crate::query) fn all_boxes(&self, field: &Field) -> Result<Query> {
        BoxFields::of(self, field)?.present()
    }

    /// The text of a field of boxes.
    pub(in crate::query) fn box_text_query(&self, field: &Field, text: &str) -> Result<Query> {
        let BoxArguments { relation, area } = BoxArguments::parse(text, &Measure::of(&field.spec)?)?;
        self.boxes_query(field, relation, &area)
    }
}

fn rect(area: &Area) -> Result<Rect> {
    match area {
        Area::Rect(rect) => Ok(*rect),
        other => Err(Error::bad_request(format!("Can only query by Rectangle, not {other}"))),
    }
}

/// `{!field f=… score=overlapRatio}Intersects(ENVELOPE(…))`.
pub(super) fn scored_box_text(request: &Request<'_>, field: &Field) -> Result<Query> {
    let BoxArguments { relation, area } = BoxArguments::parse(request.text, &Measure::of(&field.spec)?)?;
    scored_boxes(request, field, relation, &area)
}

/// As `score` says, and restricted unless `filter` is off.
pub(super) fn scored_boxes(
    request: &Request<'_>,
    field: &Field,
    relation: BoxRelation,
    area: &Area,
) -> Result<Query> {
    let matching = request.context.boxes_query(field, relation, area)?;
    let Some(score) = box_score(request, field, rect(area)?)? else { return Ok(matching) };
    let score = BoxFields::of(request.context, field)?.score(score);
    match restricts(request)? {
        true => Ok(clauses([(Occur::Must, score), (Occur::Filter, matching)])),
        false => Ok(score),
    }
}

fn box_score(request: &Request<'_>, field: &Field, asked: Rect) -> Result<Option<BoxScore>> {
    let per_degree = Measure::of(&field.spec)?.per_degree();
    Ok(match request.local.get("score") {
        None | Some("" | "none") => None,
        Some("overlapRatio") => {
            let asked_share = number(request, "queryTargetProportion")?.unwrap_or(ASKED_SHARE);
            if !(0.0..=1.0).contains(&asked_share) {
                return Err(Error::bad_request("queryTargetProportion must be >= 0 and <= 1"));
            }
            let side_min = number(request, "minSideLength")?.unwrap_or(0.0);
            Some(BoxScore::Overlap { asked, asked_share, side_min })
        }
        Some("area") => Some(BoxScore::Area { per_degree, round: true }),
        Some("area2D") => Some(BoxScore::Area { per_degree, round: false }),
        Some(name @ ("degrees" | "distance" | "kilometers" | "miles" | "recipDistance")) => {
            return Err(Error::bad_request(format!(
                "score `{name}` is not supported on fields of boxes; use `overlapRatio`, `area` or `area2D`"
            )));
        }
        Some(name) => {
            return Err(Error::bad_request(format!(
                "'score' local-param must be one of [area, area2D, degrees, distance, kilometers, miles, none, \
                 overlapRatio, recipDistance], it was: {name}"
            )));
        }
    })
}

fn number(request: &Request<'_>, name: &str) -> Result<Option<f64>> {
    let Some(text) = request.local.get(name) else { return Ok(None) };
    let number = java_float(text).filter(|number: &f64| number.is_finite());
    number.map(Some).ok_or_else(|| Error::bad_request(format!("For input string: \"{text}\"")))
}

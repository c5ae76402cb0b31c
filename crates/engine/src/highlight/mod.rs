//! Snippets: what of a hit's stored texts shows why it was found. Works on the documents of a page only,
//! analyses again the fields asked for, and marks what the plan's query looks for in them.
//!
//! The way of a text: `tokens` reads the stored values (`text`) as the index does; `sought` says what the
//! query looks for in the field, and what the index must tell; `spans` finds it; then one file for each of
//! Solr's methods cuts and marks.

mod cut;
mod fast_vector;
mod fragmenter;
mod mark_up;
mod near;
mod original;
mod phrase_list;
mod phrase_map;
mod sought;
mod spans;
mod text;
mod tokens;
mod unified;

use std::sync::Arc;

use plan::partial::HitRef;
use plan::{
    Alternate, Document, FieldClass, FieldSelection, HighlightField, HighlightMethod, HighlightOptions,
    HighlightPlan, Highlights, Hit, Query, Result, UnifiedOptions, Value, glob_matches,
};
use tantivy::DocId;

use crate::layout::analyzers::Analyzers;
use crate::layout::{FieldLayout, Layout};
use crate::search::context::SearchContext;
use crate::search::{DocMatcher, rarity, stored_document};
use fragmenter::Cutter;
use sought::Sought;
use text::{Text, prefix, utf16_len};
use tokens::{TokenIndex, TokenReader};

/// The snippets of hits that are shown, in their order: each as it was found, and as it is shown.
pub(crate) fn highlight(
    context: &SearchContext<'_>,
    plan: &HighlightPlan,
    (found, shown): (&[&HitRef], &[Hit]),
) -> Result<Vec<Highlights>> {
    let analyzers = &Analyzers::of(context.layout);
    let mut fields = fields(context.layout, plan)
        .into_iter()
        .filter_map(|field| Some((field, plan.options(&field.name, &field.spec.properties)?)))
        .map(|(field, options)| FieldHighlighter::new(context, analyzers, &plan.query, field, options))
        .collect::<Result<Vec<_>>>()?;
    let names = fields.iter().flat_map(FieldHighlighter::names).collect();
    let wanted = FieldSelection { names, ..FieldSelection::default() };
    let mut snippets: Vec<_> =
        shown.iter().map(|hit| Highlights { id: hit.id.clone(), fields: vec![] }).collect();
    let mut order: Vec<_> = found.iter().zip(&mut snippets).collect();
    order.sort_by_key(|(hit, _)| hit.position());
    for (hit, own) in order.into_iter().take_while(|_| !context.allowance.is_used_up()) {
        let Some((_, document)) = stored_document(context, hit, &wanted)? else { continue };
        for field in &mut fields {
            let snippets = field.snippets(context, (hit.segment_number(), hit.doc), &document)?;
            own.fields.extend(snippets.map(|snippets| (field.layout.name.clone(), snippets)));
        }
    }
    Ok(snippets)
}

/// The fields of the plan that the index knows, each once.
fn fields<'a>(layout: &'a Layout, plan: &HighlightPlan) -> Vec<&'a Arc<FieldLayout>> {
    let mut found: Vec<&Arc<FieldLayout>> = Vec::new();
    let mut add = |field: &'a Arc<FieldLayout>| {
        if !found.iter().any(|known| known.name == field.name) {
            found.push(field);
        }
    };
    for wanted in &plan.fields {
        match wanted {
            HighlightField::Name(name) => layout.field(name).into_iter().for_each(&mut add),
            HighlightField::Glob(glob) => {
                let mut matching: Vec<_> = layout
                    .fields()
                    .filter(|field| is_text(field) && field.spec.properties.stored)
                    .filter(|field| glob_matches(glob, &field.name))
                    .collect();
                matching.sort_by_key(|field| field.slot);
                matching.into_iter().for_each(&mut add);
            }
        }
    }
    found
}

fn is_text(field: &FieldLayout) -> bool {
    field.class().is_text() || field.class() == FieldClass::Str
}

/// One field, ready for one document after another in index order.
struct FieldHighlighter {
    layout: Arc<FieldLayout>,
    options: Arc<HighlightOptions>,
    reader: TokenReader,
    cutter: Cutter,
    sought: Sought,
    matcher: DocMatcher,
    /// Shown where nothing matches, marked.
    other: Option<Box<FieldHighlighter>>,
}

impl FieldHighlighter {
    fn new(
        context: &SearchContext<'_>,
        analyzers: &Analyzers,
        query: &Query,
        field: &Arc<FieldLayout>,
        options: &Arc<HighlightOptions>,
    ) -> Result<Self> {
        let sought = Sought::of(query, &field.name, context.layout, options)?;
        let matcher = DocMatcher::new(context, &sought.given)?;
        let reader = match field.class().is_text() {
            true => TokenReader::Analyzed {
                stream: analyzers.stream(&field.spec.field_type)?,
                gap: field.spec.field_type.position_gap,
            },
            false => TokenReader::Whole,
        };
        let marked = alternate(options).and_then(|alternate| {
            Some((context.layout.field(&alternate.field)?, Arc::from(alternate.marked.clone()?)))
        });
        let other = match marked {
            Some((field, options)) => Some(Box::new(Self::new(context, analyzers, query, field, &options)?)),
            None => None,
        };
        Ok(Self {
            layout: field.clone(),
            options: options.clone(),
            reader,
            cutter: Cutter::new(),
            sought,
            matcher,
            other,
        })
    }

    /// What must be loaded of a document.
    fn names(&self) -> impl Iterator<Item = Arc<str>> {
        std::iter::once(self.layout.name.clone())
            .chain(alternate(&self.options).map(|other| other.field.clone()))
    }

    fn snippets(
        &mut self,
        context: &SearchContext<'_>,
        place: (usize, DocId),
        document: &Document,
    ) -> Result<Option<Vec<String>>> {
        let options = self.options.clone();
        if let HighlightMethod::Unified(unified) = &options.method {
            return self.unified(context, place, document, unified);
        }
        if let Some(snippets) = self.matched(context, document)? {
            return Ok(Some(snippets));
        }
        let Some(alternate) = alternate(&options) else { return Ok(None) };
        if let Some(other) = &mut self.other
            && let Some(snippets) = other.matched(context, document)?
        {
            return Ok(Some(snippets));
        }
        Ok(self.unmarked(document, alternate))
    }

    fn unified(
        &mut self,
        context: &SearchContext<'_>,
        place: (usize, DocId),
        document: &Document,
        unified: &UnifiedOptions,
    ) -> Result<Option<Vec<String>>> {
        if !is_text(&self.layout) || !self.layout.spec.properties.stored {
            return Ok(None);
        }
        let values = document.get(&self.layout.name).unwrap_or_default();
        let texts = values.iter().filter_map(|value| match value {
            Value::Str(text) => Some(text.as_str()),
            _ => None,
        });
        let text = Text::joined(texts.clone(), self.options.text_units_max);
        let Self { reader, sought, matcher, .. } = self;
        let tokens = match unified.by_vectors {
            true => reader.tokens(&Text::joined(texts, usize::MAX), |token| sought.wants(token)),
            false => reader.tokens(&text, |token| sought.wants(token)),
        };
        let index = TokenIndex::new(&tokens);
        let spans = match unified.whole_matches {
            true => spans::whole(sought, &index, &mut |number| matcher.matches(context, place, number))?,
            false => spans::words(sought, &index),
        };
        Ok(unified::snippets(&text, &spans, &self.options, unified))
    }

    /// By one of the older methods.
    fn matched(&mut self, context: &SearchContext<'_>, document: &Document) -> Result<Option<Vec<String>>> {
        if !self.layout.spec.properties.retrievable() {
            return Ok(None);
        }
        let mut values = texts(document, &self.layout.name);
        let Self { reader, cutter, sought, options, layout, .. } = self;
        match &options.method {
            HighlightMethod::Original(original) => {
                let many = layout.spec.properties.multi_valued;
                values.truncate(original.values_examined_max.unwrap_or(if many { usize::MAX } else { 1 }));
                original::snippets(&values, (reader, cutter), sought, options, original)
            }
            HighlightMethod::FastVector(fast) => {
                let text = Text::joined(values.iter().map(String::as_str), usize::MAX);
                let rarity = |term: &str| rarity(context, layout, term);
                fast_vector::snippets(&text, reader, sought, options, fast, &rarity)
            }
            HighlightMethod::Unified(_) => Ok(None),
        }
    }

    /// The other field as it is, or this one where a document does not have the other.
    fn unmarked(&self, document: &Document, alternate: &Alternate) -> Option<Vec<String>> {
        let other = texts(document, &alternate.field);
        let values = if other.is_empty() { texts(document, &self.layout.name) } else { other };
        let mut units_left = if alternate.units_max == 0 { usize::MAX } else { alternate.units_max };
        let mut shown = Vec::new();
        for value in &values {
            let mut text = String::new();
            mark_up::append(&mut text, prefix(value, units_left), self.options.html);
            shown.push(text);
            units_left = units_left.saturating_sub(utf16_len(value));
            if units_left == 0 {
                break;
            }
        }
        Some(shown).filter(|shown| !shown.is_empty())
    }
}

fn alternate(options: &HighlightOptions) -> Option<&Alternate> {
    match &options.method {
        HighlightMethod::Unified(_) => None,
        HighlightMethod::Original(original) => original.alternate.as_ref(),
        HighlightMethod::FastVector(fast) => fast.alternate.as_ref(),
    }
}

fn texts(document: &Document, field: &str) -> Vec<String> {
    document.get(field).unwrap_or_default().iter().map(Value::to_text).collect()
}

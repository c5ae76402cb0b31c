//! `/analysis/field`, and in `document` its sister for whole documents: what the chains of field types make
//! of a text, stage by stage, in Solr's form. Fields that are not text have one token, the value as their
//! terms hold it. Attributes shown are those that tokens of every language have.

mod document;

pub use document::DocumentAnalysis;

use std::collections::HashSet;
use std::sync::Arc;

use analysis::{Analyzer, Output, SchemaAnalyzers, StageOutput, Token};
use plan::{Error, FieldClass, FieldType, Result, Schema, Value, parse_instant};

use crate::params::{Params, analysis as analysis_params, query};
use crate::response::{Entries, Name, Node};

/// Tokens a stage may make: each is shown once for each stage.
const TOKENS_MAX: usize = 10_000;

/// What a filter without rules is called: Solr leaves it out, and shows how it passes tokens from stage to
/// stage.
const ABSENT: &str = "org.apache.solr.handler.AnalysisRequestHandlerBase$ListBasedTokenStream";
/// What cuts values that are not text.
const DEFAULT: &str = "org.apache.solr.schema.FieldType$DefaultAnalyzer$1";

/// A request to `/analysis/field`.
pub struct FieldAnalysis {
    types: Vec<(String, Arc<FieldType>)>,
    fields: Vec<(String, Arc<FieldType>)>,
    value: Option<String>,
    query: Option<String>,
    show_match: bool,
}

impl FieldAnalysis {
    /// Errors: neither types nor fields, neither value nor query, names that the schema does not have.
    ///
    /// Solr differs: for a type that it does not have it fails (500) (`compat/analysis/field.yaml`).
    pub fn parse(params: &Params, schema: &Schema) -> Result<Self> {
        let text = |param: &crate::params::Param<String>| param.read(params);
        let names = |list: Option<String>| -> Vec<String> {
            list.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect()
        };
        let types = names(text(&analysis_params::FIELD_TYPE)?);
        let mut fields = names(text(&analysis_params::FIELD_NAME)?);
        if types.is_empty() && fields.is_empty() {
            fields.extend(text(&query::DF)?);
        }
        if types.is_empty() && fields.is_empty() {
            return Err(Error::bad_request(
                "Field analysis request must contain one of analysis.fieldtype, analysis.fieldname or df.",
            ));
        }
        let value = text(&analysis_params::FIELD_VALUE)?;
        let query = text(&analysis_params::QUERY)?.or(text(&query::Q)?);
        if value.is_none() && query.is_none() {
            return Err(Error::bad_request(
                "One of analysis.fieldvalue, q, or analysis.query parameters must be specified",
            ));
        }
        let of_type = |name: String| {
            let found = schema.field_type(&name).cloned();
            let absent = || {
                Error::bad_request(format!("unknown field type `{name}`; `/schema/fieldtypes` lists them"))
            };
            Ok((name.clone(), found.ok_or_else(absent)?))
        };
        let of_field = |name: String| Ok((name.clone(), schema.require(&name)?.field_type.clone()));
        Ok(Self {
            types: types.into_iter().map(of_type).collect::<Result<_>>()?,
            fields: fields.into_iter().map(of_field).collect::<Result<_>>()?,
            value,
            query,
            show_match: analysis_params::SHOW_MATCH.read(params)?,
        })
    }

    pub fn respond(&self, analyzers: &SchemaAnalyzers) -> Result<Entries> {
        let shown = Node::map([
            ("field_types", self.all(&self.types, analyzers)?),
            ("field_names", self.all(&self.fields, analyzers)?),
        ]);
        Ok(vec![("analysis".into(), shown)])
    }

    fn all(&self, kinds: &[(String, Arc<FieldType>)], analyzers: &SchemaAnalyzers) -> Result<Node> {
        let mut shown = Entries::new();
        for (name, kind) in kinds {
            shown.push((name.clone().into(), Node::Map(self.of_type(kind, analyzers)?)));
        }
        Ok(Node::Map(shown))
    }

    fn of_type(&self, kind: &FieldType, analyzers: &SchemaAnalyzers) -> Result<Entries> {
        let query =
            self.query.as_ref().map(|text| View::of(kind, analyzers.query(kind)?, text)).transpose()?;
        let value =
            self.value.as_ref().map(|text| View::of(kind, analyzers.index(kind)?, text)).transpose()?;
        let wanted = query.iter().filter(|_| self.show_match).flat_map(View::last_terms).collect();
        let index = value.iter().map(|view| ("index".into(), view.node(&wanted)));
        let none = HashSet::new();
        Ok(index.chain(query.iter().map(|view| ("query".into(), view.node(&none)))).collect())
    }
}

/// A text, stage by stage: what Solr calls each stage, and what it left.
struct View<'a> {
    text: &'a str,
    stages: Vec<(String, StageResult)>,
}

enum StageResult {
    Text(String),
    Tokens(Vec<Shown>),
}

/// A token of a stage with the positions that it had in this stage and in those before.
struct Shown {
    token: Token,
    /// As the index has it, where that is not its text.
    raw: Option<Vec<u8>>,
    positions: Vec<i32>,
    keyword: bool,
    payload: bool,
}

impl Shown {
    fn term(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.token.text.as_bytes())
    }
}

impl<'a> View<'a> {
    fn of(kind: &FieldType, chain: Option<&Analyzer>, text: &'a str) -> Result<Self> {
        let stages = match chain {
            Some(chain) => {
                let outputs = chain.explain_stages(text, TOKENS_MAX).ok_or_else(|| {
                    Error::bad_request(format!(
                        "the text of type `{}` has more than `{TOKENS_MAX}` tokens; send a part of it",
                        kind.name
                    ))
                })?;
                traced(outputs)
            }
            None => vec![(DEFAULT.to_owned(), StageResult::Tokens(plain(kind, text)?))],
        };
        Ok(Self { text, stages })
    }

    /// The terms of the last stage.
    fn last_terms(&self) -> impl Iterator<Item = &[u8]> {
        let last = match self.stages.last() {
            Some((_, StageResult::Tokens(tokens))) => tokens.as_slice(),
            _ => &[],
        };
        last.iter().map(Shown::term)
    }

    fn node(&self, wanted: &HashSet<&[u8]>) -> Node {
        let places = utf16_places(self.text);
        let stage = |(class, made): &(String, StageResult)| {
            let node = match made {
                StageResult::Text(text) => Node::str(text.clone()),
                StageResult::Tokens(tokens) => {
                    Node::Array(tokens.iter().map(|token| token_node(token, &places, wanted)).collect())
                }
            };
            (Some(Name::Owned(class.clone())), node)
        };
        Node::NamedList(self.stages.iter().map(stage).collect())
    }
}

/// Sums up positions, and adds to each token's those of the token before the stage that it comes from.
fn traced(outputs: Vec<StageOutput>) -> Vec<(String, StageResult)> {
    let mut before: Vec<Vec<i32>> = Vec::new();
    let (mut keyword, mut payload) = (false, false);
    let mut stages = Vec::with_capacity(outputs.len());
    for StageOutput { stage, absent, output } in outputs {
        let class = if absent { ABSENT.to_owned() } else { stage.class };
        keyword |= marks_keywords(&class);
        payload |= class.contains("Payload");
        let made = match output {
            Output::Text(text) => StageResult::Text(text),
            Output::Tokens(tokens) => {
                let mut position = 0;
                let shown = tokens.into_iter().map(|token| {
                    position += i32::try_from(token.position_increment).unwrap_or(i32::MAX);
                    let mut positions = before.get(token.origin as usize).cloned().unwrap_or_default();
                    positions.push(position);
                    Shown { token, raw: None, positions, keyword, payload }
                });
                let shown: Vec<Shown> = shown.collect();
                before = shown.iter().map(|token| token.positions.clone()).collect();
                StageResult::Tokens(shown)
            }
        };
        stages.push((class, made));
    }
    stages
}

/// Whether Lucene's filter of this class reads or sets the mark that keeps stemmers away, which is shown from
/// there on.
fn marks_keywords(class: &str) -> bool {
    const OTHERS: [&str; 5] = [
        "KeywordMarkerFilter",
        "KeywordRepeatFilter",
        "StemmerOverrideFilter",
        "SnowballFilter",
        "WordDelimiterGraphFilter",
    ];
    class.ends_with("StemFilter") || OTHERS.iter().any(|name| class.ends_with(name))
}

/// The one token of a value that is not text; none of an empty one.
fn plain(kind: &FieldType, text: &str) -> Result<Vec<Shown>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let number = number(kind, text)?;
    let mut token = Token::default();
    token.text = number.as_ref().map_or_else(|| text.to_owned(), Value::to_text);
    token.end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let raw = number.as_ref().map(sortable);
    Ok(vec![Shown { token, raw, positions: vec![1], keyword: false, payload: false }])
}

/// The value of a field of numbers or dates; none of strings.
fn number(kind: &FieldType, text: &str) -> Result<Option<Value>> {
    let wrong = || Error::bad_request(format!("Invalid Number: {text}"));
    let wrong_date = || Error::bad_request(format!("Invalid Date String:'{text}'"));
    Ok(Some(match kind.class {
        FieldClass::Str | FieldClass::Uuid => return Ok(None),
        FieldClass::Int => Value::Int(text.parse().map_err(|_| wrong())?),
        FieldClass::Long => Value::Long(text.parse().map_err(|_| wrong())?),
        FieldClass::Float => Value::Float(text.parse().map_err(|_| wrong())?),
        FieldClass::Double => Value::Double(text.parse().map_err(|_| wrong())?),
        FieldClass::Date => Value::Date(parse_instant(text).ok_or_else(wrong_date)?),
        _ => {
            return Err(Error::bad_request(format!(
                "the analysis of `{}` is not supported; ask for types of text, strings, numbers or dates",
                kind.name
            )));
        }
    }))
}

/// A number as the bytes by which Lucene's points sort.
fn sortable(value: &Value) -> Vec<u8> {
    let int = |bits: i32| (bits ^ i32::MIN).to_be_bytes().to_vec();
    let long = |bits: i64| (bits ^ i64::MIN).to_be_bytes().to_vec();
    match value {
        Value::Int(number) => int(*number),
        Value::Float(number) => {
            let bits = number.to_bits().cast_signed();
            int(bits ^ ((bits >> 31) & i32::MAX))
        }
        Value::Long(number) | Value::Date(number) => long(*number),
        Value::Double(number) => {
            let bits = number.to_bits().cast_signed();
            long(bits ^ ((bits >> 63) & i64::MAX))
        }
        _ => Vec::new(),
    }
}

fn token_node(shown: &Shown, places: &[i32], wanted: &HashSet<&[u8]>) -> Node {
    const ATTRIBUTES: &str = "org.apache.lucene.analysis.tokenattributes.";
    let attribute = |name: &str| Name::Owned(format!("{ATTRIBUTES}{name}"));
    let int = |number: u32| Node::Int(i32::try_from(number).unwrap_or(i32::MAX));
    let place = |offset: u32| Node::Int(places.get(offset as usize).copied().unwrap_or_default());
    let Shown { token, raw, positions, keyword, payload } = shown;
    let mut entries: Entries = vec![("text".into(), Node::str(token.text.clone()))];
    entries.extend(raw.as_ref().map(|_| ("raw_text".into(), Node::str(""))));
    entries.push(("raw_bytes".into(), bytes(shown.term())));
    entries.extend(wanted.contains(shown.term()).then_some(("match".into(), Node::Bool(true))));
    entries.extend([
        ("start".into(), place(token.start)),
        ("end".into(), place(token.end)),
        (attribute("PositionLengthAttribute#positionLength"), int(token.position_length)),
        ("type".into(), Node::str(token.kind.clone())),
        (attribute("TermFrequencyAttribute#termFrequency"), int(token.frequency)),
        ("position".into(), Node::Int(positions.last().copied().unwrap_or_default())),
        (
            "positionHistory".into(),
            Node::Array(positions.iter().map(|position| Node::Int(*position)).collect()),
        ),
    ]);
    if *keyword {
        entries.push((attribute("KeywordAttribute#keyword"), Node::Bool(token.keyword)));
    }
    if *payload {
        let shown = token.payload.as_deref().map_or(Node::Null, bytes);
        entries.push((attribute("PayloadAttribute#payload"), shown));
    }
    Node::Map(entries)
}

/// As Lucene prints bytes: `[61 0 ff]`.
fn bytes(bytes: &[u8]) -> Node {
    let shown: Vec<String> = bytes.iter().map(|byte| format!("{byte:x}")).collect();
    Node::str(format!("[{}]", shown.join(" ")))
}

/// For each place in bytes the place in UTF-16 units, as Java counts.
fn utf16_places(text: &str) -> Vec<i32> {
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut units = 0;
    for character in text.chars() {
        places.extend(std::iter::repeat_n(units, character.len_utf8()));
        units += i32::from(character.len_utf16() == 2) + 1;
    }
    places.push(units);
    places
}

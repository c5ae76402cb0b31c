//! How scores are made of how often a word stands where: Solr's `<similarity>`, of a schema or of a type.
//! Owns which classes and arguments are served and whose counts for a type; the formulas are the engine's
//! (`crates/engine/src/search/bm25.rs`). All of them keep lengths alike, so that an index serves each.

/// A formula, by Lucene's classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Similarity {
    Bm25 {
        /// How soon more of a word is worth no more: finite, 0 or greater.
        k1: f32,
        /// How much the length counts: from 0 to 1.
        b: f32,
    },
    /// TF-IDF.
    Classic,
    /// The boost alone.
    Boolean,
}

/// By what the words of a field score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredBy {
    pub similarity: Similarity,
    /// Whether each type has its own, rather than the schema one for all.
    pub by_type: bool,
}

/// As a class and its arguments stand in a schema.
type Declared = [(String, String)];

impl Similarity {
    /// Lucene's defaults.
    pub const DEFAULT: Self = Self::Bm25 { k1: 1.2, b: 0.75 };

    /// Reads a `<similarity>`. The error says what to use instead.
    ///
    /// Solr differs: it passes over arguments that it does not know (`compat/schema/similarities.yaml`).
    pub fn parse(declared: &Declared) -> Result<Self, String> {
        let class = short_class(declared);
        match class {
            "BM25SimilarityFactory" => bm25(declared),
            "ClassicSimilarityFactory" => none_but_overlaps(declared, class).map(|()| Self::Classic),
            "BooleanSimilarityFactory" => none_but_overlaps(declared, class).map(|()| Self::Boolean),
            _ => Err(format!(
                "the similarity `{class}` is not supported; use solr.BM25SimilarityFactory, \
                 solr.ClassicSimilarityFactory, solr.BooleanSimilarityFactory, or none"
            )),
        }
    }

    /// Lucene's class, as explanations name it.
    pub fn class(self) -> &'static str {
        match self {
            Self::Bm25 { .. } => "BM25Similarity",
            Self::Classic => "ClassicSimilarity",
            Self::Boolean => "BooleanSimilarity",
        }
    }
}

/// What a schema declares of similarities.
pub struct DeclaredSimilarities<'s> {
    /// Of the schema.
    pub global: Option<&'s Declared>,
    /// Of each type, by its name.
    pub of_types: Vec<(&'s str, Option<&'s Declared>)>,
}

impl DeclaredSimilarities<'_> {
    /// By what fields of a type score; of a name that is no type's, by what those without a similarity of
    /// their own do. The error says what to do.
    pub fn scored_by(&self, type_name: &str) -> Result<ScoredBy, String> {
        let own = self.of(type_name).flatten().map(Similarity::parse).transpose()?;
        let Some(global) = self.global else {
            return Ok(ScoredBy { similarity: own.unwrap_or(Similarity::DEFAULT), by_type: true });
        };
        let class = short_class(global);
        if class == "SchemaSimilarityFactory" {
            let similarity = own.map_or_else(|| self.default_of(global), Ok)?;
            return Ok(ScoredBy { similarity, by_type: true });
        }
        if own.is_some() {
            return Err(format!(
                "FieldType '{type_name}' is configured with a similarity, but the global similarity does not \
                 support it: {class}; use solr.SchemaSimilarityFactory for the schema"
            ));
        }
        Ok(ScoredBy { similarity: Similarity::parse(global)?, by_type: false })
    }

    fn of(&self, type_name: &str) -> Option<Option<&Declared>> {
        self.of_types.iter().find(|(name, _)| *name == type_name).map(|(_, declared)| *declared)
    }

    /// Of types without one of their own: that of the type which `SchemaSimilarityFactory` names.
    fn default_of(&self, global: &Declared) -> Result<Similarity, String> {
        let mut similarity = Similarity::DEFAULT;
        for (name, value) in arguments(global) {
            if name != "defaultSimFromFieldType" {
                return Err(format!("SchemaSimilarityFactory knows no `{name}`; remove it"));
            }
            let named = self.of(value).ok_or_else(|| {
                format!("SchemaSimilarityFactory: `{name}` is `{value}`, which is no type; name a type")
            })?;
            let declared = named.ok_or_else(|| {
                format!("SchemaSimilarityFactory: type `{value}` of `{name}` has no similarity; give it one")
            })?;
            similarity = Similarity::parse(declared)?;
        }
        Ok(similarity)
    }
}

impl ScoredBy {
    /// The similarity that explanations name.
    pub fn class(self) -> &'static str {
        if self.by_type { "SchemaSimilarity" } else { self.similarity.class() }
    }
}

fn bm25(declared: &Declared) -> Result<Similarity, String> {
    let (mut k1, mut b) = (1.2, 0.75);
    for (name, value) in arguments(declared) {
        let number = value.trim().parse::<f32>().ok();
        match name {
            "k1" => {
                k1 = number.filter(|k1| k1.is_finite() && *k1 >= 0.0).ok_or_else(|| {
                    format!("illegal k1 value: {value}, must be a non-negative finite value")
                })?;
            }
            "b" => {
                b = number
                    .filter(|b| (0.0..=1.0).contains(b))
                    .ok_or_else(|| format!("illegal b value: {value}, must be between 0 and 1"))?;
            }
            _ => overlaps(name, value, "BM25SimilarityFactory")?,
        }
    }
    Ok(Similarity::Bm25 { k1, b })
}

fn none_but_overlaps(declared: &Declared, class: &str) -> Result<(), String> {
    arguments(declared).try_for_each(|(name, value)| overlaps(name, value, class))
}

/// Words on top of another do not count in lengths, as by default: that is decided when texts are indexed.
fn overlaps(name: &str, value: &str, class: &str) -> Result<(), String> {
    match (name, value.trim()) {
        ("discountOverlaps", "true") => Ok(()),
        ("discountOverlaps", _) => Err(format!("{class} with `{name}` {value} is not supported; use true")),
        _ => Err(format!("{class} knows no `{name}`; remove it")),
    }
}

fn short_class(declared: &Declared) -> &str {
    let class = declared.iter().find(|(name, _)| name == "class").map_or("", |(_, value)| value);
    class.rsplit('.').next().unwrap_or(class)
}

fn arguments(declared: &Declared) -> impl Iterator<Item = (&str, &str)> {
    let pairs = declared.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    pairs.filter(|(name, _)| *name != "class")
}

//! What a function does with its arguments: pure arithmetic, logic and text, without the index. How many
//! arguments there are is the parser's to check; the names are Solr's. An operator says of what kind its
//! value is and how debug output names it; how it is worked out, a document batch at a time, is
//! `engine/search/function`'s.

use serde::{Deserialize, Serialize};

use super::kind::Kind;
use crate::geo::box_score::BoxScore;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operator {
    // In single precision, as Lucene computes them.
    Sum,
    Product,
    /// Of those arguments that have a value.
    Max,
    Min,
    Subtract,
    Divide,
    Absolute,
    /// Milliseconds between two dates.
    Milliseconds,
    /// slope · x + intercept
    Linear {
        slope: f32,
        intercept: f32,
    },
    /// a / (m · x + b)
    Reciprocal {
        m: f32,
        a: f32,
        b: f32,
    },
    /// Into `min..=max`, from the extremes that the argument has over all documents.
    Scale {
        min: f32,
        max: f32,
    },
    /// The second argument for values in `min..=max`, else the third, else the value itself.
    Map {
        min: f32,
        max: f32,
    },
    StringDistance(StringMeasure),
    // In double precision.
    Modulo,
    Power,
    Hypotenuse,
    ArcTangent2,
    Radians,
    Degrees,
    SquareRoot,
    CubeRoot,
    Log10,
    NaturalLog,
    Exponential,
    Sine,
    Cosine,
    Tangent,
    ArcSine,
    ArcCosine,
    ArcTangent,
    HyperbolicSine,
    HyperbolicCosine,
    HyperbolicTangent,
    Ceiling,
    Floor,
    Round,
    /// Between two vectors: the differences' norm of this order, 0 counts those that differ.
    Distance {
        order: f32,
    },
    SquaredDistance,
    /// Between two vectors of (latitude, longitude); radians unless `degrees`. In units of the radius.
    Haversine {
        radius: f64,
        degrees: bool,
    },
    /// Between two places in kilometres, the second constant.
    GeoDistance {
        latitude: f64,
        longitude: f64,
    },
    /// Of a box, by its edges.
    BoxScore(BoxScore),
    /// Between two geohashes.
    GeohashDistance {
        radius: f64,
    },
    // Truths.
    Exists,
    IsNan,
    Not,
    And,
    Or,
    ExclusiveOr,
    Compare(Comparison),
    Equal,
    // Any kind.
    If,
    /// The first argument that has a value, else the last.
    Default,
    // Text.
    Concatenate,
    Geohash,
    Vector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// How alike two texts are: 1 when equal, 0 when nothing is common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StringMeasure {
    JaroWinkler,
    Levenshtein,
    NGram(usize),
}

impl Operator {
    pub fn kind(&self) -> Kind {
        use Operator as O;
        match self {
            O::Sum | O::Product | O::Max | O::Min | O::Subtract | O::Divide | O::Absolute => Kind::Float,
            O::Milliseconds | O::Linear { .. } | O::Reciprocal { .. } | O::Scale { .. } => Kind::Float,
            O::Map { .. } | O::StringDistance(_) => Kind::Float,
            O::Exists | O::IsNan | O::Not | O::And | O::Or | O::ExclusiveOr => Kind::Bool,
            O::Compare(_) | O::Equal => Kind::Bool,
            O::If | O::Default => Kind::Mixed,
            O::Concatenate | O::Geohash => Kind::Str,
            O::Vector => Kind::Vector,
            _ => Kind::Double,
        }
    }

    /// Solr's name, where it is nothing but one.
    pub fn name(&self) -> &'static str {
        use Operator as O;
        match self {
            O::Sum => "sum",
            O::Product => "product",
            O::Max => "max",
            O::Min => "min",
            O::Subtract => "sub",
            O::Divide => "div",
            O::Absolute => "abs",
            O::Milliseconds => "ms",
            O::Linear { .. } => "linear",
            O::Reciprocal { .. } => "recip",
            O::Scale { .. } => "scale",
            O::Map { .. } => "map",
            O::StringDistance(_) => "strdist",
            O::Modulo => "mod",
            O::Power => "pow",
            O::Hypotenuse => "hypot",
            O::ArcTangent2 => "atan2",
            O::Radians => "rad",
            O::Degrees => "deg",
            O::SquareRoot => "sqrt",
            O::CubeRoot => "cbrt",
            O::Log10 => "log",
            O::NaturalLog => "ln",
            O::Exponential => "exp",
            O::Sine => "sin",
            O::Cosine => "cos",
            O::Tangent => "tan",
            O::ArcSine => "asin",
            O::ArcCosine => "acos",
            O::ArcTangent => "atan",
            O::HyperbolicSine => "sinh",
            O::HyperbolicCosine => "cosh",
            O::HyperbolicTangent => "tanh",
            O::Ceiling => "ceil",
            O::Floor => "floor",
            O::Round => "rint",
            O::Distance { .. } => "dist",
            O::SquaredDistance => "sqedist",
            O::Haversine { .. } => "hsin",
            O::GeoDistance { .. } => "geodist",
            O::BoxScore(BoxScore::Overlap { .. }) => "overlapRatio",
            O::BoxScore(BoxScore::Area { .. }) => "area",
            O::GeohashDistance { .. } => "ghhsin",
            O::Exists => "exists",
            O::IsNan => "isnan",
            O::Not => "not",
            O::And => "and",
            O::Or => "or",
            O::ExclusiveOr => "xor",
            O::Compare(Comparison::Greater) => "gt",
            O::Compare(Comparison::GreaterOrEqual) => "gte",
            O::Compare(Comparison::Less) => "lt",
            O::Compare(Comparison::LessOrEqual) => "lte",
            O::Equal => "eq",
            O::If => "if",
            O::Default => "def",
            O::Concatenate => "concat",
            O::Geohash => "geohash",
            O::Vector => "vector",
        }
    }
}

//! How near two vectors are, as Lucene's `VectorSimilarityFunction` scores it: higher is nearer. The second
//! vector is read as the bytes of a file; the loops have several sums each, which compilers turn into wide
//! instructions.

use plan::{VectorEncoding, VectorMeasure};

/// Numbers added side by side.
const LANES: usize = 8;
/// Bytes of a number.
pub(crate) const NUMBER: usize = 4;

/// A vector to compare others with.
pub(crate) struct Target {
    values: Vec<f32>,
    norm: f32,
    measure: VectorMeasure,
    encoding: VectorEncoding,
}

impl Target {
    pub(crate) fn new(values: &[f32], measure: VectorMeasure, encoding: VectorEncoding) -> Self {
        let mut target = Self { values: Vec::new(), norm: 0.0, measure, encoding };
        target.set(values.iter().copied());
        target
    }

    /// Becomes another vector.
    pub(crate) fn set(&mut self, values: impl Iterator<Item = f32>) {
        self.values.clear();
        self.values.extend(values);
        self.norm = self.values.iter().map(|value| value * value).sum();
    }

    pub(crate) fn set_bytes(&mut self, bytes: &[u8]) {
        self.set(numbers(bytes));
    }

    /// The score of a vector of as many numbers, little endian.
    pub(crate) fn score(&self, bytes: &[u8]) -> f32 {
        match (self.measure, self.encoding) {
            (VectorMeasure::Euclidean, _) => {
                1.0 / (1.0 + self.sum(bytes, |one, other| (one - other) * (one - other)))
            }
            (VectorMeasure::Cosine, _) => {
                let norm = self.sum(bytes, |_, other| other * other);
                let cosine = self.dot(bytes) / (f64::from(self.norm) * f64::from(norm)).sqrt() as f32;
                ((1.0 + cosine) / 2.0).max(0.0)
            }
            (VectorMeasure::DotProduct, VectorEncoding::Float32) => ((1.0 + self.dot(bytes)) / 2.0).max(0.0),
            (VectorMeasure::DotProduct, VectorEncoding::Byte) => {
                0.5 + self.dot(bytes) / (self.values.len() as f32 * 32_768.0)
            }
            (VectorMeasure::MaximumInnerProduct, _) => match self.dot(bytes) {
                dot if dot < 0.0 => 1.0 / (1.0 - dot),
                dot => dot + 1.0,
            },
        }
    }

    fn dot(&self, bytes: &[u8]) -> f32 {
        self.sum(bytes, |one, other| one * other)
    }

    #[inline]
    fn sum(&self, bytes: &[u8], part: impl Fn(f32, f32) -> f32) -> f32 {
        let mut sums = [0f32; LANES];
        let ours = self.values.chunks_exact(LANES);
        let theirs = bytes.chunks_exact(LANES * NUMBER);
        let rest = ours.remainder().iter().zip(numbers(theirs.remainder()));
        let rest: f32 = rest.map(|(one, other)| part(*one, other)).sum();
        for (ours, theirs) in ours.zip(theirs) {
            for ((sum, one), other) in sums.iter_mut().zip(ours).zip(numbers(theirs)) {
                *sum += part(*one, other);
            }
        }
        sums.iter().sum::<f32>() + rest
    }
}

#[inline]
pub(crate) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.chunks_exact(NUMBER).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1.
    #[test]
    fn scores_are_lucenes() {
        let check = |measure, encoding, one: &[f32], other: &[f32], expected: f32| {
            let bytes: Vec<u8> = other.iter().flat_map(|number| number.to_le_bytes()).collect();
            let score = Target::new(one, measure, encoding).score(&bytes);
            assert!((score - expected).abs() < 1e-6, "{measure:?} {other:?}: {score}");
        };
        let (float, byte) = (VectorEncoding::Float32, VectorEncoding::Byte);
        let axis = [1.0, 0.0, 0.0];
        check(VectorMeasure::Cosine, float, &axis, &[1.0, 2.0, 3.0], 0.633_630_6);
        check(VectorMeasure::Cosine, float, &axis, &[-1.0, 0.5, 0.0], 0.052_786_41);
        check(VectorMeasure::Cosine, byte, &axis, &[-1.0, 5.0, 0.0], 0.401_941_93);
        check(VectorMeasure::Euclidean, float, &axis, &[-1.0, 0.5, 0.0], 0.190_476_2);
        check(VectorMeasure::DotProduct, float, &axis, &[0.6, 0.8, 0.0], 0.8);
        check(VectorMeasure::MaximumInnerProduct, float, &axis, &[-1.0, 0.0, 0.0], 0.5);
        let long: Vec<f32> = (0..20u8).map(f32::from).collect();
        check(VectorMeasure::MaximumInnerProduct, float, &long, &long, 2471.0);
    }
}

//! What a function in a segment can be asked for, whichever function it is: the interface by which a call
//! reads its arguments, so that what computes calls (`arithmetic`, `truth`, `distance`, `text`) need not know
//! what else a function can be. `reader` implements it for batches, `single` for one document at a time.
//!
//! It is a bound of generic functions and never a trait object: calls are compiled for the one reader there
//! is.

use plan::{Kind, Value};
use tantivy::DocId;

/// Values of batches of documents, in ascending order; named as Lucene's `FunctionValues`.
pub(crate) trait FunctionValues: Sized {
    fn kind(&self) -> Kind;

    /// In single precision; 0 where there is no value.
    fn floats(&mut self, docs: &[DocId], out: &mut [f32]);

    /// In double precision; 0 where there is no value.
    fn doubles(&mut self, docs: &[DocId], out: &mut [f64]);

    /// As whole numbers, cut at the point.
    fn integers(&mut self, docs: &[DocId], out: &mut [i64]);

    /// Whether it is true: not 0, or a text that is there.
    fn flags(&mut self, docs: &[DocId], out: &mut [bool]);

    /// Whether there is a value.
    fn present(&mut self, docs: &[DocId], out: &mut [bool]);

    /// To be called before the documents of a batch are asked one by one: what walks forward only computes
    /// them all, and can tell them again.
    fn remember(&mut self, docs: &[DocId]);

    /// The parts of a vector; a number is a vector of one.
    fn parts(&mut self) -> &mut [Self];
}

/// Values of one document, as results and texts need them.
pub(crate) trait SingleValues: FunctionValues {
    /// The value as results show it; `None` where there is none.
    fn value(&mut self, doc: DocId) -> Option<Value>;

    /// The value as text.
    fn text(&mut self, doc: DocId) -> Option<String>;

    fn double(&mut self, doc: DocId) -> f64 {
        let mut value = [0.0];
        self.doubles(&[doc], &mut value);
        value[0]
    }

    fn float(&mut self, doc: DocId) -> f32 {
        let mut value = [0.0];
        self.floats(&[doc], &mut value);
        value[0]
    }

    fn integer(&mut self, doc: DocId) -> i64 {
        let mut value = [0];
        self.integers(&[doc], &mut value);
        value[0]
    }

    fn flag(&mut self, doc: DocId) -> bool {
        let mut value = [false];
        self.flags(&[doc], &mut value);
        value[0]
    }

    fn is_present(&mut self, doc: DocId) -> bool {
        let mut value = [false];
        self.present(&[doc], &mut value);
        value[0]
    }
}

//! Documents gathered into update requests of a bounded size: large enough to share one log append, small
//! enough to flow. The bodies go to `sender.rs`, several under way at once. Full is by documents or by bytes,
//! as small documents would make a request too small to pay for itself, and large ones one that the server
//! refuses.

use bytes::Bytes;
use serde::Serialize;

/// One update request.
#[derive(Clone, Debug)]
pub struct Batch {
    /// A JSON array of documents.
    pub body: Bytes,
    pub docs: u64,
    /// Bytes of source text, which is less than the body's.
    pub text_bytes: u64,
}

/// Gathers documents; gives a batch back whenever one is full.
#[derive(Debug)]
pub struct Batcher {
    body: Vec<u8>,
    docs: u64,
    text_bytes: u64,
    body_bytes_full: usize,
    docs_full: u64,
}

impl Batcher {
    /// A batch is full at `docs_full` documents or `body_bytes_full` bytes, whichever comes first.
    pub fn new(docs_full: u64, body_bytes_full: usize) -> Self {
        Self { body: Vec::new(), docs: 0, text_bytes: 0, body_bytes_full, docs_full }
    }

    /// Adds a document of `text_bytes`; the batch, when this filled it.
    pub fn push(
        &mut self,
        document: &impl Serialize,
        text_bytes: u64,
    ) -> Result<Option<Batch>, serde_json::Error> {
        self.body.push(if self.docs == 0 { b'[' } else { b',' });
        serde_json::to_writer(&mut self.body, document)?;
        self.docs += 1;
        self.text_bytes += text_bytes;
        let full = self.docs >= self.docs_full || self.body.len() >= self.body_bytes_full;
        Ok(if full { self.finish() } else { None })
    }

    /// What has been gathered, if anything.
    pub fn finish(&mut self) -> Option<Batch> {
        if self.docs == 0 {
            return None;
        }
        let mut body = std::mem::take(&mut self.body);
        body.push(b']');
        let batch = Batch { body: body.into(), docs: self.docs, text_bytes: self.text_bytes };
        (self.docs, self.text_bytes) = (0, 0);
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_fill_by_count_and_by_size() {
        let mut batcher = Batcher::new(2, 1 << 20);
        assert!(batcher.push(&1, 1).unwrap().is_none());
        let batch = batcher.push(&2, 1).unwrap().unwrap();
        assert_eq!((&batch.body[..], batch.docs, batch.text_bytes), (&b"[1,2]"[..], 2, 2));
        assert!(batcher.finish().is_none());
        let mut batcher = Batcher::new(100, 4);
        assert!(batcher.push(&"long enough", 1).unwrap().is_some());
        assert!(batcher.push(&1, 1).unwrap().is_none());
        assert_eq!(&batcher.finish().unwrap().body[..], b"[1]");
    }
}

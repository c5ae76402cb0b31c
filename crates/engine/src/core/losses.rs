//! What of a shard can be read nowhere: segments without a whole copy of each of their files, and the end of
//! a log with a damaged or missing part. `opening` and `recovery` find it; a shard that has lost anything is
//! served as far as it can be read, takes no updates, and leaves what lies in its home as it is. Whoever
//! answers from it says that the answer is partial.

use std::fmt;

use serde::{Deserialize, Serialize};

use plan::{Error, ErrorKind, Result};
use store::Watermark;

/// What a shard that is open has lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    pub segments: Vec<LostSegment>,
    pub log: Option<LostLog>,
}

/// A segment that the manifest names and that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostSegment {
    pub segment: String,
    /// Its living documents, by the manifest.
    pub documents: u64,
    /// Those of its files that are damaged or gone, with what is wrong; none where all of them are what the
    /// manifest says and make no sense together.
    pub files: Vec<(String, String)>,
    /// Why it cannot be opened.
    pub why: String,
}

/// A log that cannot be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostLog {
    /// The last record that was read, or that the manifest has.
    pub upto: Watermark,
    pub why: String,
}

impl Losses {
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.log.is_none()
    }

    /// Of lost segments. How many a lost end of the log had, nobody knows.
    pub fn documents(&self) -> u64 {
        self.segments.iter().map(|segment| segment.documents).sum()
    }

    /// Files that are damaged or gone; a segment that makes no sense counts as one, and so does a log.
    pub fn files(&self) -> u64 {
        let of_segment = |segment: &LostSegment| segment.files.len().max(1) as u64;
        self.segments.iter().map(of_segment).sum::<u64>() + u64::from(self.log.is_some())
    }

    /// For what must have all documents or none.
    pub(crate) fn check_none(&self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::DataLoss, format!("the shard is not whole: {self}; {NEXT_STEP}")))
    }
}

/// What helps where anything is lost.
pub(crate) const NEXT_STEP: &str = "stop the node and run `parhelion store repair`, which says what can be mended, or restore \
     the collection from a backup";

impl fmt::Display for Losses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for segment in &self.segments {
            write!(out, "{between}{segment}")?;
            between = "; ";
        }
        self.log.iter().try_for_each(|log| write!(out, "{between}{log}"))
    }
}

impl fmt::Display for LostSegment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segment, documents, files, why } = self;
        write!(out, "segment `{segment}` with {documents} documents is lost: ")?;
        let Some((file, wrong)) = files.first() else { return out.write_str(why) };
        // Most errors name the file.
        if !wrong.contains(&**file) {
            write!(out, "file `{file}`: ")?;
        }
        out.write_str(wrong)?;
        match files.len() - 1 {
            0 => Ok(()),
            others => write!(out, " (and {others} more)"),
        }
    }
}

impl fmt::Display for LostLog {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Watermark { epoch, sequence } = self.upto;
        let why = &self.why;
        write!(out, "the log cannot be read above record {sequence} of epoch {epoch}: {why}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_named() {
        let mut losses = Losses::default();
        assert!(losses.is_empty() && losses.check_none().is_ok());
        let file = |name: &str| (name.to_owned(), "it is gone".to_owned());
        let segment = LostSegment {
            segment: "a1".into(),
            documents: 8,
            files: vec![file("a1.term"), file("a1.pos")],
            why: "not told where a file says it".into(),
        };
        let senseless = LostSegment { segment: "b2".into(), documents: 3, files: vec![], why: "torn".into() };
        losses.segments = vec![segment, senseless];
        losses.log = Some(LostLog { upto: Watermark::new(2, 7), why: "a group is gone".into() });
        let told = "segment `a1` with 8 documents is lost: file `a1.term`: it is gone (and 1 more); segment \
                    `b2` with 3 documents is lost: torn; the log cannot be read above record 7 of epoch 2: a \
                    group is gone";
        assert_eq!(losses.to_string(), told);
        assert_eq!((losses.documents(), losses.files()), (11, 4));
        let error = losses.check_none().unwrap_err();
        assert_eq!(error.kind, ErrorKind::DataLoss);
        assert!(error.message.contains("parhelion store repair"), "{error}");
    }
}

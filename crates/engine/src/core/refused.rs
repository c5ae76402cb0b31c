//! Operations that were refused, as log records and manifests keep them: a batch that comes again is told the
//! same, however its documents stand by then. Only what an operation itself is to blame for is kept; what the
//! medium refuses was never offered to it.

use plan::{Error, ErrorKind, Refusal, RefusalKind, RootCause};
use serde::{Deserialize, Serialize};

use crate::bytes::{ByteReader, put_text, put_unsigned};

/// Numbers of a record, and the lengths of its two texts.
pub(crate) const REFUSED_BYTES_MAX: usize = 5 + 3 + 2 * 10;

/// A refusal with the number of its operation in the batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefusedOperation {
    pub(crate) operation: u32,
    kind: u8,
    error: u8,
    /// 0 where none is known.
    root: u8,
    of: String,
    message: String,
}

/// Whether an operation is to blame, and not what keeps it.
pub(crate) fn is_of_operation(kind: ErrorKind) -> bool {
    error_code(kind).is_some()
}

impl RefusedOperation {
    /// `None` for what is no fault of the operation.
    pub(crate) fn of(operation: u32, refusal: &Refusal) -> Option<Self> {
        let Refusal { kind, of, error } = refusal;
        Some(Self {
            operation,
            kind: KINDS.iter().position(|it| it == kind)? as u8,
            error: error_code(error.kind)?,
            root: error.root.map_or(0, root_code),
            of: of.clone(),
            message: error.message.clone(),
        })
    }

    /// `None` for codes that no version of this one writes.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let mut error = Error::new(*ERRORS.get(usize::from(self.error))?, self.message.clone());
        if self.root > 0 {
            error.root = Some(*ROOTS.get(usize::from(self.root) - 1)?);
        }
        Some(Refusal { kind: *KINDS.get(usize::from(self.kind))?, of: self.of.clone(), error })
    }

    /// What it takes in a record, at most.
    pub(crate) fn bytes(&self) -> usize {
        REFUSED_BYTES_MAX + self.of.len() + self.message.len()
    }

    /// `before` is the number from which its own is counted.
    pub(crate) fn write(&self, out: &mut Vec<u8>, before: u32) {
        put_unsigned(out, (self.operation - before).into());
        out.extend_from_slice(&[self.kind, self.error, self.root]);
        put_text(out, &self.of);
        put_text(out, &self.message);
    }

    pub(crate) fn read(reader: &mut ByteReader<'_>, before: u32) -> Option<Self> {
        let operation = before.checked_add(u32::try_from(reader.unsigned()?).ok()?)?;
        let (kind, error, root) = (reader.byte()?, reader.byte()?, reader.byte()?);
        let (of, message) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        Some(Self { operation, kind, error, root, of, message }).filter(|it| it.refusal().is_some())
    }
}

const KINDS: [RefusalKind; 3] = [RefusalKind::Add, RefusalKind::Delete, RefusalKind::DeleteByQuery];

const ERRORS: [ErrorKind; 4] =
    [ErrorKind::BadRequest, ErrorKind::Conflict, ErrorKind::NotFound, ErrorKind::TooLarge];

fn error_code(kind: ErrorKind) -> Option<u8> {
    ERRORS.iter().position(|it| *it == kind).map(|at| at as u8)
}

/// Each at its code less one.
const ROOTS: [RootCause; 12] = [
    RootCause::NumberFormat,
    RootCause::QuerySyntax,
    RootCause::DateFormat,
    RootCause::Json,
    RootCause::Xml,
    RootCause::IllegalArgument,
    RootCause::ShapeSyntax,
    RootCause::InvalidShape,
    RootCause::DateMath,
    RootCause::ClassCast,
    RootCause::Unsupported,
    RootCause::TooShort,
];

/// A match, so that a new cause does not compile before it has a code.
fn root_code(root: RootCause) -> u8 {
    match root {
        RootCause::NumberFormat => 1,
        RootCause::QuerySyntax => 2,
        RootCause::DateFormat => 3,
        RootCause::Json => 4,
        RootCause::Xml => 5,
        RootCause::IllegalArgument => 6,
        RootCause::ShapeSyntax => 7,
        RootCause::InvalidShape => 8,
        RootCause::DateMath => 9,
        RootCause::ClassCast => 10,
        RootCause::Unsupported => 11,
        RootCause::TooShort => 12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_come_back_as_they_were() {
        for (at, root) in ROOTS.into_iter().map(Some).chain([None]).enumerate() {
            let mut error = Error::new(ERRORS[at % ERRORS.len()], format!("message {at}"));
            error.root = root;
            let refusal = Refusal { kind: KINDS[at % KINDS.len()], of: "ü".into(), error };
            let kept = RefusedOperation::of(9, &refusal).unwrap();
            let mut bytes = Vec::new();
            kept.write(&mut bytes, 4);
            assert!(bytes.len() <= kept.bytes());
            let read = RefusedOperation::read(&mut ByteReader::new(&bytes), 4).unwrap();
            assert_eq!((read.refusal(), read.operation), (Some(refusal), 9));
        }
        let unavailable = Error::new(ErrorKind::Unavailable, "full");
        let refusal = Refusal { kind: RefusalKind::Add, of: "1".into(), error: unavailable };
        assert_eq!(RefusedOperation::of(0, &refusal), None);
    }
}

//! Bodies of `multipart/form-data`: fields become parameters beside those of the URL, files become bodies of
//! their own, each with the type that its part names.
//!
//! In: a body as it arrives; out: fields and files, in order. All of it is read before anybody is served,
//! since a field behind a file may say what is to be done with it. The parts are `multer`'s to find.
//!
//! Solr differs: bodies that are none are its servlet container's to refuse, with an error 500
//! (`compat/update/multipart.yaml`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use multer::{Field, Multipart, parse_boundary};
use plan::{Error, Result};
use solr::Params;
use solr::charset::{Charset, of_content_type, unknown};
use solr::params::PARAMS_MAX;

use crate::admission::{Room, too_large};
use crate::request::body::{Filled, Upload};
use crate::server::Server;

const MULTIPART: &str = "multipart/form-data";

/// Each is a body with a decoder of its own.
const FILES_MAX: usize = 1000;
/// What may be read before a part begins or goes on: what stands in front of the first, and headers.
const AHEAD_BYTES_MAX: usize = 1 << 20;
/// RFC 2046, 5.1.1.
const BOUNDARY_BYTES_MAX: usize = 70;

/// What a body held.
pub(crate) struct Parts {
    /// In order, as those of a form.
    pub fields: Params,
    pub files: Vec<FilePart>,
    /// What the files take of the room for all.
    pub room: Room,
}

/// A file; its name is nobody's business.
pub(crate) struct FilePart {
    /// As its part says it.
    pub media_type: Option<String>,
    /// As it arrived.
    pub parts: VecDeque<Bytes>,
}

impl FilePart {
    /// All of it as one.
    pub fn whole(mut self) -> Bytes {
        if self.parts.len() < 2 {
            return self.parts.pop_front().unwrap_or_default();
        }
        let mut whole = BytesMut::with_capacity(self.parts.iter().map(Bytes::len).sum());
        self.parts.iter().for_each(|part| whole.extend_from_slice(part));
        whole.freeze()
    }
}

/// Whether a Content-Type names such a body. Solr differs: it looks for small letters, which nothing asks
/// for (`compat/update/multipart.yaml`).
pub(crate) fn is_multipart(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(MULTIPART))
}

/// Reads all parts; together they may take `bytes_max`. Errors: `BadRequest` for what is no multipart body,
/// `TooLarge`, and those of [`Upload::fill`].
pub(crate) async fn read_parts(
    server: &Arc<Server>,
    (content_type, upload): (&str, Upload),
    bytes_max: usize,
) -> Result<Parts> {
    let boundary =
        parse_boundary(content_type).ok().filter(|it| (1..=BOUNDARY_BYTES_MAX).contains(&it.len()));
    let boundary = boundary.ok_or_else(|| {
        malformed("its Content-Type names no boundary of 1 to 70 characters; let the client library write it")
    })?;
    let ahead = Arc::new(AtomicUsize::new(0));
    let mut multipart = Multipart::new(arriving(upload, ahead.clone()), boundary);
    let mut reader = PartsReader {
        ahead,
        parts: Parts { fields: Params::default(), files: vec![], room: server.admission.room(bytes_max) },
        field_bytes_max: server.config.query_bytes_max.min(bytes_max),
        files: 0,
        fields: 0,
        field_bytes: 0,
        held_bytes: 0,
    };
    while let Some(field) = multipart.next_field().await.map_err(refusal)? {
        reader.take(field).await?;
    }
    // What stands behind the last boundary is not read, and not missed: the connection ends with it.
    Ok(reader.parts)
}

/// The body as `multer` takes it. It takes all that is ready at once, whatever it needs: so that it does not
/// hold a long body beside its parts, nothing is ready just after something was. `ahead` grows by what came.
fn arriving(
    upload: Upload,
    ahead: Arc<AtomicUsize>,
) -> impl stream::Stream<Item = Result<Bytes, Error>> + Send {
    stream::unfold(Some((upload, ahead)), |state| async move {
        let (mut upload, ahead) = state?;
        tokio::task::yield_now().await;
        // What is read ahead is in nobody's room: without a bound, one endless header would be a body of
        // half a gigabyte that nothing counts. One task reads and takes, so that no order is needed.
        if ahead.load(Ordering::Relaxed) > AHEAD_BYTES_MAX {
            return Some((Err(malformed("a part's headers are too long, or no part begins")), None));
        }
        let filled = upload.fill(1, false).await;
        let bytes = upload.take_all();
        match filled {
            Err(error) => Some((Err(error), None)),
            Ok(Filled::All) if bytes.is_empty() => None,
            Ok(_) => {
                ahead.fetch_add(bytes.len(), Ordering::Relaxed);
                Some((Ok(bytes), Some((upload, ahead))))
            }
        }
    })
}

struct PartsReader {
    parts: Parts,
    /// What was read since a part last began or went on.
    ahead: Arc<AtomicUsize>,
    files: usize,
    fields: usize,
    field_bytes_max: usize,
    field_bytes: usize,
    held_bytes: usize,
}

impl PartsReader {
    async fn take(&mut self, mut field: Field<'_>) -> Result<()> {
        self.ahead.store(0, Ordering::Relaxed);
        let name = field.name().map(str::to_owned);
        let name = name.ok_or_else(|| malformed("one of its parts has no name"))?;
        let header = field.headers().get("content-type");
        let media_type = header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        // A file without a name of its own is one all the same: it is the key that tells.
        let is_file = field.file_name().is_some();
        let (count, most, kind) = match is_file {
            true => (&mut self.files, FILES_MAX, "files"),
            false => (&mut self.fields, PARAMS_MAX, "fields"),
        };
        *count += 1;
        if *count > most {
            return Err(malformed(&format!("it has more than {most} {kind}; send them in several requests")));
        }
        let mut parts = VecDeque::new();
        while let Some(part) = field.chunk().await.map_err(refusal)? {
            self.ahead.store(0, Ordering::Relaxed);
            self.held_bytes += part.len();
            if !is_file {
                self.field_bytes += part.len();
                // Parameters are kept and shown for as long as the request lasts: files need not fit there.
                if self.field_bytes > self.field_bytes_max {
                    return Err(too_large(self.field_bytes_max));
                }
            }
            self.parts.room.resize(self.held_bytes)?;
            parts.push_back(part);
        }
        let file = FilePart { media_type, parts };
        if is_file {
            self.parts.files.push(file);
        } else {
            self.parts.fields.push(name, field_text(file)?);
        }
        Ok(())
    }
}

/// A field is UTF-8 unless its part names another charset; neither the URL's `ie` nor a field `_charset_`
/// says anything of it, as in Solr.
fn field_text(field: FilePart) -> Result<String> {
    let charset = match of_content_type(field.media_type.as_deref()) {
        Some(name) => Charset::named(name).ok_or_else(|| unknown(name))?,
        None => Charset::UTF_8,
    };
    Ok(charset.decode(&field.whole()).into_owned())
}

fn malformed(what: &str) -> Error {
    Error::bad_request(format!("the multipart body cannot be read: {what}"))
}

/// In our words, where `multer` has none for a client.
fn refusal(error: multer::Error) -> Error {
    use multer::Error as Cause;
    match error {
        Cause::StreamReadFailed(cause) => match cause.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) => malformed(&other.to_string()),
        },
        Cause::IncompleteStream | Cause::IncompleteFieldData { .. } | Cause::IncompleteHeaders => malformed(
            "it ends before its last boundary, or has none; send `--BOUNDARY--` behind the last part",
        ),
        other => malformed(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told() {
        assert!(is_multipart("multipart/form-data; boundary=x"));
        assert!(is_multipart("Multipart/Form-Data"));
        assert!(!is_multipart("multipart/mixed; boundary=x"));
        assert!(!is_multipart(""));
    }

    #[test]
    fn fields_have_a_charset_each() {
        let check = |media_type: Option<&str>, bytes: &'static [u8], expected: &str| {
            let field = FilePart {
                media_type: media_type.map(str::to_owned),
                parts: bytes.chunks(1).map(Bytes::from_static).collect(),
            };
            let found = field_text(field).unwrap_or_else(|error| error.message);
            assert!(found.contains(expected), "{found}");
        };
        check(None, "é".as_bytes(), "é");
        check(None, b"\xe9", "\u{fffd}");
        check(Some("text/plain; charset=iso-8859-1"), b"\xe9", "é");
        check(Some("text/plain; charset=bogus"), b"", "`bogus` is not supported");
        check(None, b"", "");
    }
}

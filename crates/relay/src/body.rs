//! The body of an answer: goes out as it comes, read from the server only as fast as the application takes
//! it.
//!
//! Invariant: an answer that is not whole never looks whole. Its connection ends before the length that was
//! promised, or before the last chunk.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use client::{Error, StreamedResponse};
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};

pub(crate) type Answer = Response<RelayBody>;

/// Of an answer.
pub(crate) enum RelayBody {
    Whole(Option<Bytes>),
    Pieces {
        next: Option<NextPiece>,
        /// Called with what broke the answer off.
        on_error: Box<dyn Fn(&Error) + Send + Sync>,
    },
}

/// The server's answer comes back with its piece, to be asked for the next.
type NextPiece = Pin<Box<dyn Future<Output = (StreamedResponse, Result<Option<Bytes>, Error>)> + Send>>;

impl RelayBody {
    /// What of an answer has not been read yet.
    pub fn pieces(answer: StreamedResponse, on_error: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        RelayBody::Pieces { next: Some(next_piece(answer)), on_error: Box::new(on_error) }
    }
}

impl<T: Into<Bytes>> From<T> for RelayBody {
    fn from(body: T) -> Self {
        RelayBody::Whole(Some(body.into()).filter(|body: &Bytes| !body.is_empty()))
    }
}

fn next_piece(mut answer: StreamedResponse) -> NextPiece {
    Box::pin(async move {
        let piece = answer.piece().await;
        (answer, piece)
    })
}

impl Body for RelayBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.get_mut() {
            RelayBody::Whole(body) => Poll::Ready(body.take().map(|body| Ok(Frame::data(body)))),
            RelayBody::Pieces { next, on_error } => {
                let Some(coming) = next else { return Poll::Ready(None) };
                let (answer, piece) = ready!(coming.as_mut().poll(cx));
                *next = matches!(piece, Ok(Some(_))).then(|| next_piece(answer));
                if let Err(error) = &piece {
                    on_error(error);
                }
                Poll::Ready(piece.transpose().map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            RelayBody::Whole(body) => body.is_none(),
            RelayBody::Pieces { next, .. } => next.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            RelayBody::Whole(body) => SizeHint::with_exact(body.as_ref().map_or(0, Bytes::len) as u64),
            RelayBody::Pieces { .. } => SizeHint::default(),
        }
    }
}

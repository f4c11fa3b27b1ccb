//! A request body that counts the bytes that have been sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::domain::attachment::Meter;

/// How much is given to the connection at a time, in bytes.
const CHUNK_SIZE: usize = 64 << 10;

/// The bytes that are still to be sent.
pub(super) struct Metered {
    bytes: Bytes,
    meter: Meter,
}

impl Metered {
    pub(super) fn new(bytes: Vec<u8>, meter: &Meter) -> Self {
        Self { bytes: bytes.into(), meter: meter.clone() }
    }
}

impl Body for Metered {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.bytes.len().min(CHUNK_SIZE);
        let chunk = self.bytes.split_to(size);
        self.meter.add(chunk.len());
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The exact length, because storage servers refuse a form without `Content-Length`.
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_is_counted_and_nothing_is_lost() {
        let meter = Meter::default();
        let bytes: Vec<u8> = (0..200_000).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let mut body = Metered::new(bytes.clone(), &meter);
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut sent = Vec::new();
        assert_eq!(body.size_hint().exact(), Some(200_000));
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) {
            sent.extend(frame.into_data().unwrap());
            assert_eq!(meter.sent(), sent.len() as u64);
        }
        assert_eq!(sent, bytes);
        assert!(body.is_end_stream());
    }
}

//! Answers as streams of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::serve::log::Record;

/// How long nothing may be sent: proxies and browsers close connections that seem dead.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// What is sent then. Every reader of such streams skips comments.
const KEEP_ALIVE: &[u8] = b": waiting\n\n";
/// How many frames may wait for a slow client; then no more is read from the service.
const MAX_WAITING: usize = 32;

/// Where the frames of an answer go.
#[derive(Debug)]
pub(crate) struct Frames(mpsc::Sender<Bytes>);

/// The client has closed the connection.
#[derive(Debug)]
pub(crate) struct ClientGone;

impl Frames {
    /// Sends a frame of data alone.
    pub(crate) async fn data(&self, data: &impl Serialize) -> Result<(), ClientGone> {
        self.frame(None, data).await
    }

    /// Sends a frame with the name of its event.
    pub(crate) async fn event(&self, name: &str, data: &impl Serialize) -> Result<(), ClientGone> {
        self.frame(Some(name), data).await
    }

    /// Sends the frame by which clients of the chat interface know the end.
    pub(crate) async fn done(&self) -> Result<(), ClientGone> {
        self.0.send(Bytes::from_static(b"data: [DONE]\n\n")).await.map_err(|_| ClientGone)
    }

    async fn frame(&self, name: Option<&str>, data: &impl Serialize) -> Result<(), ClientGone> {
        let mut frame = Vec::with_capacity(512);
        if let Some(name) = name {
            frame.extend_from_slice(b"event: ");
            frame.extend_from_slice(name.as_bytes());
            frame.push(b'\n');
        }
        frame.extend_from_slice(b"data: ");
        // Our own types always become JSON.
        serde_json::to_writer(&mut frame, data).map_err(|_| ClientGone)?;
        frame.extend_from_slice(b"\n\n");
        self.0.send(frame.into()).await.map_err(|_| ClientGone)
    }
}

/// A response of the frames that `work` sends. When the client leaves, `work` is dropped, and with it the call to the
/// service.
pub(crate) fn streamed<F>(record: Record, work: impl FnOnce(Frames) -> F) -> Response
where
    F: Future<Output = Result<(), ClientGone>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    let client = sender.clone();
    let work = work(Frames(sender));
    tokio::spawn(async move {
        let client_gone = tokio::select! {
            ended = work => ended.is_err(),
            () = client.closed() => true,
        };
        if client_gone {
            record.set_error("left");
        }
    });
    let body = Body::from_stream(unfold(receiver, |mut receiver| async move {
        let frame = match tokio::time::timeout(KEEP_ALIVE_INTERVAL, receiver.recv()).await {
            Ok(frame) => frame?,
            Err(_) => Bytes::from_static(KEEP_ALIVE),
        };
        Some((Ok::<_, Infallible>(frame), receiver))
    }));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

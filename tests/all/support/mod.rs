//! What the tests of the whole program share: a scripted server on loopback, and a command with an environment of
//! its own.

pub mod command;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(all(unix, feature = "serve"))]
pub mod serve;
pub mod server;
#[cfg(unix)]
pub mod terminal;

pub use command::{Home, Outcome};
#[cfg(all(unix, feature = "serve"))]
pub use serve::Serving;
pub use server::{Reply, Server};

/// Where the subscription endpoint is asked.
pub const ASK: &str = "POST /rest/sse/perplexity_ask";

/// A key of the official API. Made up.
pub const KEY: &str = "pplx-0123456789-key-of-the-tests";

/// A machine with a key for `api` and no session. The subscription is out of reach.
pub fn with_key(api: &Server) -> Home {
    Home::at("http://127.0.0.1:9").env("PERPLEXITY_BASE_URL", api.url()).env("PERPLEXITY_API_KEY", KEY)
}

/// A token that lives until the year 2100. Unsigned and made up.
pub const TOKEN: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0ZXN0ZXIiLCJleHAiOjQxMDI0NDQ4MDB9.bm8tc2lnbmF0dXJl";
/// Its end, less the five minutes of margin, in milliseconds.
pub const TOKEN_EXPIRES: i64 = 4_102_444_500_000;

/// A stream whose answer is `text`.
pub fn answered(text: &str) -> Vec<u8> {
    let text = serde_json::to_string(text).unwrap();
    format!(
        "event: message\r\ndata: {{\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"pplx_pro_upgraded\",\
         \"backend_uuid\":\"entry-1\",\"blocks\":[{{\"intended_usage\":\"ask_text\",\"markdown_block\":\
         {{\"chunks\":[{text}],\"chunk_starting_offset\":0}}}}]}}\r\n\r\nevent: end_of_stream\r\ndata: {{}}\r\n\r\n"
    )
    .into_bytes()
}

/// A frame in the middle of a stream, whose new text is `text`.
pub fn pending(offset: usize, text: &str) -> Vec<u8> {
    let text = serde_json::to_string(text).unwrap();
    format!(
        "event: message\r\ndata: {{\"status\":\"PENDING\",\"display_model\":\"pplx_pro_upgraded\",\"blocks\":[{{\"intended_usage\":\
         \"ask_text\",\"markdown_block\":{{\"chunks\":[{text}],\"chunk_starting_offset\":{offset}}}}}]}}\r\n\r\n"
    )
    .into_bytes()
}

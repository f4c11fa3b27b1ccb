//! The page at `/`, which is embedded in the program.

use axum::extract::Path;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::serve::api_error::ApiError;

/// Allows nothing from elsewhere, and nothing that an answer could inject.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const HTML: &str = include_str!("page/index.html");
const ASSETS: [(&str, &str, &str); 7] = [
    ("page.css", "text/css; charset=utf-8", include_str!("page/page.css")),
    ("page.js", JAVASCRIPT, include_str!("page/page.js")),
    ("markdown.js", JAVASCRIPT, include_str!("page/markdown.js")),
    ("scroll.js", JAVASCRIPT, include_str!("page/scroll.js")),
    ("server.js", JAVASCRIPT, include_str!("page/server.js")),
    ("tabs.js", JAVASCRIPT, include_str!("page/tabs.js")),
    ("turn.js", JAVASCRIPT, include_str!("page/turn.js")),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

pub(crate) async fn html() -> Response {
    response("text/html; charset=utf-8", HTML)
}

pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, ApiError> {
    let asset = ASSETS.iter().find(|(known, ..)| *known == name);
    let asset = asset.ok_or_else(|| ApiError::not_found("unknown_url", "There is nothing here."));
    asset.map(|(_, kind, text)| response(kind, text))
}

fn response(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        for (name, text) in ASSETS.iter().map(|(name, _, text)| (*name, *text)).chain([("index.html", HTML)])
        {
            for foreign in [
                "src=\"http",
                "href=\"http",
                "url(http",
                "@import",
                "from \"http",
                "innerHTML",
                " style=\"",
                " onclick=",
            ] {
                assert!(!text.contains(foreign), "{name} holds {foreign}");
            }
        }
        for (name, ..) in ASSETS.iter().take(2) {
            assert!(HTML.contains(name), "{name}");
        }
    }
}

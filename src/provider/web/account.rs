//! The models and the limits of an account.

use std::collections::BTreeMap;

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::ask::{refusal, secret_value};
use super::lenient::{flag, integer, object, objects, text};
use crate::auth::{Credential, store_rotated_from};
use crate::domain::error::{Error, Result};
use crate::domain::models::{Model, Models};
use crate::net::http;

/// The largest reply that is read, in bytes.
const MAX_REPLY: usize = 8 << 20;

/// The remaining use of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The kind, such as `pro_search` or `research`.
    pub kind: String,
    /// Whether any use is left.
    pub available: Option<bool>,
    /// The number of uses left; `None` where the service gives no number, as it does for paying users.
    pub remaining: Option<i64>,
}

/// `GET /rest/models/config`: the models that the account may name.
pub async fn models(base: &Url, credential: &Credential) -> Result<Models> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Config {
        models: serde_json::Map<String, Value>,
        #[serde(deserialize_with = "objects")]
        config: Option<Vec<Pair>>,
    }
    /// A model, and the variant of it that reasons first.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Pair {
        #[serde(deserialize_with = "text")]
        label: Option<String>,
        #[serde(deserialize_with = "text")]
        non_reasoning_model: Option<String>,
        #[serde(deserialize_with = "text")]
        reasoning_model: Option<String>,
        #[serde(deserialize_with = "text")]
        subscription_tier: Option<String>,
    }
    let query = format!("config_schema=v1&version={}&source=default", http::API_VERSION);
    let path = "rest/models/config";
    let config: Config = get(base, credential, path, &query).await?;
    let models = config.config.unwrap_or_default().into_iter().map(|pair| Model {
        id: pair.non_reasoning_model,
        thinking: pair.reasoning_model,
        label: pair.label.unwrap_or_default(),
        tier: pair.subscription_tier,
    });
    let models: Vec<Model> = models.filter(|model| model.id.is_some() || model.thinking.is_some()).collect();
    if models.is_empty() {
        return Err(Error::Unexpected { path: path.to_owned() });
    }
    Ok(Models { models, ids: config.models.keys().cloned().collect() })
}

/// `GET /rest/rate-limit/status`: the remaining use of each kind.
pub async fn limits(base: &Url, credential: &Credential) -> Result<Vec<Limit>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Status {
        modes: BTreeMap<String, Mode>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Mode {
        #[serde(deserialize_with = "flag")]
        available: Option<bool>,
        #[serde(deserialize_with = "object")]
        remaining_detail: Option<Remaining>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Remaining {
        #[serde(deserialize_with = "text")]
        kind: Option<String>,
        #[serde(deserialize_with = "integer")]
        remaining: Option<i64>,
    }
    let status: Status = get(base, credential, "rest/rate-limit/status", "").await?;
    let limit = |(kind, mode): (String, Mode)| {
        let exact = mode.remaining_detail.filter(|detail| detail.kind.as_deref() == Some("exact"));
        Limit { kind, available: mode.available, remaining: exact.and_then(|detail| detail.remaining) }
    };
    Ok(status.modes.into_iter().map(limit).collect())
}

async fn get<T: for<'de> Deserialize<'de>>(
    base: &Url,
    credential: &Credential,
    path: &str,
    query: &str,
) -> Result<T> {
    let body = call(base, credential, Method::GET, path, query, None).await?;
    serde_json::from_str(&body).map_err(|_| Error::Unexpected { path: path.to_owned() })
}

/// Makes a call that is not a question. Returns the body of a reply with a good status.
pub(super) async fn call(
    base: &Url,
    credential: &Credential,
    method: Method,
    path: &str,
    query: &str,
    body: Option<&Value>,
) -> Result<String> {
    let mut url = http::endpoint(base, path);
    url.set_query(Some(query).filter(|query| !query.is_empty()));
    let session = &credential.session;
    let request = http::client(base)?.request(method, url.clone()).headers(http::app_headers());
    let request =
        request.header(AUTHORIZATION, secret_value(&format!("Bearer {}", session.token().expose()))?);
    let request = request.header(COOKIE, secret_value(session.cookie_header().expose())?);
    let request = match body {
        Some(body) => request.header(CONTENT_TYPE, "application/json").body(body.to_string()),
        None => request,
    };
    let limit = http::CALL_TIMEOUT;
    let exchange = async {
        let response = request.send().await.map_err(|error| http::connect_error(&url, &error))?;
        // A new session that cannot be stored must not fail a call that has succeeded. The next question uses the old
        // session, and reports it if that is refused or its own new session cannot be stored either.
        let _ = store_rotated_from(credential, http::set_cookies(&response)).await;
        if !response.status().is_success() {
            return Err(refusal(response, credential, false).await);
        }
        http::TextReply::read(response, MAX_REPLY).await
    };
    let reply = tokio::time::timeout(limit, exchange).await;
    let reply =
        reply.map_err(|_| Error::TimedOut { host: http::host_of(&url), seconds: limit.as_secs() })??;
    Ok(reply.body)
}

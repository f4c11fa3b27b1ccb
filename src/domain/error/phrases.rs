//! The parts of an error's text that depend on what is known.

pub(super) fn duration(count: u64) -> String {
    if count == 1 { "1 second".to_owned() } else { format!("{count} seconds") }
}

pub(super) fn retry_phrase(retry_after: Option<&str>) -> String {
    match retry_after {
        Some(seconds) if seconds.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("; it asks to wait {seconds} seconds")
        }
        Some(date) => format!("; it asks to wait until {date}"),
        None => String::new(),
    }
}

pub(super) fn reason_phrase(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": {}", reason.trim_end_matches('.'))).unwrap_or_default()
}

pub(super) fn service_phrase(code: Option<&str>, message: Option<&str>) -> String {
    match (code, message) {
        (Some(code), Some(message)) => format!("{message} ({code})"),
        (None, Some(message)) => message.to_owned(),
        (Some(code), None) => format!("The service reported {code}."),
        (None, None) => "The service failed without saying why.".to_owned(),
    }
}

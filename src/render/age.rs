//! The age of a page. A date that is unreadable or impossible gives an unknown age, never an error.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Numbers from this one on are in milliseconds: in seconds they would be in the year 5138.
const MIN_MILLISECONDS: f64 = 1e11;
/// How far in the future a date may be, because of clocks and time zones, in seconds.
const MAX_CLOCK_SKEW: i64 = 36 * 3600;

/// How old the page of `date` is at `now` (Unix seconds), in seconds and never negative; `None` when the date is
/// missing, unreadable, before 1970 or too far in the future.
pub fn seconds(date: Option<&str>, now: i64) -> Option<i64> {
    let then = parse(date?.trim()).filter(|then| *then > 0)?;
    (then <= now + MAX_CLOCK_SKEW).then(|| (now - then).max(0))
}

/// An age in words, such as `3h ago`.
pub fn phrase(seconds: Option<i64>) -> String {
    match seconds {
        None => "unknown".to_owned(),
        Some(seconds) if seconds < 60 => "just now".to_owned(),
        Some(seconds) if seconds < 3600 => format!("{}m ago", seconds / 60),
        Some(seconds) if seconds < 86400 => format!("{}h ago", seconds / 3600),
        Some(seconds) => format!("{}d ago", seconds / 86400),
    }
}

/// A date in one of the known notations, in Unix seconds. Without a zone it is UTC.
fn parse(date: &str) -> Option<i64> {
    if let Ok(number) = date.parse::<f64>() {
        return from_number(number);
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(date).or_else(|_| DateTime::parse_from_rfc2822(date)) {
        return Some(time.timestamp());
    }
    let times = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    if let Some(time) = times.iter().find_map(|format| NaiveDateTime::parse_from_str(date, format).ok()) {
        return Some(time.and_utc().timestamp());
    }
    let days = ["%Y-%m-%d", "%Y/%m/%d", "%b %d, %Y", "%d %b %Y"];
    let day = days.iter().find_map(|format| NaiveDate::parse_from_str(date, format).ok())?;
    Some(day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, and such dates are too far in the future"
)]
fn from_number(number: f64) -> Option<i64> {
    let seconds = if number >= MIN_MILLISECONDS { number / 1000.0 } else { number };
    number.is_finite().then_some(seconds as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-02-16T10:00:00Z.
    const NOW: i64 = 1_771_236_000;

    #[test]
    fn every_notation_that_occurs() {
        for (date, expected) in [
            ("2026-02-15T10:00:00.000Z", "1d ago"),
            ("2026-02-15", "1d ago"),
            ("2026-02-15T10:00:00", "1d ago"),
            ("2026-02-15T10:00:00+05:30", "1d ago"),
            ("2026-02-15T10:00:00.123456789Z", "1d ago"),
            ("2026-02-15 10:00:00", "1d ago"),
            ("Feb 15, 2026", "1d ago"),
            ("1771149600", "1d ago"),
            ("1771149600000", "1d ago"),
            ("2026-02-16T09:55:00Z", "5m ago"),
            ("2026-02-16T03:00:00Z", "7h ago"),
            ("2026-02-16T10:00:30Z", "just now"),
            ("2026-02-16T23:00:00Z", "just now"),
        ] {
            assert_eq!(phrase(seconds(Some(date), NOW)), expected, "{date}");
        }
    }

    #[test]
    fn anything_unreadable_is_unknown() {
        let dates = [
            "",
            "0",
            "-5",
            "NaN",
            "inf",
            "1e300",
            "2026-02-30",
            "0001-01-01T00:00:00",
            "2999-01-01T00:00:00Z",
            "2 hours ago",
            "not a date",
        ];
        for date in dates {
            assert_eq!(phrase(seconds(Some(date), NOW)), "unknown", "{date}");
        }
        assert_eq!(phrase(seconds(None, NOW)), "unknown");
    }
}

//! Fields that keep their newest value.

use std::borrow::Cow;

/// Sets `field` to `newer`, unless that is missing or blank.
pub(super) fn keep_newest(field: &mut Option<String>, newer: Option<Cow<'_, str>>) {
    if let Some(newer) = newer
        && !newer.trim_start().is_empty()
        && field.as_deref() != Some(&newer)
    {
        *field = Some(newer.into_owned());
    }
}

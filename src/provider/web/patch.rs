//! JSON patches (RFC 6902) on typed state. Patches of fields that the types do not have are ignored.
//!
//! A patch that does not fit is applied as far as it can be, because refusing it would lose all text after it: an index
//! beyond the end appends, and removing what is not there does nothing.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::wire::PatchOperation;

/// A change at one place, once `move` and `copy` are resolved.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change<'a> {
    Add(&'a RawValue),
    Replace(&'a RawValue),
    Remove,
}

impl<'a> Change<'a> {
    /// The new value as `T`; `None` for a removal, or a value of another type.
    pub(super) fn value<T: DeserializeOwned>(self) -> Option<T> {
        self.raw().and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    fn raw(self) -> Option<&'a RawValue> {
        match self {
            Self::Add(raw) | Self::Replace(raw) => Some(raw),
            Self::Remove => None,
        }
    }
}

/// The rest of a JSON pointer (RFC 6901).
#[derive(Debug, Clone, Copy)]
pub(super) struct Pointer<'a>(&'a str);

impl<'a> Pointer<'a> {
    /// The first token and the rest; `None` at the end.
    pub(super) fn split(self) -> Option<(String, Pointer<'a>)> {
        let rest = self.0.strip_prefix('/')?;
        let (first, rest) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        let first =
            if first.contains('~') { first.replace("~1", "/").replace("~0", "~") } else { first.to_owned() };
        Some((first, Pointer(rest)))
    }
}

/// State that patches can change.
pub(super) trait Patch {
    /// Applies `change` at `path` below this value.
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>);

    /// This value as plain JSON, for the operations that read: `move`, `copy` and `test`.
    fn to_json(&self) -> Value;
}

/// Applies the operations in order. A failed `test` ends them.
pub(super) fn apply(target: &mut dyn Patch, operations: &[PatchOperation<'_>]) {
    for operation in operations {
        if !apply_one(target, operation) {
            return;
        }
    }
}

fn apply_one(target: &mut dyn Patch, operation: &PatchOperation<'_>) -> bool {
    let path = Pointer(operation.path.as_deref().unwrap_or_default());
    match (operation.op.as_deref(), operation.value) {
        (Some("add"), Some(value)) => target.patch(path, Change::Add(value)),
        (Some("replace"), Some(value)) => target.patch(path, Change::Replace(value)),
        (Some("remove"), _) => target.patch(path, Change::Remove),
        (Some("test"), Some(expected)) => return test_passes(target, path, expected),
        (Some("copy" | "move"), _) => transfer(target, path, operation),
        _ => {}
    }
    true
}

/// Whether the value at `path` is `expected`. A value that the state does not have passes.
fn test_passes(target: &dyn Patch, path: Pointer<'_>, expected: &RawValue) -> bool {
    let state = target.to_json();
    let Some(found) = state.pointer(path.0) else { return true };
    serde_json::from_str::<Value>(expected.get()).is_ok_and(|expected| expected == *found)
}

fn transfer(target: &mut dyn Patch, to: Pointer<'_>, operation: &PatchOperation<'_>) {
    let from = operation.from.as_deref().unwrap_or_default();
    let state = target.to_json();
    let Some(raw) = state.pointer(from).and_then(|value| serde_json::value::to_raw_value(value).ok()) else {
        return;
    };
    if operation.op.as_deref() == Some("move") {
        target.patch(Pointer(from), Change::Remove);
    }
    target.patch(to, Change::Add(&raw));
}

/// The place of a change in a list.
pub(super) enum Place {
    /// Insert before this index, which is at most the length.
    Insert(usize),
    /// The existing element at this index.
    At(usize),
    /// None: there is no such element, and nothing to add.
    Nowhere,
}

/// The place in a list of `len` elements that `index` names for `change`. The change is of a part of the element when
/// `inside`, else of the element itself.
pub(super) fn place(index: &str, len: usize, inside: bool, change: Change<'_>) -> Place {
    let index = if index == "-" { Some(len) } else { index.parse().ok() };
    match index {
        None => Place::Nowhere,
        Some(index) if inside => at(index, len),
        Some(index) => match change {
            Change::Add(_) => Place::Insert(index.min(len)),
            Change::Replace(_) if index >= len => Place::Insert(len),
            Change::Replace(_) | Change::Remove => at(index, len),
        },
    }
}

fn at(index: usize, len: usize) -> Place {
    if index < len { Place::At(index) } else { Place::Nowhere }
}

impl<T: Patch + DeserializeOwned + Default> Patch for Vec<T> {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        let Some((index, rest)) = path.split() else {
            *self = change.value().unwrap_or_default();
            return;
        };
        let inside = rest.split().is_some();
        match (place(&index, self.len(), inside, change), change) {
            (Place::Insert(index), _) => self.insert(index, change.value().unwrap_or_default()),
            (Place::At(index), Change::Remove) if !inside => drop(self.remove(index)),
            (Place::At(index), _) => {
                if let Some(element) = self.get_mut(index) {
                    element.patch(rest, change);
                }
            }
            (Place::Nowhere, _) => {}
        }
    }

    fn to_json(&self) -> Value {
        self.iter().map(Patch::to_json).collect()
    }
}

impl<T: Patch + DeserializeOwned + Default> Patch for Option<T> {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        match path.split() {
            None => *self = change.value(),
            Some(_) => self.get_or_insert_default().patch(path, change),
        }
    }

    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Patch::to_json)
    }
}

impl Patch for String {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        if path.split().is_none() {
            *self = change.value().unwrap_or_default();
        }
    }

    fn to_json(&self) -> Value {
        self.as_str().into()
    }
}

/// Implements [`Patch`] for a struct whose named fields can be patched, each under its name on the wire.
macro_rules! patch_fields {
    ($type:ty, $($wire:literal => $field:ident),+ $(,)?) => {
        impl $crate::provider::web::patch::Patch for $type {
            fn patch(
                &mut self,
                path: $crate::provider::web::patch::Pointer<'_>,
                change: $crate::provider::web::patch::Change<'_>,
            ) {
                match path.split() {
                    None => *self = change.value().unwrap_or_default(),
                    Some((field, rest)) => match field.as_str() {
                        $($wire => self.$field.patch(rest, change),)+
                        _ => {}
                    },
                }
            }

            fn to_json(&self) -> serde_json::Value {
                serde_json::json!({ $($wire: self.$field.to_json()),+ })
            }
        }
    };
}
pub(super) use patch_fields;

//! Deserializers that ignore values of a wrong type.
//!
//! The service changes its frames without notice, so a field of the wrong type counts as absent, as does null
//! (fixture `tests/streams/payload-wrong-types.sse`). Nothing here fails on well-formed JSON.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string; anything else is `None`.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Text>::from(Lenient::deserialize(from)?).map(|text| text.0))
}

/// The same, borrowed where the string has no escapes. Most fields are the same in every frame, and are not copied
/// then.
pub(super) fn borrowed<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    Ok(Option::<Borrowed<'de>>::from(Lenient::deserialize(from)?).map(|text| text.0))
}

/// A boolean; anything else is `None`.
pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    Ok(Option::<Flag>::from(Lenient::deserialize(from)?).map(|flag| flag.0))
}

/// A number without a fraction; anything else is `None`.
pub(super) fn integer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    Ok(Option::<Integer>::from(Lenient::deserialize(from)?).map(|integer| integer.0))
}

/// A string, or a number in its decimal notation; anything else is `None`.
pub(super) fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::from(Lenient::deserialize(from)?).map(|text| text.0))
}

/// An object; anything else is `None`.
pub(super) fn object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Object<T>>::from(Lenient::deserialize(from)?).map(|object| object.0))
}

/// A list of objects; anything else is `None`. An element of another type becomes the default, so that the positions of
/// the others, which are citation numbers, stay the same.
pub(super) fn objects<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let list = Option::<List<Object<T>>>::from(Lenient::deserialize(from)?);
    Ok(list
        .map(|list| list.0.into_iter().map(|item| item.map_or_else(T::default, |object| object.0)).collect()))
}

/// A list of strings; anything else is `None`. An element of another type becomes an empty string, so that the
/// positions of the others, which are chunk offsets, stay the same.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let list = Option::<List<Text>>::from(Lenient::deserialize(from)?);
    Ok(list.map(|list| list.0.into_iter().map(|item| item.map_or_else(String::new, |text| text.0)).collect()))
}

/// A type that a [`Lenient`] value can have, made from the JSON types that it accepts. All others give `None`.
trait FromJson<'de>: Sized {
    fn from_bool(_: bool) -> Option<Self> {
        None
    }
    fn from_number(_: &dyn fmt::Display, _: Option<i64>) -> Option<Self> {
        None
    }
    fn from_text(_: Cow<'_, str>) -> Option<Self> {
        None
    }
    fn from_borrowed(text: &'de str) -> Option<Self> {
        Self::from_text(Cow::Borrowed(text))
    }
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn from_object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

struct Text(String);
struct Borrowed<'de>(Cow<'de, str>);
struct Flag(bool);
struct Integer(i64);
struct TextOrNumber(String);
struct List<T>(Vec<Option<T>>);
struct Object<T>(T);

impl FromJson<'_> for Text {
    fn from_text(text: Cow<'_, str>) -> Option<Self> {
        Some(Self(text.into_owned()))
    }
}

impl<'de> FromJson<'de> for Borrowed<'de> {
    fn from_text(text: Cow<'_, str>) -> Option<Self> {
        Some(Self(Cow::Owned(text.into_owned())))
    }
    fn from_borrowed(text: &'de str) -> Option<Self> {
        Some(Self(Cow::Borrowed(text)))
    }
}

impl FromJson<'_> for Flag {
    fn from_bool(flag: bool) -> Option<Self> {
        Some(Self(flag))
    }
}

impl FromJson<'_> for Integer {
    fn from_number(_: &dyn fmt::Display, integer: Option<i64>) -> Option<Self> {
        integer.map(Self)
    }
}

impl FromJson<'_> for TextOrNumber {
    fn from_number(number: &dyn fmt::Display, _: Option<i64>) -> Option<Self> {
        Some(Self(number.to_string()))
    }
    fn from_text(text: Cow<'_, str>) -> Option<Self> {
        Some(Self(text.into_owned()))
    }
}

impl<'de, T: FromJson<'de>> FromJson<'de> for List<T> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Lenient<T>>()? {
            items.push(item.into());
        }
        Ok(Some(Self(items)))
    }
}

impl<'de, T: Deserialize<'de>> FromJson<'de> for Object<T> {
    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|value| Some(Self(value)))
    }
}

struct Lenient<T>(Option<T>);

impl<T> From<Lenient<T>> for Option<T> {
    fn from(lenient: Lenient<T>) -> Self {
        lenient.0
    }
}

impl<'de, T: FromJson<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyType(PhantomData)).map(Self)
    }
}

struct AnyType<T>(PhantomData<T>);

impl<'de, T: FromJson<'de>> Visitor<'de> for AnyType<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(T::from_bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(T::from_number(&value, Some(value)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(T::from_number(&value, i64::try_from(value).ok()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(T::from_number(&value, None))
    }
    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(T::from_text(Cow::Borrowed(value)))
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(T::from_borrowed(value))
    }
    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(T::from_text(Cow::Owned(value)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::from_list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::from_object(object)
    }
}

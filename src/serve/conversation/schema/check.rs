//! Whether a value fits a [`Schema`].

use std::ptr;

use serde_json::{Map, Value};

use super::super::json::clipped;
use super::assertion::Assertion;
use super::{DEEPEST, Part, Rule, Schema, escaped};

/// How many times a part may be held against a part of the value. Alternatives that refer to one another could take
/// longer than any time is enough for.
const MOST_STEPS: usize = 500_000;

/// How many values of an `enum` are compared in the time of a step.
const COMPARED_IN_A_STEP: usize = 16;

enum Fault {
    /// The value does not fit: where, from the innermost name outwards, and what it must do.
    Misfit { place: Vec<String>, demand: String },
    /// Whether the value fits was not found out.
    TooMuch,
}

impl Schema {
    /// The error says where the value does not fit and which rule that breaks, without the value.
    pub(in super::super) fn check(&self, value: &Value) -> Result<(), String> {
        let mut check = Check { schema: self, steps: 0, open: Vec::new() };
        check.part(0, value).map_err(|fault| fault.message())
    }
}

impl Fault {
    /// The same fault, seen from what holds the value under a name or a number.
    fn within(mut self, name: &impl ToString) -> Self {
        if let Self::Misfit { place, .. } = &mut self {
            place.push(name.to_string());
        }
        self
    }

    fn message(&self) -> String {
        let Self::Misfit { place, demand } = self else {
            return "it takes too long to check".to_owned();
        };
        if place.is_empty() {
            return format!("it {demand}");
        }
        let place: String = place.iter().rev().flat_map(|name| ["/".to_owned(), escaped(name)]).collect();
        format!("{} {demand}", clipped(&place, 80))
    }
}

fn misfit(demand: String) -> Fault {
    Fault::Misfit { place: Vec::new(), demand }
}

struct Check<'a> {
    schema: &'a Schema,
    steps: usize,
    /// The parts that are being checked, each within the one before it, and against what.
    open: Vec<(Part, &'a Value)>,
}

impl<'a> Check<'a> {
    fn part(&mut self, part: Part, value: &'a Value) -> Result<(), Fault> {
        self.enter(part, value)?;
        let schema = self.schema;
        let mut checked = Ok(());
        for rule in schema.parts.get(part).into_iter().flatten() {
            checked = self.rule(rule, value);
            if checked.is_err() {
                break;
            }
        }
        self.open.pop();
        checked
    }

    fn enter(&mut self, part: Part, value: &'a Value) -> Result<(), Fault> {
        self.spend(1)?;
        if self.open.len() == DEEPEST {
            return Err(Fault::TooMuch);
        }
        let mut same_value = self.open.iter().rev().take_while(|(_, open)| ptr::eq(*open, value));
        if same_value.any(|(open, _)| *open == part) {
            return Err(misfit("stands where the schema refers to itself without end".to_owned()));
        }
        self.open.push((part, value));
        Ok(())
    }

    fn spend(&mut self, steps: usize) -> Result<(), Fault> {
        self.steps += steps;
        if self.steps > MOST_STEPS { Err(Fault::TooMuch) } else { Ok(()) }
    }

    fn rule(&mut self, rule: &'a Rule, value: &'a Value) -> Result<(), Fault> {
        match (rule, value) {
            (Rule::Assertion(assertion), _) => self.assertion(assertion, value),
            (Rule::Reference(part), _) => self.part(*part, value),
            (Rule::AnyOf(parts), _) => self.any_of(parts, value),
            (Rule::Properties(parts), Value::Object(fields)) => {
                self.fields(fields, |name| parts.get(name).copied())
            }
            (Rule::AdditionalProperties(named, part), Value::Object(fields)) => {
                self.fields(fields, |name| (!named.contains(name)).then_some(*part))
            }
            (Rule::Items(part), Value::Array(items)) => self.items(*part, items),
            _ => Ok(()),
        }
    }

    /// Checks the fields that a part applies to.
    fn fields(
        &mut self,
        fields: &'a Map<String, Value>,
        part_for: impl Fn(&str) -> Option<Part>,
    ) -> Result<(), Fault> {
        for (name, field) in fields {
            if let Some(part) = part_for(name) {
                self.part(part, field).map_err(|fault| fault.within(name))?;
            }
        }
        Ok(())
    }

    fn items(&mut self, part: Part, items: &'a [Value]) -> Result<(), Fault> {
        for (index, item) in items.iter().enumerate() {
            self.part(part, item).map_err(|fault| fault.within(&index))?;
        }
        Ok(())
    }

    fn any_of(&mut self, parts: &[Part], value: &'a Value) -> Result<(), Fault> {
        for part in parts {
            match self.part(*part, value) {
                Err(Fault::Misfit { .. }) => {}
                checked => return checked,
            }
        }
        Err(misfit("must fit one of the schemas of 'anyOf'".to_owned()))
    }

    fn assertion(&mut self, assertion: &Assertion, value: &Value) -> Result<(), Fault> {
        if let Assertion::Enum(values) = assertion {
            self.spend(values.len() / COMPARED_IN_A_STEP)?;
        }
        if assertion.holds(value) { Ok(()) } else { Err(misfit(assertion.demand(value))) }
    }
}

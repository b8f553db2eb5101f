//! Component types written out as text, the same way from the WIT source and from validated bytes, so that comparing is comparing text and a
//! message can show both sides.
//!
//! Types of a guest form a graph that can be exponentially larger when written out; writing stops at a bound.

use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentEntityType, ComponentFuncTypeId, ComponentValType,
};
use wasmparser::types::TypesRef;
use wit_parser::{Resolve, Type, TypeDefKind, TypeId};

/// Bytes of a written-out type; the largest of the interface has about 300.
const TEXT_BYTES_MAX: usize = 4096;

/// A type of the guest that is written out.
pub(super) struct Writer<'a> {
    types: TypesRef<'a>,
    text: String,
}

/// Writes out what an import or export is.
pub(super) fn entity(types: TypesRef<'_>, entity: &ComponentEntityType) -> String {
    let mut writer = Writer { types, text: String::new() };
    match entity {
        ComponentEntityType::Func(id) => writer.function(*id),
        ComponentEntityType::Type { referenced: ComponentAnyTypeId::Defined(id), .. } => {
            writer.push("type ");
            writer.value(&ComponentValType::Type(*id));
        }
        ComponentEntityType::Type { .. } => writer.push("another kind of type"),
        ComponentEntityType::Instance(_) => writer.push("instance"),
        ComponentEntityType::Module(_) => writer.push("core module"),
        ComponentEntityType::Component(_) => writer.push("component"),
        ComponentEntityType::Value(_) => writer.push("value"),
    }
    writer.text
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        if self.text.len() <= TEXT_BYTES_MAX {
            self.text.push_str(text);
        }
    }

    fn function(&mut self, id: ComponentFuncTypeId) {
        let types = self.types;
        let Some(function) = types.get(id) else { return };
        self.push(if function.async_ { "async func(" } else { "func(" });
        for (index, (name, ty)) in function.params.iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " });
            self.push(name.as_str());
            self.push(": ");
            self.value(ty);
        }
        self.push(")");
        if let Some(result) = &function.result {
            self.push(" -> ");
            self.value(result);
        }
    }

    fn value(&mut self, ty: &ComponentValType) {
        if self.text.len() > TEXT_BYTES_MAX {
            return;
        }
        let types = self.types;
        match ty {
            ComponentValType::Primitive(primitive) => self.push(&primitive.to_string()),
            ComponentValType::Type(id) => match types.get(*id) {
                Some(ComponentDefinedType::Primitive(primitive)) => self.push(&primitive.to_string()),
                Some(ComponentDefinedType::Record(record)) => {
                    self.push("record { ");
                    for (name, ty) in &record.fields {
                        self.push(name.as_str());
                        self.push(": ");
                        self.value(ty);
                        self.push(", ");
                    }
                    self.push("}");
                }
                Some(ComponentDefinedType::Enum(cases)) => {
                    let cases: Vec<&str> = cases.iter().map(|case| case.as_str()).collect();
                    self.push(&format!("enum {{ {} }}", cases.join(", ")));
                }
                Some(ComponentDefinedType::List { element, .. }) => {
                    self.push("list<");
                    self.value(element);
                    self.push(">");
                }
                // The interface has none of the others, so any name that it cannot have itself is enough to differ.
                Some(_) => self.push("a type that the interface does not use"),
                None => self.push("an unknown type"),
            },
        }
    }
}

/// Writes out a function of the WIT source.
pub(super) fn expected_function(resolve: &Resolve, function: &wit_parser::Function) -> String {
    let params: Vec<String> =
        function.params.iter().map(|param| format!("{}: {}", param.name, expected_value(resolve, &param.ty))).collect();
    let result = function.result.as_ref().map(|ty| format!(" -> {}", expected_value(resolve, ty))).unwrap_or_default();
    format!("func({}){result}", params.join(", "))
}

/// Writes out a named type of the WIT source.
pub(super) fn expected_type(resolve: &Resolve, id: TypeId) -> String {
    format!("type {}", expected_value(resolve, &Type::Id(id)))
}

fn expected_value(resolve: &Resolve, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::U8 => "u8".to_owned(),
        Type::U16 => "u16".to_owned(),
        Type::U32 => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::S8 => "s8".to_owned(),
        Type::S16 => "s16".to_owned(),
        Type::S32 => "s32".to_owned(),
        Type::S64 => "s64".to_owned(),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        Type::Char => "char".to_owned(),
        Type::String => "string".to_owned(),
        Type::ErrorContext => "error-context".to_owned(),
        Type::Id(id) => match &resolve.types[*id].kind {
            TypeDefKind::Record(record) => {
                let fields: String = record
                    .fields
                    .iter()
                    .map(|field| format!("{}: {}, ", field.name, expected_value(resolve, &field.ty)))
                    .collect();
                format!("record {{ {fields}}}")
            }
            TypeDefKind::Enum(cases) => {
                let cases: Vec<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
                format!("enum {{ {} }}", cases.join(", "))
            }
            TypeDefKind::List(element) => format!("list<{}>", expected_value(resolve, element)),
            TypeDefKind::Type(ty) => expected_value(resolve, ty),
            // A kind that the writer of guest types does not know either: it would never match, and the tests would say so.
            other => other.as_str().to_owned(),
        },
    }
}

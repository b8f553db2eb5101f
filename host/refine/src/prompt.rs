//! Prompts: templates in which marks are filled in once, and texts of others that stand in them as data.

/// Text that cannot end the data that it stands in.
pub(crate) fn as_data(text: &str) -> String {
    text.replace("</data>", "</ data>").replace("<data>", "< data>")
}

/// A template with its marks, `{name}`, filled in. What is filled in is not looked at again, so no mark in it is.
pub(crate) fn filled(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        text.push_str(&value(name).unwrap_or_else(|| name.to_owned()));
        rest = tail;
    }
    text + rest
}

//! A reward as an expression over what is known of an episode: `if(solved, 1, 0.5 * partial) - 0.01 * steps`.
//!
//! Numbers only; a comparison gives 1 or 0, and what is not 0 is true. Operators by rising strength: `||`, `&&`, comparisons, `+ -`, `* /`, and
//! the prefixes `-` and `!`. Invariants: an expression that parses names only variables that exist; length, size and depth are limited, so
//! that neither parsing nor evaluating can run away; what is unknown makes the result unknown, unless it is not looked at.

use std::fmt;

use assay_model::nearest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Bytes of an expression: a page of text.
pub const EXPRESSION_BYTES_MAX: usize = 4096;
/// How deep it may be nested, so that the stack is bounded.
const DEPTH_MAX: usize = 64;

/// The names that an expression may use.
pub const VARIABLES: [&str; 13] = [
    "solved",
    "fail_to_pass",
    "pass_to_pass",
    "partial",
    "matched",
    "flags",
    "forfeited",
    "changed_files",
    "changed_lines",
    "steps",
    "tokens",
    "cost",
    "seconds",
];
const FUNCTIONS: [(&str, usize); 5] = [("if", 3), ("min", 2), ("max", 2), ("abs", 1), ("clamp", 3)];

/// An expression that has been checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    text: String,
    root: Node,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Number(f64),
    Variable(&'static str),
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(&'static str, Vec<Node>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Or,
    And,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    Plus,
    Minus,
    Times,
    Over,
}

/// Operators by strength, each with its symbol; a longer symbol stands before the one that it begins with.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("==", Operator::Equal),
        ("!=", Operator::Unequal),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("/", Operator::Over)],
];

/// Why a text is not an expression.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExpressionError {
    /// It is too long or too deep.
    #[error("the expression is too {what}: at most {max}")]
    TooLarge {
        /// `long` or `deep`.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// Something else was expected.
    #[error("at character {at}: expected {expected}, found {found}")]
    Unexpected {
        /// Where, from 1.
        at: usize,
        /// What could stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A name that nothing has.
    #[error("unknown name `{name}`{}", .nearest.map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The nearest one that there is.
        nearest: Option<&'static str>,
    },
    /// A function with too few or too many arguments.
    #[error("`{name}` takes {takes} arguments, but {given} were given")]
    Arguments {
        /// The function.
        name: &'static str,
        /// How many it takes.
        takes: usize,
        /// How many it was given.
        given: usize,
    },
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.rest().starts_with(symbol);
        self.at += if is_there { symbol.len() } else { 0 };
        is_there
    }

    fn unexpected(&mut self, expected: &'static str) -> ExpressionError {
        let found = self.rest().chars().next().map_or("the end".to_owned(), |c| format!("`{}`", c.escape_debug()));
        ExpressionError::Unexpected { at: self.text[..self.at].chars().count() + 1, expected, found }
    }

    fn expect(&mut self, symbol: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn level(&mut self, level: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else { return self.prefix() };
        let mut left = self.level(level + 1)?;
        // A chain leans to the left, so each link makes the tree deeper.
        let mut links = 0;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.take(symbol)) {
            links += 1;
            if links > DEPTH_MAX {
                return Err(ExpressionError::TooLarge { what: "deep", max: DEPTH_MAX });
            }
            left = Node::Binary(*operator, Box::new(left), Box::new(self.level(level + 1)?));
        }
        Ok(left)
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Node, ExpressionError>,
    ) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(ExpressionError::TooLarge { what: "deep", max: DEPTH_MAX });
        }
        let node = read(self)?;
        self.depth -= 1;
        Ok(node)
    }

    fn prefix(&mut self) -> Result<Node, ExpressionError> {
        if self.take("-") {
            Ok(Node::Negative(Box::new(self.nested(Self::prefix)?)))
        } else if self.take("!") {
            Ok(Node::Not(Box::new(self.nested(Self::prefix)?)))
        } else if self.take("(") {
            let inner = self.nested(|reader| reader.level(0))?;
            self.expect(")", "`)`")?;
            Ok(inner)
        } else {
            self.operand()
        }
    }

    fn operand(&mut self) -> Result<Node, ExpressionError> {
        let rest = self.rest();
        let length = |is_part: fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let digits = &rest[..length(|c| c.is_ascii_digit() || c == '.')];
            let number = digits.parse().map_err(|_| self.unexpected("a number"))?;
            self.at += digits.len();
            return Ok(Node::Number(number));
        }
        let name = &rest[..length(|c| c.is_ascii_alphanumeric() || c == '_')];
        if name.is_empty() {
            return Err(self.unexpected("a number, a name or `(`"));
        }
        self.at += name.len();
        if let Some(variable) = VARIABLES.iter().find(|variable| **variable == name) {
            return Ok(Node::Variable(variable));
        }
        let Some((function, takes)) = FUNCTIONS.iter().find(|(function, _)| *function == name) else {
            let known = VARIABLES.into_iter().chain(FUNCTIONS.map(|(function, _)| function));
            return Err(ExpressionError::Unknown { name: name.to_owned(), nearest: nearest(name, known) });
        };
        self.expect("(", "`(`")?;
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.nested(|reader| reader.level(0))?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "`,` or `)`")?;
        if arguments.len() == *takes {
            Ok(Node::Call(function, arguments))
        } else {
            Err(ExpressionError::Arguments { name: function, takes: *takes, given: arguments.len() })
        }
    }
}

/// Values that are tried for all variables at once. `1` over a variable that is 0 for some episodes is no mistake, so one of them has to do.
const TRIED: [f64; 4] = [1.0, 0.0, 2.0, 0.5];

impl Node {
    /// Whether a part of it is not finite and names no variable, so that nothing can change it.
    fn has_hopeless_part(&self) -> bool {
        let is_hopeless = matches!(evaluate(self, &|_| None), Ok(number) if !number.is_finite());
        is_hopeless
            || match self {
                Self::Number(_) | Self::Variable(_) => false,
                Self::Not(inner) | Self::Negative(inner) => inner.has_hopeless_part(),
                Self::Binary(_, left, right) => left.has_hopeless_part() || right.has_hopeless_part(),
                Self::Call(_, arguments) => arguments.iter().any(Self::has_hopeless_part),
            }
    }
}

impl Expression {
    /// Whether it, or a part of it without variables, is a finite number for no episode: a mistake of whoever wrote it.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.root.has_hopeless_part() || !TRIED.iter().any(|value| self.value(&|_| Some(*value)).is_ok())
    }

    /// A checked expression.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if text.len() > EXPRESSION_BYTES_MAX {
            return Err(ExpressionError::TooLarge { what: "long", max: EXPRESSION_BYTES_MAX });
        }
        let mut reader = Reader { text, at: 0, depth: 0 };
        let root = reader.level(0)?;
        if reader.rest().is_empty() {
            Ok(Self { text: text.to_owned(), root })
        } else {
            Err(reader.unexpected("an operator or the end"))
        }
    }

    /// Its value, where `values` gives what each variable is; an unknown one is `None`.
    ///
    /// # Errors
    /// What is unknown, or that the result is not a finite number.
    pub fn value(&self, values: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
        let number = evaluate(&self.root, values)?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err("the value of the expression is not a finite number".to_owned())
        }
    }
}

fn evaluate(node: &Node, values: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    let value = |node: &Node| evaluate(node, values);
    Ok(match node {
        Node::Number(number) => *number,
        Node::Variable(name) => values(name).ok_or_else(|| format!("`{name}` is unknown here"))?,
        Node::Not(inner) => truth(value(inner)? == 0.0),
        Node::Negative(inner) => -value(inner)?,
        Node::Binary(Operator::Or, left, right) => truth(value(left)? != 0.0 || value(right)? != 0.0),
        Node::Binary(Operator::And, left, right) => truth(value(left)? != 0.0 && value(right)? != 0.0),
        Node::Binary(operator, left, right) => binary(*operator, value(left)?, value(right)?),
        Node::Call(name, arguments) => match (*name, arguments.as_slice()) {
            ("if", [condition, yes, no]) => value(if value(condition)? == 0.0 { no } else { yes })?,
            ("min", [one, other]) => value(one)?.min(value(other)?),
            ("max", [one, other]) => value(one)?.max(value(other)?),
            ("clamp", [number, low, high]) => value(number)?.min(value(high)?).max(value(low)?),
            (_, [number, ..]) => value(number)?.abs(),
            (_, []) => unreachable!("arguments are counted when the expression is read"),
        },
    })
}

#[expect(clippy::float_cmp, reason = "whoever writes == means it: counts and 0 or 1 are exact")]
fn binary(operator: Operator, left: f64, right: f64) -> f64 {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match operator {
        Operator::Less => truth(left < right),
        Operator::LessOrEqual => truth(left <= right),
        Operator::Greater => truth(left > right),
        Operator::GreaterOrEqual => truth(left >= right),
        Operator::Equal => truth(left == right),
        Operator::Unequal => truth(left != right),
        Operator::Plus => left + right,
        Operator::Minus => left - right,
        Operator::Times => left * right,
        Operator::Over => left / right,
        Operator::Or | Operator::And => unreachable!("they look at their right side only where they must"),
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Expression {
    type Error = ExpressionError;

    fn try_from(text: String) -> Result<Self, ExpressionError> {
        Self::parse(&text)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> Self {
        expression.text
    }
}

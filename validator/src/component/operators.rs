//! One function body: locals, blocks, branch tables, and the operators that are refused by name.

use crate::code::Code;
use crate::limits::{BLOCKS_MAX, BLOCKS_TIMES_LOCALS_MAX, BRANCH_TARGETS_MAX, FUNCTION_BYTES_MAX, LOCALS_MAX};
use wasmparser::{FunctionBody, Operator, Result};

/// Something found in a function, to be placed once the names of the module are known.
pub(super) struct InFunction {
    pub(super) code: Code,
    pub(super) offset: usize,
    pub(super) message: String,
    pub(super) observed: String,
}

/// Measures a body and returns what exceeds a limit.
pub(super) fn scan(body: &FunctionBody<'_>) -> Result<Vec<InFunction>> {
    let start = body.range().start;
    let mut found = Vec::new();
    let mut exceed = |code: Code, offset: usize, measure: u64, limit: u64, message: &str, unit: &str| {
        if measure > limit {
            found.push(InFunction { code, offset, message: message.to_owned(), observed: format!("{measure} {unit}") });
        }
    };
    let bytes = body.range().len() as u64;
    exceed(Code::FunctionSize, start, bytes, FUNCTION_BYTES_MAX, "the function is too large", "bytes");
    let mut locals = 0_u64;
    for group in body.get_locals_reader()? {
        locals += u64::from(group?.0);
    }
    exceed(Code::FunctionLocals, start, locals, LOCALS_MAX, "the function has too many locals", "locals");
    let mut blocks = 0_u64;
    let mut targets_max = (0_u64, start);
    let mut table_operator = None;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => blocks += 1,
            Operator::BrTable { targets } => targets_max = targets_max.max((u64::from(targets.len()), offset)),
            other => {
                if let Some(name) = table_operator_name(&other) {
                    table_operator = table_operator.or(Some((name, offset)));
                }
            }
        }
    }
    exceed(Code::FunctionBlocks, start, blocks, BLOCKS_MAX, "the function has too many blocks", "blocks");
    let cost = blocks.saturating_mul(locals);
    exceed(
        Code::CompileCost,
        start,
        cost,
        BLOCKS_TIMES_LOCALS_MAX,
        "the function costs too much to compile",
        "blocks × locals",
    );
    let (targets, offset) = targets_max;
    exceed(Code::BranchTable, offset, targets, BRANCH_TARGETS_MAX, "a branch table is too large", "targets");
    if let Some((name, offset)) = table_operator {
        let message = format!("the function uses `{name}`");
        found.push(InFunction { code: Code::TableOperator, offset, message, observed: name.to_owned() });
    }
    Ok(found)
}

/// The operators that read or change tables, other than calls through them.
fn table_operator_name(operator: &Operator<'_>) -> Option<&'static str> {
    Some(match operator {
        Operator::TableGet { .. } => "table.get",
        Operator::TableSet { .. } => "table.set",
        Operator::TableGrow { .. } => "table.grow",
        Operator::TableSize { .. } => "table.size",
        Operator::TableFill { .. } => "table.fill",
        Operator::TableCopy { .. } => "table.copy",
        Operator::TableInit { .. } => "table.init",
        Operator::ElemDrop { .. } => "elem.drop",
        _ => return None,
    })
}

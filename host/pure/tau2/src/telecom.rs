//! The telecom company's tools, those of the user's phone, what a task's beginning does, and what must hold in the end.
//!
//! After every call the phone learns what the company has changed, and the company that a bill was paid, as in live episodes of the benchmark. (Its reference
//! actions are evaluated without that; no task of this domain compares databases.)
//!
//! Not kept: a charge without a draft of a bill gets a random id there and is refused here; every customer of the published data has a draft where a task
//! charges one.

use assay_world::State;
use serde_json::{Value, json};

use crate::phone::Phone;
use crate::python::{dumps, repr};
use crate::records::{find, float, list, put, set, text, texts};

const BILLS: &str = "bills";
const CUSTOMERS: &str = "customers";
const DEVICES: &str = "devices";
const LINES: &str = "lines";
const PLANS: &str = "plans";
/// The collection with the user's phone: `device` and `surroundings`.
pub(crate) const PHONE: &str = "phone";
const DEVICE: &str = "device";
const SURROUNDINGS: &str = "surroundings";
/// The tables of the company.
pub(crate) const TABLES: [&str; 5] = [BILLS, CUSTOMERS, DEVICES, LINES, PLANS];
/// Keys whose numbers are floats.
const FLOATS: [&str; 9] = [
    "amount",
    "amount_due",
    "data_limit_gb",
    "data_refueling_gb",
    "data_refueling_price_per_gb",
    "data_used_gb",
    "goodwill_credit_used_this_year",
    "price_per_month",
    "total_due",
];
/// Today, and of the months before and after: the first day, the last, and when the bill is due.
const TODAY: &str = "2025-02-25";
const LAST_MONTH: (&str, &str, &str) = ("2025-01-01", "2025-01-31", "2025-01-15");
const NEXT_MONTH: (&str, &str, &str) = ("2025-03-01", "2025-03-31", "2025-03-15");
/// The end of the billing cycle.
const CYCLE_END: &str = "2025-02-28";

/// Calls a tool, or what else the domain can do.
///
/// # Errors
/// The published words.
pub(crate) fn call(name: &str, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let mut phone = phone(state)?;
    let answer = match phone.call(name, arguments) {
        Some(done) => {
            let done = done?;
            keep(phone, state)?;
            done.into()
        }
        None => match asserted(name, arguments, &phone, state) {
            Some(holds) => holds?.into(),
            None => company(name, arguments, state)?,
        },
    };
    sync(state)?;
    Ok(answer)
}

fn phone(state: &State) -> Result<Phone, String> {
    let part = |id: &str| find(state, PHONE, id, || format!("the phone has no {id}")).cloned();
    Ok(Phone { device: part(DEVICE)?, around: part(SURROUNDINGS)? })
}

fn keep(phone: Phone, state: &mut State) -> Result<(), String> {
    put(state, PHONE, DEVICE, phone.device)?;
    put(state, PHONE, SURROUNDINGS, phone.around)
}

fn company(name: &str, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let given = |key: &str| text(arguments, key);
    let (customer_id, line_id) = (given("customer_id"), given("line_id"));
    match name {
        "get_customer_by_phone" => by_phone(state, given("phone_number")).cloned(),
        "get_customer_by_id" => customer(state, customer_id).cloned(),
        "get_customer_by_name" => {
            let name = given("full_name").to_lowercase();
            let is_it = |one: &&Value| {
                text(one, "full_name").to_lowercase() == name && text(one, "date_of_birth") == given("dob")
            };
            Ok(all(state, CUSTOMERS).filter(is_it).cloned().collect())
        }
        "get_details_by_id" => details(state, given("id")),
        "suspend_line" => {
            let mut line = target(state, customer_id, line_id)?.clone();
            if text(&line, "status") != "Active" {
                return Err("Line must be active to suspend".to_owned());
            }
            set(&mut line, "status", "Suspended")?;
            set(&mut line, "suspension_start_date", TODAY)?;
            put(state, LINES, line_id, line.clone())?;
            let message = "Line suspended successfully. $5/month holding fee will apply.";
            Ok(json!({ "message": message, "line": line }))
        }
        "resume_line" => {
            let mut line = target(state, customer_id, line_id)?.clone();
            if !["Suspended", "Pending Activation"].contains(&text(&line, "status")) {
                return Err("Line must be suspended to resume".to_owned());
            }
            set(&mut line, "status", "Active")?;
            set(&mut line, "suspension_start_date", Value::Null)?;
            put(state, LINES, line_id, line.clone())?;
            Ok(json!({ "message": "Line resumed successfully", "line": line }))
        }
        "get_bills_for_customer" => bills_of(state, customer_id, arguments.get("limit").and_then(Value::as_i64)),
        "send_payment_request" => request_payment(customer_id, given("bill_id"), state),
        "get_data_usage" => usage(state, customer_id, line_id),
        "set_data_usage" => {
            let mut line = target(state, customer_id, line_id)?.clone();
            set(&mut line, "data_used_gb", arguments["data_used_gb"].clone())?;
            put(state, LINES, line_id, line)?;
            Ok(Value::Null)
        }
        "enable_roaming" => roam(customer_id, line_id, true, state),
        "disable_roaming" => roam(customer_id, line_id, false, state),
        "transfer_to_human_agents" => Ok("Transfer successful".into()),
        "refuel_data" => refuel(customer_id, line_id, &arguments["gb_amount"], state),
        "suspend_line_for_overdue_bill" => suspend_for_bill(arguments, state),
        other => Err(format!("there is no tool {other}")),
    }
}

/// What must hold in the end; none where it is no such question.
fn asserted(name: &str, arguments: &Value, phone: &Phone, state: &State) -> Option<Result<bool, String>> {
    let flag = |key: &str| arguments.get(key).and_then(Value::as_bool).unwrap_or(false);
    let (wanted, given) = (flag("expected_status"), |key: &str| text(arguments, key));
    let is = |value: &Value, key: &str| value[key] == Value::Bool(true);
    let speed = || phone.speed().map_or((0.0, "No Connection"), |(speed, name)| (speed, name));
    Some(Ok(match name {
        "assert_airplane_mode_status" => is(&phone.device, "airplane_mode") == wanted,
        "assert_service_status" => text(&phone.device, "network_connection_status") == given("expected_status"),
        "assert_mobile_data_status" => phone.has_data() == wanted,
        "assert_mobile_roaming_status" => is(&phone.device, "roaming_enabled") == wanted,
        "assert_mobile_data_saver_mode_status" => is(&phone.device, "data_saver_mode") == wanted,
        "assert_internet_speed" => {
            let name = given("expected_desc");
            speed().0 >= float(arguments, "expected_speed")
                && (name.is_empty() || speed().1.to_lowercase() == name.to_lowercase())
        }
        "assert_internet_not_excellent" => speed().1 != "Excellent",
        "assert_can_send_mms" => phone.can_send_mms() == wanted,
        "assert_mobile_data_usage_exceeded" => is(&phone.around, "mobile_data_usage_exceeded") == wanted,
        "assert_data_refueling_amount" => {
            return Some(
                target(state, given("customer_id"), given("line_id"))
                    .map(|line| (float(line, "data_refueling_gb") - float(arguments, "expected_amount")).abs() < 1e-6),
            );
        }
        "assert_line_status" => {
            let line = target(state, given("customer_id"), given("line_id"));
            return Some(line.map(|line| text(line, "status") == given("expected_status")));
        }
        "assert_no_overdue_bill" => {
            state.documents.get(BILLS, given("overdue_bill_id")).is_none_or(|bill| text(bill, "status") == "Paid")
        }
        _ => return None,
    }))
}

fn all<'s>(state: &'s State, table: &'s str) -> impl Iterator<Item = &'s Value> {
    state.documents.list(table).map(|(_, record)| record)
}

fn customer<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, CUSTOMERS, id, || format!("Customer with ID {id} not found"))
}

fn line<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, LINES, id, || format!("Line with ID {id} not found"))
}

fn plan<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, PLANS, id, || format!("Plan with ID {id} not found"))
}

fn bill<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, BILLS, id, || format!("Bill with ID {id} not found"))
}

fn by_phone<'s>(state: &'s State, number: &str) -> Result<&'s Value, String> {
    for one in all(state, CUSTOMERS) {
        if text(one, "phone_number") == number {
            return Ok(one);
        }
        for id in texts(one, "line_ids") {
            if text(line(state, id)?, "phone_number") == number {
                return Ok(one);
            }
        }
    }
    Err(format!("Customer with phone number {number} not found"))
}

fn target<'s>(state: &'s State, customer_id: &str, line_id: &str) -> Result<&'s Value, String> {
    if !texts(customer(state, customer_id)?, "line_ids").contains(&line_id) {
        return Err(format!("Line {line_id} not found for customer {customer_id}"));
    }
    line(state, line_id)
}

fn details(state: &State, id: &str) -> Result<Value, String> {
    match id.chars().next() {
        Some('L') => line(state, id).cloned(),
        Some('D') => find(state, DEVICES, id, || format!("Device with ID {id} not found")).cloned(),
        Some('B') => bill(state, id).cloned(),
        Some('C') => customer(state, id).cloned(),
        Some('P') => plan(state, id).cloned(),
        _ => Err(format!("Unknown ID format or type: {id}")),
    }
}

fn bills_of(state: &State, customer_id: &str, limit: Option<i64>) -> Result<Value, String> {
    let ids = texts(customer(state, customer_id)?, "bill_ids");
    let mut bills: Vec<&Value> = ids.into_iter().map(|id| bill(state, id)).collect::<Result<_, _>>()?;
    bills.sort_by(|one, other| text(other, "issue_date").cmp(text(one, "issue_date")));
    let limit = limit.unwrap_or(12);
    // A negative limit counts from the end, as a slice does.
    let count = match usize::try_from(limit) {
        Ok(count) => count.min(bills.len()),
        Err(_) => bills.len().saturating_sub(usize::try_from(limit.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    Ok(bills[..count].iter().map(|bill| (*bill).clone()).collect())
}

/// The bills of a customer that wait to be paid.
fn awaiting<'s>(state: &'s State, customer: &Value) -> Result<Vec<&'s Value>, String> {
    let bills: Vec<&Value> =
        texts(customer, "bill_ids").into_iter().map(|id| bill(state, id)).collect::<Result<_, _>>()?;
    Ok(bills.into_iter().filter(|bill| text(bill, "status") == "Awaiting Payment").collect())
}

fn request_payment(customer_id: &str, bill_id: &str, state: &mut State) -> Result<Value, String> {
    let customer = customer(state, customer_id)?;
    if !awaiting(state, customer)?.is_empty() {
        return Err("A bill is already awaiting payment for this customer".to_owned());
    }
    if !texts(customer, "bill_ids").contains(&bill_id) {
        return Err(format!("Bill {bill_id} not found for customer {customer_id}"));
    }
    let mut bill = bill(state, bill_id)?.clone();
    set(&mut bill, "status", "Awaiting Payment")?;
    put(state, BILLS, bill_id, bill)?;
    Ok(format!("Payment request sent to the customer for bill {bill_id}").into())
}

fn usage(state: &State, customer_id: &str, line_id: &str) -> Result<Value, String> {
    let line = target(state, customer_id, line_id)?;
    let plan = plan(state, text(line, "plan_id"))?;
    // Numbers of a plain object are written as text there.
    let number = |value: &Value, key: &str| repr(float(value, key));
    Ok(json!({
        "line_id": line_id,
        "data_used_gb": number(line, "data_used_gb"),
        "data_limit_gb": number(plan, "data_limit_gb"),
        "data_refueling_gb": number(line, "data_refueling_gb"),
        "cycle_end_date": CYCLE_END,
    }))
}

fn roam(customer_id: &str, line_id: &str, is_on: bool, state: &mut State) -> Result<Value, String> {
    let mut line = target(state, customer_id, line_id)?.clone();
    let word = if is_on { "enabled" } else { "disabled" };
    if (line["roaming_enabled"] == Value::Bool(true)) == is_on {
        return Ok(format!("Roaming was already {word}").into());
    }
    set(&mut line, "roaming_enabled", is_on)?;
    put(state, LINES, line_id, line)?;
    Ok(format!("Roaming {word} successfully").into())
}

fn refuel(customer_id: &str, line_id: &str, gb: &Value, state: &mut State) -> Result<Value, String> {
    let mut line = target(state, customer_id, line_id)?.clone();
    let amount = gb.as_f64().unwrap_or(0.0);
    if amount <= 0.0 {
        return Err("Refuel amount must be positive".to_owned());
    }
    let shown = if gb.is_f64() { repr(amount) } else { gb.to_string() };
    let price = float(plan(state, text(&line, "plan_id"))?, "data_refueling_price_per_gb");
    let charge = amount * price;
    let total = float(&line, "data_refueling_gb") + amount;
    set(&mut line, "data_refueling_gb", total)?;
    put(state, LINES, line_id, line)?;
    charged(customer_id, charge, &format!("Data refueling: {shown} GB at ${}/GB", repr(price)), state)?;
    Ok(json!({
        "message": format!("Successfully added {shown} GB of data for line {line_id} for ${charge:.2}"),
        "new_data_refueling_gb": repr(total),
        "charge": repr(charge),
    }))
}

/// Puts a charge on the draft of a customer's next bill.
fn charged(customer_id: &str, amount: f64, description: &str, state: &mut State) -> Result<(), String> {
    let ids = texts(customer(state, customer_id)?, "bill_ids");
    let bills: Vec<&Value> = ids.into_iter().map(|id| bill(state, id)).collect::<Result<_, _>>()?;
    let draft = bills.into_iter().find(|bill| text(bill, "status") == "Draft");
    let mut draft = match draft {
        Some(draft) => draft.clone(),
        None => drafted(customer_id, state)?,
    };
    let kind = if amount < 0.0 { "Credit" } else { "Charge" };
    list(&mut draft, "line_items")?
        .push(json!({ "description": description, "amount": amount, "date": TODAY, "item_type": kind }));
    let total = float(&draft, "total_due") + amount;
    set(&mut draft, "total_due", total)?;
    let id = text(&draft, "bill_id").to_owned();
    put(state, BILLS, &id, draft)
}

/// A draft of a customer's bill of next month. Its id is random in the package; ours counts the bills, and comes after theirs.
fn drafted(customer_id: &str, state: &mut State) -> Result<Value, String> {
    let id = format!("Bf{:07x}", all(state, BILLS).count());
    let mut customer = customer(state, customer_id)?.clone();
    list(&mut customer, "bill_ids")?.push(id.as_str().into());
    put(state, CUSTOMERS, customer_id, customer)?;
    let (start, end, due) = NEXT_MONTH;
    Ok(json!({
        "bill_id": id, "customer_id": customer_id, "period_start": start, "period_end": end, "issue_date": start,
        "total_due": 0.0, "due_date": due, "status": "Draft", "line_items": [],
    }))
}

fn suspend_for_bill(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (customer_id, line_id) = (text(arguments, "customer_id"), text(arguments, "line_id"));
    let bill_id = text(arguments, "new_bill_id");
    let mut line = line(state, line_id)?.clone();
    if text(&line, "status") != "Active" {
        return Err("Line must be active to suspend for unpaid bill".to_owned());
    }
    let amount = float(plan(state, text(&line, "plan_id"))?, "price_per_month");
    let mut customer = customer(state, customer_id)?.clone();
    for id in texts(&customer, "bill_ids") {
        if text(bill(state, id)?, "status") == "Overdue" {
            return Err("Customer already has an overdue bill".to_owned());
        }
    }
    let (start, end, due) = LAST_MONTH;
    let bill = json!({
        "bill_id": bill_id, "customer_id": customer_id, "period_start": start, "period_end": end, "issue_date": start,
        "total_due": amount, "due_date": due, "status": "Overdue",
        "line_items": [{ "description": format!("Charge for line {line_id}"), "amount": amount, "date": TODAY, "item_type": "Charge" }],
    });
    put(state, BILLS, bill_id, bill)?;
    list(&mut customer, "bill_ids")?.push(bill_id.into());
    put(state, CUSTOMERS, customer_id, customer)?;
    set(&mut line, "status", "Suspended")?;
    set(&mut line, "suspension_start_date", TODAY)?;
    if arguments["contract_ended"] == Value::Bool(true) {
        set(&mut line, "contract_end_date", end)?;
    }
    put(state, LINES, line_id, line)?;
    Ok(Value::Null)
}

/// The phone learns what the company knows of its line, and the company what was paid.
fn sync(state: &mut State) -> Result<(), String> {
    let mut phone = phone(state)?;
    let number = text(&phone.around, "phone_number").to_owned();
    if number.is_empty() {
        return Ok(());
    }
    let line = all(state, LINES).find(|line| text(line, "phone_number") == number);
    let line = line.ok_or_else(|| format!("Line with phone number {number} not found"))?;
    let plan = plan(state, text(line, "plan_id"))?;
    let is_exceeded = float(line, "data_used_gb") >= float(plan, "data_limit_gb") + float(line, "data_refueling_gb");
    let (is_active, is_roaming) = (text(line, "status") == "Active", line["roaming_enabled"] == Value::Bool(true));
    set(&mut phone.around, "line_active", is_active)?;
    set(&mut phone.around, "roaming_allowed", is_roaming)?;
    set(&mut phone.around, "mobile_data_usage_exceeded", is_exceeded)?;
    let request = phone.around["payment_request"].clone();
    if request["paid"] == Value::Bool(true) {
        let id = text(&request, "bill_id");
        let mut paid = bill(state, id)?.clone();
        set(&mut paid, "status", "Paid")?;
        put(state, BILLS, id, paid)?;
        set(&mut phone.around, "payment_request", Value::Null)?;
    }
    if phone.around["payment_request"].is_null() {
        let waiting = awaiting(state, by_phone(state, &number)?)?;
        if let Some(bill) = waiting.first() {
            let request = json!({ "bill_id": bill["bill_id"], "amount_due": bill["total_due"], "paid": false });
            set(&mut phone.around, "payment_request", request)?;
        }
    }
    keep(phone, state)
}

/// What the benchmark hashes: the company's tables as lists, and the user's phone.
pub(crate) fn texts_to_hash(state: &State) -> (String, String) {
    let (mut company, mut user) = (String::from("{"), String::from("{"));
    for (index, table) in TABLES.iter().enumerate() {
        company.push_str(if index > 0 { ", \"" } else { "\"" });
        company.push_str(table);
        company.push_str("\": ");
        dumps(&all(state, table).cloned().collect(), &FLOATS, &mut company);
    }
    for (index, part) in [DEVICE, SURROUNDINGS].iter().enumerate() {
        user.push_str(if index > 0 { ", \"" } else { "\"" });
        user.push_str(part);
        user.push_str("\": ");
        dumps(state.documents.get(PHONE, part).unwrap_or(&Value::Null), &FLOATS, &mut user);
    }
    (company + "}", user + "}")
}

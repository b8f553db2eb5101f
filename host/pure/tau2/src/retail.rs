//! The shop's tools.
//!
//! Two things of the published ones are kept on purpose, for states must be the same: of several changed items, all get the price and the options of the last
//! new one, and whether a gift card suffices is asked before the difference is rounded.

use assay_world::State;
use serde_json::{Map, Value, json};

use crate::calculate::calculate;
use crate::python::{dumps, round2};
use crate::records::{find, float, items, list, put, set, text, texts};

const ORDERS: &str = "orders";
const USERS: &str = "users";
const PRODUCTS: &str = "products";

/// Calls a tool.
///
/// # Errors
/// The published words.
pub(crate) fn call(name: &str, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let given = |key: &str| text(arguments, key);
    match name {
        "calculate" => calculate(given("expression")).map(Value::from),
        "cancel_pending_order" => cancel(given("order_id"), given("reason"), state),
        "exchange_delivered_order_items" => exchange(arguments, state),
        "find_user_id_by_email" => {
            let email = given("email").to_lowercase();
            user_id(state, |user| text(user, "email").to_lowercase() == email)
        }
        "find_user_id_by_name_zip" => {
            let (first, last) = (given("first_name").to_lowercase(), given("last_name").to_lowercase());
            user_id(state, |user| {
                let name = &user["name"];
                text(name, "first_name").to_lowercase() == first
                    && text(name, "last_name").to_lowercase() == last
                    && text(&user["address"], "zip") == given("zip")
            })
        }
        "get_order_details" => order(state, given("order_id")).cloned(),
        "get_product_details" => product(state, given("product_id")).cloned(),
        "get_item_details" => item_details(state, given("item_id")),
        "get_user_details" => user(state, given("user_id")).cloned(),
        "list_all_product_types" => Ok(product_types(state)),
        "modify_pending_order_address" => {
            let id = given("order_id");
            let mut order = order(state, id)?.clone();
            if !is_pending(&order) {
                return Err("Non-pending order cannot be modified".to_owned());
            }
            set(&mut order, "address", address(arguments))?;
            put(state, ORDERS, id, order.clone())?;
            Ok(order)
        }
        "modify_pending_order_items" => modify_items(arguments, state),
        "modify_pending_order_payment" => modify_payment(given("order_id"), given("payment_method_id"), state),
        "modify_user_address" => {
            let id = given("user_id");
            let mut user = user(state, id)?.clone();
            set(&mut user, "address", address(arguments))?;
            put(state, USERS, id, user.clone())?;
            Ok(user)
        }
        "return_delivered_order_items" => return_items(arguments, state),
        "transfer_to_human_agents" => Ok("Transfer successful".into()),
        other => Err(format!("there is no tool {other}")),
    }
}

fn order<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, ORDERS, id, || "Order not found".to_owned())
}

fn user<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, USERS, id, || "User not found".to_owned())
}

fn product<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, PRODUCTS, id, || "Product not found".to_owned())
}

fn variant<'s>(state: &'s State, product_id: &str, id: &str) -> Result<&'s Value, String> {
    let variants = product(state, product_id)?.get("variants");
    variants.and_then(|variants| variants.get(id)).ok_or_else(|| "Variant not found".to_owned())
}

fn payment_method<'s>(state: &'s State, user_id: &str, id: &str) -> Result<&'s Value, String> {
    let methods = user(state, user_id)?.get("payment_methods");
    methods.and_then(|methods| methods.get(id)).ok_or_else(|| "Payment method not found".to_owned())
}

fn is_gift_card(method: &Value) -> bool {
    text(method, "source") == "gift_card"
}

fn is_pending(order: &Value) -> bool {
    text(order, "status").contains("pending")
}

fn address(arguments: &Value) -> Value {
    let keys = ["address1", "address2", "city", "country", "state", "zip"];
    Value::Object(keys.iter().map(|key| ((*key).to_owned(), text(arguments, key).into())).collect::<Map<_, _>>())
}

/// Adds to the balance of a gift card; other payment methods have none.
fn credit(state: &mut State, user_id: &str, method_id: &str, amount: f64) -> Result<(), String> {
    if !is_gift_card(payment_method(state, user_id, method_id)?) {
        return Ok(());
    }
    let mut user = user(state, user_id)?.clone();
    if let Some(method) = user.get_mut("payment_methods").and_then(|methods| methods.get_mut(method_id)) {
        let balance = round2(float(method, "balance") + amount);
        set(method, "balance", balance)?;
    }
    put(state, USERS, user_id, user)
}

fn payment(kind: &str, amount: f64, method_id: &str) -> Value {
    json!({ "transaction_type": kind, "amount": amount, "payment_method_id": method_id })
}

fn user_id(state: &State, is_it: impl Fn(&Value) -> bool) -> Result<Value, String> {
    let found = state.documents.list(USERS).find(|(_, user)| is_it(user));
    found.map(|(id, _)| Value::from(id)).ok_or_else(|| "User not found".to_owned())
}

fn product_types(state: &State) -> Value {
    let products = state.documents.list(PRODUCTS);
    let names: Map<String, Value> =
        products.map(|(_, one)| (text(one, "name").to_owned(), one["product_id"].clone())).collect();
    let mut whole = String::new();
    dumps(&Value::Object(names), &[], &mut whole);
    whole.into()
}

fn item_details(state: &State, item_id: &str) -> Result<Value, String> {
    let variants = state.documents.list(PRODUCTS).filter_map(|(_, product)| product.get("variants"));
    let found = variants.filter_map(|variants| variants.get(item_id)).next();
    found.cloned().ok_or_else(|| "Item not found".to_owned())
}

fn cancel(id: &str, reason: &str, state: &mut State) -> Result<Value, String> {
    let mut order = order(state, id)?.clone();
    if text(&order, "status") != "pending" {
        return Err("Non-pending order cannot be cancelled".to_owned());
    }
    if !["no longer needed", "ordered by mistake"].contains(&reason) {
        return Err("Invalid reason".to_owned());
    }
    let user_id = text(&order, "user_id").to_owned();
    let mut refunds = Vec::new();
    for paid in items(&order, "payment_history") {
        let (amount, method_id) = (float(paid, "amount"), text(paid, "payment_method_id"));
        refunds.push(payment("refund", amount, method_id));
        credit(state, &user_id, method_id, amount)?;
    }
    set(&mut order, "status", "cancelled")?;
    set(&mut order, "cancel_reason", reason)?;
    list(&mut order, "payment_history")?.extend(refunds);
    put(state, ORDERS, id, order.clone())?;
    Ok(order)
}

/// Whether an order has every item as often as it is named; the first that it has not.
fn lacks<'i>(order: &Value, ids: &[&'i str]) -> Option<&'i str> {
    let count = |all: &mut dyn Iterator<Item = &str>, id: &str| all.filter(|other| *other == id).count();
    ids.iter().copied().find(|id| {
        let wanted = count(&mut ids.iter().copied(), id);
        wanted > count(&mut items(order, "items").iter().map(|item| text(item, "item_id")), id)
    })
}

/// The difference in price of new items, each checked.
fn difference(order: &Value, pairs: &[(&str, &str)], must_differ: bool, state: &State) -> Result<f64, String> {
    let mut difference = 0.0;
    for (id, new_id) in pairs {
        if must_differ && id == new_id {
            return Err("The new item id should be different from the old item id".to_owned());
        }
        let item = items(order, "items").iter().find(|item| text(item, "item_id") == *id);
        let item = item.ok_or_else(|| format!("Item {id} not found"))?;
        let variant = variant(state, text(item, "product_id"), new_id)?;
        if variant.get("available").and_then(Value::as_bool) != Some(true) {
            return Err(format!("New item {new_id} not found or available"));
        }
        difference += float(variant, "price") - float(item, "price");
    }
    Ok(difference)
}

fn exchange(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (id, method_id) = (text(arguments, "order_id"), text(arguments, "payment_method_id"));
    let (mut ids, mut new_ids) = (texts(arguments, "item_ids"), texts(arguments, "new_item_ids"));
    let mut order = order(state, id)?.clone();
    if text(&order, "status") != "delivered" {
        return Err("Non-delivered order cannot be exchanged".to_owned());
    }
    if let Some(lacking) = lacks(&order, &ids) {
        return Err(format!("Number of {lacking} not found."));
    }
    if ids.len() != new_ids.len() {
        return Err("The number of items to be exchanged should match.".to_owned());
    }
    let pairs: Vec<(&str, &str)> = ids.iter().copied().zip(new_ids.iter().copied()).collect();
    let difference = round2(difference(&order, &pairs, false, state)?);
    let method = payment_method(state, text(&order, "user_id"), method_id)?;
    if is_gift_card(method) && float(method, "balance") < difference {
        return Err("Insufficient gift card balance to pay for the price difference".to_owned());
    }
    ids.sort_unstable();
    new_ids.sort_unstable();
    set(&mut order, "status", "exchange requested")?;
    set(&mut order, "exchange_items", ids)?;
    set(&mut order, "exchange_new_items", new_ids)?;
    set(&mut order, "exchange_payment_method_id", method_id)?;
    set(&mut order, "exchange_price_difference", difference)?;
    put(state, ORDERS, id, order.clone())?;
    Ok(order)
}

fn modify_items(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (id, method_id) = (text(arguments, "order_id"), text(arguments, "payment_method_id"));
    let (ids, new_ids) = (texts(arguments, "item_ids"), texts(arguments, "new_item_ids"));
    let mut order = order(state, id)?.clone();
    if text(&order, "status") != "pending" {
        return Err("Non-pending order cannot be modified".to_owned());
    }
    if let Some(lacking) = lacks(&order, &ids) {
        return Err(format!("{lacking} not found"));
    }
    if ids.len() != new_ids.len() {
        return Err("The number of items to be exchanged should match".to_owned());
    }
    let pairs: Vec<(&str, &str)> = ids.iter().copied().zip(new_ids.iter().copied()).collect();
    let difference = difference(&order, &pairs, true, state)?;
    let user_id = text(&order, "user_id").to_owned();
    let method = payment_method(state, &user_id, method_id)?;
    if is_gift_card(method) && float(method, "balance") < difference {
        return Err("Insufficient gift card balance to pay for the new item".to_owned());
    }
    let kind = if difference > 0.0 { "payment" } else { "refund" };
    list(&mut order, "payment_history")?.push(payment(kind, difference.abs(), method_id));
    let last = pairs.last().and_then(|(id, new_id)| {
        let item = items(&order, "items").iter().find(|item| text(item, "item_id") == *id)?;
        variant(state, text(item, "product_id"), new_id).ok().cloned()
    });
    credit(state, &user_id, method_id, -difference)?;
    if let Some(last) = last {
        for (id, new_id) in &pairs {
            let item = list(&mut order, "items")?.iter_mut().find(|item| text(item, "item_id") == *id);
            let item = item.ok_or_else(|| format!("Item {id} not found"))?;
            set(item, "item_id", *new_id)?;
            set(item, "price", last["price"].clone())?;
            set(item, "options", last["options"].clone())?;
        }
    }
    set(&mut order, "status", "pending (item modified)")?;
    put(state, ORDERS, id, order.clone())?;
    Ok(order)
}

fn modify_payment(id: &str, method_id: &str, state: &mut State) -> Result<Value, String> {
    let mut order = order(state, id)?.clone();
    if !is_pending(&order) {
        return Err("Non-pending order cannot be modified".to_owned());
    }
    let user_id = text(&order, "user_id").to_owned();
    let method = payment_method(state, &user_id, method_id)?;
    let [paid] = items(&order, "payment_history") else {
        return Err("There should be exactly one payment for a pending order".to_owned());
    };
    if text(paid, "transaction_type") != "payment" {
        return Err("There should be exactly one payment for a pending order".to_owned());
    }
    let old_id = text(paid, "payment_method_id").to_owned();
    if old_id == method_id {
        return Err("The new payment method should be different from the current one".to_owned());
    }
    let amount = float(paid, "amount");
    if is_gift_card(method) && float(method, "balance") < amount {
        return Err("Insufficient gift card balance to pay for the order".to_owned());
    }
    let more = [payment("payment", amount, method_id), payment("refund", amount, &old_id)];
    list(&mut order, "payment_history")?.extend(more);
    credit(state, &user_id, method_id, -amount)?;
    credit(state, &user_id, &old_id, amount)?;
    put(state, ORDERS, id, order.clone())?;
    Ok(order)
}

fn return_items(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (id, method_id) = (text(arguments, "order_id"), text(arguments, "payment_method_id"));
    let mut ids = texts(arguments, "item_ids");
    let mut order = order(state, id)?.clone();
    if text(&order, "status") != "delivered" {
        return Err("Non-delivered order cannot be returned".to_owned());
    }
    let user_id = text(&order, "user_id");
    let method = payment_method(state, user_id, method_id)?;
    let first = items(&order, "payment_history").first().map(|paid| text(paid, "payment_method_id"));
    if !is_gift_card(method) && first != Some(method_id) {
        return Err("Payment method should be the original payment method".to_owned());
    }
    if lacks(&order, &ids).is_some() {
        return Err("Some item not found".to_owned());
    }
    ids.sort_unstable();
    set(&mut order, "status", "return requested")?;
    set(&mut order, "return_items", ids)?;
    set(&mut order, "return_payment_method_id", method_id)?;
    put(state, ORDERS, id, order.clone())?;
    Ok(order)
}

//! The airline's tools.
//!
//! Kept on purpose, for states must be the same: a cancellation releases no seats, changed flights take none, and numbers of bags are believed.

use assay_world::State;
use serde_json::{Value, json};

use crate::calculate::calculate;
use crate::records::{find, float, items, list, put, set, text, whole};

const FLIGHTS: &str = "flights";
const RESERVATIONS: &str = "reservations";
const USERS: &str = "users";
/// When everything happens.
const NOW: &str = "2024-05-15T15:00:00";
/// Ids of new reservations and certificates: an episode has at most three of each.
const NEW_RESERVATIONS: [&str; 3] = ["HATHAT", "HATHAU", "HATHAV"];
const NEW_CERTIFICATES: [&str; 3] = ["certificate_3221322", "certificate_3221323", "certificate_3221324"];
/// Dollars for each passenger's insurance, and for each bag.
const INSURANCE: i64 = 30;
const BAG: i64 = 50;

const AIRPORTS: [(&str, &str); 20] = [
    ("SFO", "San Francisco"),
    ("JFK", "New York"),
    ("LAX", "Los Angeles"),
    ("ORD", "Chicago"),
    ("DFW", "Dallas"),
    ("DEN", "Denver"),
    ("SEA", "Seattle"),
    ("ATL", "Atlanta"),
    ("MIA", "Miami"),
    ("BOS", "Boston"),
    ("PHX", "Phoenix"),
    ("IAH", "Houston"),
    ("LAS", "Las Vegas"),
    ("MCO", "Orlando"),
    ("EWR", "Newark"),
    ("CLT", "Charlotte"),
    ("MSP", "Minneapolis"),
    ("DTW", "Detroit"),
    ("PHL", "Philadelphia"),
    ("LGA", "LaGuardia"),
];

/// Calls a tool.
///
/// # Errors
/// The published words.
pub(crate) fn call(name: &str, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let given = |key: &str| text(arguments, key);
    match name {
        "book_reservation" => book(arguments, state),
        "calculate" => calculate(given("expression")).map(Value::from),
        "cancel_reservation" => cancel(given("reservation_id"), state),
        "get_flight_status" => {
            let instance = instance(state, given("flight_number"), given("date"))?;
            Ok(text(instance, "status").into())
        }
        "get_reservation_details" => reservation(state, given("reservation_id")).cloned(),
        "get_user_details" => user(state, given("user_id")).cloned(),
        "list_all_airports" => Ok(AIRPORTS.iter().map(|(iata, city)| json!({ "iata": iata, "city": city })).collect()),
        "search_direct_flight" => {
            let place = Search { origin: Some(given("origin")), destination: Some(given("destination")), after: None };
            Ok(search(state, given("date"), &place, None).into())
        }
        "search_onestop_flight" => onestop(given("origin"), given("destination"), given("date"), state),
        "send_certificate" => certificate(given("user_id"), whole(arguments, "amount"), state),
        "transfer_to_human_agents" => Ok("Transfer successful".into()),
        "update_reservation_baggages" => update_bags(arguments, state),
        "update_reservation_flights" => update_flights(arguments, state),
        "update_reservation_passengers" => {
            let id = given("reservation_id");
            let mut reservation = reservation(state, id)?.clone();
            let passengers = passengers(arguments);
            if passengers.len() != items(&reservation, "passengers").len() {
                return Err("Number of passengers does not match".to_owned());
            }
            set(&mut reservation, "passengers", passengers)?;
            put(state, RESERVATIONS, id, reservation.clone())?;
            Ok(reservation)
        }
        other => Err(format!("there is no tool {other}")),
    }
}

fn user<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, USERS, id, || format!("User {id} not found"))
}

fn reservation<'s>(state: &'s State, id: &str) -> Result<&'s Value, String> {
    find(state, RESERVATIONS, id, || format!("Reservation {id} not found"))
}

fn flight<'s>(state: &'s State, number: &str) -> Result<&'s Value, String> {
    find(state, FLIGHTS, number, || format!("Flight {number} not found"))
}

fn instance<'s>(state: &'s State, number: &str, date: &str) -> Result<&'s Value, String> {
    let dates = flight(state, number)?.get("dates");
    dates.and_then(|dates| dates.get(date)).ok_or_else(|| format!("Flight {number} not found on date {date}"))
}

fn is_available(instance: &Value) -> bool {
    text(instance, "status") == "available"
}

/// The passengers of a call, with the fields that are kept.
fn passengers(arguments: &Value) -> Vec<Value> {
    let one = |given: &Value| json!({ "first_name": text(given, "first_name"), "last_name": text(given, "last_name"), "dob": text(given, "dob") });
    items(arguments, "passengers").iter().map(one).collect()
}

/// Where flights are looked for.
struct Search<'a> {
    origin: Option<&'a str>,
    destination: Option<&'a str>,
    /// They leave at this time or later.
    after: Option<&'a str>,
}

/// The available flights of a day; `shown` is the date that they say.
fn search(state: &State, date: &str, place: &Search<'_>, shown: Option<&str>) -> Vec<Value> {
    let fits = |wanted: Option<&str>, found: &str| wanted.is_none_or(|wanted| wanted == found);
    let flights = state.documents.list(FLIGHTS).filter_map(|(_, flight)| {
        let instance = flight.get("dates")?.get(date)?;
        let departure = text(flight, "scheduled_departure_time_est");
        let is_it = fits(place.origin, text(flight, "origin"))
            && fits(place.destination, text(flight, "destination"))
            && is_available(instance)
            && place.after.is_none_or(|after| departure >= after);
        is_it.then(|| {
            json!({
                "flight_number": flight["flight_number"],
                "origin": flight["origin"],
                "destination": flight["destination"],
                "status": "available",
                "scheduled_departure_time_est": flight["scheduled_departure_time_est"],
                "scheduled_arrival_time_est": flight["scheduled_arrival_time_est"],
                "date": shown,
                "available_seats": instance["available_seats"],
                "prices": instance["prices"],
            })
        })
    });
    flights.collect()
}

fn onestop(origin: &str, destination: &str, date: &str, state: &State) -> Result<Value, String> {
    let mut found = Vec::new();
    let first = Search { origin: Some(origin), destination: None, after: None };
    for one in search(state, date, &first, Some(date)) {
        let arrival = text(&one, "scheduled_arrival_time_est");
        let next = if arrival.contains("+1") {
            let day = date.get(date.len().saturating_sub(2)..).and_then(|day| day.trim().parse::<i64>().ok());
            let day = day.ok_or_else(|| format!("invalid literal for int() with base 10: '{date}'"))?;
            format!("2024-05-{}", day + 1)
        } else {
            date.to_owned()
        };
        let second =
            Search { origin: Some(text(&one, "destination")), destination: Some(destination), after: Some(arrival) };
        found.extend(search(state, &next, &second, Some(&next)).into_iter().map(|other| json!([one, other])));
    }
    Ok(found.into())
}

/// A payment method of a user.
fn method<'u>(user: &'u Value, id: &str) -> Option<&'u Value> {
    user.get("payment_methods").and_then(|methods| methods.get(id))
}

fn has_amount(method: &Value) -> bool {
    ["gift_card", "certificate"].contains(&text(method, "source"))
}

/// Takes dollars from a gift card, or puts them on it.
#[expect(clippy::cast_precision_loss, reason = "dollars of a trip")]
fn deduct(user: &mut Value, id: &str, dollars: i64) -> Result<(), String> {
    let method = user.get_mut("payment_methods").and_then(|methods| methods.get_mut(id));
    let method = method.ok_or("Payment method not found")?;
    let left = float(method, "amount") - dollars as f64;
    set(method, "amount", left)
}

fn book(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (user_id, cabin) = (text(arguments, "user_id"), text(arguments, "cabin"));
    let passengers = passengers(arguments);
    let heads = i64::try_from(passengers.len()).unwrap_or(i64::MAX);
    let mut user = user(state, user_id)?.clone();
    let is_free = |id: &&&str| state.documents.get(RESERVATIONS, id).is_none();
    let id = NEW_RESERVATIONS.iter().find(is_free).ok_or("Too many reservations")?;
    let (mut flights, mut price) = (Vec::new(), 0_i64);
    for info in items(arguments, "flights") {
        let (number, date) = (text(info, "flight_number"), text(info, "date"));
        let (flight, instance) = (flight(state, number)?, instance(state, number, date)?);
        if !is_available(instance) {
            return Err(format!("Flight {number} not available on date {date}"));
        }
        if whole(&instance["available_seats"], cabin) < heads {
            return Err(format!("Not enough seats on flight {number}"));
        }
        let each = whole(&instance["prices"], cabin);
        flights.push(reserved(flight, number, date, each));
        price = price.saturating_add(each.saturating_mul(heads));
    }
    if text(arguments, "insurance") == "yes" {
        price = price.saturating_add(INSURANCE.saturating_mul(heads));
    }
    price = price.saturating_add(BAG.saturating_mul(whole(arguments, "nonfree_baggages")));
    let payments: Vec<Value> = items(arguments, "payment_methods")
        .iter()
        .map(|paid| json!({ "payment_id": text(paid, "payment_id"), "amount": whole(paid, "amount") }))
        .collect();
    pay(&mut user, &payments, price)?;
    take_seats(arguments, cabin, heads, state)?;
    let reservation = json!({
        "reservation_id": id,
        "user_id": user_id,
        "origin": arguments["origin"],
        "destination": arguments["destination"],
        "flight_type": arguments["flight_type"],
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_history": payments,
        "created_at": NOW,
        "total_baggages": arguments["total_baggages"],
        "nonfree_baggages": arguments["nonfree_baggages"],
        "insurance": arguments["insurance"],
        "status": null,
    });
    put(state, RESERVATIONS, id, reservation.clone())?;
    list(&mut user, "reservations")?.push((*id).into());
    put(state, USERS, user_id, user)?;
    Ok(reservation)
}

fn reserved(flight: &Value, number: &str, date: &str, price: i64) -> Value {
    json!({
        "flight_number": number,
        "origin": flight["origin"],
        "destination": flight["destination"],
        "date": date,
        "price": price,
    })
}

/// Pays a price with several methods, all checked first.
#[expect(clippy::cast_precision_loss, reason = "dollars of a trip")]
fn pay(user: &mut Value, payments: &[Value], price: i64) -> Result<(), String> {
    let mut sum = 0_i64;
    for paid in payments {
        let (id, amount) = (text(paid, "payment_id"), whole(paid, "amount"));
        let method = method(user, id).ok_or_else(|| format!("Payment method {id} not found"))?;
        if has_amount(method) && float(method, "amount") < amount as f64 {
            return Err(format!("Not enough balance in payment method {id}"));
        }
        sum = sum.saturating_add(amount);
    }
    if sum != price {
        return Err(format!("Payment amount does not add up, total price is {price}, but paid {sum}"));
    }
    for paid in payments {
        let (id, amount) = (text(paid, "payment_id"), whole(paid, "amount"));
        match method(user, id).map(|method| text(method, "source").to_owned()).as_deref() {
            Some("gift_card") => deduct(user, id, amount)?,
            Some("certificate") => {
                let methods = user.get_mut("payment_methods").and_then(Value::as_object_mut);
                methods.and_then(|methods| methods.shift_remove(id));
            }
            Some(_) => {}
            // The same certificate a second time.
            None => return Err(format!("'{id}'")),
        }
    }
    Ok(())
}

/// Takes the seats of booked flights, one flight after the other: one that is named twice loses them twice.
fn take_seats(arguments: &Value, cabin: &str, heads: i64, state: &mut State) -> Result<(), String> {
    for info in items(arguments, "flights") {
        let (number, date) = (text(info, "flight_number"), text(info, "date"));
        let mut flight = flight(state, number)?.clone();
        let seats = flight.get_mut("dates").and_then(|dates| dates.get_mut(date));
        let seats = seats.and_then(|instance| instance.get_mut("available_seats")).ok_or("the flight is damaged")?;
        let left = whole(seats, cabin).saturating_sub(heads);
        set(seats, cabin, left)?;
        put(state, FLIGHTS, number, flight)?;
    }
    Ok(())
}

fn cancel(id: &str, state: &mut State) -> Result<Value, String> {
    let mut reservation = reservation(state, id)?.clone();
    let refund = |paid: &Value| json!({ "payment_id": text(paid, "payment_id"), "amount": whole(paid, "amount").saturating_neg() });
    let refunds: Vec<Value> = items(&reservation, "payment_history").iter().map(refund).collect();
    list(&mut reservation, "payment_history")?.extend(refunds);
    set(&mut reservation, "status", "cancelled")?;
    put(state, RESERVATIONS, id, reservation.clone())?;
    Ok(reservation)
}

fn certificate(user_id: &str, amount: i64, state: &mut State) -> Result<Value, String> {
    let mut user = user(state, user_id)?.clone();
    let is_free = |id: &&&str| method(&user, id).is_none();
    let id = *NEW_CERTIFICATES.iter().find(is_free).ok_or("Too many certificates")?;
    let methods = user.get_mut("payment_methods").ok_or("the user is damaged")?;
    set(methods, id, json!({ "source": "certificate", "id": id, "amount": amount }))?;
    put(state, USERS, user_id, user)?;
    Ok(format!("Certificate {id} added to user {user_id} with amount {amount}.").into())
}

/// Pays the difference of a changed reservation; the payment, where there is something to pay.
#[expect(clippy::cast_precision_loss, reason = "dollars of a trip")]
fn pay_difference(user: &mut Value, id: &str, price: i64) -> Result<Option<Value>, String> {
    let found = method(user, id).ok_or("Payment method not found")?;
    match text(found, "source") {
        "certificate" => return Err("Certificate cannot be used to update reservation".to_owned()),
        "gift_card" if float(found, "amount") < price as f64 => {
            return Err("Gift card balance is not enough".to_owned());
        }
        "gift_card" => deduct(user, id, price)?,
        _ => {}
    }
    Ok((price != 0).then(|| json!({ "payment_id": id, "amount": price })))
}

/// Puts back a reservation and the user who has paid for its change.
fn paid(reservation: &mut Value, payment_id: &str, price: i64, state: &mut State) -> Result<(), String> {
    let user_id = text(reservation, "user_id").to_owned();
    let mut user = user(state, &user_id)?.clone();
    if let Some(payment) = pay_difference(&mut user, payment_id, price)? {
        list(reservation, "payment_history")?.push(payment);
    }
    put(state, USERS, &user_id, user)
}

fn update_bags(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let id = text(arguments, "reservation_id");
    let mut reservation = reservation(state, id)?.clone();
    user(state, text(&reservation, "user_id"))?;
    let (total, nonfree) = (whole(arguments, "total_baggages"), whole(arguments, "nonfree_baggages"));
    let more = nonfree.saturating_sub(whole(&reservation, "nonfree_baggages")).max(0);
    paid(&mut reservation, text(arguments, "payment_id"), BAG.saturating_mul(more), state)?;
    set(&mut reservation, "total_baggages", total)?;
    set(&mut reservation, "nonfree_baggages", nonfree)?;
    put(state, RESERVATIONS, id, reservation.clone())?;
    Ok(reservation)
}

fn update_flights(arguments: &Value, state: &mut State) -> Result<Value, String> {
    let (id, cabin) = (text(arguments, "reservation_id"), text(arguments, "cabin"));
    let mut reservation = reservation(state, id)?.clone();
    user(state, text(&reservation, "user_id"))?;
    let heads = i64::try_from(items(&reservation, "passengers").len()).unwrap_or(i64::MAX);
    let (mut flights, mut price) = (Vec::new(), 0_i64);
    for info in items(arguments, "flights") {
        let (number, date) = (text(info, "flight_number"), text(info, "date"));
        let is_it = |one: &&Value| text(one, "flight_number") == number && text(one, "date") == date;
        let kept = items(&reservation, "flights").iter().find(is_it).filter(|_| cabin == text(&reservation, "cabin"));
        if let Some(kept) = kept {
            price = price.saturating_add(whole(kept, "price").saturating_mul(heads));
            flights.push(kept.clone());
            continue;
        }
        let (flight, instance) = (flight(state, number)?, instance(state, number, date)?);
        if !is_available(instance) {
            return Err(format!("Flight {number} not available on date {date}"));
        }
        if whole(&instance["available_seats"], cabin) < heads {
            return Err(format!("Not enough seats on flight {number}"));
        }
        let each = whole(&instance["prices"], cabin);
        price = price.saturating_add(each.saturating_mul(heads));
        flights.push(reserved(flight, number, date, each));
    }
    let prices = items(&reservation, "flights").iter().map(|one| whole(one, "price"));
    let before = prices.fold(0_i64, i64::saturating_add);
    price = price.saturating_sub(before.saturating_mul(heads));
    paid(&mut reservation, text(arguments, "payment_id"), price, state)?;
    set(&mut reservation, "flights", flights)?;
    set(&mut reservation, "cabin", cabin)?;
    put(state, RESERVATIONS, id, reservation.clone())?;
    Ok(reservation)
}

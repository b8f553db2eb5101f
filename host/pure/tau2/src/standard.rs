//! What records of telecom have where their files say nothing, and how times are written there.

use serde_json::{Map, Value, json};

use crate::phone::standard_apn;

/// The apps of a phone, in the order in which it lists them.
const APPS: [&str; 2] = ["messaging", "browser"];

/// A record with all fields of its class.
pub(crate) fn completed(table: &str, record: &Value) -> Value {
    let mut whole = standard(table);
    if let (Value::Object(fields), Value::Object(given)) = (&mut whole, record) {
        for (key, value) in given {
            merge(fields, key, value);
        }
    }
    whole
}

/// Sets a field, and of an object that is there its fields.
fn merge(fields: &mut Map<String, Value>, key: &str, value: &Value) {
    match (fields.get_mut(key), value) {
        (Some(Value::Object(inner)), Value::Object(given)) if key == "active_apn_settings" => {
            given.iter().for_each(|(key, value)| merge(inner, key, value));
        }
        (_, Value::Object(given)) if key == "app_statuses" => {
            // Readers of TOML may lose the order in which a phone lists its apps.
            let place = |name: &String| APPS.iter().position(|app| app == name).unwrap_or(APPS.len());
            let mut apps: Vec<_> = given.iter().collect();
            apps.sort_by_key(|(name, _)| place(name));
            let apps = apps.into_iter().map(|(name, app)| (name.clone(), app.clone())).collect();
            fields.insert(key.to_owned(), Value::Object(apps));
        }
        _ => {
            fields.insert(key.to_owned(), written(value));
        }
    }
}

/// A time as Python writes it, with a space; everything else as it is.
fn written(value: &Value) -> Value {
    match value {
        Value::String(text) if is_time(text) => text.replacen('T', " ", 1).into(),
        other => other.clone(),
    }
}

/// Whether a text is a date and a time, such as `2025-01-20T14:30:00`.
fn is_time(text: &str) -> bool {
    text.len() == 19 && text.is_ascii() && text.as_bytes()[10] == b'T' && text.as_bytes()[4] == b'-'
}

fn standard(table: &str) -> Value {
    match table {
        "devices" => json!({
            "imei": null, "activated": false, "activation_date": null, "last_esim_transfer_date": null,
        }),
        "lines" => json!({
            "status": "Pending Activation", "device_id": null, "data_used_gb": 0.0, "data_refueling_gb": 0.0,
            "roaming_enabled": false, "contract_end_date": null, "last_plan_change_date": null,
            "last_sim_replacement_date": null, "suspension_start_date": null,
        }),
        "bills" => json!({ "line_items": [], "status": "Draft" }),
        "customers" => json!({
            "account_status": "Pending Verification", "payment_methods": [], "line_ids": [], "bill_ids": [],
            "created_at": "2025-01-01", "last_extension_date": null, "goodwill_credit_used_this_year": 0.0,
        }),
        "device" => json!({
            "sim_card_status": "active", "sim_card_missing": false, "airplane_mode": false,
            "network_signal_strength": "good", "network_technology_connected": "5G",
            "network_connection_status": "connected", "battery_level": 80, "data_enabled": true, "roaming_enabled": false,
            "network_mode_preference": "4g_5g_preferred", "active_apn_settings": standard_apn(), "wifi_enabled": false,
            "wifi_connected": false, "wifi_ssid": null, "wifi_signal_strength": "none", "wifi_calling_enabled": false,
            "wifi_calling_mms_over_wifi": false, "data_saver_mode": false, "vpn_enabled_setting": false,
            "vpn_connected": false, "vpn_details": null, "app_statuses": {},
        }),
        "surroundings" => json!({
            "name": null, "phone_number": null, "is_abroad": false, "roaming_allowed": false,
            "signal_strength": { "2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent" },
            "mobile_data_usage_exceeded": false, "line_active": true, "payment_request": null,
        }),
        _ => json!({}),
    }
}

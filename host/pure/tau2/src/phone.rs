//! The telecom user's phone: what its settings do to service, data, speed and picture messages.
//!
//! Kept on purpose: turning mobile data on by a task's beginning looks for no network, and a saved speed is the middle of a technology's range. Not kept: the
//! published code breaks the VPN's defaults for all later episodes of a process.

use serde_json::{Value, json};

use crate::python::{repr, round2};
use crate::records::{float, set, text};

/// The phone and what is around it.
pub(crate) struct Phone {
    pub(crate) device: Value,
    pub(crate) around: Value,
}

type Done = Result<String, String>;

const MODES: [&str; 4] = ["4g_5g_preferred", "4g_only", "3g_only", "2g_only"];
const PERMISSIONS: [&str; 4] = ["sms", "storage", "phone", "network"];

/// What an APN is after a reset.
pub(crate) fn standard_apn() -> Value {
    json!({
        "apn_name": "internet", "reset_at_reboot": false, "mms_apn": "mms",
        "mmsc_url": "http://mms.carrier.com/mms/wapenc", "mms_proxy": null, "mms_port": null,
    })
}

fn on_off(is_on: bool) -> &'static str {
    if is_on { "ON" } else { "OFF" }
}

fn yes_no(is_so: bool) -> &'static str {
    if is_so { "Yes" } else { "No" }
}

impl Phone {
    fn is(&self, key: &str) -> bool {
        self.device.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn text(&self, key: &str) -> &str {
        text(&self.device, key)
    }

    fn put(&mut self, key: &str, value: impl Into<Value>) -> Result<(), String> {
        set(&mut self.device, key, value)
    }

    fn flip(&mut self, key: &str) -> Result<bool, String> {
        let is_on = !self.is(key);
        self.put(key, is_on)?;
        Ok(is_on)
    }

    fn sim(&self) -> &str {
        if self.is("sim_card_missing") { "missing" } else { self.text("sim_card_status") }
    }

    /// Calls a tool; none where it is no tool of the phone.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Option<Done> {
        self.looks(name, arguments).map(Ok).or_else(|| self.changes(name, arguments))
    }

    /// The tools that only look.
    fn looks(&self, name: &str, arguments: &Value) -> Option<String> {
        Some(match name {
            "check_status_bar" => format!("Status Bar: {}", self.bar()),
            "check_network_status" => self.network(),
            "check_network_mode_preference" => {
                format!("Network Mode Preference: {}", self.text("network_mode_preference"))
            }
            "run_speed_test" => self.speed_test(),
            "check_sim_status" => match self.sim() {
                "active" => "Your SIM card is active and working.",
                "missing" => "No SIM card detected in the phone.",
                "locked_pin" => "The SIM card is locked with a PIN code.",
                _ => "The SIM card is locked with a PUK code.",
            }
            .to_owned(),
            "check_data_restriction_status" if self.is("data_saver_mode") => {
                "Data Saver mode is ON (limits data usage).".to_owned()
            }
            "check_data_restriction_status" => "Data Saver mode is OFF.".to_owned(),
            "check_apn_settings" => {
                let apn = &self.device["active_apn_settings"];
                let url = Some(text(apn, "mmsc_url")).filter(|url| !url.is_empty()).unwrap_or("Not Set");
                let name = text(apn, "apn_name");
                format!(
                    "Current APN Name: {name}\nMMSC URL (for picture messages): {url}\n(These are technical settings, usually best left unchanged.)"
                )
            }
            "check_wifi_status" if !self.is("wifi_enabled") => "Wi-Fi is turned OFF.".to_owned(),
            "check_wifi_status" if self.is("wifi_connected") => {
                let (ssid, strength) = (self.text("wifi_ssid"), self.text("wifi_signal_strength"));
                format!("Wi-Fi is ON and connected to '{ssid}'. Signal strength: {strength}.")
            }
            "check_wifi_status" => "Wi-Fi is ON but not connected to any network.".to_owned(),
            "check_wifi_calling_status" => {
                format!("Wi-Fi Calling is currently turned {}.", on_off(self.is("wifi_calling_enabled")))
            }
            "check_vpn_status" => self.vpn(),
            "check_installed_apps" => {
                let apps = self.device["app_statuses"].as_object();
                let names: Vec<&str> = apps.into_iter().flat_map(|apps| apps.keys()).map(String::as_str).collect();
                format!("The following apps are installed on the phone: {}", names.join(", "))
            }
            "check_app_status" | "check_app_permissions" => self.app(name, text(arguments, "app_name")),
            "can_send_mms" => {
                let can = if self.can_send_mms() { "can" } else { "cannot" };
                format!("Your messaging app {can} send MMS messages.")
            }
            "check_payment_request" => match &self.around["payment_request"] {
                Value::Null => "No payment request has been made.".to_owned(),
                request => format!(
                    "You have a payment request for bill {} of {} USD.",
                    text(request, "bill_id"),
                    repr(float(request, "amount_due"))
                ),
            },
            _ => return None,
        })
    }

    /// The tools that change something, and what only beginnings of tasks do.
    fn changes(&mut self, name: &str, arguments: &Value) -> Option<Done> {
        let given = |key: &str| arguments.get(key).and_then(Value::as_bool).unwrap_or(false);
        let done = match name {
            "set_network_mode_preference" => self.set_mode(text(arguments, "mode")),
            "toggle_airplane_mode" => self.airplane().map(|is_on| format!("Airplane Mode is now {}.", on_off(is_on))),
            "reseat_sim_card" => self
                .put("sim_card_missing", false)
                .and_then(|()| self.search())
                .map(|()| "SIM card re-seated successfully.".to_owned()),
            "toggle_data" => self.switch("data_enabled", "Mobile Data"),
            "toggle_roaming" => self.switch("roaming_enabled", "Data Roaming"),
            "toggle_data_saver_mode" => {
                self.flip("data_saver_mode").map(|is_on| format!("Data Saver Mode is now {}.", on_off(is_on)))
            }
            "set_apn_settings" => self.set_apn(&arguments["apn_settings"]),
            "reset_apn_settings" => set(&mut self.device["active_apn_settings"], "reset_at_reboot", true)
                .and_then(|()| self.search())
                .map(|()| "APN settings will reset at reboot.".to_owned()),
            "toggle_wifi" => self.wifi(),
            "toggle_wifi_calling" => {
                self.flip("wifi_calling_enabled").map(|is_on| format!("Wi-Fi Calling is now {}.", on_off(is_on)))
            }
            "connect_vpn" if self.is("vpn_connected") => return Some(Ok("VPN already connected.".to_owned())),
            "connect_vpn" => self.connect_vpn().map(|()| "VPN connected successfully.".to_owned()),
            "disconnect_vpn" if !self.is("vpn_connected") => Ok("No active VPN connection to disconnect.".to_owned()),
            "disconnect_vpn" => self.disconnect_vpn().map(|()| "VPN disconnected successfully.".to_owned()),
            "grant_app_permission" => {
                self.permit(text(arguments, "app_name"), &text(arguments, "permission").to_lowercase(), true)
            }
            "reboot_device" => self.reboot(),
            "make_payment" => return Some(self.pay()),
            _ => return self.begins(name, arguments, given),
        };
        Some(done.map(|text| format!("{text}\nStatus Bar: {}", self.bar())))
    }

    /// What beginnings of tasks do beside the tools. What they answer, nobody hears.
    fn begins(&mut self, name: &str, arguments: &Value, given: impl Fn(&str) -> bool) -> Option<Done> {
        let no_words = |done: Result<(), String>| Some(done.map(|()| String::new()));
        no_words(match name {
            "set_user_info" => set(&mut self.around, "name", text(arguments, "name"))
                .and_then(|()| set(&mut self.around, "phone_number", text(arguments, "phone_number"))),
            "set_user_location" => set(&mut self.around, "is_abroad", given("abroad")),
            "simulate_network_search" => self.search(),
            "turn_airplane_mode_on" => self.until("airplane_mode", true),
            "turn_airplane_mode_off" => self.until("airplane_mode", false),
            "turn_roaming_on" => self.until("roaming_enabled", true),
            "turn_roaming_off" => self.until("roaming_enabled", false),
            "turn_data_on" => self.put("data_enabled", true),
            "turn_data_off" => self.until("data_enabled", false),
            "turn_data_saver_mode_on" => self.put("data_saver_mode", true),
            "turn_data_saver_mode_off" => self.put("data_saver_mode", false),
            "unseat_sim_card" => self.put("sim_card_missing", true).and_then(|()| self.search()),
            "lock_sim_card" => {
                let status = format!("locked_{}", text(arguments, "mode"));
                self.put("sim_card_status", status).and_then(|()| self.search())
            }
            "break_apn_settings" => {
                set(&mut self.device["active_apn_settings"], "apn_name", "broken").and_then(|()| self.search())
            }
            "break_apn_mms_setting" => set(&mut self.device["active_apn_settings"], "mmsc_url", Value::Null),
            "set_wifi_calling" => {
                let mms = arguments.get("mms_over_wifi").and_then(Value::as_bool);
                self.put("wifi_calling_enabled", given("enabled"))
                    .and_then(|()| mms.map_or(Ok(()), |mms| self.put("wifi_calling_mms_over_wifi", mms)))
            }
            "break_vpn" => {
                let connected = if self.is("vpn_connected") { Ok(()) } else { self.connect_vpn() };
                connected.and_then(|()| set(&mut self.device["vpn_details"], "server_performance", "poor"))
            }
            "remove_app_permission" => {
                let permission = text(arguments, "permission").to_lowercase();
                self.permit(text(arguments, "app_name"), &permission, false).map(drop)
            }
            _ => return None,
        })
    }

    /// Toggles twice where once does not lead there, as the published functions do: each looks for a network.
    fn until(&mut self, key: &str, wanted: bool) -> Result<(), String> {
        let toggle = |phone: &mut Self| match key {
            "airplane_mode" => phone.airplane(),
            _ => phone.flip(key).and_then(|is_on| phone.search().map(|()| is_on)),
        };
        let is_on = toggle(self)?;
        if is_on != wanted {
            toggle(self)?;
        }
        Ok(())
    }

    fn switch(&mut self, key: &str, name: &str) -> Done {
        let is_on = self.flip(key)?;
        self.search()?;
        Ok(format!("{name} is now {}.", on_off(is_on)))
    }

    fn set_mode(&mut self, mode: &str) -> Done {
        if !MODES.contains(&mode) {
            let modes = MODES.join(", ");
            return Ok(format!(
                "Failed to set network mode: '{mode}' is not a valid option. Please use one of: {modes}"
            ));
        }
        self.put("network_mode_preference", mode)?;
        self.search()?;
        Ok(format!("Preferred Network Mode set to: {mode}"))
    }

    fn no_wifi(&mut self) -> Result<(), String> {
        self.put("wifi_connected", false)?;
        self.put("wifi_ssid", Value::Null)?;
        self.put("wifi_signal_strength", "none")
    }

    fn airplane(&mut self) -> Result<bool, String> {
        let is_on = self.flip("airplane_mode")?;
        if is_on {
            self.no_wifi()?;
            if self.is("vpn_connected") {
                self.disconnect_vpn()?;
            }
        } else if self.is("wifi_enabled") {
            self.no_wifi()?;
        }
        self.search()?;
        Ok(is_on)
    }

    fn wifi(&mut self) -> Done {
        if self.is("airplane_mode") {
            return Ok("Cannot change Wi-Fi settings while Airplane Mode is ON.".to_owned());
        }
        let is_on = self.flip("wifi_enabled")?;
        if !is_on {
            self.no_wifi()?;
        }
        Ok(format!("Wi-Fi is now {}.", on_off(is_on)))
    }

    fn set_apn(&mut self, given: &Value) -> Done {
        let mut apn = standard_apn();
        for (key, value) in given.as_object().into_iter().flatten() {
            set(&mut apn, key, value.clone())?;
        }
        let told = format!("APN settings set to: {}", text(&apn, "apn_name"));
        self.put("active_apn_settings", apn)?;
        self.search()?;
        Ok(told)
    }

    fn connect_vpn(&mut self) -> Result<(), String> {
        self.put("vpn_connected", true)?;
        let details =
            json!({ "server_address": "192.168.1.1", "protocol": "OpenVPN", "server_performance": "excellent" });
        self.put("vpn_details", details)
    }

    fn disconnect_vpn(&mut self) -> Result<(), String> {
        self.put("vpn_connected", false)?;
        self.put("vpn_details", Value::Null)
    }

    fn permit(&mut self, app: &str, permission: &str, is_granted: bool) -> Done {
        let found = self.device["app_statuses"].get_mut(app).and_then(|app| app.get_mut("permissions"));
        let Some(permissions) = found else {
            return Ok(format!("Error. App '{app}' not found. Cannot grant permission."));
        };
        if !PERMISSIONS.contains(&permission) {
            let known = PERMISSIONS.map(|name| format!("'{name}'")).join(", ");
            return Ok(format!(
                "Error. Permission '{permission}' not tracked for app '{app}', available permissions: [{known}]"
            ));
        }
        set(permissions, permission, is_granted)?;
        Ok(format!("Success. Permission '{permission}' granted to app '{app}'."))
    }

    fn reboot(&mut self) -> Done {
        let mut told = String::new();
        if self.device["active_apn_settings"]["reset_at_reboot"] == Value::Bool(true) {
            told.push_str("Resetting APN settings...\n");
            self.put("active_apn_settings", standard_apn())?;
        }
        self.search()?;
        Ok(told + "Restarting network services...")
    }

    fn pay(&mut self) -> Done {
        let request = &mut self.around["payment_request"];
        if request.is_null() {
            return Ok("You do not have a payment request.".to_owned());
        }
        set(request, "paid", true)?;
        let (amount, bill) = (repr(float(request, "amount_due")), text(request, "bill_id"));
        Ok(format!("Payment of {amount} USD has been made for bill {bill}."))
    }

    /// Looks for a network.
    pub(crate) fn search(&mut self) -> Result<(), String> {
        let signal = |phone: &Self, technology: &str| text(&phone.around["signal_strength"], technology).to_owned();
        let is_cut = self.sim() != "active"
            || self.is("airplane_mode")
            || text(&self.device["active_apn_settings"], "apn_name") == "broken"
            || self.around["line_active"] != Value::Bool(true);
        let (status, technology, strength) = if is_cut {
            ("no_service", "none", "none".to_owned())
        } else {
            let technology = match self.text("network_mode_preference") {
                "4g_5g_preferred" if !["", "none"].contains(&signal(self, "5G").as_str()) => "5G",
                "3g_only" => "3G",
                "2g_only" => "2G",
                _ => "4G",
            };
            (
                "connected",
                technology,
                Some(signal(self, technology)).filter(|one| !one.is_empty()).unwrap_or("none".into()),
            )
        };
        self.put("network_connection_status", status)?;
        self.put("network_technology_connected", technology)?;
        self.put("network_signal_strength", strength)
    }

    /// Whether mobile data works.
    pub(crate) fn has_data(&self) -> bool {
        let around = |key: &str| self.around[key] == Value::Bool(true);
        let is_allowed = !around("is_abroad") || self.is("roaming_enabled") && around("roaming_allowed");
        !self.is("airplane_mode")
            && self.text("network_signal_strength") != "none"
            && self.text("network_connection_status") != "no_service"
            && is_allowed
            && self.is("data_enabled")
            && !around("mobile_data_usage_exceeded")
    }

    /// The speed of mobile data in Mbps, and its name; none where there is none.
    pub(crate) fn speed(&self) -> Option<(f64, &'static str)> {
        if !self.has_data() {
            return None;
        }
        let is_poor = self.is("vpn_connected") && text(&self.device["vpn_details"], "server_performance") == "poor";
        let mut factor = if is_poor { 0.1 } else { 1.0 };
        if self.is("data_saver_mode") {
            factor *= 0.2;
        }
        let (least, most) = match self.text("network_technology_connected") {
            "2G" => (0.1, 0.4),
            "3G" => (1.0, 5.0),
            "4G" => (10.0, 100.0),
            "5G" => (50.0, 500.0),
            _ => (0.0, 0.0),
        };
        let signal = match self.text("network_signal_strength") {
            "poor" => 0.2,
            "fair" => 0.5,
            "good" => 0.8,
            "excellent" => 1.0,
            _ => 0.0,
        };
        let speed: f64 = round2((least + most) / 2.0 * signal * factor);
        let name = match speed {
            _ if speed < 1.0 => "Very Poor",
            _ if speed < 5.0 => "Poor",
            _ if speed < 25.0 => "Fair",
            _ if speed < 100.0 => "Good",
            _ => "Excellent",
        };
        Some((speed, name))
    }

    fn speed_test(&self) -> String {
        let Some((speed, name)) = self.speed() else { return "Speed test failed: No Connection.".to_owned() };
        let advice = match name {
            "Very Poor" => "Connection is very slow. Basic web browsing might be difficult.",
            "Poor" => "Connection is slow. Web browsing may be sluggish, streaming difficult.",
            "Fair" => "Connection is okay for web browsing and some standard definition streaming.",
            "Good" => "Connection is good for most activities, including HD streaming.",
            _ => "Connection is very fast.",
        };
        format!("Speed Test Result: {speed:.2} Mbps ({name}). {advice}")
    }

    /// Whether picture messages can be sent.
    pub(crate) fn can_send_mms(&self) -> bool {
        let permissions = &self.device["app_statuses"]["messaging"]["permissions"];
        let has = |name: &str| permissions[name] == Value::Bool(true);
        self.has_data()
            && self.text("network_technology_connected") != "2G"
            && !(self.is("wifi_calling_enabled") && self.is("wifi_calling_mms_over_wifi"))
            && !self.device["active_apn_settings"]["mmsc_url"].is_null()
            && has("storage")
            && has("sms")
    }

    fn bar(&self) -> String {
        let mut shown = Vec::new();
        if self.is("airplane_mode") {
            shown.push("✈️ Airplane Mode".to_owned());
        } else {
            let signal = match self.text("network_signal_strength") {
                "poor" => "📶¹ Poor",
                "fair" => "📶² Fair",
                "good" => "📶³ Good",
                "excellent" => "📶⁴ Excellent",
                _ => "📵 No Signal",
            };
            shown.push(signal.to_owned());
            let technology = self.text("network_technology_connected");
            let is_connected = technology != "none";
            shown.extend(is_connected.then(|| technology.to_owned()));
            if self.is("data_enabled") && is_connected {
                shown.push("📱 Data Enabled".to_owned());
                shown.extend(self.is("data_saver_mode").then(|| "🔽 Data Saver".to_owned()));
            } else {
                shown.push("📵 Data Disabled".to_owned());
            }
        }
        if self.is("wifi_enabled") && self.is("wifi_connected") {
            let ssid = self.text("wifi_ssid");
            shown.push(if ssid.is_empty() { "📡 Enabled".to_owned() } else { format!("📡 Connected to {ssid}") });
        }
        shown.extend(self.is("vpn_connected").then(|| "🔒 VPN Connected".to_owned()));
        shown.push(format!("🔋 {}%", self.device["battery_level"]));
        shown.join(" | ")
    }

    fn network(&self) -> String {
        let mut lines = vec![
            format!("Airplane Mode: {}", on_off(self.is("airplane_mode"))),
            format!("SIM Card Status: {}", self.sim()),
            format!("Cellular Connection: {}", self.text("network_connection_status")),
            format!("Cellular Signal: {}", self.text("network_signal_strength")),
            format!("Cellular Network Type: {}", self.text("network_technology_connected")),
            format!("Mobile Data Enabled: {}", yes_no(self.is("data_enabled"))),
            format!("Data Roaming Enabled: {}", yes_no(self.is("roaming_enabled"))),
            format!("Wi-Fi Radio: {}", on_off(self.is("wifi_enabled"))),
            format!("Wi-Fi Connected: {}", yes_no(self.is("wifi_connected"))),
        ];
        if self.is("wifi_connected") {
            lines.push(format!("Connected Wi-Fi Network: {}", self.text("wifi_ssid")));
        }
        lines.join("\n")
    }

    fn vpn(&self) -> String {
        if !self.is("vpn_connected") {
            let is_set = self.is("vpn_enabled_setting");
            let off = "VPN is turned OFF.";
            return if is_set { "VPN is turned ON in settings, but currently not connected." } else { off }.to_owned();
        }
        let details = &self.device["vpn_details"];
        let performance = text(details, "server_performance");
        format!(
            "VPN is ON and connected. Details: {{'server_address': '{}', 'protocol': '{}', 'server_performance': <PerformanceLevel.{}: '{performance}'>}}",
            text(details, "server_address"),
            text(details, "protocol"),
            performance.to_uppercase()
        )
    }

    fn app(&self, tool: &str, name: &str) -> String {
        let Some(app) = self.device["app_statuses"].get(name) else {
            return format!("App '{name}' not found on this phone.");
        };
        let permissions = &app["permissions"];
        let granted: Vec<&str> =
            PERMISSIONS.into_iter().filter(|permission| permissions[*permission] == Value::Bool(true)).collect();
        match (tool, granted.is_empty()) {
            ("check_app_permissions", true) => format!("App '{name}' currently has no permissions granted."),
            ("check_app_permissions", false) => format!("App '{name}' has permission for: {}.", granted.join(", ")),
            (_, true) => format!("Status for App: {name}\n - Permissions: None granted."),
            (_, false) => {
                let lines = granted.iter().map(|permission| format!("\n   - {permission}")).collect::<String>();
                format!("Status for App: {name}\n - Permissions Granted:{lines}")
            }
        }
    }
}

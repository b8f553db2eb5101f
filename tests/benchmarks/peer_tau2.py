"""What the published package of τ²-bench does, as lines of JSON: the other side of the tests that compare Assay with it.

    peer_tau2.py walk DOMAIN SEED COUNT   seeded calls with arguments from the database and near misses; after each: answer or error, and hash
    peer_tau2.py gold DOMAIN TASKS        every task's reference actions as the package evaluates them: what raises, and the hash
    peer_tau2.py gold telecom        the same for its base set: what the reference actions and doing nothing are worth
    peer_tau2.py time DOMAIN TASKS        milliseconds of a reset, the reference actions and the hash: the median of all tasks
"""

import copy
import json
import random
import statistics
import sys
import time
import types

from loguru import logger

logger.remove()

# Calls after which the database is as in the beginning again.
CALLS_PER_EPISODE = 30


def domain(name):
    if name == "retail":
        from tau2.domains.retail.data_model import RetailDB as Database
        from tau2.domains.retail.tools import RetailTools as Tools
        from tau2.domains.retail.utils import RETAIL_DB_PATH as path
    else:
        from tau2.domains.airline.data_model import FlightDB as Database
        from tau2.domains.airline.tools import AirlineTools as Tools
        from tau2.domains.airline.utils import AIRLINE_DB_PATH as path
    return Database.load(path), Tools


def call(tools, name, arguments):
    from tau2.environment.environment import Environment

    try:
        answer = Environment.to_json_str(tools.use_tool(name, **copy.deepcopy(arguments)))
    except Exception as error:
        return {"error": str(error)}
    try:
        return {"answer": json.loads(answer)}
    except json.JSONDecodeError:
        return {"answer": answer}


class Retail:
    def __init__(self, draw, db):
        self.draw, self.db = draw, db

    def near(self, good, other):
        """An id, now and then one that is wrong."""
        return other if self.draw.random() < 0.06 else good

    def some_order(self):
        status = self.draw.choice(["pending", "delivered", None, None])
        orders = [o for o in self.db.orders.values() if status is None or o.status == status]
        return self.draw.choice(orders or list(self.db.orders.values()))

    def method(self, order):
        own = list(self.db.users[order.user_id].payment_methods)
        return self.near(self.draw.choice(own), "gift_card_0000000")

    def items(self, order):
        items = self.draw.sample(order.items, self.draw.randint(1, min(3, len(order.items))))
        old = [self.near(item.item_id, "1234567890") for item in items]
        new = []
        for item in items:
            variants = list(self.db.products[item.product_id].variants.values())
            available = [variant for variant in variants if variant.available]
            new.append(self.near(self.draw.choice(available or variants).item_id, self.draw.choice(variants).item_id))
        if self.draw.random() < 0.05:
            old.append(old[0])
        return old, new

    def address(self):
        words = ["1 Oak St", "", "Apt 5", "Zürich", "日本", 'a "b"\\c', "tab\there"]
        return {key: self.draw.choice(words) for key in ["address1", "address2", "city", "state", "country", "zip"]}

    def next(self):
        draw, order = self.draw, self.some_order()
        user = self.db.users[order.user_id]
        order_id = self.near(order.order_id, "#W0000000")
        name = draw.choice([
            "calculate", "cancel_pending_order", "exchange_delivered_order_items", "find_user_id_by_email",
            "find_user_id_by_name_zip", "get_order_details", "get_product_details", "get_user_details",
            "list_all_product_types", "modify_pending_order_address", "modify_pending_order_items",
            "modify_pending_order_items", "modify_pending_order_payment", "modify_pending_order_payment",
            "modify_user_address", "return_delivered_order_items", "transfer_to_human_agents",
        ])
        if name == "calculate":
            return name, {"expression": expression(draw)}
        if name == "cancel_pending_order":
            return name, {"order_id": order_id, "reason": self.near(draw.choice(["no longer needed", "ordered by mistake"]), "bored")}
        if name in ("exchange_delivered_order_items", "modify_pending_order_items"):
            old, new = self.items(order)
            return name, {"order_id": order_id, "item_ids": old, "new_item_ids": new, "payment_method_id": self.method(order)}
        if name == "find_user_id_by_email":
            return name, {"email": self.near(draw.choice([user.email, user.email.upper()]), "x@example.com")}
        if name == "find_user_id_by_name_zip":
            return name, {"first_name": user.name.first_name.upper(), "last_name": user.name.last_name, "zip": self.near(user.address.zip, "00000")}
        if name == "get_order_details":
            return name, {"order_id": order_id}
        if name == "get_product_details":
            return name, {"product_id": self.near(draw.choice(list(self.db.products)), "1")}
        if name == "get_user_details":
            return name, {"user_id": self.near(user.user_id, "nobody")}
        if name == "modify_pending_order_address":
            return name, {"order_id": order_id, **self.address()}
        if name == "modify_pending_order_payment":
            return name, {"order_id": order_id, "payment_method_id": self.method(order)}
        if name == "modify_user_address":
            return name, {"user_id": self.near(user.user_id, "nobody"), **self.address()}
        if name == "return_delivered_order_items":
            return name, {"order_id": order_id, "item_ids": self.items(order)[0], "payment_method_id": self.method(order)}
        return name, {"summary": "x"} if name == "transfer_to_human_agents" else {}


class Airline(Retail):
    def some_flight(self):
        while True:
            flight = self.draw.choice(list(self.db.flights.values()))
            date = self.draw.choice([date for date in flight.dates if date >= "2024-05-12"])
            if flight.dates[date].status == "available" or self.draw.random() < 0.1:
                return flight, date

    def info(self):
        flight, date = self.some_flight()
        number = self.near(flight.flight_number, "HAT999")
        return {"flight_number": number, "date": self.near(date, "2024-07-01")}

    def passengers(self, count):
        names = ["Ann", "Bob", "Zoë", "Dan"]
        return [{"first_name": self.draw.choice(names), "last_name": "Li", "dob": "1990-01-02"} for _ in range(count)]

    def price(self, info, cabin):
        flight = self.db.flights.get(info["flight_number"])
        day = flight.dates.get(info["date"]) if flight else None
        return day.prices[cabin] if day is not None and day.status == "available" else 100

    def book(self):
        draw = self.draw
        user = draw.choice(list(self.db.users.values()))
        cabin, heads = draw.choice(["business", "economy", "basic_economy"]), draw.randint(1, 3)
        flights = [self.info() for _ in range(draw.randint(1, 2))]
        bags, insurance = draw.randint(0, 2), draw.choice(["yes", "no"])
        total = sum(self.price(info, cabin) for info in flights) * heads + 50 * bags + (30 * heads if insurance == "yes" else 0)
        # Each method once: the published tool leaves half of its work where a certificate is used twice.
        methods = draw.sample(list(user.payment_methods.values()), min(len(user.payment_methods), draw.randint(1, 3)))
        payments = []
        for method in methods[:-1]:
            amount = min(total, int(getattr(method, "amount", 50)))
            payments.append({"payment_id": method.id, "amount": amount})
            total -= amount
        payments.append({"payment_id": self.near(methods[-1].id, "credit_card_0"), "amount": self.near(total, total + 1)})
        return {
            "user_id": self.near(user.user_id, "nobody"), "origin": "SFO", "destination": "JFK",
            "flight_type": draw.choice(["one_way", "round_trip"]), "cabin": cabin, "flights": flights,
            "passengers": self.passengers(heads), "payment_methods": payments,
            "total_baggages": bags + draw.randint(0, 2), "nonfree_baggages": bags, "insurance": insurance,
        }

    def update(self, reservation):
        draw = self.draw
        flights = [{"flight_number": one.flight_number, "date": one.date} for one in reservation.flights]
        if draw.random() < 0.7:
            flights[draw.randrange(len(flights))] = self.info()
        cabin = draw.choice([reservation.cabin, "economy", "business"])
        return {"reservation_id": self.near(reservation.reservation_id, "XXXXXX"), "cabin": cabin, "flights": flights, "payment_id": self.payment(reservation)}

    def payment(self, reservation):
        return self.near(self.draw.choice(list(self.db.users[reservation.user_id].payment_methods)), "gift_card_0")

    def next(self):
        draw = self.draw
        reservation = draw.choice(list(self.db.reservations.values()))
        reservation_id = self.near(reservation.reservation_id, "XXXXXX")
        name = draw.choice([
            "book_reservation", "book_reservation", "book_reservation", "calculate", "cancel_reservation", "get_flight_status",
            "get_reservation_details", "get_user_details", "list_all_airports", "search_direct_flight", "search_onestop_flight",
            "send_certificate", "transfer_to_human_agents", "update_reservation_baggages", "update_reservation_flights",
            "update_reservation_flights", "update_reservation_passengers",
        ])
        if name == "book_reservation":
            return name, self.book()
        if name == "calculate":
            return name, {"expression": expression(draw)}
        if name in ("cancel_reservation", "get_reservation_details"):
            return name, {"reservation_id": reservation_id}
        if name == "get_flight_status":
            return name, self.info()
        if name == "get_user_details":
            return name, {"user_id": self.near(reservation.user_id, "nobody")}
        if name in ("search_direct_flight", "search_onestop_flight"):
            flight, date = self.some_flight()
            return name, {"origin": flight.origin, "destination": draw.choice([flight.destination, "SEA"]), "date": self.near(date, "2024-07-01")}
        if name == "send_certificate":
            return name, {"user_id": self.near(reservation.user_id, "nobody"), "amount": draw.choice([50, 100, 333])}
        if name == "update_reservation_baggages":
            count = draw.randint(0, 4)
            return name, {"reservation_id": reservation_id, "total_baggages": count + 1, "nonfree_baggages": count, "payment_id": self.payment(reservation)}
        if name == "update_reservation_flights":
            return name, self.update(reservation)
        if name == "update_reservation_passengers":
            return name, {"reservation_id": reservation_id, "passengers": self.passengers(self.near(len(reservation.passengers), 4))}
        return name, {"summary": "x"} if name == "transfer_to_human_agents" else {}


class Telecom:
    """The telephone company and the user's phone, in one environment that keeps the two in step."""

    READS = [
        "check_status_bar", "check_network_status", "check_network_mode_preference", "run_speed_test", "check_sim_status",
        "check_data_restriction_status", "check_apn_settings", "check_wifi_status", "check_wifi_calling_status", "check_vpn_status",
        "check_installed_apps", "can_send_mms", "check_payment_request",
    ]
    WRITES = [
        "toggle_airplane_mode", "reseat_sim_card", "toggle_data", "toggle_roaming", "toggle_data_saver_mode", "reset_apn_settings",
        "toggle_wifi", "toggle_wifi_calling", "disconnect_vpn", "reboot_device", "make_payment", "make_payment",
    ]
    BREAKS = [
        ("user", "simulate_network_search", {}), ("user", "turn_airplane_mode_on", {}), ("user", "turn_roaming_off", {}),
        ("user", "turn_roaming_on", {}), ("user", "turn_data_off", {}), ("user", "turn_data_saver_mode_on", {}),
        ("user", "unseat_sim_card", {}), ("user", "lock_sim_card", {"mode": "pin"}), ("user", "lock_sim_card", {"mode": "puk"}),
        ("user", "set_network_mode_preference", {"mode": "2g_only"}), ("user", "set_user_location", {"abroad": True}),
        ("user", "set_wifi_calling", {"enabled": True, "mms_over_wifi": True}), ("user", "break_vpn", {}),
        ("user", "remove_app_permission", {"app_name": "messaging", "permission": "sms"}),
        ("assistant", "set_data_usage", {"customer_id": "C1001", "line_id": "L1002", "data_used_gb": 15.1}),
        ("assistant", "disable_roaming", {"customer_id": "C1001", "line_id": "L1002"}),
        ("assistant", "suspend_line_for_overdue_bill", {"customer_id": "C1001", "line_id": "L1002", "new_bill_id": "B1234321", "contract_ended": True}),
    ]

    def __init__(self, draw, environment):
        self.draw, self.environment = draw, environment

    def begin(self):
        first = [("user", "set_user_info", {"name": "John Smith", "phone_number": "555-123-2002"})]
        chosen = first + self.draw.sample(self.BREAKS, self.draw.randint(0, 6))
        return chosen + [("user", "break_apn_mms_setting", {})] * self.draw.randint(0, 1)

    def near(self, good, other):
        return other if self.draw.random() < 0.06 else good

    def next(self):
        draw, db = self.draw, self.environment.tools.db
        line = {"customer_id": self.near("C1001", draw.choice(["C1002", "C9"])), "line_id": self.near(draw.choice(["L1001", "L1002", "L1003"]), "L9")}
        kind = draw.random()
        if kind < 0.3:
            return draw.choice(self.READS), {}
        if kind < 0.55:
            return draw.choice(self.WRITES), {}
        customer = draw.choice(db.customers)
        bill = draw.choice(db.bills).bill_id
        return draw.choice([
            ("check_app_status", {"app_name": draw.choice(["messaging", "browser", "maps"])}),
            ("check_app_permissions", {"app_name": draw.choice(["messaging", "browser", "maps"])}),
            ("grant_app_permission", {"app_name": draw.choice(["messaging", "maps"]), "permission": draw.choice(["SMS", "storage", "camera"])}),
            ("set_network_mode_preference", {"mode": draw.choice(["4g_5g_preferred", "4g_only", "3g_only", "2g_only", "6g"])}),
            ("set_apn_settings", {"apn_settings": draw.choice([{"apn_name": "internet"}, {"apn_name": "broken"}, {"mms_apn": "x", "mms_port": 80}])}),
            ("get_customer_by_phone", {"phone_number": self.near(draw.choice(db.lines).phone_number, "1")}),
            ("get_customer_by_id", {"customer_id": self.near(customer.customer_id, "C9")}),
            ("get_customer_by_name", {"full_name": customer.full_name.upper(), "dob": self.near(customer.date_of_birth, "1900-01-01")}),
            ("get_details_by_id", {"id": draw.choice(["L1002", "D1002", bill, "C1001", "P1002", "X1", "L9", "D9", "B9", "P9"])}),
            ("get_bills_for_customer", {"customer_id": "C1001", "limit": draw.choice([1, 2, 12])}),
            ("get_bills_for_customer", {"customer_id": line["customer_id"]}),
            ("get_data_usage", line), ("enable_roaming", line), ("disable_roaming", line), ("resume_line", line), ("resume_line", line),
            ("suspend_line", {**line, "reason": "x"}),
            ("refuel_data", {**line, "customer_id": "C1001", "gb_amount": draw.choice([2.0, 0.5, 3, -1])}),
            ("send_payment_request", {"customer_id": "C1001", "bill_id": bill}),
            ("send_payment_request", {"customer_id": "C1001", "bill_id": "B1234321"}),
            ("transfer_to_human_agents", {"summary": "x"}),
        ])


def walk_telecom(seed, count):
    from tau2.data_model.message import ToolCall
    from tau2.data_model.tasks import EnvFunctionCall
    from tau2.domains.telecom import tools as company_tools
    from tau2.domains.telecom import user_tools
    from tau2.domains.telecom.environment import get_environment

    environment = get_environment()
    show({"hash": environment.get_db_hash(), "user": environment.get_user_db_hash()})
    draw = random.Random(seed)
    defaults = user_tools.TelecomUserTools.default_vpn_details
    for number in range(count):
        if number % CALLS_PER_EPISODE == 0:
            # The published code breaks the defaults of the VPN for the whole process.
            user_tools.TelecomUserTools.default_vpn_details = defaults.model_copy()
            environment = get_environment()
            # Bills that it begins have random ids; ours count the bills.
            bills = environment.tools.db.bills
            company_tools.uuid = types.SimpleNamespace(uuid4=lambda bills=bills: types.SimpleNamespace(hex=f"f{len(bills):07x}"))
            ahead = Telecom(draw, environment)
            begin = ahead.begin()
            for env_type, name, arguments in begin:
                environment.run_env_function_call(EnvFunctionCall(env_type=env_type, func_name=name, arguments=arguments))
            show({"begin": [[name, arguments] for _, name, arguments in begin]})
        tool, arguments = ahead.next()
        requestor = "user" if environment.user_tools.has_tool(tool) else "assistant"
        told = environment.get_response(ToolCall(id="x", name=tool, arguments=copy.deepcopy(arguments), requestor=requestor))
        if told.error:
            done = {"error": told.content.removeprefix("Error: ")}
        else:
            try:
                done = {"answer": json.loads(told.content)}
            except json.JSONDecodeError:
                done = {"answer": told.content}
        show({"tool": tool, "arguments": arguments, **done, "hash": environment.get_db_hash(), "user": environment.get_user_db_hash()})


def gold_telecom():
    from tau2.domains.telecom.environment import get_environment, get_tasks

    for task in get_tasks():
        worth = []
        for with_gold in (True, False):
            environment = get_environment()
            environment.set_state(None, task.initial_state.initialization_actions, [])
            for action in task.evaluation_criteria.actions if with_gold else []:
                try:
                    environment.make_tool_call(tool_name=action.name, requestor=action.requestor, **action.arguments)
                    environment.sync_tools()
                except Exception:
                    pass
            assertions = task.evaluation_criteria.env_assertions or []
            holds = all(environment.run_env_assertion(one, raise_assertion_error=False) for one in assertions)
            has_actions = "ACTION" in [basis.value for basis in task.evaluation_criteria.reward_basis]
            worth.append(holds and (with_gold or not has_actions or not task.evaluation_criteria.actions))
        show({"task": task.id, "gold": worth[0], "null": worth[1]})


def expression(draw):
    number = lambda: draw.choice(["2", "3.5", "0", "100", "1234.567", "0.1", ".5", "(2 + 1)", "-4"])
    return " ".join([number()] + [word for _ in range(draw.randint(0, 4)) for word in (draw.choice("+-*/"), number())])


def show(line):
    print(json.dumps(line))


def walk(name, seed, count):
    beginning, Tools = domain(name)
    show({"hash": beginning.get_hash()})
    draw = random.Random(seed)
    for number in range(count):
        if number % CALLS_PER_EPISODE == 0:
            tools = Tools(beginning.model_copy(deep=True))
            ahead = (Retail if name == "retail" else Airline)(draw, tools.db)
            show({"begin": True})
        tool, arguments = ahead.next()
        done = call(tools, tool, arguments)
        show({"tool": tool, "arguments": arguments, **done, "hash": tools.get_db_hash()})


def actions_of(path):
    with open(path, encoding="utf-8") as file:
        return [(task["id"], task["evaluation_criteria"].get("actions") or []) for task in json.load(file)]


def gold(name, path):
    beginning, Tools = domain(name)
    for task, actions in actions_of(path):
        tools = Tools(beginning.model_copy(deep=True))
        done = [call(tools, action["name"], action["arguments"]) for action in actions]
        # The package of the data is newer than that of the code: a tool that the code has not raises there, and changes nothing anywhere.
        errors = {index: one["error"] for index, one in enumerate(done) if "error" in one}
        show({"task": task, "errors": errors, "hash": tools.get_db_hash()})


def clock(name, path):
    beginning, Tools = domain(name)
    took = []
    for _, actions in actions_of(path):
        began = time.perf_counter()
        tools = Tools(beginning.model_copy(deep=True))
        for action in actions:
            call(tools, action["name"], action["arguments"])
        tools.get_db_hash()
        took.append((time.perf_counter() - began) * 1e3)
    show({"ms": statistics.median(took)})


match sys.argv[1:]:
    case ["walk", "telecom", seed, count]:
        walk_telecom(int(seed), int(count))
    case ["gold", "telecom"]:
        gold_telecom()
    case ["walk", name, seed, count]:
        walk(name, int(seed), int(count))
    case ["gold", name, path]:
        gold(name, path)
    case ["time", name, path]:
        clock(name, path)
    case _:
        sys.exit(__doc__)

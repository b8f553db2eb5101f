// The only script of the pages. Without it they work by reloading. It follows changes, opens records beneath their rows, and listens to keys.
"use strict";
(() => {
  const ROWS_MAX = 5000;
  const main = document.getElementById("content");
  const status = document.getElementById("live");
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  const get = async (address) => {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  };
  const say = (words) => { if (status) status.textContent = words; };

  // Changes. One stream, closed while nobody looks.
  let stream = null;
  let seen = main.dataset.after || "0";
  let isBusy = false;
  let isAgain = false;

  const reload = async () => {
    const page = parse(await get(location.href));
    const fresh = page.getElementById("content");
    if (!fresh || main.contains(document.activeElement) && document.activeElement.matches("input, select")) return;
    const row = selected();
    main.replaceChildren(...Array.from(fresh.childNodes, (node) => document.adoptNode(node)));
    if (row >= 0) select(row, false);
  };
  const append = async (list) => {
    const total = Number(list.dataset.total);
    const first = Number(list.getAttribute("start"));
    const shown = list.children.length;
    // Only the last page of a trajectory grows, and not for ever.
    if (first + shown !== total || shown >= ROWS_MAX) { list.dataset.total = seen; say(seen + " records; reload to see the new ones"); return; }
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 30;
    const rows = parse(await get(list.dataset.path + "/rows?from=" + total + "&count=1000")).querySelectorAll("li[data-row]");
    list.append(...Array.from(rows, (row) => document.adoptNode(row)));
    list.dataset.total = String(first + list.children.length);
    if (isAtEnd && rows.length) scrollTo(0, document.documentElement.scrollHeight);
    say("live: " + list.dataset.total + " records");
    if (Number(list.dataset.total) < Number(seen) && rows.length) await append(list);
  };
  const update = async (isGap) => {
    if (isBusy) { isAgain = true; return; }
    isBusy = true;
    try {
      const list = document.getElementById("rows");
      if (list && !isGap) await append(list); else { await reload(); say("live"); }
    } catch (error) {
      say("not up to date (" + error.message + "): reload the page");
    }
    isBusy = false;
    if (isAgain) { isAgain = false; update(false); }
  };
  const open = () => {
    if (stream || document.hidden || !main.dataset.topic || !window.EventSource) return;
    stream = new EventSource("/live?topic=" + encodeURIComponent(main.dataset.topic) + "&after=" + encodeURIComponent(seen));
    for (const kind of ["change", "gap"]) stream.addEventListener(kind, (event) => { seen = event.lastEventId; update(kind === "gap"); });
    stream.onopen = () => say("live");
    stream.onerror = () => say(stream && stream.readyState === EventSource.CLOSED ? "not live: reload the page" : "not live: trying again");
  };
  const close = () => { if (stream) { stream.close(); stream = null; } };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();

  // Records beneath their rows.
  const toggle = async (row) => {
    const shown = row.querySelector(":scope > .record");
    if (shown) { shown.remove(); return; }
    const link = row.querySelector(":scope > a");
    const body = document.createElement("div");
    body.className = "record";
    try {
      const page = parse(await get(link.href + "?part=1"));
      body.append(...Array.from(page.body.childNodes, (node) => document.adoptNode(node)));
    } catch (error) {
      body.textContent = "This record could not be loaded: " + error.message;
    }
    row.append(body);
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#rows > li > a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    toggle(link.parentElement);
  });

  // Keys.
  const rows = () => Array.from(document.querySelectorAll("[data-row]"));
  const selected = () => rows().findIndex((row) => row.classList.contains("selected"));
  const select = (place, isShown) => {
    const all = rows();
    if (!all.length) return;
    const row = all[Math.max(0, Math.min(place, all.length - 1))];
    for (const other of all) other.classList.toggle("selected", other === row);
    const link = row.querySelector("a");
    if (isShown) { row.scrollIntoView({ block: "nearest" }); if (link) link.focus({ preventScroll: true }); }
  };
  const KEYS = [["j, k", "next, previous"], ["g, G", "first, last"], ["Enter", "open"], ["/", "search"], ["?", "this help"]];
  const help = () => {
    const old = document.querySelector("dialog");
    if (old) { old.close(); old.remove(); return; }
    const dialog = document.createElement("dialog");
    const list = document.createElement("dl");
    for (const [key, words] of KEYS) {
      const term = document.createElement("dt"), what = document.createElement("dd");
      term.textContent = key; what.textContent = words;
      list.append(term, what);
    }
    dialog.setAttribute("aria-label", "Keys");
    dialog.append(list);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    const act = {
      j: () => select(selected() + 1, true),
      k: () => select(Math.max(0, selected() - 1), true),
      g: () => select(0, true),
      G: () => select(Infinity, true),
      "/": () => { const field = document.getElementById("search"); if (field) field.focus(); },
      "?": help,
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();

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
  // All of them at once: a list that is alive loses what is taken from it.
  const taken = (nodes) => Array.from(nodes).map((node) => document.adoptNode(node));
  const say = (words) => { if (status) status.textContent = words; };

  // Changes. One stream, closed while nobody looks.
  let stream = null;
  let seen = main.dataset.after || "0";
  let isBusy = false;
  let isAgain = false;

  const reload = async () => {
    const page = parse(await get(location.href));
    const fresh = page.getElementById("content");
    if (!fresh) return;
    // A page with a form that somebody may be filling in says which parts of it change.
    const parts = Array.from(fresh.querySelectorAll("[data-part]")).filter((part) => part.id !== "findings");
    if (main.querySelector("[data-part]")) {
      for (const part of parts) {
        const old = document.getElementById(part.id);
        // What somebody has opened or closed stays so.
        const before = Array.from(old ? old.querySelectorAll("details") : []);
        if (!old || old.contains(document.activeElement)) continue;
        old.replaceWith(document.adoptNode(part));
        part.querySelectorAll("details").forEach((details, at) => {
          if (before[at] && before[at].dataset.touched) { details.open = before[at].open; details.dataset.touched = "1"; }
        });
      }
      return;
    }
    if (main.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) return;
    const row = selected();
    main.replaceChildren(...taken(fresh.childNodes));
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
    list.append(...taken(rows));
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
      body.append(...taken(page.body.childNodes));
    } catch (error) {
      body.textContent = "This record could not be loaded: " + error.message;
    }
    row.append(body);
  };
  document.addEventListener("click", (event) => {
    const summary = event.target.closest("summary");
    if (summary) summary.parentElement.dataset.touched = "1";
    const link = event.target.closest("#rows > li > a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    toggle(link.parentElement);
  });

  // The editor: line numbers, and a check after each pause in typing.
  const edit = document.getElementById("edit");
  const source = document.getElementById("source");
  if (edit && source) {
    const CHECK_MS = 600;
    const gutter = document.getElementById("gutter");
    const findings = document.getElementById("findings");
    let timer = 0;
    let asking = null;
    const number = () => {
      const lines = source.value.split("\n").length;
      while (gutter.children.length > lines) gutter.lastChild.remove();
      while (gutter.children.length < lines) {
        const line = document.createElement("span");
        line.textContent = String(gutter.children.length + 1);
        gutter.append(line);
      }
      gutter.scrollTop = source.scrollTop;
    };
    const mark = () => {
      for (const line of gutter.children) line.className = "";
      for (const finding of findings.querySelectorAll("[data-line]")) {
        const line = gutter.children[Number(finding.dataset.line) - 1];
        if (line && line.className !== "error") line.className = finding.classList.contains("error") ? "error" : "warning";
      }
    };
    const check = async () => {
      if (asking) asking.abort();
      asking = new AbortController();
      const { signal } = asking;
      const form = new URLSearchParams(new FormData(edit));
      form.set("part", "1");
      edit.dataset.state = "checking";
      try {
        const answer = await fetch(edit.dataset.check, { method: "POST", body: form, signal });
        const page = parse(await answer.text());
        const shown = answer.ok ? page.body : page.querySelector(".notice") || page.body;
        findings.replaceChildren(...taken(answer.ok ? shown.childNodes : [shown]));
        mark();
        edit.dataset.state = "checked";
      } catch (error) {
        if (!signal.aborted) { findings.textContent = "It could not be checked: " + error.message; edit.dataset.state = "checked"; }
      }
    };
    const later = () => { number(); edit.dataset.state = "typing"; clearTimeout(timer); timer = setTimeout(check, CHECK_MS); };
    source.addEventListener("input", later);
    source.addEventListener("scroll", () => { gutter.scrollTop = source.scrollTop; });
    source.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      // The next line begins where this one does.
      event.preventDefault();
      const line = source.value.slice(0, source.selectionStart).split("\n").pop();
      const space = line.match(/^[ \t]*/)[0];
      // Old, but the only way that can be undone.
      document.execCommand("insertText", false, "\n" + space);
    });
    edit.querySelector("[name=name]").addEventListener("input", later);
    edit.addEventListener("submit", (event) => {
      if (event.submitter && event.submitter.hasAttribute("formaction")) return;
      event.preventDefault();
      clearTimeout(timer);
      check();
    });
    findings.addEventListener("click", (event) => {
      const finding = event.target.closest("a[href='#source']") && event.target.closest("[data-line]");
      if (!finding) return;
      event.preventDefault();
      const lines = source.value.split("\n");
      const line = Math.min(Number(finding.dataset.line), lines.length) - 1;
      const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
      // Columns count characters, the field counts units of UTF-16.
      const at = before + Array.from(lines[line]).slice(0, Number(finding.dataset.column) - 1).join("").length;
      source.focus();
      source.setSelectionRange(at, at);
      source.scrollTop = Math.max(0, line - 5) * (source.scrollHeight / lines.length);
    });
    number();
    mark();
  }

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

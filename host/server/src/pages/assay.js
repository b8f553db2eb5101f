// The only script of the pages. Without it they work by reloading. It follows changes, puts a crosshair through charts and zooms them, sorts lists, saves lists and drawings, opens records beneath their rows,
// colours the editor, and listens to keys.
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
      offer();
      return;
    }
    if (main.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) return;
    const row = selected();
    main.replaceChildren(...taken(fresh.childNodes));
    offer();
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

  // Drawings, saved as files: with the colours that they have on the page, as it is light or dark.
  const saved = (name, type, parts) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts, { type }));
    link.download = (document.title + " " + name).replace(/[^\w.-]+/g, "-").replace(/-+$/, "") + "." + type.split("/")[1].replace(/\+.*/, "");
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];
  const drawn = (svg) => {
    const copy = svg.cloneNode(true);
    const shown = svg.querySelectorAll("*");
    const marks = copy.querySelectorAll("*");
    marks.forEach((mark, at) => {
      const style = getComputedStyle(shown[at]);
      for (const name of STYLED) mark.setAttribute(name, style.getPropertyValue(name));
      mark.removeAttribute("class");
    });
    // A crosshair is no part of the drawing.
    svg.querySelectorAll("*").forEach((mark, at) => { if (mark.matches(".crosshair, .chosen")) marks[at].remove(); });
    const { width, height } = svg.viewBox.baseVal;
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    for (const [name, value] of [["width", width], ["height", height], ["fill", getComputedStyle(document.body).backgroundColor]]) paper.setAttribute(name, value);
    copy.prepend(paper);
    for (const [name, value] of [["xmlns", svg.namespaceURI], ["width", width], ["height", height]]) copy.setAttribute(name, value);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const picture = async (svg, name) => {
    const { text, width, height } = drawn(svg);
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(text);
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saved(name, "image/png", [blob]));
  };
  const offerFiles = (drawing) => {
    const svg = drawing.querySelector("svg");
    if (!svg || drawing.dataset.saved) return;
    drawing.dataset.saved = "offered";
    const caption = drawing.parentElement.querySelector("figcaption strong, figcaption");
    const name = caption ? caption.textContent : "drawing";
    const bar = document.createElement("p");
    bar.className = "buttons";
    for (const [words, act] of [["Save as SVG", () => saved(name, "image/svg+xml", [drawn(svg).text])], ["Save as PNG", () => picture(svg, name)]]) {
      const button = document.createElement("button");
      button.className = "plain save";
      button.textContent = words;
      button.setAttribute("aria-label", words + ": " + name);
      button.addEventListener("click", act);
      bar.append(button, " ");
    }
    drawing.after(bar);
  };

  // Charts of a run: one crosshair through all that have time across, with the value of each; and other windows, drawn by the server.
  const courses = { section: null, values: null, at: null, from: null };
  const offerCrosshair = () => {
    const section = document.getElementById("charts");
    if (!section || !section.dataset.address || section.dataset.crosshair) return;
    section.dataset.crosshair = "offered";
    Object.assign(courses, { section, values: null, at: null, from: null });
    const hint = document.createElement("p");
    hint.className = "small";
    hint.id = "charts-keys";
    hint.textContent = "In a drawing: ← → move the crosshair, with Shift by ten; + and − show less or more of the session, 0 all of it. With a mouse, drag over what you want to see.";
    section.querySelector("h2").after(hint);
    for (const drawing of section.querySelectorAll("[data-chart]")) {
      drawing.setAttribute("aria-describedby", hint.id);
      const values = document.createElement("p");
      values.className = "small values";
      values.hidden = true;
      drawing.after(values);
    }
  };
  const plot = () => courses.section.dataset.plot.split(" ").map(Number);
  const span = () => [Number(courses.section.dataset.from), Number(courses.section.dataset.to)];
  // Where a pointer is in the plane of a drawing, from 0 to 1.
  const placeOf = (drawing, event) => {
    const [left, right, width] = plot();
    const box = drawing.querySelector("svg").getBoundingClientRect();
    return Math.max(0, Math.min(1, (((event.clientX - box.left) / box.width) * width - left) / (right - left)));
  };
  const line = (svg, name, x, width) => {
    let mark = svg.querySelector("." + name);
    if (!mark) {
      mark = document.createElementNS(svg.namespaceURI, "rect");
      mark.setAttribute("class", name);
      mark.setAttribute("y", 0);
      mark.setAttribute("height", svg.viewBox.baseVal.height);
      svg.append(mark);
    }
    mark.setAttribute("x", x);
    mark.setAttribute("width", width);
  };
  const loaded = async () => {
    const { section } = courses;
    if (!courses.values) {
      const [from, to] = span();
      const address = "/api" + section.dataset.address + "/charts?from=" + from + "&to=" + to;
      courses.values = fetch(address).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
    }
    return courses.values;
  };
  const aim = async (at) => {
    const { section } = courses;
    courses.at = at;
    const [left, right] = plot();
    for (const drawing of section.querySelectorAll("[data-chart]")) line(drawing.querySelector("svg"), "crosshair", left + at * (right - left) - 0.5, 1);
    const all = await loaded();
    if (!all || courses.section !== section || courses.at !== at) return;
    for (const chart of all.charts) {
      const drawing = section.querySelector("[data-chart='" + chart.id + "']");
      const values = drawing && drawing.parentElement.querySelector(".values");
      const row = chart.rows[Math.min(chart.rows.length - 1, Math.floor(at * chart.rows.length))];
      if (!values || !row) continue;
      values.hidden = false;
      values.textContent = chart.head.map((name, place) => name + " " + row[place]).join(" · ");
      // Only the chart that somebody is in speaks.
      if (drawing === document.activeElement) values.setAttribute("role", "status"); else values.removeAttribute("role");
    }
  };
  const show = async (from, to, chart) => {
    const { section } = courses;
    const [start, step, steps] = ["start", "step", "steps"].map((name) => Number(section.dataset[name]));
    const end = start + step * steps;
    const isAll = from === null || (from <= start && to >= end);
    const query = isAll ? "" : "?from=" + Math.round(Math.max(from, start)) + "&to=" + Math.round(Math.min(to, end));
    try {
      const fresh = parse(await get(section.dataset.address + "/charts" + query)).getElementById("charts");
      if (!fresh || courses.section !== section) return;
      section.replaceWith(document.adoptNode(fresh));
      history.replaceState(null, "", location.pathname + query + "#charts");
      offer();
      const drawing = chart && fresh.querySelector("[data-chart='" + chart + "']");
      if (drawing) drawing.focus({ preventScroll: true });
    } catch (error) {
      document.getElementById("charts-keys").textContent = "The charts could not be drawn: " + error.message;
    }
  };
  const zoom = (factor, chart) => {
    const [from, to] = span();
    const middle = from + (courses.at === null ? 0.5 : courses.at) * (to - from);
    const half = ((to - from) * factor) / 2;
    show(middle - half, middle + half, chart);
  };
  const drawingOf = (event) => (event.target.closest ? event.target.closest("[data-chart]") : null);
  document.addEventListener("pointermove", (event) => {
    const drawing = courses.section && drawingOf(event);
    if (!drawing) return;
    const at = placeOf(drawing, event);
    aim(at);
    if (courses.from === null) return;
    const [left, right] = plot();
    const [low, high] = [Math.min(courses.from, at), Math.max(courses.from, at)];
    for (const other of courses.section.querySelectorAll("[data-chart] svg")) line(other, "chosen", left + low * (right - left), (high - low) * (right - left));
  });
  document.addEventListener("pointerdown", (event) => {
    const drawing = courses.section && event.button === 0 && event.pointerType === "mouse" && drawingOf(event);
    if (drawing) courses.from = placeOf(drawing, event);
  });
  document.addEventListener("pointerup", (event) => {
    if (courses.from === null) return;
    const drawing = drawingOf(event);
    const first = courses.from;
    courses.from = null;
    courses.section.querySelectorAll(".chosen").forEach((mark) => mark.remove());
    const last = drawing ? placeOf(drawing, event) : courses.at;
    const [from, to] = span();
    if (Math.abs(last - first) > 0.01) show(from + Math.min(first, last) * (to - from), from + Math.max(first, last) * (to - from), drawing && drawing.dataset.chart);
  });
  document.addEventListener("dblclick", (event) => { if (courses.section && drawingOf(event)) zoom(2, drawingOf(event).dataset.chart); });
  document.addEventListener("keydown", (event) => {
    const drawing = courses.section && event.target.matches("[data-chart]") && event.target;
    if (!drawing || event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = span();
    const bucket = Number(courses.section.dataset.step) / (to - from);
    const move = (by) => aim(Math.max(bucket / 2, Math.min(1 - bucket / 2, (courses.at === null ? 0.5 : courses.at) + by * bucket * (event.shiftKey ? 10 : 1))));
    const act = {
      ArrowLeft: () => move(-1),
      ArrowRight: () => move(1),
      Home: () => aim(bucket / 2),
      End: () => aim(1 - bucket / 2),
      "+": () => zoom(0.5, drawing.dataset.chart),
      "=": () => zoom(0.5, drawing.dataset.chart),
      "-": () => zoom(2, drawing.dataset.chart),
      0: () => show(null, null, drawing.dataset.chart),
    }[event.key];
    if (act) { event.preventDefault(); event.stopPropagation(); act(); }
  }, true);

  // Lists: sorted by a heading, saved as CSV. What was sorted stays so when the page changes.
  const order = new Map();
  const lists = () => Array.from(main.querySelectorAll("table:not(.grid):not(.aside)")).filter((table) => table.tHead && table.querySelectorAll("tbody > [data-row]").length > 1);
  const key = (row, column) => {
    const text = row.cells[column] ? row.cells[column].innerText.trim() : "";
    const number = Number(text.split(" ")[0].replaceAll(",", ""));
    return text && !Number.isNaN(number) ? number : text;
  };
  const less = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const sort = (table, { column, turn }) => {
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row) => [key(row, column), row]);
    body.append(...keyed.sort(([a], [b]) => turn * less(a, b)).map(([, row]) => row));
    Array.from(table.tHead.rows[0].cells).forEach((cell, at) => {
      if (at === column) cell.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending"); else cell.removeAttribute("aria-sort");
    });
  };
  // A spreadsheet must not take a text from somebody else for a formula.
  const quoted = (text) => '"' + (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text.split(" ")[0].replaceAll(",", ""))) ? "'" : "") + text.replaceAll('"', '""') + '"';
  const save = (table) => {
    const line = (row) => Array.from(row.cells, (cell) => quoted(cell.innerText.trim())).join(",") + "\r\n";
    const lines = [table.tHead.rows[0], ...table.tBodies[0].rows].map(line);
    saved("", "text/csv", lines);
  };
  const offer = () => {
    document.querySelectorAll("figure > .drawing").forEach(offerFiles);
    offerCrosshair();
    lists().forEach((table, place) => {
      if (!table.dataset.list) {
        table.dataset.list = String(place);
        for (const cell of table.tHead.rows[0].cells) {
          if (!cell.textContent) continue;
          const button = document.createElement("button");
          button.className = "plain";
          button.append(...cell.childNodes);
          cell.append(button);
        }
        const button = document.createElement("button");
        button.className = "plain save";
        button.textContent = "Save as CSV";
        (table.closest(".scroll") || table).after(button);
        button.addEventListener("click", () => save(table));
        table.tHead.addEventListener("click", (event) => {
          const cell = event.target.closest("button") && event.target.closest("th");
          if (!cell) return;
          const before = order.get(place);
          order.set(place, { column: cell.cellIndex, turn: before && before.column === cell.cellIndex ? -before.turn : 1 });
          sort(table, order.get(place));
        });
      }
      if (order.has(place)) sort(table, order.get(place));
    });
  };
  offer();

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

  // Colours of the editor: what a piece of text is, by the first of these that fits. What is not closed reaches to the end, so no text takes long.
  const keywords = (words) => new RegExp("\\b(?:" + words.replaceAll(" ", "|") + ")\\b");
  const PIECES = {
    rs: {
      comment: /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/,
      string: /\bb?r(?<fence>#*)"[^]*?(?:"\k<fence>|$)|"(?:\\[^]?|[^"\\])*(?:"|$)|'(?:\\[^'\n]{1,10}|[^\\'\n])'/,
      number: /\b\d[\w.]*/,
      keyword: keywords("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"),
    },
    py: {
      comment: /#[^\n]*/,
      string: /\b[rRbBfFuU]{1,2}(?=["'])|(?<fence>"""|''')[^]*?(?:\k<fence>|$)|"(?:\\[^]?|[^"\\\n])*(?:"|$|(?=\n))|'(?:\\[^]?|[^'\\\n])*(?:'|$|(?=\n))/,
      number: /\b\d[\w.]*/,
      keyword: keywords("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield"),
    },
  };
  const PAINTED_MAX = 200000;
  const painted = (text, language) => {
    const kinds = Object.entries(PIECES[language]);
    const any = new RegExp(kinds.map(([kind, piece]) => "(?<" + kind + ">" + piece.source + ")").join("|"), "g");
    const shown = document.createDocumentFragment();
    let at = 0;
    for (const found of text.matchAll(any)) {
      const piece = document.createElement("span");
      piece.className = kinds.find(([kind]) => found.groups[kind] !== undefined)[0];
      piece.textContent = found[0];
      shown.append(text.slice(at, found.index), piece);
      at = found.index + found[0].length;
    }
    shown.append(text.slice(at));
    return shown;
  };

  // The editor: line numbers, colours, and a check after each pause in typing.
  const edit = document.getElementById("edit");
  const source = document.getElementById("source");
  if (edit && source) {
    const CHECK_MS = 600;
    const gutter = document.getElementById("gutter");
    const findings = document.getElementById("findings");
    const name = edit.querySelector("[name=name]");
    // A coloured copy of the text beneath the field, which then shows only its caret. It is for eyes alone.
    const paint = document.createElement("pre");
    const copy = document.createElement("code");
    paint.id = "paint";
    paint.setAttribute("aria-hidden", "true");
    paint.append(copy);
    source.before(paint);
    const follow = () => {
      gutter.scrollTop = source.scrollTop;
      copy.style.transform = "translate(" + -source.scrollLeft + "px, " + -source.scrollTop + "px)";
    };
    const colour = () => {
      const isShort = source.value.length <= PAINTED_MAX;
      source.parentElement.classList.toggle("painted", isShort);
      copy.replaceChildren(isShort ? painted(source.value, name.value.trim().endsWith(".py") ? "py" : "rs") : "");
      follow();
    };
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
      colour();
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
    source.addEventListener("scroll", follow);
    source.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      // The next line begins where this one does.
      event.preventDefault();
      const line = source.value.slice(0, source.selectionStart).split("\n").pop();
      const space = line.match(/^[ \t]*/)[0];
      // Old, but the only way that can be undone.
      document.execCommand("insertText", false, "\n" + space);
    });
    name.addEventListener("input", later);
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
  const KEYS = [["← → + − 0", "in a chart of a run: crosshair, zoom"], ["j, k", "next, previous"], ["g, G", "first, last"], ["Enter", "open"], ["/", "search"], ["?", "this help"]];
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

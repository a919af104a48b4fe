"use strict";
// The page works without this script; it adds tooltips, switches for models and theme, and the item browser.
const PROBAND = (() => {
  const find = (query, root = document) => root.querySelector(query);
  const all = (query, root = document) => [...root.querySelectorAll(query)];

  // An element with a class and children; text goes in as text, never as HTML.
  function make(name, look, ...children) {
    const element = document.createElement(name);
    if (look) element.className = look;
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  // ---- theme ----
  const root = document.documentElement;
  const store = { get() { try { return localStorage.getItem("proband-theme"); } catch { return null; } },
                  set(value) { try { localStorage.setItem("proband-theme", value); } catch { /* private mode */ } } };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  function label() { find("#theme").textContent = dark() ? "Light" : "Dark"; }
  if (["dark", "light"].includes(store.get())) root.dataset.theme = store.get();
  find("#theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; store.set(root.dataset.theme); label(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();

  // ---- tooltips: pointer, touch, and arrow keys inside a figure ----
  const tip = find("#tip");
  function showTip(target) {
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const box = target.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 8);
    const above = box.top - own.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 50 ? above : box.bottom + 8}px`;
  }
  const hideTip = () => { tip.hidden = true; };
  document.addEventListener("pointerover", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) showTip(target); else hideTip();
  });
  addEventListener("scroll", hideTip, { passive: true });
  for (const figure of all("svg.figure")) {
    let at = -1;
    const step = (by) => {
      const marks = all("[data-tip]:not(.off)", figure);
      if (!marks.length) return;
      marks.forEach((mark) => mark.classList.remove("lit"));
      at = (at + by + marks.length) % marks.length;
      marks[at].classList.add("lit");
      showTip(marks[at]);
    };
    figure.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (by) { event.preventDefault(); step(by); }
      if (event.key === "Escape") hideTip();
    });
    figure.addEventListener("blur", () => { hideTip(); all(".lit", figure).forEach((mark) => mark.classList.remove("lit")); });
  }

  // ---- switches for models ----
  for (const button of all(".legend button")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      const section = button.closest("section");
      button.setAttribute("aria-pressed", String(on));
      all(`[data-m="${button.dataset.model}"]`, section).forEach((mark) => mark.classList.toggle("off", !on));
    });
  }

  // ---- where we are ----
  const links = new Map(all(".top nav a").map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (entry.isIntersecting) links.forEach((link, id) => link.classList.toggle("here", id === entry.target.id));
  }), { rootMargin: "-20% 0px -70% 0px" });
  links.forEach((_, id) => { const section = document.getElementById(id); if (section) watch.observe(section); });

  // ---- the item browser ----
  const sets = new Map();        // key -> index, with shards: Map(number -> records)
  const waiting = new Map();     // file -> [resolve, reject]
  const PAGE = 20;
  const view = { key: null, picked: {}, right: "", drawn: "", search: "", matches: [], page: 0, turn: 0 };

  function load(file) {
    if (waiting.has(file)) return waiting.get(file);
    const promise = new Promise((resolve, reject) => {
      const script = make("script");
      script.src = `data/${file}`;
      script.onload = () => resolve();
      script.onerror = () => { waiting.delete(file); reject(new Error(`data/${file} cannot be read: keep the report's folder together`)); };
      document.head.append(script);
    });
    waiting.set(file, promise);
    return promise;
  }
  const records = async (key, number) => {
    if (!sets.get(key).shards.has(number)) await load(`${key}-${number}.js`);
    return sets.get(key).shards.get(number);
  };
  async function item(key, i) {
    const { shard } = sets.get(key);
    return (await records(key, Math.floor(i / shard)))[i % shard];
  }

  const MANY = 6; // choices that are always shown
  const RIGHT = [["", "any"], ["all", "all right"], ["none", "all wrong"], ["split", "models disagree"]];
  function drawFilters() {
    const set = sets.get(view.key), box = find("#tags");
    box.replaceChildren();
    for (const [name, tag] of Object.entries(set.tags)) {
      if (tag.values.length < 2) continue;
      const order = tag.values.map((value, i) => [value, i]).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      box.append(picker(name, [["", "any"], ...order.map(([value, i]) => [String(i), value])], (value) => { view.picked[name] = value; }));
    }
    const choices = [...RIGHT];
    set.runs.forEach((run, m) => choices.push([`1${m}`, `${run} right`], [`0${m}`, `${run} wrong`]));
    if (set.drawn.length && set.drawn.length < set.count) {
      box.append(picker("drawing", [["", "any"], ["1", "drawn"]], (value) => { view.drawn = value; }));
    }
    if (set.right.some((line) => /[01h]/.test(line))) box.append(picker("answers", choices, (value) => { view.right = value; }));
  }
  function picker(name, choices, change) {
    const select = make("select");
    select.name = name;
    for (const [value, text] of choices) { const option = make("option", "", text); option.value = value; select.append(option); }
    select.addEventListener("change", () => { change(select.value); filter(); });
    return make("label", "", name, select);
  }

  function passes(set, i) {
    for (const [name, code] of Object.entries(view.picked)) if (code !== "" && set.tags[name].codes[i] !== Number(code)) return false;
    if (view.drawn && !set.pictured.has(i)) return false;
    if (view.right === "") return true;
    const signs = set.right.map((line) => line[i]);
    if (view.right === "all") return signs.every((sign) => sign === "1");
    if (view.right === "none") return signs.every((sign) => sign === "0");
    if (view.right === "split") return new Set(signs.filter((sign) => sign !== "-")).size > 1;
    return signs[Number(view.right.slice(1))] === view.right[0];
  }
  const holds = (record, words) => {
    const text = [record.id, record.prompt, ...(record.choices || []), record.show || ""].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };

  async function filter() {
    const set = sets.get(view.key), turn = ++view.turn;
    let found = [];
    for (let i = 0; i < set.count; i++) if (passes(set, i)) found.push(i);
    const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) {
      const kept = [], total = found.length;
      let seen = 0, last = -1;
      for (const i of found) {
        const number = Math.floor(i / set.shard);
        if (number !== last) { say(`searching, ${Math.round(100 * seen / total)}%`); await records(view.key, number); last = number; }
        if (turn !== view.turn) return;       // the user typed on
        if (holds(await item(view.key, i), words)) kept.push(i);
        seen += 1;
      }
      found = kept;
    }
    view.matches = found;
    view.page = 0;
    await drawPage();
  }
  const say = (text) => { find("#found").textContent = text; };

  async function drawPage() {
    const set = sets.get(view.key), turn = view.turn, list = find("#list");
    const first = view.page * PAGE, slice = view.matches.slice(first, first + PAGE);
    const rows = await Promise.all(slice.map(async (i) => drawRow(set, i, await item(view.key, i))));
    if (turn !== view.turn) return;
    list.replaceChildren(...rows);
    const total = view.matches.length.toLocaleString("en");
    say(total === "0" ? `none of ${set.count.toLocaleString("en")} items` : `${(first + 1).toLocaleString("en")}–${(first + slice.length).toLocaleString("en")} of ${total} ${total === "1" ? "item" : "items"}`);
    find("#before").disabled = view.page === 0;
    find("#after").disabled = first + PAGE >= view.matches.length;
  }

  const colour = (m) => `c${m % 8}`;
  const SIGNS = { 1: ["right", "✓", "right"], 0: ["wrong", "✗", "wrong"], h: ["half", "½", "partly right"], "-": ["none", "–", "no verdict"] };
  function tick(set, m, i) {
    const [look, sign, words] = SIGNS[set.right[m][i]];
    const mark = make("span", `tick ${look} ${colour(m)}`, sign);
    mark.dataset.tip = `${set.runs[m]}\n${words}`;
    mark.setAttribute("aria-label", `${set.runs[m]}: ${words}`);
    mark.setAttribute("role", "img");
    return mark;
  }
  function drawRow(set, i, record) {
    const what = make("span", "what", record.prompt.replace(/\s+/g, " ").slice(0, 220) || record.id);
    if (record.choices && record.choices.length < 5) what.append(make("span", "", record.choices.join(" / ").slice(0, 120)));
    const row = make("button", "row", what, make("span", "marks", ...set.runs.map((_, m) => tick(set, m, i))));
    row.type = "button";
    row.setAttribute("aria-expanded", "false");
    const line = make("li", "", row);
    row.addEventListener("click", () => {
      const open = row.getAttribute("aria-expanded") === "true";
      row.setAttribute("aria-expanded", String(!open));
      if (open) line.lastChild.remove(); else line.append(drawItem(set, i, record));
    });
    return line;
  }

  function drawItem(set, i, record) {
    const box = make("div", "open", make("div", "prompt", record.prompt));
    const tags = Object.entries(set.tags).filter(([, tag]) => tag.codes[i] >= 0).map(([name, tag]) => [name, tag.values[tag.codes[i]]]);
    const every = [["id", record.id], ...tags, ...Object.entries(record.tags || {})];
    box.append(make("div", "tags", ...every.map(([name, value]) => make("span", "", `${name}: ${value}`))));
    if (record.choices) box.append(drawChoices(set, record));
    record.answers.forEach((answer, m) => {
      if (!answer || (answer.t === undefined && !answer.b)) return;
      box.append(make("h4", "", make("span", `swatch s${m % 4} ${colour(m)}`), `${set.runs[m]} answered`));
      if (answer.t !== undefined) box.append(make("pre", "", answer.t));
      if (answer.b) box.append(drawBlanks(answer.b));
    });
    if (record.show) box.append(make("h4", "", "In full"), make("pre", "", record.show));
    const drawings = make("div", "drawings");
    for (const [run, svg] of Object.entries(record.svg || {})) {
      const image = make("img");
      image.alt = run ? `Drawing of this item with the answer of ${run}` : "Drawing of this item";
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      drawings.append(make("div", "", make("h4", "", run || "Drawn"), image));
    }
    box.append(drawings);
    return box;
  }

  // Scores are only comparable within one model: a bar goes from its lowest to its highest choice. Of many choices, those
  // that nobody picked (a model level on more than three picks none) are folded away.
  function drawChoices(set, record) {
    const list = make("ol", "choices"), others = make("ol", "choices");
    const picked = new Set([record.gold]);
    for (const answer of record.answers) {
      if (!answer || !answer.s) continue;
      const high = Math.max(...answer.s), top = answer.s.flatMap((score, c) => score === high ? [c] : []);
      if (top.length <= 3) top.forEach((c) => picked.add(c));
    }
    record.choices.forEach((choice, c) => {
      const line = make("li", c === record.gold ? "gold" : "", make("span", "said", choice));
      if (c === record.gold) line.append(make("span", "gold-mark", "gold"));
      record.answers.forEach((answer, m) => {
        if (!answer || !answer.s) return;
        const low = Math.min(...answer.s), high = Math.max(...answer.s);
        const share = high > low ? 0.06 + 0.94 * (answer.s[c] - low) / (high - low) : 1;
        const bar = make("i");
        bar.style.width = `${100 * share}%`;
        const chosen = answer.s[c] === high;
        line.append(make("div", `score ${colour(m)}${chosen ? " chosen" : ""}`, make("span", "who", set.runs[m]), make("span", "meter", bar), make("span", "n", `${answer.s[c]}${chosen ? " ◂" : ""}`)));
      });
      (record.choices.length <= MANY || picked.has(c) ? list : others).append(line);
    });
    if (!others.childElementCount) return list;
    return make("div", "", list, make("details", "", make("summary", "", `${others.childElementCount} choices that nobody picked`), others));
  }
  function drawBlanks(blanks) {
    const names = [...new Set(blanks.flatMap((blank) => Object.keys(blank)))];
    const words = (value) => value === undefined || value === null ? "" : Array.isArray(value) && value.every((each) => typeof each !== "object") ? value.join(" ") : typeof value === "object" ? JSON.stringify(value) : String(value);
    const head = make("tr", "", ...names.map((name) => make("th", "", name)));
    const lines = blanks.map((blank) => make("tr", "", ...names.map((name) => make("td", "", words(blank[name])))));
    return make("div", "blanks", make("table", "", make("thead", "", head), make("tbody", "", ...lines)));
  }

  async function openSet(key) {
    say("loading");
    Object.assign(view, { key, picked: {}, right: "", drawn: "", page: 0 });
    if (!sets.has(key)) await load(`${key}-index.js`);
    drawFilters();
    await filter();
  }
  const fail = (error) => say(error.message);
  function startBrowser() {
    const set = find("#set");
    let typing;
    set.addEventListener("change", () => openSet(set.value).catch(fail));
    find("#search").addEventListener("input", (event) => {
      clearTimeout(typing);
      typing = setTimeout(() => { view.search = event.target.value; filter().catch(fail); }, 200);
    });
    const turn = (by) => { view.page += by; drawPage().catch(fail); find("#items").scrollIntoView({ block: "start" }); };
    find("#before").addEventListener("click", () => turn(-1));
    find("#after").addEventListener("click", () => turn(1));
    openSet(set.value).catch(fail);
  }
  if (find("#items")) {
    const near = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) { near.disconnect(); startBrowser(); }
    }, { rootMargin: "600px" });
    near.observe(find("#items"));
  }

  return {
    index(key, index) { sets.set(key, { ...index, pictured: new Set(index.drawn), shards: new Map() }); },
    shard(key, number, list) { sets.get(key).shards.set(number, list); },
  };
})();

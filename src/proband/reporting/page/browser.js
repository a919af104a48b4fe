// The item browser: an index per item set says what filters need; the items lie in shards that are loaded when shown.
const PROBAND = (() => {
  const sets = new Map();        // key -> index, with shards: Map(number -> records)
  const waiting = new Map();     // file -> promise
  const PAGE = matchMedia("(max-width: 720px)").matches ? 10 : 20;
  const view = { key: null, picked: {}, right: "", drawn: "", asked: "", search: "", place: "text", matches: [], page: 0, turn: 0 };

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

  // ---- filters and search ----
  const MANY = 6; // choices that are always shown
  const OWN = 5;  // choices from which on they are a list that all items share, not the item's own text
  const RIGHT = [["", "any"], ["all", "all right"], ["none", "all wrong"], ["split", "models disagree"]];
  const WRONG = "0uf";
  function drawFilters() {
    const set = sets.get(view.key), box = find("#tags");
    box.replaceChildren();
    for (const [name, tag] of Object.entries(set.tags)) {
      if (tag.values.length < 2) continue;
      const order = tag.values.map((value, i) => [value, i]).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      box.append(picker(name, tag.title, [["", "any"], ...order.map(([value, i]) => [String(i), value])], (value) => { view.picked[name] = value; }));
    }
    const choices = [...RIGHT];
    set.runs.forEach((run, m) => {
      choices.push([`1${m}`, `${run} right`], [`0${m}`, `${run} wrong`]);
      for (const [sign, word] of [["h", "partly right"], ["t", "tie"], ["u", "unread"], ["f", "failed"], ["s", "skipped"], ["n", "not covered"]]) if (set.right[m].includes(sign)) choices.push([`${sign}${m}`, `${run} ${word}`]);
    });
    if (set.asked) {
      box.append(picker("asked", "items", [["", "asked"], ["all", "all"]], (value) => { view.asked = value; }));
      find("select[name=asked]", box).value = view.asked;
    }
    if (set.drawn.length && set.drawn.length < set.count) {
      box.append(picker("drawing", "drawing", [["", "any"], ["1", "drawn"]], (value) => { view.drawn = value; }));
    }
    if (set.right.some((line) => /[01htufsn]/.test(line))) box.append(picker("answers", "right or wrong", choices, (value) => { view.right = value; }));
  }
  function picker(name, title, choices, change) {
    const select = make("select");
    select.name = name;
    for (const [value, text] of choices) { const option = make("option", "", text); option.value = value; select.append(option); }
    select.addEventListener("change", () => { change(select.value); filter().catch(fail); });
    return make("label", "", title, select);
  }

  function passes(set, i) {
    for (const [name, code] of Object.entries(view.picked)) if (code !== "" && set.tags[name].codes[i] !== Number(code)) return false;
    if (view.drawn && !set.pictured.has(i)) return false;
    if (set.asked && !view.asked && !set.asked.has(i)) return false;
    if (view.right === "") return true;
    const signs = set.right.map((line) => line[i]);
    if (view.right === "all") return signs.every((sign) => sign === "1");
    if (view.right === "none") return signs.every((sign) => WRONG.includes(sign));
    if (view.right === "split") return new Set(signs.filter((sign) => !"-sn".includes(sign)).map((sign) => WRONG.includes(sign) ? "0" : sign)).size > 1;
    const sign = signs[Number(view.right.slice(1))];
    return view.right[0] === "0" ? WRONG.includes(sign) : sign === view.right[0];
  }
  // Where the words are looked for: in what was asked, in what models wrote, in the name, or in all of it.
  const TEXTS = {
    id: (record) => [record.id],
    text: (record) => [record.prompt, ...(record.choices && record.choices.length < OWN ? record.choices : [])],
    answers: (record) => record.answers.flatMap((answer) => answer ? [answer.t ?? "", answer.b ? JSON.stringify(answer.b) : "", ...picks(record, answer)] : []),
    all: (record) => [...TEXTS.id(record), record.prompt, ...(record.choices || []), record.show || "", ...TEXTS.answers(record)],
  };
  const picks = (record, answer) => {
    if (!answer.s || !record.choices) return [];
    const high = Math.max(...answer.s);
    return record.choices.filter((_, c) => answer.s[c] === high);
  };
  const holds = (record, words) => {
    const text = TEXTS[view.place](record).join("\n").toLowerCase();
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
        if (number !== last) { say(`searching, ${Math.round(100 * seen / total)} %`); await records(view.key, number); last = number; }
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

  // ---- the list ----
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

  const colour = (set, m) => set.looks[m].split(" ")[1];
  const SIGNS = {
    1: ["right", "✓", "right"], 0: ["wrong", "✗", "wrong"], h: ["half", "½", "partly right"], t: ["half", "=", "tie"],
    u: ["wrong", "?", "unread"], f: ["wrong", "!", "failed"], s: ["none", "↷", "skipped"], n: ["none", "∅", "not covered"], "-": ["none", "–", "no verdict"],
  };
  function tick(set, m, i) {
    const [look, sign, words] = SIGNS[set.right[m][i]];
    const mark = make("span", `tick ${look} ${colour(set, m)}`, sign);
    mark.dataset.tip = `${set.runs[m]}\n${words}`;
    mark.setAttribute("aria-label", `${set.runs[m]}: ${words}`);
    mark.setAttribute("role", "img");
    return mark;
  }
  const address = (record) => `#item-${encodeURIComponent(record.id)}`;
  function drawRow(set, i, record) {
    const what = make("span", "what", record.prompt.replace(/\s+/g, " ").slice(0, 220) || record.id);
    if (record.choices && record.choices.length < OWN) what.append(make("span", "", record.choices.join(" / ").slice(0, 120)));
    const row = make("button", "row", what, make("span", "marks", ...set.runs.map((_, m) => tick(set, m, i))));
    row.type = "button";
    row.setAttribute("aria-expanded", "false");
    const line = make("li", "", row);
    row.addEventListener("click", () => {
      const open = row.getAttribute("aria-expanded") === "true";
      row.setAttribute("aria-expanded", String(!open));
      if (open) { line.lastChild.remove(); return; }
      line.append(drawItem(set, i, record));
      history.replaceState(null, "", address(record));
    });
    return line;
  }

  // ---- one item ----
  function drawItem(set, i, record) {
    const own = make("a", "", "link to this item");
    own.href = address(record);
    const box = make("div", "open", make("div", "address", own), make("div", "prompt", record.prompt));
    const tags = Object.entries(set.tags).filter(([, tag]) => tag.codes[i] >= 0).map(([, tag]) => [tag.title, tag.values[tag.codes[i]]]);
    const every = [["id", record.id], ...tags, ...Object.entries(record.tags || {})];
    box.append(make("div", "tags", ...every.map(([name, value]) => make("span", "", `${name}: ${value}`))));
    if (record.choices) box.append(drawChoices(set, record));
    record.answers.forEach((answer, m) => {
      if (!answer || (answer.t === undefined && !answer.b && !answer.status)) return;
      const state = answer.status ? make("span", "status", SIGNS[set.right[m][i]][2]) : null;
      box.append(make("h3", "small", make("span", `swatch ${set.looks[m]}`), answer.status === "not covered" ? `${set.runs[m]} does not cover it` : answer.status === "skipped" ? `${set.runs[m]} was not asked` : `${set.runs[m]} answered`, state));
      if (answer.l !== undefined) box.append(make("p", "note", `log-probability per token: ${answer.l.toFixed(3).replace("-", "−")}`));
      if (answer.t !== undefined) box.append(scrolled(make("pre", "", answer.t), `answer of ${set.runs[m]}`));
      if (answer.b) box.append(drawBlanks(answer.b, `blanks of ${set.runs[m]}`));
    });
    if (record.show) box.append(make("h3", "small", "In full"), scrolled(make("pre", "", record.show), "the item in full"));
    const drawings = make("div", "drawings");
    for (const [run, svg] of Object.entries(record.svg || {})) {
      const image = make("img");
      image.alt = run ? `Drawing of this item with the answer of ${run}` : "Drawing of this item";
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      drawings.append(make("div", "", make("h3", "small", run || "Drawing"), image));
    }
    box.append(drawings);
    if (set.groups) drawVariations(set, i).then((table) => { if (table) box.append(make("h3", "small", "Variations of this item"), table); }).catch(fail);
    return box;
  }
  // An item next to what was made from it: what each model answered, and where its answer is not the one to the source.
  async function drawVariations(set, i) {
    const places = set.groups.flatMap((group, place) => group === set.groups[i] ? [place] : []);
    if (places.length < 2) return null;
    const tag = set.tags.variation, group = await Promise.all(places.map((place) => item(view.key, place)));
    const answer = (record, m) => { const given = record.answers[m]; return !given ? "" : given.s && record.choices ? picks(record, given).slice(0, 3).join(" / ") : given.t ?? ""; };
    const gold = (record) => record.choices && record.gold !== null ? record.choices[record.gold] : "";
    const head = make("tr", "", ...["variation", "item", "gold", ...set.runs].map((text) => make("th", "", text)));
    const lines = group.map((record, n) => make("tr", places[n] === i ? "here" : "",
      make("th", "", tag.values[tag.codes[places[n]]]), make("td", "prompt", record.prompt), make("td", "", gold(record)),
      ...set.runs.map((_, m) => make("td", gold(record) === gold(group[0]) && answer(record, m) !== answer(group[0], m) ? "changed" : "", tick(set, m, places[n]), ` ${answer(record, m)}`))));
    return scrolled(make("div", "blanks variations", make("table", "", make("thead", "", head), make("tbody", "", ...lines))), "variations of this item");
  }
  // What scrolls can be reached by keyboard, and has a name.
  function scrolled(element, name) {
    element.tabIndex = 0;
    element.setAttribute("role", "region");
    element.setAttribute("aria-label", name);
    return element;
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
        const chosen = !set.ranked && answer.s[c] === high;  // a score that only ranks items chooses nothing
        line.append(make("div", `score ${colour(set, m)}${chosen ? " chosen" : ""}`, make("span", "who", set.runs[m]), make("span", "meter", bar), make("span", "n", `${answer.s[c]}${chosen ? " ◂" : ""}`)));
      });
      (record.choices.length <= MANY || picked.has(c) ? list : others).append(line);
    });
    if (!others.childElementCount) return list;
    return make("div", "", list, make("details", "", make("summary", "", `${others.childElementCount} choices that no model picked`), others));
  }
  function drawBlanks(blanks, name) {
    const names = [...new Set(blanks.flatMap((blank) => Object.keys(blank)))];
    const words = (value) => {
      if (value === undefined || value === null) return "";
      if (typeof value === "boolean") return value ? "yes" : "no";
      if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(3).replace("-", "−");
      if (Array.isArray(value)) return value.map(words).join(value.some(Array.isArray) ? "; " : " ");
      if (typeof value === "object") return Object.entries(value).map(([key, each]) => `${key} ${words(each)}`).join(", ");
      return String(value);
    };
    const head = make("tr", "", ...names.map((name) => make("th", "", name.replaceAll("_", " "))));
    const lines = blanks.map((blank) => make("tr", "", ...names.map((name) => make("td", "", words(blank[name])))));
    return scrolled(make("div", "blanks", make("table", "", make("thead", "", head), make("tbody", "", ...lines))), name);
  }


  // ---- starting, keys, addresses ----
  const fail = (error) => say(error.message);
  async function openSet(key, asked = "") {
    say("loading");
    Object.assign(view, { key, picked: {}, right: "", drawn: "", asked, page: 0 });
    if (!sets.has(key)) await load(`${key}-index.js`);
    drawFilters();
    await filter();
  }
  const turn = async (by) => {
    const page = view.page + by;
    if (page < 0 || page * PAGE >= view.matches.length) return;
    view.page = page;
    await drawPage();
    find("#items").scrollIntoView({ block: "start" });
  };
  function keys(event) {
    const rows = all("#list .row"), at = rows.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (at >= 0 && to !== undefined && rows[to]) { event.preventDefault(); rows[to].focus(); }
    if (at === 0 && event.key === "ArrowUp") { event.preventDefault(); find("#search").focus(); }
    if (at >= 0 && ["PageDown", "PageUp"].includes(event.key)) {
      event.preventDefault();
      turn(event.key === "PageDown" ? 1 : -1).then(() => find("#list .row")?.focus()).catch(fail);
    }
  }
  async function openItem(id) {
    await started();
    const set = sets.get(view.key), i = set.ids.indexOf(id);
    if (i < 0) {
      say(`item ${id} is not among the ${set.count.toLocaleString("en")} shown here`);
      find("#items").scrollIntoView({ block: "start" });
      return;
    }
    if (!view.matches.includes(i)) { find("#search").value = view.search = ""; await openSet(view.key, "all"); }
    view.page = Math.floor(view.matches.indexOf(i) / PAGE);
    await drawPage();
    const row = all("#list .row")[view.matches.indexOf(i) % PAGE];
    if (row.getAttribute("aria-expanded") === "false") row.click();
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "start" });
  }
  let start = null;
  const started = () => start ??= openSet(find("#items").dataset.set);
  function follow() {
    const id = anchor();
    if (id.startsWith("item-")) openItem(id.slice("item-".length)).catch(fail);
  }
  if (find("#items[data-set]")) {
    let typing;
    const search = () => { view.search = find("#search").value; view.place = find("#place").value; started().then(filter).catch(fail); };
    find("#search").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 200); });
    find("#search").addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" && find("#list .row")) { event.preventDefault(); find("#list .row").focus(); }
    });
    find("#place").addEventListener("change", search);
    find("#before").addEventListener("click", () => turn(-1).catch(fail));
    find("#after").addEventListener("click", () => turn(1).catch(fail));
    find("#list").addEventListener("keydown", keys);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
      event.preventDefault();
      find("#search").focus();
    });
    const near = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) { near.disconnect(); started().catch(fail); }
    }, { rootMargin: "600px" });
    near.observe(find("#items"));
    addEventListener("hashchange", follow);
    follow();
  }

  return {
    index(key, index) { sets.set(key, { ...index, pictured: new Set(index.drawn), asked: index.asked && new Set(index.asked), shards: new Map() }); },
    shard(key, number, list) { sets.get(key).shards.set(number, list); },
  };
})();

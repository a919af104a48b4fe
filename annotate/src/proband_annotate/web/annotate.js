// Drafts, heartbeat, live checks, shortcuts, and sending again after a lost connection. Pages work without this file.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const form = $("task");
  const memory = (() => { try { localStorage.setItem("proband", "1"); return localStorage; } catch { return null; } })();

  const copy = $("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", () => navigator.clipboard.writeText($("code").textContent).then(() => { copy.textContent = copy.dataset.copied; }));
  }
  if ($("wait")) { // a task that became free, or the end, takes the place of this page
    setInterval(async () => {
      const page = await fetch(location.href).then((reply) => reply.ok ? reply.text() : "", () => "");
      if (page && !page.includes('id="wait"')) location.reload();
    }, 30000);
  }
  if (!form) return;

  const home = form.dataset.home, unit = form.elements.unit.value, revise = form.dataset.revise === "yes";
  const name = `proband ${home} ${unit}${revise ? " again" : ""}`;
  const saved = $("saved"), offline = $("offline"), problem = $("problem");
  const signals = { pasted: 0, pastes: 0, keys: 0, typing_seconds: 0, hidden: 0 };
  let sending = false, lastKey = 0;

  // ---- what is typed is kept here at once; an id belongs to one content: sent again it is the same, changed it is new
  const kept = (() => { try { return JSON.parse(memory?.getItem(name) || "null") || {}; } catch { return {}; } })();
  const fresh = () => crypto.randomUUID ? crypto.randomUUID() : Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  const remember = () => { try { memory?.setItem(name, JSON.stringify(kept)); } catch { /* full or forbidden: the server has the draft */ } };
  const forget = () => { try { memory?.removeItem(name); } catch { /* nothing to forget */ } };
  const fields = () => {
    const all = Object.fromEntries(new FormData(form));
    for (const box of form.querySelectorAll("input[type=checkbox]")) all[box.name] = box.checked ? box.value : "";
    for (const field of ["form", "unit", "id"]) delete all[field];
    return all;
  };
  const idOf = (content) => {
    if (kept.sent?.content !== content) kept.sent = { id: fresh(), content };
    return kept.sent.id;
  };
  const unsaved = Boolean(kept.fields); // typed, but the server did not get it
  for (const [field, value] of Object.entries(kept.fields || {})) {
    const there = form.elements[field];
    if (!there || ["form", "unit", "id"].includes(field)) continue;
    if (there.type === "checkbox") there.checked = there.value === value; else there.value = value;
  }

  const body = () => {
    const data = new URLSearchParams(new FormData(form));
    if (form.dataset.signals) for (const [key, value] of Object.entries(signals)) data.set(`signal_${key}`, String(Math.round(value * 10) / 10));
    return data;
  };
  const post = (where, data) => fetch(`${home}/${where}`, { method: "POST", body: data, headers: { Accept: "application/json" } });
  const lost = (yes) => { offline.hidden = !yes; offline.textContent = yes ? offline.dataset.text : ""; };

  // ---- drafts
  let timer = 0, waiting = false;
  const save = async () => {
    if (sending || revise) return; // the server keeps drafts of open tasks; of a change, only this browser does
    const content = JSON.stringify(fields());
    waiting = false;
    saved.textContent = saved.dataset.saving;
    try {
      const reply = await post("draft", body());
      if (!reply.ok) return;
      saved.textContent = saved.dataset.saved; lost(false);
      if (content === JSON.stringify(fields())) { delete kept.fields; remember(); }
    } catch { saved.textContent = ""; lost(true); clearTimeout(timer); timer = setTimeout(save, 5000); }
  };
  form.addEventListener("input", () => {
    kept.fields = fields(); remember();
    waiting = true; clearTimeout(timer); timer = setTimeout(save, 800);
  });
  addEventListener("pagehide", () => { if (waiting && !revise && !sending) navigator.sendBeacon(`${home}/draft`, body()); });
  if (unsaved) save();

  // ---- lengths
  for (const count of form.querySelectorAll("[data-count]")) {
    const text = form.elements[count.dataset.count], most = Number(count.dataset.most);
    const show = () => {
      const used = [...text.value.trim()].length;
      count.textContent = count.dataset.text.replace("{used}", used);
      count.classList.toggle("over", used > most);
    };
    text.addEventListener("input", show); show();
  }

  // ---- heartbeat: the time between two of them is work, unless nothing was touched for two minutes
  let touched = performance.now();
  for (const kind of ["pointermove", "pointerdown", "keydown", "scroll", "input"]) addEventListener(kind, () => { touched = performance.now(); }, { passive: true });
  const beat = () => {
    if (document.hidden || sending) return;
    const data = body();
    if (performance.now() - touched > 120000) data.set("idle", "yes");
    post("alive", data).then(() => lost(false), () => lost(true));
  };
  if (!revise) beat();
  setInterval(beat, 25000);

  // ---- live checks
  const list = $("checks");
  if (list) {
    let wait = 0, turn = 0;
    const look = async () => {
      const mine = ++turn;
      try {
        const reply = await post("checks", body());
        if (!reply.ok || mine !== turn) return;
        const items = (await reply.json()).checks.map((check) => {
          const item = document.createElement("li");
          item.className = check.met ? "met" : check.stops ? "" : "hint";
          item.textContent = check.text;
          return item;
        });
        list.replaceChildren(...items);
      } catch { /* the server checks again when it is sent */ }
    };
    form.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(look, 500); });
    look();
  }

  // ---- sending: the same id until the server says that it is on the disk
  const show = (words, field) => {
    problem.hidden = false;
    problem.textContent = `${form.dataset.problem}: ${words}`;
    const there = field && (form.querySelector(`#${CSS.escape(field)} input, #${CSS.escape(field)}`) || form.elements[field]);
    const target = there instanceof RadioNodeList ? there[0] : there;
    (target?.matches?.("fieldset") ? target.querySelector("input") : target || problem).focus();
    (target || problem).scrollIntoView?.({ block: "center" });
  };
  const button = form.querySelector("button[type=submit]");
  const send = async () => {
    if (sending) return;
    sending = true; clearTimeout(timer); problem.hidden = true;
    const words = button.textContent; button.textContent = form.dataset.sending; button.setAttribute("aria-disabled", "true");
    const data = body();
    data.set("script", "yes");
    kept.fields = fields(); data.set("id", idOf(JSON.stringify(kept.fields))); remember();
    for (let pause = 500; ; pause = Math.min(pause * 1.7, 8000)) {
      let reply;
      try { reply = await post("answer", data); } catch { reply = null; }
      if (reply && (reply.status < 500 && reply.status !== 429)) {
        lost(false);
        const said = await reply.json().catch(() => ({}));
        if (said.saved || reply.status === 409) { forget(); location.replace(home); return; }
        sending = false; button.textContent = words; button.removeAttribute("aria-disabled");
        show(said.problem || "", said.field);
        return;
      }
      lost(true);
      await new Promise((go) => setTimeout(go, pause));
    }
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  form.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(); } });

  // ---- labels by number, only while a sentence is marked (it has the focus)
  const keyed = form.querySelector("[data-keys]");
  if (keyed) {
    const groups = [...keyed.querySelectorAll("fieldset")];
    keyed.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
      const here = event.target.closest("fieldset"), choice = here?.querySelectorAll("input")[Number(event.key) - 1];
      if (!choice) return;
      event.preventDefault();
      choice.checked = true; choice.dispatchEvent(new Event("input", { bubbles: true }));
      const after = groups.slice(groups.indexOf(here) + 1).concat(groups).find((group) => !group.querySelector(":checked"));
      (after?.querySelector("input") || button).focus();
      (after || button).scrollIntoView({ block: "nearest" });
    });
  }

  // ---- the clock
  const clock = $("clock");
  if (clock) {
    const end = Date.now() + Number(clock.dataset.left) * 1000;
    const tick = () => {
      const left = Math.max(0, Math.round((end - Date.now()) / 1000));
      clock.textContent = left ? clock.dataset.text.replace("{left}", `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`) : clock.dataset.over;
      clock.classList.toggle("over", !left);
      if (left) setTimeout(tick, 500);
    };
    tick();
  }

  // ---- how a text came about, counted only where the person agreed to it
  if (form.dataset.signals) {
    form.addEventListener("paste", (event) => { signals.pastes += 1; signals.pasted += (event.clipboardData?.getData("text") || "").length; });
    form.addEventListener("keydown", () => { const now = performance.now(); signals.keys += 1; if (now - lastKey < 5000) signals.typing_seconds += (now - lastKey) / 1000; lastKey = now; });
    document.addEventListener("visibilitychange", () => { if (document.hidden) signals.hidden += 1; });
  }
})();

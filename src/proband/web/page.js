"use strict";
// What every page shares: finding and making elements, light and dark, and the list of contents that follows. Pages work
// without any script.
const find = (query, root = document) => root.querySelector(query);
const all = (query, root = document) => [...root.querySelectorAll(query)];

// An element with a class and children; text goes in as text, never as HTML.
function make(name, look, ...children) {
  const element = document.createElement(name);
  if (look) element.className = look;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// The id after # in the address; one that is no valid encoding as it is.
function anchor() {
  const id = location.hash.slice(1);
  try { return decodeURIComponent(id); } catch { return id; }
}

// ---- theme ----
(() => {
  const root = document.documentElement;
  const store = {
    get() { try { return localStorage.getItem("proband-theme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("proband-theme", value); } catch { /* private mode */ } },
  };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  function label() { find("#theme").textContent = dark() ? "Light" : "Dark"; }
  if (["dark", "light"].includes(store.get())) root.dataset.theme = store.get();
  find("#theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; store.set(root.dataset.theme); label(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
})();

// ---- contents: the entry of what is on the screen is marked; on a narrow screen the list is closed until asked for ----
(() => {
  const box = find("#contents");
  if (matchMedia("(max-width: 1000px)").matches) box.open = false;
  const links = new Map(all("a", box).map((link) => [link.hash.slice(1), link]));
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let waiting = false;
  function mark() {
    waiting = false;
    const reached = places.filter((place) => place.getBoundingClientRect().top < innerHeight * 0.3);
    const at = reached.length ? reached[reached.length - 1].id : places[0]?.id;
    links.forEach((link, id) => {
      const here = id === at;
      if (here && !link.classList.contains("here") && box.scrollHeight > box.clientHeight) box.scrollTop = link.offsetTop - box.clientHeight / 2;
      link.classList.toggle("here", here);
      if (here) link.setAttribute("aria-current", "location"); else link.removeAttribute("aria-current");
    });
  }
  addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
  mark();
})();

// ---- sections that open: on a phone only the first one is; an address inside something closed opens it ----
(() => {
  function reveal() {
    const id = anchor(), target = document.getElementById(id);
    find("#no-such-section")?.remove();
    if (id && !target && !id.startsWith("item-")) {
      const note = make("p", "note", `This page has no section “${id}”.`);
      note.id = "no-such-section";
      note.setAttribute("role", "status");
      find("main")?.prepend(note);
    }
    if (!target) return;
    let opened = false;
    const open = (box) => { if (box && !box.open) { box.open = true; opened = true; } };
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") open(box);
    open(find(":scope > details.fold", target));
    if (opened) target.scrollIntoView();
  }
  if (matchMedia("(max-width: 720px)").matches) all("details.fold").slice(1).forEach((box) => { box.open = false; });
  addEventListener("hashchange", reveal);
  reveal();
})();

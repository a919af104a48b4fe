// Tooltips of figures and tables, and switches for models.
(() => {
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

  // ---- a table that is wider than its place says so ----
  for (const box of all(".scroll")) {
    box.after(make("p", "hint", "more columns: scroll sideways →"));
    const mark = () => box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 4);
    box.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(box);
    mark();
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
})();

/* Shows /state, every two seconds. What comes from a model is only ever text. */
const byId = (id) => document.getElementById(id);
const figure = (value, unit) => (unit === "share" ? (100 * value).toFixed(1) + " %" : value.toFixed(3));

function line(kind, text, className) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function reply(each) {
  const box = line("article", "", "reply");
  const known = each.chosen !== null && each.right !== null;
  box.append(line("p", each.id + (each.status ? " · " + each.status : ""), "meta"), line("pre", each.prompt));
  if (each.reply) box.append(line("pre", "→ " + each.reply));
  if (known) box.append(line("p", each.chosen + (each.chosen === each.right ? "" : " (right: " + each.right + ")"), each.chosen === each.right ? "right" : "wrong"));
  return box;
}

function show(state) {
  byId("about").textContent = state.model ? state.model + " on " + state.suite + (state.asked ? ", asked by " + state.asked : "") : "";
  if (state.waiting) { byId("count").textContent = state.waiting; return; }
  const score = state.score;
  byId("score").textContent = score.mean === null ? "–" : score.title + " " + figure(score.mean, score.unit);
  byId("interval").textContent = score.mean === null ? "" : score.few ? "too few to tell" : "95 % interval " + figure(score.low, score.unit) + " to " + figure(score.high, score.unit) + " over " + score.n + " items; unread " + (100 * score.unread).toFixed(1) + " %";
  byId("done").max = state.total; byId("done").value = state.answered;
  byId("count").textContent = state.answered + " of " + state.total + " answered" + (state.unfinished ? "" : ", finished");
  const usage = state.usage || {};
  byId("cost").textContent = [usage.cost != null ? "cost " + usage.cost.toFixed(4) : "", usage.requests ? usage.requests + " requests" : "", usage.seconds ? usage.seconds.toFixed(0) + " s" : ""].filter(Boolean).join(", ");
  byId("replies").replaceChildren(...state.replies.map(reply));
}

async function turn() {
  try { show(await (await fetch("/state")).json()); } catch { byId("count").textContent = "the server has stopped"; }
  setTimeout(turn, 2000);
}
turn();

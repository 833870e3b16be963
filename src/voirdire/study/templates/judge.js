"use strict";
const settings = JSON.parse(document.getElementById("settings").textContent);
const texts = settings.texts;
const place = id => document.getElementById(id);
const main = place("main"), note = place("note");
const RESERVED = "bsci";
const KEYS = [..."1234567890", ..."adefghjklmnopqrtuvwxyz"].filter(key => !RESERVED.includes(key));
// Milliseconds from one try to the next, and that an answer may take.
const RETRY = [500, 1000, 2000, 4000], PATIENCE = 60_000;
let token = "", now = null, outbox = new Map(), stamp = 0, sending = null, looked = 0, since = 0;

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, does] of Object.entries(value)) made.addEventListener(event, does);
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else made.setAttribute(key, value);
  }
  made.append(...inside.filter(one => one !== null && one !== undefined));
  return made;
}
const say = (name, values = {}) => Object.entries(values).reduce((text, [key, value]) => text.replaceAll("{" + key + "}", value), texts[name]);
const key = text => make("kbd", {"aria-hidden": "true"}, text);

// Requests.
class Refusal extends Error { constructor(status, why) { super(why); this.status = status; this.why = why; } }
async function ask(path, body, kind) {
  const given = {headers: {}, cache: "no-store", redirect: "error", credentials: "omit", signal: AbortSignal.timeout(PATIENCE)};
  if (token) given.headers.Authorization = "Bearer " + token;
  if (body !== undefined) { given.method = "POST"; given.headers["Content-Type"] = "application/json"; given.body = JSON.stringify(body); }
  const answer = await fetch(path, given);
  if (!answer.ok) {
    let why = "";
    try { why = (await answer.json()).refused; } catch { /* no body of ours */ }
    throw new Refusal(answer.status, why);
  }
  return answer[kind]();
}
const pause = milliseconds => new Promise(done => { setTimeout(done, milliseconds); window.addEventListener("online", done, {once: true}); });

// Asks until there is an answer, or nobody wants it any more: a lost network, a server that is busy, or a page of
// somebody else's in place of the answer, is waited for.
async function insist(path, {body, kind = "json", wanted = () => true} = {}) {
  for (let tries = 0; wanted(); tries++) {
    try {
      const answer = await ask(path, body, kind);
      if (tries) note.textContent = "";
      return answer;
    } catch (error) {
      if (!wanted()) break;
      if (error instanceof Refusal && error.status < 500 && ![408, 425, 429].includes(error.status)) throw error;
      note.textContent = texts.offline;
      await pause(RETRY[Math.min(tries, RETRY.length - 1)]);
    }
  }
  return null;
}

// What is to be sent is kept until it is acknowledged; of one task the last message is enough. In the browser's store
// each task stands for itself, as other pages of the same person keep theirs there, too.
const shelf = () => "voirdire-study-" + settings.key + "-" + token.slice(0, 12) + "-";
const stored = does => { try { return does(localStorage); } catch { return null; /* The browser keeps nothing; the page does as long as it is open. */ } };
function put(message) {
  stamp = Math.max(stamp + 1, Date.now());
  const stamped = {...message, stamp};
  outbox.set(message.number, stamped);
  stored(store => store.setItem(shelf() + message.number, JSON.stringify(stamped)));
}
function settle(message) {
  // What was clicked while this one was on its way is sent next.
  if (outbox.get(message.number)?.stamp === message.stamp) outbox.delete(message.number);
  stored(store => {
    const place = shelf() + message.number, held = JSON.parse(store.getItem(place));
    if (held && held.stamp <= message.stamp) store.removeItem(place);
  });
}
function restore() {
  for (const place of stored(Object.keys) || []) {
    if (!place.startsWith(shelf())) continue;
    const held = stored(store => JSON.parse(store.getItem(place)));
    if (held && place === shelf() + held.number) { outbox.set(held.number, held); stamp = Math.max(stamp, held.stamp); }
  }
}
// Gives what was said to the last message.
const send = () => sending ??= empty().finally(() => { sending = null; });
async function empty() {
  let told = null;
  while (outbox.size) {
    const message = outbox.values().next().value;
    try {
      told = await insist("/api/message", {body: message});
      show_progress(told.progress);
      settle(message);
    } catch (error) {
      told = null;
      // Only what this server refuses for good is not sent again: not what one in between refuses, nor what wants a link or consent first.
      if (error.why === "gone" || error.why === "bad") settle(message);
      if (error.why !== "gone") throw error;
      note.textContent = texts.gone;
      if (!busy && now?.number === message.number) setTimeout(() => guard(next), 0);
    }
  }
  return told;
}
const deliver = () => send().catch(fault);

function show_progress(progress) {
  place("bar").hidden = false;
  place("progress").max = Math.max(1, progress.total);
  place("progress").value = progress.done;
  place("count").textContent = say("progress", {done: progress.done, total: progress.total});
}

// Screens.
function show(...inside) {
  // A dialogue is about the task that it was opened on.
  document.querySelectorAll("dialog").forEach(one => one.remove());
  main.replaceChildren(...inside);
  window.scrollTo(0, 0);
  const head = main.querySelector("h2, .text");
  if (head) { head.tabIndex = -1; head.focus({preventScroll: true}); } else main.focus({preventScroll: true});
}
const paragraphs = text => text.split(/\n\s*\n/).map(one => make("p", {}, one));
function worked(text) {
  return text.split(/\n\s*\n/).map(block => {
    const lines = block.split("\n"), said = lines.filter(line => !/^[+-] /.test(line));
    const list = lines.filter(line => /^[+-] /.test(line)).map(line => {
      const good = line[0] === "+";
      return make("li", {class: good ? "yes" : "no"}, make("span", {class: "sign", "aria-hidden": "true"}, good ? "✓" : "✗"), line.slice(2));
    });
    return make("div", {}, said.length ? make("p", {}, said.join("\n")) : null, list.length ? make("ul", {class: "worked"}, ...list) : null);
  });
}
function message(title, text, ...more) {
  now = null;
  show(make("section", {class: "prose"}, make("h2", {}, title), ...paragraphs(text), ...more));
}
function how() {
  return [make("h2", {}, texts["instructions title"]), ...paragraphs(texts.instructions), make("h2", {}, texts["examples title"]), ...worked(texts.examples), make("h2", {}, texts["keys title"]), ...paragraphs(texts.keys)];
}
function first() {
  place("bar").hidden = true;
  const agree = make("button", {class: "main", type: "button", id: "agree", on: {click: async () => {
    agree.disabled = true;
    await guard(async () => { await insist("/api/consent", {body: {}}); learn(); });
  }}}, texts.agree);
  show(make("section", {class: "prose"}, make("h2", {}, texts["consent title"]), ...paragraphs(texts.consent),
    make("h2", {}, texts["stored title"]), ...paragraphs(texts.stored), agree));
}
function learn() {
  const begin = make("button", {class: "main", type: "button", id: "begin", on: {click: () => guard(next)}}, texts.begin);
  show(make("section", {class: "prose"}, ...how(), begin));
  begin.scrollIntoView({block: "nearest"});
  window.scrollTo(0, 0);
}

// One task.
const clock = () => performance.now() / 1000;
document.addEventListener("visibilitychange", () => { if (document.hidden) { looked += clock() - since; } else since = clock(); });
const seconds = () => Math.min(1e6, Math.round((looked + (document.hidden ? 0 : clock() - since)) * 10) / 10);

async function next() {
  const told = await send(), given = told && (told.task || told.code) ? told : await insist("/api/next");
  if (given.code) { show_progress(given.progress); end(given.code, given.progress); } else task(given);
}
async function go(number) {
  await send();
  task(await insist("/api/task/" + number));
}
const back = async () => { if (now.number > 1) await go(now.number - 1); };
const newest = () => now.number >= now.last;
const forward = () => newest() ? next() : go(now.number + 1);
function task(given) {
  const one = given.task;
  const count = one.way === "deselect" ? one.items.length : settings.asked.length;
  const said = given.said || Array(count).fill(one.way === "deselect" ? settings.asked[0].choices[0] : null);
  now = {number: given.number, last: given.progress.last, answers: [...said], comment: given.comment, reason: given.reason, keys: new Map(), state: given.state};
  stamp = Math.max(stamp, given.stamp);
  show_progress(given.progress);
  looked = 0; since = clock();
  const asked = make("div", {class: "asked"});
  if (one.lines.length) {
    // A question and its answer are one line.
    const rows = [];
    for (const [who, text] of one.lines) {
      if (who === "answer" && rows.length) rows.at(-1).append(" ", make("strong", {}, text));
      else rows.push(make("li", {}, who === "caption" ? make("span", {class: "label"}, texts.caption, " ") : null, text));
    }
    asked.append(make("ol", {class: "said"}, ...rows));
  }
  asked.append(make("p", {class: "text", id: "text"}, one.text));
  if (one.way === "deselect") asked.append(kept_or_not(one.items));
  else settings.asked.forEach((question, at) => asked.append(chosen(question, at)));
  const parts = [];
  if (one.picture) parts.push(picture(one));
  // The second click of two belongs to the task before.
  const confirm = make("button", {class: "main", type: "button", id: "next", on: {click: event => { if (event.detail < 2) guard(done); }}}, texts.next, " ", key("↵"));
  const tools = make("nav", {"aria-label": texts.tools}, make("div", {},
    make("button", {type: "button", id: "back", disabled: given.number < 2, on: {click: () => guard(back)}}, texts.back, " ", key("B")),
    make("button", {type: "button", id: "skip", on: {click: skip}}, texts.skip, " ", key("S")),
    make("button", {type: "button", id: "comment", on: {click: comment}}, texts.comment, " ", key("C")),
    make("button", {type: "button", id: "help", "aria-label": texts["instructions title"], on: {click: help}}, "?"),
    confirm));
  show(make("div", {id: "task", class: parts.length ? "pictured" : "", "data-number": given.number}, ...parts, asked), tools);
  ready();
}
function picture(one) {
  const image = make("img", {alt: one.box ? texts["picture box"] : texts.picture});
  const frame = make("div", {class: "frame"}, image);
  if (one.box) {
    const [left, top, wide, high] = one.box.map(share => share * 100 + "%");
    const box = make("div", {class: "box"});
    Object.assign(box.style, {left, top, width: wide, height: high});
    frame.append(box);
  }
  const mine = now, wanted = () => now === mine;
  (async () => {
    const data = await insist("/picture/" + one.picture, {kind: "blob", wanted});
    if (!data) return;
    const address = URL.createObjectURL(data);
    image.addEventListener("load", () => URL.revokeObjectURL(address), {once: true});
    image.src = address;
  })().catch(fault);
  return make("figure", {class: "seen"}, frame);
}
function bind(input) {
  const letter = KEYS[now.keys.size];
  if (letter) now.keys.set(letter, input);
  return letter ? key(letter.toUpperCase()) : null;
}
function kept_or_not(items) {
  const question = settings.asked[0], [yes, no] = question.choices;
  const all = items.map((text, at) => {
    const mark = make("span", {class: "mark", "aria-hidden": "true"}), input = make("input", {type: "checkbox"});
    const label = make("label", {class: "target"}, input, mark, make("span", {class: "word"}, text), bind(input));
    const draw = () => { label.classList.toggle("out", !input.checked); mark.textContent = input.checked ? "✓" : "✗"; };
    input.checked = now.answers[at] !== no;
    draw();
    input.addEventListener("change", () => { now.answers[at] = input.checked ? yes : no; draw(); changed(); });
    return label;
  });
  return make("fieldset", {}, make("legend", {}, texts["ask " + question.name]), make("div", {class: "targets"}, ...all));
}
function chosen(question, at) {
  const all = question.choices.map(word => {
    const input = make("input", {type: "radio", name: "q" + at, value: word});
    input.checked = now.answers[at] === word;
    input.addEventListener("change", () => { now.answers[at] = word; changed(); });
    return make("label", {class: "target"}, input, make("span", {class: "word"}, texts[question.name + " " + word]), bind(input));
  });
  return make("fieldset", {}, make("legend", {}, texts["ask " + question.name]), make("div", {class: "targets few"}, ...all));
}
const whole = () => now.answers.every(one => one !== null);
function ready() { place("next").disabled = !whole(); }
// Half of a pair of surrogates is no text that can be sent.
const clean = (text, most) => text.slice(0, most).replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
function post({done = false, reason = ""}) {
  put({number: now.number, answers: reason ? [] : [...now.answers], done, reason: clean(reason, 200), comment: clean(now.comment, 2000), seconds: seconds(), next: (done || reason !== "") && newest()});
}
function changed() {
  ready();
  post({done: now.state === "done" && whole()});
  deliver();
}
async function done() {
  if (!whole()) { note.textContent = texts.unanswered; return; }
  note.textContent = "";
  post({done: true});
  place("next").disabled = true;
  await forward();
}

// Dialogues over a task.
function over(title, ...inside) {
  const opened = make("dialog", {"aria-labelledby": "over"}, make("h2", {id: "over"}, title), ...inside);
  opened.addEventListener("close", () => opened.remove());
  // The key that shuts a dialogue is not the task's as well.
  opened.addEventListener("keydown", event => event.stopPropagation());
  document.body.append(opened);
  opened.showModal();
  return opened;
}
function skip() {
  const reasons = ["reason 1", "reason 2", "reason 3", "reason 4"].map((name, at) => {
    const one = make("button", {type: "button", on: {click: () => {
      opened.close();
      guard(() => { post({reason: texts[name]}); return forward(); });
    }}}, key(String(at + 1)), " ", texts[name]);
    return one;
  });
  const opened = over(texts["skip title"], make("div", {class: "targets"}, ...reasons),
    make("div", {class: "row"}, make("button", {type: "button", on: {click: () => opened.close()}}, texts.cancel)));
  opened.addEventListener("keydown", event => { const at = "1234".indexOf(event.key); if (event.key.length === 1 && at >= 0) { event.preventDefault(); reasons[at].click(); } });
}
function comment() {
  const field = make("textarea", {id: "remark", maxlength: "2000", "aria-label": texts["comment label"]});
  field.value = now.comment;
  const opened = over(texts["comment label"], field, make("div", {class: "row"},
    make("button", {type: "button", on: {click: () => opened.close()}}, texts.cancel),
    make("button", {type: "button", class: "main", id: "keep", on: {click: () => {
      now.comment = field.value;
      opened.close();
      post({done: now.state === "done" && whole(), reason: now.state === "skipped" ? now.reason : ""});
      deliver();
    }}}, texts.save)));
  field.focus();
}
function help() {
  const opened = over(texts.title, make("div", {class: "prose"}, ...how()), make("div", {class: "row"},
    make("button", {type: "button", class: "main", on: {click: () => opened.close()}}, texts.close)));
}

document.addEventListener("keydown", event => {
  // A dialogue is shut before its "close" is told: a key pressed between the two is the task's.
  if (!now || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const on = event.target;
  // A key that is held down answered the task before.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  if (busy || event.repeat) return;
  if (event.key === "Enter") {
    if (on.matches("button, textarea")) return;
    event.preventDefault();
    guard(done);
    return;
  }
  if (event.key.length !== 1) return;
  const letter = event.key.toLowerCase();
  if (letter === "b") { event.preventDefault(); guard(back); }
  else if (letter === "s") { event.preventDefault(); skip(); }
  else if (letter === "c") { event.preventDefault(); comment(); }
  else if (letter === "i" || letter === "?") { event.preventDefault(); help(); }
  else if (now.keys.has(letter)) { event.preventDefault(); const input = now.keys.get(letter); input.focus(); input.click(); }
});

function end(code, progress) {
  const again = progress.last ? make("p", {}, make("button", {type: "button", id: "back", on: {click: () => guard(() => go(progress.last))}}, texts.back)) : null;
  message(texts["end title"], texts.end, make("p", {}, texts["end code"]), make("p", {class: "code", id: "code"}, code), again);
}
// One step at a time: until it is through, the task that is still to be seen takes nothing more.
let busy = false;
async function guard(does) {
  if (busy) return;
  busy = true;
  try { await does(); } catch (error) { fault(error); } finally { busy = false; if (now) ready(); }
}
document.addEventListener("click", event => { if (busy) { event.preventDefault(); event.stopPropagation(); } }, true);
function fault(error) {
  place("bar").hidden = true;
  if (error.status === 401) message(texts["link title"], texts.link);
  else if (error.why === "consent") first();
  else if (error.why === "gone") { note.textContent = texts.gone; setTimeout(() => guard(next), 0); }
  else message(texts["fault title"], texts.fault);
}
async function begin() {
  token = decodeURIComponent(location.hash.slice(1));
  place("bar").hidden = true;
  if (!token && settings.anyone) {
    token = (await insist("/api/open", {body: {}})).token;
    history.replaceState(null, "", "#" + token);
  }
  if (!token) { message(texts["link title"], texts.link); return; }
  restore();
  const me = await insist("/api/me");
  if (!me.consented) { first(); return; }
  await next();
}
window.addEventListener("hashchange", () => location.reload());
guard(begin);

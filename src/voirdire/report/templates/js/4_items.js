// The items behind a section's figures: searched, filtered, sorted, fifty a page.

const PAGE = 50;

class ItemList {
  constructor(box, store) {
    this.box = box;
    this.store = store;
    this.words = [];
    this.chosen = store.index.facets.map(() => -1);
    this.score = 0;
    this.apart = false;
    this.sort = { by: null, falling: false };
    this.page = 0;
    this.box.replaceChildren(this.filters(), this.statusBar(), this.table());
    this.update();
  }

  filters() {
    const search = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    let waiting;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.restart();
      }, 120);
    });
    const facets = this.store.index.facets.map((facet, number) => {
      const order = facet.values.map((value, code) => [value, code]).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      const options = order.map(([value, code]) => make("option", { value: code }, value || "–"));
      const select = make("select", {}, make("option", { value: -1 }, "all"), ...options);
      select.addEventListener("change", () => {
        this.chosen[number] = Number(select.value);
        this.restart();
      });
      return make("label", {}, facet.name, select);
    });
    const title = this.box.closest("details").querySelector("h3").textContent;
    return make("div", { class: "filters", role: "search", "aria-label": title }, make("label", { class: "search" }, "Search in all items", search), ...facets, this.scoreChoice(), this.apartChoice(), this.worstChoice());
  }

  /** Only items about which models disagree. */
  apartChoice() {
    if (this.store.index.labels.length < 2) return null;
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      this.apart = box.checked;
      this.restart();
    });
    return make("label", { class: "check" }, box, "models disagree");
  }

  /** First the items on which all models together are worst, by the score that is shown. */
  worstChoice() {
    if (!this.store.index.scores.length) return null;
    this.worst = make("button", { type: "button", "aria-pressed": "false" }, "Worst first");
    this.worst.addEventListener("click", () => {
      this.sort = this.sort.by === "worst" ? { by: null, falling: false } : { by: "worst", falling: this.store.index.scores[this.score].lower };
      this.restart();
    });
    return this.worst;
  }

  scoreChoice() {
    const { scores } = this.store.index;
    if (scores.length < 2) return null;
    const select = make("select", {}, ...scores.map((score, number) => make("option", { value: number }, `${score.name}${score.lower ? " (lower is better)" : ""}`)));
    select.addEventListener("change", () => {
      this.score = Number(select.value);
      if (this.sort.by === "worst") this.sort.falling = scores[this.score].lower;
      this.restart();
    });
    return make("label", {}, "score shown", select);
  }

  statusBar() {
    this.status = make("p", { "aria-live": "polite" });
    this.previous = make("button", { type: "button" }, "Previous");
    this.next = make("button", { type: "button" }, "Next");
    this.place = make("span", {});
    this.previous.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
    this.pager = make("div", { class: "pager", role: "group", "aria-label": "Pages" }, this.previous, this.place, this.next);
    return make("div", { class: "status" }, this.status, this.pager);
  }

  table() {
    this.head = make("thead", {});
    this.body = make("tbody", {});
    this.body.addEventListener("keydown", event => this.step(event));
    const table = make("table", { class: "list" }, make("caption", { class: "aside" }, "Items"), this.head, this.body);
    return scroller("Items", table);
  }

  columns() {
    const { labels, scores } = this.store.index;
    if (!scores.length) return [];
    const models = labels.map((label, model) => ({ key: `model ${model}`, title: label, model, value: at => this.store.score(this.score, model, at) }));
    if (labels.length < 2) return models;
    const title = labels.length === 2 ? "difference" : "range";
    return [...models, { key: "spread", title, value: at => this.store.spread(this.score, at) }];
  }

  restart() {
    this.page = 0;
    this.update();
  }

  update() {
    const { facets } = this.store.index;
    const found = [];
    for (let at = 0; at < this.store.count; at++) {
      if (!this.chosen.every((code, number) => code < 0 || facets[number].codes[at] === code)) continue;
      if (!this.words.every(word => this.store.haystack[at].includes(word))) continue;
      if (this.apart && !this.store.disagree(at, this.score)) continue;
      found.push(at);
    }
    const worst = { key: "worst", value: at => this.store.mean(this.score, at) };
    const column = [...this.columns(), worst].find(one => one.key === this.sort.by);
    if (column) this.order(found, column.value);
    this.worst?.setAttribute("aria-pressed", String(this.sort.by === "worst"));
    this.found = found;
    this.show();
  }

  /** Items without a score come last, whichever way the others go; equal ones stay in their order. */
  order(found, value) {
    const sign = this.sort.falling ? -1 : 1;
    found.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * (x - y) || a - b;
    });
  }

  show() {
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    const start = this.page * PAGE;
    const shownNow = this.found.slice(start, start + PAGE);
    const of = this.found.length === this.store.count ? "" : ` of ${this.store.count.toLocaleString("en-US")}`;
    this.status.textContent = `${this.found.length.toLocaleString("en-US")}${of} items`;
    this.place.textContent = `page ${this.page + 1} of ${pages.toLocaleString("en-US")}`;
    this.previous.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
    this.pager.hidden = pages === 1;
    const columns = this.columns();
    this.head.replaceChildren(this.headRow(columns));
    this.body.replaceChildren(...shownNow.map(at => this.row(at, columns)));
  }

  headRow(columns) {
    const { facets } = this.store.index;
    const name = this.store.index.scores[this.score]?.name ?? "";
    const sorted = columns.map(column => {
      const way = this.sort.by === column.key ? (this.sort.falling ? "descending" : "ascending") : null;
      const button = make("button", { type: "button", title: `Sort by ${name}, ${column.title}`, "data-sort": column.key }, column.title);
      button.addEventListener("click", () => this.sortBy(column.key));
      const said = column.model !== undefined && this.store.index.said.length;
      return make("th", { scope: "col", class: said ? "says" : "right", "aria-sort": way }, column.model === undefined ? null : this.store.dot(column.model), button);
    });
    const plain = ["item", "text"].map(title => make("th", { scope: "col" }, title));
    return make("tr", {}, ...plain, ...facets.map(facet => make("th", { scope: "col", class: "facet" }, facet.name)), ...sorted);
  }

  /** First rising, then falling, then as they came. */
  sortBy(key) {
    if (this.sort.by !== key) this.sort = { by: key, falling: false };
    else if (!this.sort.falling) this.sort.falling = true;
    else this.sort = { by: null, falling: false };
    this.restart();
    this.head.querySelector(`[data-sort="${key}"]`).focus();
  }

  row(at, columns) {
    const { names, texts, facets } = this.store.index;
    const button = make("button", { type: "button", "aria-expanded": "false" }, names[at]);
    const said = make("span", { dir: "auto" }, texts[at].slice(0, 400));
    const cells = facets.map(facet => make("td", { class: "facet" }, facet.values[facet.codes[at]]));
    const figures = columns.map(column => this.figure(column, at));
    const image = this.store.index.images[at] ?? null;
    const picture = image === null ? null : document.getElementById(`picture-${image}`);
    const thumb = picture && make("img", { class: "thumb", src: picture.textContent, alt: "" });
    const row = make("tr", { "data-item": at }, make("th", { scope: "row" }, thumb, button), make("td", { class: "said" }, said), ...cells, ...figures);
    button.addEventListener("click", () => this.toggle(button, row, at));
    return row;
  }

  /** A model's column: what it said, where it says something, and its score. */
  figure(column, at) {
    const score = this.store.shown(this.score, column.value(at));
    const said = column.model === undefined ? undefined : this.store.index.said[column.model];
    if (!said) return make("td", { class: "right" }, score);
    return make("td", { class: "says" }, make("span", { dir: "auto" }, said[at].slice(0, 200) || "–"), make("span", { class: "score" }, score));
  }

  /** Show one item, opened, whatever is filtered now. */
  async reveal(at) {
    if (!this.found.includes(at)) {
      this.words = [];
      this.apart = false;
      this.chosen.fill(-1);
      for (const input of this.box.querySelectorAll(".filters input")) input.type === "checkbox" ? input.checked = false : input.value = "";
      for (const select of this.box.querySelectorAll(".filters select")) if (select.options[0].value === "-1") select.value = "-1";
      this.update();
    }
    this.page = Math.floor(this.found.indexOf(at) / PAGE);
    this.show();
    const row = this.body.querySelector(`tr[data-item="${at}"]`);
    const button = row.querySelector("th button");
    await this.toggle(button, row, at);
    button.focus({ preventScroll: true });
    row.scrollIntoView({ block: "start" });
  }

  async toggle(button, row, at) {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) return row.nextElementSibling?.matches(".opened") && row.nextElementSibling.remove();
    const detail = await detailOf(this.store, at);
    if (button.getAttribute("aria-expanded") !== "true" || row.nextElementSibling?.matches(".opened")) return;
    row.after(make("tr", { class: "opened" }, make("td", { colspan: row.cells.length }, detail)));
  }

  /** Up and down from item to item; Escape folds the one that is open. */
  step(event) {
    const buttons = [...this.body.querySelectorAll("th > button[aria-expanded]")];
    const inside = event.target.closest("tr.opened")?.previousElementSibling.querySelector("button");
    if (event.key === "Escape") {
      const open = inside ?? event.target;
      if (open.getAttribute("aria-expanded") === "true") open.click();
      open.focus();
      return;
    }
    const at = buttons.indexOf(event.target);
    const next = at < 0 ? undefined : { ArrowDown: buttons[at + 1], ArrowUp: buttons[at - 1], Home: buttons[0], End: buttons.at(-1) }[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  turn(by) {
    this.page += by;
    this.show();
    this.box.scrollIntoView({ block: "nearest" });
    this.status.textContent = `${this.status.textContent}, ${this.place.textContent}`;
  }
}

async function openDrill(details) {
  const box = details.querySelector(".items");
  box.replaceChildren(make("p", { class: "note", role: "status" }, "Unpacking …"));
  try {
    const store = new Store(details.dataset.drill, Number(details.dataset.chunk), details.dataset.dots.split(" ").map(Number));
    await store.open();
    details.list = new ItemList(box, store);
  } catch (error) {
    const why = typeof DecompressionStream === "undefined" ? "this browser is too old to unpack them" : error.message;
    box.replaceChildren(make("p", { class: "warning", role: "alert" }, `The items cannot be shown: ${why}.`));
  }
}

/** The list of a drill, made when it is first asked for. */
function listOf(details) {
  details.opening ??= openDrill(details);
  return details.opening;
}

/** A link to an item opens its list, finds it there, and opens it. */
async function followItem() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const drills = [...document.querySelectorAll("details.drill")].filter(one => wanted.startsWith(`item-${one.dataset.drill}-`));
  const details = drills.sort((a, b) => b.dataset.drill.length - a.dataset.drill.length)[0];
  if (!details) return;
  for (const fold of foldsOf(details)) fold.open = true;
  await listOf(details);
  const at = details.list?.store.anchors.get(wanted.slice(`item-${details.dataset.drill}-`.length));
  if (at !== undefined) await details.list.reveal(at);
}

for (const details of document.querySelectorAll("details.drill")) {
  details.addEventListener("toggle", () => { if (details.open) listOf(details); });
}
addEventListener("hashchange", followItem);
unfold();
followItem();

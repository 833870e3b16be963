// What is shown of one item: its picture, scores, texts, turns and scoreboards.

const LONG = 1500;

/** A text of a dataset; a very long one is cut until it is asked for. */
function text(name, said) {
  const made = make(name, { dir: "auto" });
  if (said.length <= LONG) {
    made.textContent = said;
    return made;
  }
  const button = make("button", { type: "button" }, `Show all ${said.length.toLocaleString("en-US")} characters`);
  const cut = document.createTextNode(`${said.slice(0, LONG / 2)}… `);
  made.append(cut, button);
  button.addEventListener("click", () => {
    made.textContent = said;
    made.tabIndex = -1;
    made.focus();
  });
  return made;
}

function heading(label) {
  return make("h4", {}, label);
}

// What a model said stands beside what the others said; any other text has a line of its own.
const BLOCKS = {
  text: (from, label, said) => make("div", { class: from.labels.includes(label) ? null : "told" }, heading(label), text("p", said)),
  lines: (_, label, texts) => make("div", {}, heading(label), make("ul", {}, ...texts.map(one => text("li", one)))),
  rows: (_, label, columns, rows, marked) => make("div", {}, rowsTable(label, columns, rows, marked)),
  grid: (_, label, rows, legend) => make("div", {}, board(label, rows), legendOf(legend)),
  boxes: (from, label, size, boxes) => make("div", {}, heading(label), boxed(from.picture, size, boxes)),
  shared: (from, key, marked) => {
    const parts = (from.shared[key] ?? []).map(block => {
      if (block[0] === "rows" && marked !== null) return [...block.slice(0, 4), [marked]];
      return block;
    });
    return make("div", { class: "blocks" }, ...parts.map(block => blockOf(block, from)));
  },
};

const SVG = "http://www.w3.org/2000/svg";

function draw(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Boxes on a picture, each with its name; the target has a thick line. */
function boxed(picture, [width, height], boxes) {
  const scale = width / 320;
  const parts = picture ? [draw("image", { href: picture, width, height, preserveAspectRatio: "none" })] : [];
  const order = [...boxes].sort((a, b) => a[5] - b[5]);
  for (const [x, y, wide, high, , target] of order) {
    parts.push(draw("rect", { x, y, width: wide, height: high, class: target ? "target" : "other", "stroke-width": scale * (target ? 4 : 1.5) }));
  }
  for (const [x, y, , , name, target] of order) {
    parts.push(draw("text", { x: x + 3 * scale, y: Math.max(y + 12 * scale, 12 * scale), "font-size": 11 * scale, "stroke-width": 3 * scale, class: target ? "target" : "other" }, target ? `${name}: target` : name));
  }
  const says = `${boxes.length} objects; the target is ${boxes.filter(box => box[5]).map(box => box[4]).join(", ")}`;
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "boxes", role: "img", "aria-label": says }, ...parts);
}

function blockOf([kind, ...rest], from) {
  return BLOCKS[kind](from, ...rest);
}

function scroller(label, table) {
  const box = make("div", { class: "scroll", role: "group", "aria-label": label }, table);
  overflow.observe(box);
  return box;
}

function rowsTable(label, columns, rows, marked) {
  const head = make("tr", {}, ...columns.map(name => make("th", { scope: "col" }, name)));
  const body = rows.map((row, at) => {
    const looked = marked.includes(at);
    const cells = row.map(cell => text("td", cell));
    if (looked) cells[0].prepend(make("span", { class: "aside" }, "marked: "));
    return make("tr", { class: looked ? "marked" : null }, ...cells);
  });
  return scroller(label, make("table", {}, make("caption", {}, label), make("thead", {}, head), make("tbody", {}, ...body)));
}

/** A scoreboard: a letter per turn; where the predicted one is not gold, gold is struck out before it. */
function board(label, rows) {
  const turns = Math.max(0, ...rows.map(row => row[1].length));
  const numbers = Array.from({ length: turns }, (_, turn) => make("th", { scope: "col", class: "turn" }, String(turn)));
  const head = make("tr", {}, make("th", { scope: "col" }, "proposition"), ...numbers, make("th", { scope: "col" }, "errors"));
  const body = rows.map(([proposition, gold, predicted, errors]) => {
    const cells = Array.from({ length: turns }, (_, turn) => boardCell(gold[turn] ?? "", predicted[turn] ?? ""));
    const name = text("th", proposition);
    name.setAttribute("scope", "row");
    return make("tr", {}, name, ...cells, make("td", {}, errors));
  });
  return scroller(label, make("table", { class: "board" }, make("caption", {}, label), make("thead", {}, head), make("tbody", {}, ...body)));
}

function boardCell(gold, predicted) {
  if (gold === predicted) return make("td", { class: "turn" }, gold);
  return make("td", { class: "turn wrong" }, make("span", { class: "aside" }, "wrong: gold "), make("s", {}, gold),
    make("span", { class: "aside" }, ", predicted "), predicted);
}

function legendOf(legend) {
  return make("div", { class: "legend" }, ...legend.map(([letter, meaning]) => make("span", {}, make("code", {}, letter), ` ${meaning}`)));
}

/** All scores of an item, models across. */
function scoresTable(store, at) {
  const { labels, scores } = store.index;
  if (!scores.length) return null;
  const head = make("tr", {}, make("th", { scope: "col" }, "score"), ...labels.map((label, model) => make("th", { scope: "col", class: "right" }, store.dot(model), label)));
  const body = scores.map((score, number) => make("tr", {}, make("th", { scope: "row" }, score.name),
    ...labels.map((_, model) => make("td", { class: "right" }, store.shown(number, store.score(number, model, at))))));
  return make("div", {}, scroller("scores", make("table", { class: "scores" }, make("caption", { class: "aside" }, "scores"),
    make("thead", {}, head), make("tbody", {}, ...body))));
}

/** Everything about one item. */
async function detailOf(store, at) {
  const { blocks, shared } = await store.details(at);
  const image = store.index.images[at] ?? null;
  const picture = image === null ? null : document.getElementById(`picture-${image}`);
  const facets = store.index.facets.map(facet => `${facet.name}: ${facet.values[facet.codes[at]]}`).join(" · ");
  const link = make("a", { href: `#${store.anchor(at)}` }, "Link to this item");
  // Where boxes are drawn on the picture, it is there already.
  const beside = picture && !blocks.some(([kind]) => kind === "boxes");
  const from = { shared, labels: store.index.labels, picture: picture?.textContent };
  return make("div", { class: beside ? "detail pictured" : "detail" },
    beside ? make("div", { class: "picture" }, make("img", { src: picture.textContent, alt: `Image ${image}` })) : null,
    make("div", { class: "blocks" },
      make("p", { class: "note" }, facets, facets ? " · " : "", link),
      ...blocks.map(block => blockOf(block, from)),
      scoresTable(store, at)));
}

// What the page carries packed: JSON, compressed by gzip, in Base64.

async function unpack(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function slug(name) {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** The items of one drill: the index at once, details when they are asked for. */
class Store {
  constructor(name, size, dots) {
    this.name = name;
    this.size = size;
    this.dots = dots;
    this.chunks = new Map();
  }

  async open() {
    this.index = await unpack(`${this.name}-index`);
    this.count = this.index.names.length;
    for (const score of this.index.scores) score.whole = score.columns.every(column => column.every(value => value === null || Number.isInteger(value)));
    const facets = this.index.facets;
    this.haystack = this.index.texts.map((text, at) =>
      [this.index.names[at], text, ...this.index.said.map(column => column[at]), ...facets.map(facet => facet.values[facet.codes[at]])].join("\n").toLowerCase());
    this.anchors = new Map();
    this.index.names.forEach((name, at) => {
      const short = slug(name);
      this.anchors.set(this.anchors.has(short) ? `${short}-${at}` : short, at);
    });
    this.slugs = new Map([...this.anchors].map(([anchor, at]) => [at, anchor]));
  }

  /** What a link to an item ends in: `item-answers-rounds-image-12-round-4`. */
  anchor(at) {
    return `item-${this.name}-${this.slugs.get(at)}`;
  }

  /** Whether models say different things about an item; where they say nothing, whether their scores differ. */
  disagree(at, score) {
    const said = this.index.said.map(column => column[at].trim().toLowerCase()).filter(Boolean);
    if (this.index.said.length) return new Set(said).size > 1;
    return Boolean(this.index.scores.length && this.spread(score, at));
  }

  /** The mean of all models on an item, so that those that all find hard can come first. */
  mean(number, at) {
    const known = this.index.scores[number].columns.map(column => column[at]).filter(value => value !== null);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  }

  /** The sign of a model's colour; nothing where it has none. */
  dot(model) {
    return this.dots[model] > 0 ? make("span", { class: `dot s${this.dots[model]}`, "aria-hidden": "true" }) : null;
  }

  async details(at) {
    const number = Math.floor(at / this.size);
    if (!this.chunks.has(number)) this.chunks.set(number, unpack(`${this.name}-chunk-${number}`));
    this.shared ??= unpack(`${this.name}-shared`);
    const [blocks, shared] = await Promise.all([this.chunks.get(number), this.shared]);
    return { blocks: blocks[at % this.size], shared };
  }

  /** A score of an item, for one model; null where there is none. */
  score(number, model, at) {
    return this.index.scores[number].columns[model][at];
  }

  /** A figure of this score as it is shown: counts, as ranks are, without decimals. */
  shown(number, value) {
    return value !== null && this.index.scores[number].whole ? value.toLocaleString("en-US") : shown(value);
  }

  /** How far the models are apart on an item: second minus first of two, else the highest minus the lowest. */
  spread(number, at) {
    const values = this.index.scores[number].columns.map(column => column[at]);
    if (values.length === 2) return values.includes(null) ? null : values[1] - values[0];
    const known = values.filter(value => value !== null);
    return known.length > 1 ? Math.max(...known) - Math.min(...known) : null;
  }
}

/** A figure as everywhere else: four decimals below 10, two above; halfway between two, the even one. */
function shown(value) {
  if (value == null) return "–";
  const decimals = Math.abs(value) < 10 ? 4 : 2;
  let said = value.toFixed(decimals);
  // toFixed takes the larger of two that are equally near, which only odd multiples of 1/32 (or of 1/8) are.
  if (Math.abs(value * (decimals === 4 ? 32 : 8)) % 2 === 1 && said.at(-1) % 2) said = said.slice(0, -1) + (said.at(-1) - 1);
  return said.replace(/\B(?=(\d{3})+\.)/g, ",");
}

// The page as a whole: theme, copying, signatures by keyboard, the contents list.

/** An element with attributes, holding texts and elements; texts are never taken for markup. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}

function theme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const tell = () => { button.textContent = dark() ? "Light theme" : "Dark theme"; };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("voirdire-theme", root.dataset.theme); } catch { /* not kept, then */ }
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const said = button.textContent;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.innerText);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected: press Ctrl+C or ⌘C";
      }
      setTimeout(() => { button.textContent = said; }, 2500);
    });
  }
}

/** One stop of the tab key a table; the arrow keys and a tap go from figure to figure, and each says its signature. */
function signatures() {
  const tip = document.getElementById("tip");
  const hide = () => { tip.hidden = true; };
  for (const table of document.querySelectorAll("table")) {
    const first = table.querySelector(".figure");
    if (first) first.tabIndex = 0;
  }
  const go = (table, figure) => {
    for (const one of table.querySelectorAll(".figure[tabindex]")) one.tabIndex = -1;
    figure.tabIndex = 0;
    figure.focus();
  };
  // On a screen without a pointer that hovers, a figure is tapped.
  document.addEventListener("click", event => {
    const figure = event.target.closest?.(".figure");
    if (figure) go(figure.closest("table"), figure);
  });
  document.addEventListener("focusin", event => {
    if (!event.target.matches?.(".figure")) return hide();
    tip.textContent = event.target.title;
    tip.hidden = false;
    const box = event.target.getBoundingClientRect();
    const below = box.bottom + 8 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - tip.offsetHeight - 8)}px`;
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") hide();
    if (!event.target.matches?.(".figure")) return;
    const table = event.target.closest("table");
    const next = neighbour([...table.querySelectorAll(".figure")], event.target, event.key);
    if (!next) return;
    event.preventDefault();
    go(table, next);
  });
}

function neighbour(figures, from, key) {
  const at = figures.indexOf(from);
  if (key === "ArrowRight") return figures[at + 1];
  if (key === "ArrowLeft") return figures[at - 1];
  if (key === "Home") return figures[0];
  if (key === "End") return figures.at(-1);
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const column = from.closest("td, th").cellIndex;
  const row = from.closest("tr").rowIndex;
  const inColumn = figures.filter(one => one.closest("td, th").cellIndex === column);
  return key === "ArrowDown"
    ? inColumn.find(one => one.closest("tr").rowIndex > row)
    : inColumn.findLast(one => one.closest("tr").rowIndex < row);
}

/** Which section is read now, in the contents list. */
function whereabouts() {
  const links = new Map();
  for (const link of document.querySelectorAll(".contents > ul > li > a")) links.set(link.hash.slice(1), link);
  const seen = new Set();
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
    const current = [...links.keys()].find(id => seen.has(id));
    for (const [id, link] of links) id === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  }, { rootMargin: "-10% 0px -70% 0px" });
  for (const id of links.keys()) watch.observe(document.getElementById(id));
}

/** What does not overflow needs no stop of the tab key. */
function scrolling() {
  const watch = new ResizeObserver(entries => {
    for (const { target } of entries) {
      const over = target.scrollWidth > target.clientWidth + 1 || target.scrollHeight > target.clientHeight + 1;
      over ? target.setAttribute("tabindex", "0") : target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".scroll")) watch.observe(box);
  return watch;
}

/** Tables are sorted by the column whose head is pressed: rising, falling, then as they came. */
function sorting() {
  for (const table of document.querySelectorAll(".table table, .behind table")) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) continue;
    const rows = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button", title: "Sort by this column" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { null: "ascending", ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        const sorted = next ? [...rows].sort((a, b) => compare(a.cells[column], b.cells[column], next === "descending" ? -1 : 1)) : rows;
        body.append(...sorted);
      });
    });
  }
}

/** By the figure behind a cell, or by its text; what has no figure comes last among figures. */
function compare(one, other, sign) {
  const [x, y] = [one, other].map(cell => numberIn(cell));
  if (x !== null && y !== null) return sign * (x - y);
  if (x !== null || y !== null) return (x === null) - (y === null);
  return sign * one.textContent.localeCompare(other.textContent, "en", { numeric: true });
}

function numberIn(cell) {
  const known = cell.querySelector("[data-value]")?.dataset.value;
  const text = known ?? cell.firstChild?.textContent.replaceAll(",", "").replace("−", "-") ?? "";
  const found = /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?/.exec(text);
  return found ? Number(found[0]) : null;
}

/** A chart as a file of its own, in the colours that it was drawn with. */
function saving() {
  for (const link of document.querySelectorAll("[data-save]")) {
    link.addEventListener("click", () => {
      const drawn = link.closest("figure").querySelector(".drawing svg").cloneNode(true);
      const [, , width, height] = drawn.getAttribute("viewBox").split(" ");
      for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) drawn.setAttribute(name, value);
      drawn.removeAttribute("style");
      link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
    });
  }
}

/** What an element is folded in, and itself. */
function foldsOf(element) {
  const folds = [];
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  return folds;
}

/** A link into something that is folded unfolds it. */
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folds = foldsOf(target);
  // The link of a section into its contents opens them.
  if (target?.matches("main > section")) folds.push(...target.querySelectorAll(":scope > details.body"));
  if (!folds.some(fold => !fold.open)) return;
  for (const fold of folds) fold.open = true;
  target.scrollIntoView();
}

theme();
copying();
signatures();
whereabouts();
sorting();
saving();
const overflow = scrolling();
addEventListener("hashchange", unfold);
unfold();
addEventListener("click", event => { if (event.target.closest?.('a[href^="#"]')?.hash === location.hash) unfold(); });

// The address of the page is its state: `#/VIEW/…?FILTERS`.

const VIEWS = {
  "": ["list", (path, parameters) => { showList(parameters); return ""; }],
  record: ["record", ([key, anchor]) => showRecord(key || "", anchor || "")],
  findings: ["findings", (path, parameters) => showFindings(parameters)],
  coverage: ["coverage", (path, parameters) => showCoverage(parameters)],
  graph: ["graph", (path, parameters) => showGraph(parameters)],
  timeline: ["timeline", () => showTimeline()],
  freshness: ["freshness", () => "Freshness"],
  search: ["search", (path, parameters) => showSearch(parameters)],
};
const TITLE = document.title;
const query = by("query");

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const where = () => {
  const [path, parameters] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return [path.split("/").map(decoded), new URLSearchParams(parameters || "")];
};
const addressFor = (view, parameters) => {
  const text = String(parameters || "").replaceAll("%2C", ",");
  return `#/${view}${text ? `?${text}` : ""}`;
};
const go = (view, parameters) => {
  location.hash = addressFor(view, parameters);
};

let shown = null;
let turn = 0;
const show = async (first) => {
  const [path, parameters] = where();
  const name = Object.hasOwn(VIEWS, path[0]) ? path[0] : "";
  const [view, render] = VIEWS[name];
  turn += 1;
  const mine = turn;
  by("main").setAttribute("aria-busy", "true");
  let result;
  try {
    result = await render(path.slice(1), parameters);
  } catch (error) {
    result = "This view failed";
    put(by(`view-${view}`), el("h1", { tabindex: -1 }, result), el("p", null, String(error.message || error)));
  }
  if (mine !== turn) return;
  const [title, target] = Array.isArray(result) ? result : [result, null];
  const place = `${name}/${path[1] || ""}`;
  const moved = place !== shown;
  shown = place;
  for (const one of document.querySelectorAll("main > section")) one.hidden = one.id !== `view-${view}`;
  for (const one of document.querySelectorAll(".top nav a")) {
    one.toggleAttribute("aria-current", false);
    if (one.dataset.view === view || (one.dataset.view === "list" && view === "record")) one.setAttribute("aria-current", "page");
  }
  document.title = title ? `${title} · ${TITLE}` : TITLE;
  if (name === "search") {
    if (document.activeElement !== query) query.value = parameters.get("q") || "";
  } else if (moved) query.value = "";
  if (name === "graph" && moved) showGraph(parameters);
  arrive(view, target, moved && !first);
  by("main").removeAttribute("aria-busy");
};

// Focus and scroll position after a change of the address.
const arrive = (view, target, moved) => {
  if (target) {
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  } else if (moved) {
    if (document.activeElement !== query) by(`view-${view}`).querySelector("h1")?.focus({ preventScroll: true });
    scrollTo(0, history.state?.y || 0);
  }
};

history.scrollRestoration = "manual";
let settling = 0;
addEventListener("scroll", () => {
  clearTimeout(settling);
  settling = setTimeout(() => history.replaceState({ y: scrollY }, ""), 100);
}, { passive: true });
addEventListener("hashchange", () => {
  clearTimeout(settling);
  show(false);
});

query.addEventListener("input", () => {
  const address = addressFor("search", new URLSearchParams({ q: query.value }));
  if (where()[0][0] === "search") {
    history.replaceState(history.state, "", address);
    show(false);
  } else if (query.value.trim()) location.hash = address;
});
query.addEventListener("keydown", (event) => {
  if (event.key === "Enter") document.querySelector("#view-search:not([hidden]) .results a")?.focus();
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
  event.preventDefault();
  query.focus();
  query.select();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  by("main").focus();
});
show(true);

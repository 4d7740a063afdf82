// The map of the records: a picture to scroll, to zoom, and to walk from record to record.

let zoom = 0;
const LEVELS = [0.15, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.6];
const EDGES = {
  supersedes: "replaces", extends: "extends", implements: "implements", requires: "requires",
  enables: "enables", governs: "governs", related: "related",
};

const showGraph = async (parameters) => {
  const data = await load();
  const off = new Set((parameters.get("hide") || "").split(",").filter(Boolean));
  const at = numbers.get(parameters.get("at") || "");
  const view = by("view-graph");
  const fresh = !view.firstChild;
  if (fresh) put(view, frame(data));
  for (const input of view.querySelectorAll("[name=shown]")) input.checked = !off.has(input.value);
  const drawn = draw(data, off, at);
  const map = view.querySelector(".map");
  const left = map.scrollLeft;
  const top = map.scrollTop;
  put(map, drawn);
  if (!zoom) zoom = Math.min(1, Math.max(0.85, (map.clientWidth - 2) / (data.map.size[0] + 48)));
  resize(data);
  map.scrollTo(left, top);
  if (at !== undefined) bring(map, data, at);
  else if (fresh) bring(map, data, firstOf(data));
  put(view.querySelector(".panel"), panel(data, at));
  return at === undefined ? "Graph" : `Graph: ${records[at].id}`;
};

const frame = (data) => {
  const button = (label, text, action) => el("button", { type: "button", "aria-label": label, onclick: action }, text);
  const step = (by) => {
    const level = LEVELS.findIndex((one) => one >= zoom - 0.01);
    zoom = LEVELS[Math.min(LEVELS.length - 1, Math.max(0, (level < 0 ? LEVELS.length - 1 : level) + by))];
    resize(data);
  };
  const map = el("div", { class: "map", role: "region", "aria-label": "Map of the records", tabindex: 0 });
  drag(map);
  const fit = () => {
    zoom = Math.min(1, (map.clientWidth - 2) / (data.map.size[0] + 48), (map.clientHeight - 2) / (data.map.size[1] + 48));
    resize(data);
  };
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    step(event.deltaY < 0 ? 1 : -1);
  }, { passive: false });
  const kinds = data.map.kinds.map((kind) => el("label", null,
    el("input", { type: "checkbox", name: "shown", value: kind, checked: true }),
    el("span", null, svg("svg", { width: 22, height: 6, "aria-hidden": "true" }, svg("path", { class: `edge ${kind}`, d: "M0 3H22" })), EDGES[kind])));
  const form = el("form", { class: "filters", "aria-label": "Relations" }, kinds.length > 0 && el("fieldset", null, el("legend", null, "Relations"), kinds));
  form.addEventListener("change", () => {
    const [, parameters] = where();
    const off = [...form.elements].filter((input) => input.name === "shown" && !input.checked).map((input) => input.value);
    if (off.length) parameters.set("hide", off.join(","));
    else parameters.delete("hide");
    go("graph", parameters);
  });
  return [
    el("h1", { tabindex: -1 }, "Graph"),
    el("div", { class: "map-tools" },
      el("div", { class: "zoom" }, button("Zoom out", "−", () => step(-1)), button("Zoom in", "+", () => step(1)), button("Fit the whole graph", "Fit", fit)), form),
    el("div", { class: "map-layout" }, map, el("div", { class: "panel", role: "region", "aria-label": "Selected record", tabindex: 0 })),
  ];
};

const resize = (data) => {
  const picture = document.querySelector(".map > svg");
  const [width, height] = data.map.size;
  picture.setAttribute("width", (width + 48) * zoom);
  picture.setAttribute("height", (height + 48) * zoom);
  picture.classList.toggle("far", zoom < 0.55);
};

const corner = (data, number) => [data.map.corners[2 * number], data.map.corners[2 * number + 1]];

const curve = (data, older, newer) => {
  const [width, height] = data.map.node;
  const [ax, ay] = corner(data, older);
  const [bx, by] = corner(data, newer);
  const [y1, y2] = [ay + height / 2, by + height / 2];
  if (bx <= ax + width / 2 && bx >= ax - width / 2) {
    const bend = ax + width + 36 + Math.min(40, Math.abs(y2 - y1) / 12);
    return `M${ax + width} ${y1}C${bend} ${y1} ${bend} ${y2} ${bx + width} ${y2}`;
  }
  const [x1, x2] = bx > ax ? [ax + width, bx] : [ax, bx + width];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
};

// A smooth line through points, which leaves and reaches each one horizontally.
const line = (points) => {
  let path = `M${points[0]} ${points[1]}`;
  for (let at = 2; at < points.length; at += 2) {
    const middle = (points[at - 2] + points[at]) / 2;
    path += `C${middle} ${points[at - 1]} ${middle} ${points[at + 1]} ${points[at]} ${points[at + 1]}`;
  }
  return path;
};

const draw = (data, off, at) => {
  const near = new Set(at === undefined ? [] : [at]);
  const edges = [];
  for (const [kind, older, newer, ...points] of data.map.edges) {
    const name = data.map.kinds[kind];
    if (off.has(name)) continue;
    const close = older === at || newer === at;
    if (close) near.add(older).add(newer);
    edges.push(svg("path", { class: `edge ${name}${close ? " near" : ""}`, d: points.length ? line(points) : curve(data, older, newer) }));
  }
  if (at !== undefined) {
    for (const other of new Set([...data.artifacts[at].mentions, ...data.namedBy[at]])) {
      if (near.has(other)) continue;
      near.add(other);
      edges.push(svg("path", { class: "edge mention near", d: curve(data, Math.min(at, other), Math.max(at, other)) }));
    }
  }
  const nodes = records.map((record) => node(data, record, at, near));
  const [width, height] = data.map.size;
  const label = data.map.loose > 0 && svg("text", { class: "loose-label", x: 0, y: data.map.loose - 14 }, "Without a written relation");
  const picture = svg("svg", {
    viewBox: `-24 -24 ${width + 48} ${height + 48}`, class: at === undefined ? "" : "selecting",
    role: "group", "aria-label": "Records and their relations. Arrow keys walk.",
  }, svg("g", { "aria-hidden": "true" }, edges), label, nodes);
  picture.addEventListener("keydown", (event) => walk(event, data, nodes));
  return picture;
};

// A title that fits into the box of a record; letters of Asian scripts are twice as wide.
const fitting = (title) => {
  let room = 27;
  const letters = [...title];
  const end = letters.findIndex((letter) => (room -= letter > "\u1100" ? 2 : 1) < 0);
  return end < 0 ? title : `${letters.slice(0, end).join("").trimEnd()}…`;
};

const node = (data, record, at, near) => {
  const [x, y] = corner(data, record.number);
  const [width, height] = data.map.node;
  const classes = ["node", record.past && "past", record.number === at && "selected", near.has(record.number) && "near"];
  return svg("a", {
    href: `#/graph?at=${encodeURIComponent(record.key)}`, class: classes.filter(Boolean).join(" "),
    transform: `translate(${x} ${y})`, tabindex: record.number === (at ?? 0) ? 0 : -1,
    "aria-current": record.number === at && "true",
  },
    svg("title", null, `${record.id} ${record.title}, ${record.label}`),
    svg("rect", { width, height, rx: 7 }), svg("circle", { class: `dot ${record.status}`, cx: 15, cy: 16, r: 4.5 }),
    svg("text", { class: "id", "aria-hidden": "true", x: 27, y: 20.5 }, record.id.slice(0, 24)), svg("text", { class: "title", "aria-hidden": "true", x: 12, y: 36 }, fitting(record.title)));
};

// The record in the middle of the first column.
const firstOf = (data) => {
  const first = records.filter(({ number }) => corner(data, number)[0] === 0 && data.near[number].size)
    .sort((a, b) => corner(data, a.number)[1] - corner(data, b.number)[1]);
  return first.length ? first[first.length >> 1].number : 0;
};

// Scrolls the map so that a record is in its middle.
const bring = (map, data, number) => {
  const [x, y] = corner(data, number);
  const [width, height] = data.map.node;
  map.scrollTo((x + 24 + width / 2) * zoom - map.clientWidth / 2, (y + 24 + height / 2) * zoom - map.clientHeight / 2);
};

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const walk = (event, data, nodes) => {
  const direction = STEPS[event.key];
  const from = nodes.indexOf(document.activeElement);
  if (!direction || from < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const next = nearest(data, from, direction);
  if (next < 0) return;
  nodes[from].setAttribute("tabindex", -1);
  nodes[next].setAttribute("tabindex", 0);
  nodes[next].focus({ preventScroll: true });
  nodes[next].scrollIntoView({ block: "nearest", inline: "nearest" });
};

// The record to go to: left and right along a relation where there is one, otherwise the nearest in sight.
const nearest = (data, from, [dx, dy]) => {
  const [x, y] = corner(data, from);
  let best = -1;
  let least = Infinity;
  for (const { number } of records) {
    const [ox, oy] = corner(data, number);
    const along = (ox - x) * dx + (oy - y) * dy;
    if (number === from || along <= 0) continue;
    const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    const cost = along + 3 * across - (dx && data.near[from].has(number) ? 1e5 : 0);
    if (cost < least) [best, least] = [number, cost];
  }
  return best;
};

const drag = (map) => {
  let start = null;
  map.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button || event.target.closest?.(".node")) return;
    start = [event.clientX + map.scrollLeft, event.clientY + map.scrollTop];
    map.setPointerCapture(event.pointerId);
    map.classList.add("dragging");
  });
  map.addEventListener("pointermove", (event) => {
    if (start) map.scrollTo(start[0] - event.clientX, start[1] - event.clientY);
  });
  for (const name of ["pointerup", "pointercancel"]) map.addEventListener(name, () => {
    start = null;
    map.classList.remove("dragging");
  });
};

const panel = (data, at) => {
  if (at === undefined) {
    return [el("p", null, data.map.edges.length
      ? "What others build on is on the left, what builds on it on the right. Select a record to see what it relates to."
      : "No record has a written relation to another. Select a record to see which ones it cites.")];
  }
  const record = records[at];
  const near = [...data.near[at]];
  const list = (title, items) => items.length > 0 && [el("h3", null, title), el("ul", null, items.map((other) =>
    el("li", null, el("a", { href: `#/graph?at=${encodeURIComponent(records[other].key)}` }, records[other].id === records[other].title ? "" : `${records[other].id} `, records[other].title))))];
  const side = (name) => near.filter(([, [kind, direction]]) => kind !== "related" && direction === name).map(([other]) => other);
  const known = new Set(near.map(([other]) => other));
  return [
    el("p", { class: "crumb" }, el("span", { class: "id" }, record.id), statusOf(record), record.date && el("time", null, record.date)),
    el("h2", null, record.title),
    el("p", null, data.artifacts[at].summary),
    el("p", null, el("a", { href: `#/record/${record.key}` }, "Open the record")),
    list("Builds on", side("older")), list("Built on by", side("newer")),
    list("Related", near.filter(([, [kind]]) => kind === "related").map(([other]) => other)),
    list("Cites", data.artifacts[at].mentions.filter((other) => !known.has(other))),
    list("Cited by", data.namedBy[at].filter((other) => !known.has(other))),
  ];
};

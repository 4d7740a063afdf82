// The graph of the records: groups of them, and a record among those that it builds on.

// A graph of more records opens on groups; around a record there are at most 40.
const WHOLE = 25;
const AROUND = 40;
// What relates to more than 16 records counts as if it related to 6: it says little about each.
const [LARGE, LATE] = [16, 6];
const NODE = [208, 44];
const GAP = [72, 14];
const LEVELS = [0.15, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.6];
const EDGES = {
  supersedes: "replaces", extends: "extends", implements: "implements", requires: "requires",
  enables: "enables", governs: "governs", related: "related",
};
let zoom = 1;
let drawn = null;

// The relations that are hidden: `related` ones, unless the address names others.
const hidden = (parameters) => new Set((parameters.get("hide") ?? "related").split(",").filter(Boolean));

const showGraph = async (parameters) => {
  const data = await load();
  const at = numbers.get(parameters.get("at") || "");
  const off = hidden(parameters);
  const linked = records.filter(({ number }) => data.near[number].size);
  const view = by("view-graph");
  if (at === undefined && (linked.length > WHOLE || !linked.length)) {
    put(view, el("h1", { tabindex: -1 }, "Graph"), groups(data, linked));
    return "Graph";
  }
  if (!view.querySelector(".map")) put(view, frame(data));
  for (const input of view.querySelectorAll("[name=shown]")) input.checked = !off.has(input.value);
  const edges = data.map.edges.map(([kind, older, newer]) => ({ kind: data.map.kinds[kind], older, newer })).filter(({ kind }) => !off.has(kind));
  const columns = at === undefined ? inColumns(edges, linked.map(({ number }) => number)) : around(edges, at);
  // Around a record, only the lines to it and away from it.
  const shown = edges.filter(({ older, newer }) => columns.has(older) && columns.has(newer) && (at === undefined || columns.get(newer) - columns.get(older) === 1));
  drawn = layOut(columns, shown);
  const map = view.querySelector(".map");
  put(map, draw(data, at));
  fit(map);
  bring(map, at ?? columns.keys().next().value);
  put(view.querySelector(".panel"), panel(data, at));
  const title = at === undefined ? "Graph" : `Graph: ${records[at].id}`;
  put(view.querySelector(".map-back"), at !== undefined && linked.length > WHOLE && el("a", { href: "#/graph" }, "All groups"));
  return title;
};

// The column of each record around one: what it builds on in the two to its left, what builds on it in
// the two to its right. The outer ones are left out where they have no room.
const around = (edges, at) => {
  const columns = new Map([[at, 0]]);
  for (const distance of [1, 2]) {
    const found = new Map();
    for (const { older, newer } of edges) {
      if (columns.get(newer) === 1 - distance && !columns.has(older)) found.set(older, -distance);
      else if (columns.get(older) === distance - 1 && !columns.has(newer)) found.set(newer, distance);
    }
    if (distance > 1 && columns.size + found.size > AROUND) break;
    for (const [number, column] of found) columns.set(number, column);
  }
  return columns;
};

// The column of each record of a whole graph: one more than that of all that it builds on.
const inColumns = (edges, members) => {
  const ordered = new Set(edges.filter(({ kind }) => kind !== "related").flatMap(({ older, newer }) => [older, newer]));
  const leading = edges.filter(({ kind, older, newer }) => kind !== "related" || !ordered.has(older) || !ordered.has(newer));
  const columns = new Map();
  const column = (number, above) => {
    if (columns.has(number)) return columns.get(number);
    if (above.has(number)) return -1;
    const path = new Set(above).add(number);
    columns.set(number, Math.max(-1, ...leading.filter(({ newer }) => newer === number).map(({ older }) => column(older, path))) + 1);
    return columns.get(number);
  };
  for (const number of members) column(number, new Set());
  return columns;
};

// Groups of records: those of a module or a folder, otherwise a record with those that relate to it.
const groups = (data, linked) => {
  const byPlace = (place) => {
    const found = new Map();
    for (const record of linked) found.set(place(record), [...(found.get(place(record)) || []), record]);
    return [...found].map(([name, members]) => ({ name: name || "The repository", members }));
  };
  const folder = ({ path, kind }) => path.split("/").slice(0, kind === "SPEC" ? -2 : -1).join("/");
  const placed = [byPlace((record) => record.module), byPlace(folder)]
    .find((some) => some.length > 1 && some.every(({ members }) => members.length <= WHOLE));
  const loose = records.filter(({ number }) => !data.near[number].size);
  const labels = [...new Set(loose.map(({ label }) => label))];
  return [
    linked.length > 0 && el("p", null, "Select a record to see what it builds on, and what builds on it."),
    el("div", { class: "groups" },
      (placed || hubs(data, linked)).map(({ name, hub, members }) => el("section", null,
        el("h2", null, hub ? recordAt(hub) : name), el("p", { class: "share" }, states(members)), recordList(members.filter((one) => one !== hub)))),
      loose.length > 0 && el("section", { class: "loose" },
        el("h2", null, "Without a written relation"), el("p", { class: "share" }, states(loose)),
        labels.map((label) => [el("h3", null, label), recordList(loose.filter((one) => one.label === label))]))),
  ];
};

// A group around the record with the most relations to records without a group, as long as there is one.
const hubs = (data, linked) => {
  const groupOf = new Map();
  const free = ({ number }) => [...data.near[number].keys()].filter((other) => !groupOf.has(other));
  const found = [];
  while (groupOf.size < linked.length) {
    const sized = linked.filter(({ number }) => !groupOf.has(number)).map((record) => [record, free(record)]);
    const worth = ([, { length }]) => (length > LARGE ? LATE : length);
    sized.sort((one, other) => worth(other) - worth(one));
    const [hub, others] = sized[0];
    const beside = [...data.near[hub.number].keys()].find((other) => groupOf.has(other));
    const group = !others.length && beside !== undefined ? groupOf.get(beside) : { hub, members: [] };
    if (!group.members.length) found.push(group);
    for (const number of [hub.number, ...others]) {
      groupOf.set(number, group);
      group.members.push(records[number]);
    }
  }
  return found;
};

const states = (members) => {
  const counts = new Map();
  for (const { label } of members) counts.set(label, (counts.get(label) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([label, count]) => `${count} ${label.toLowerCase()}`).join(", ");
};
const recordAt = (record) => el("a", { href: `#/graph?at=${encodeURIComponent(record.key)}`, title: record.title },
  record.id === record.title ? "" : el("span", { class: "id" }, record.id, " "), record.title);
const recordList = (members) => el("ul", null, members.map((record) => el("li", { class: record.past && "past" },
  el("span", { class: `dot ${record.status}`, "aria-hidden": "true" }), recordAt(record))));

// Places records in their columns, ordered by the mean place of their neighbours, and leads the lines of
// long edges through the gaps (Sugiyama, Tagawa, Toda 1981).
const layOut = (columnOf, edges) => {
  const first = Math.min(...columnOf.values());
  const columns = [];
  const push = (at, item) => (columns[at - first] ||= []).push(item);
  const items = new Map([...columnOf.keys()].map((number) => [number, { number, near: [], height: NODE[1] }]));
  for (const [number, item] of items) push(columnOf.get(number), item);
  const join = (one, other) => { one.near.push(other); other.near.push(one); };
  const ways = edges.map((edge) => {
    const [start, end] = columnOf.get(edge.older) <= columnOf.get(edge.newer) ? [edge.older, edge.newer] : [edge.newer, edge.older];
    const way = [items.get(start)];
    const goTo = (item) => {
      join(way.at(-1), item);
      way.push(item);
    };
    for (let at = columnOf.get(start) + 1; at < columnOf.get(end); at += 1) {
      const bend = { near: [], height: 4 };
      push(at, bend);
      goTo(bend);
    }
    if (columnOf.get(start) === columnOf.get(end)) way.push(items.get(end));
    else goTo(items.get(end));
    return { ...edge, way };
  });
  arrange(columns);
  const height = Math.max(...columns.map((column) => column.at(-1).y + column.at(-1).height));
  return { items, ways, size: [columns.length * (NODE[0] + GAP[0]) - GAP[0], height] };
};

const arrange = (columns) => {
  const stack = (column, x) => {
    let y = 0;
    for (const item of column) {
      Object.assign(item, { x, y });
      y += item.height + GAP[1];
    }
  };
  columns.forEach((column, at) => stack(column, at * (NODE[0] + GAP[0])));
  const middle = ({ y, height }) => y + height / 2;
  const wish = (item) => (item.near.length ? item.near.reduce((sum, other) => sum + middle(other), 0) / item.near.length : middle(item));
  for (let sweep = 0; sweep < 8; sweep += 1) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const wishes = new Map(column.map((item) => [item, wish(item)]));
      column.sort((a, b) => wishes.get(a) - wishes.get(b));
      stack(column, column[0].x);
    }
  }
  const tallest = Math.max(...columns.map((column) => column.at(-1).y + column.at(-1).height));
  for (const column of columns) {
    const shift = (tallest - column.at(-1).y - column.at(-1).height) / 2;
    for (const item of column) item.y += shift;
  }
};

const frame = (data) => {
  const button = (label, text, action) => el("button", { type: "button", "aria-label": label, onclick: action }, text);
  const map = el("div", { class: "map", role: "region", "aria-label": "Map of the records", tabindex: 0 });
  const step = (by) => {
    const level = LEVELS.findIndex((one) => one >= zoom - 0.01);
    zoom = LEVELS[Math.min(LEVELS.length - 1, Math.max(0, (level < 0 ? LEVELS.length - 1 : level) + by))];
    resize();
  };
  drag(map);
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
    parameters.set("hide", [...form.elements].filter((input) => input.name === "shown" && !input.checked).map((input) => input.value).join(","));
    if (parameters.get("hide") === "related") parameters.delete("hide");
    go("graph", parameters);
  });
  return [
    el("h1", { tabindex: -1 }, "Graph"),
    el("p", { class: "map-back" }),
    el("div", { class: "map-tools" },
      el("div", { class: "zoom" }, button("Zoom out", "−", () => step(-1)), button("Zoom in", "+", () => step(1)), button("Fit the whole graph", "Fit", () => fit(map, 0))), form),
    el("div", { class: "map-layout" }, map, el("div", { class: "panel", role: "region", "aria-label": "Selected record", tabindex: 0 })),
  ];
};

// Shows the whole graph; below `least` its texts could not be read.
const fit = (map, least = 0.6) => {
  const [width, height] = drawn.size;
  zoom = Math.max(least, Math.min(1, (map.clientWidth - 2) / (width + 48), (map.clientHeight - 2) / (height + 48)));
  resize();
};
const resize = () => {
  const picture = document.querySelector(".map > svg");
  const [width, height] = drawn.size;
  picture.setAttribute("width", (width + 48) * zoom);
  picture.setAttribute("height", (height + 48) * zoom);
  picture.classList.toggle("far", zoom < 0.55);
};

// A smooth line from the right of the first record to the left of the last, level at each bend. Two
// records of one column are joined on their right.
const line = (way) => {
  const [first, last] = [way[0], way.at(-1)];
  const [x, y] = [first.x + NODE[0], first.y + first.height / 2];
  if (first.x === last.x) {
    const end = last.y + last.height / 2;
    return `M${x} ${y}C${x + GAP[0] * 0.7} ${y} ${x + GAP[0] * 0.7} ${end} ${x} ${end}`;
  }
  let path = `M${x} ${y}`;
  let [fromX, fromY] = [x, y];
  for (const item of way.slice(1)) {
    const toY = item.y + item.height / 2;
    const middle = (fromX + item.x) / 2;
    path += `C${middle} ${fromY} ${middle} ${toY} ${item.x} ${toY}`;
    [fromX, fromY] = [item.x, toY];
    if (item !== last) {
      fromX += NODE[0];
      path += `H${fromX}`;
    }
  }
  return path;
};

const draw = (data, at) => {
  const close = ({ older, newer }) => older === at || newer === at;
  const edges = drawn.ways.map((one) => svg("path", { class: `edge ${one.kind}${close(one) ? " near" : ""}`, d: line(one.way) }));
  const first = at ?? drawn.items.keys().next().value;
  const nodes = [...drawn.items.values()].sort((a, b) => a.x - b.x || a.y - b.y).map((item) => node(item, at, first));
  const [width, height] = drawn.size;
  const picture = svg("svg", {
    viewBox: `-24 -24 ${width + 48} ${height + 48}`,
    role: "group", "aria-label": "Records and their relations. Arrow keys walk.",
  }, svg("g", { "aria-hidden": "true" }, edges), nodes);
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

const node = ({ number, x, y }, at, first) => {
  const record = records[number];
  const [width, height] = NODE;
  const classes = ["node", record.past && "past", number === at && "selected"];
  return svg("a", {
    href: `#/graph?at=${encodeURIComponent(record.key)}`, class: classes.filter(Boolean).join(" "),
    transform: `translate(${x} ${y})`, tabindex: number === first ? 0 : -1, "data-number": number,
    "aria-current": number === at && "true",
  },
    svg("title", null, `${record.id} ${record.title}, ${record.label}`),
    svg("rect", { width, height, rx: 7 }), svg("circle", { class: `dot ${record.status}`, cx: 15, cy: 16, r: 4.5 }),
    svg("text", { class: "id", "aria-hidden": "true", x: 27, y: 20.5 }, record.id.slice(0, 24)), svg("text", { class: "title", "aria-hidden": "true", x: 12, y: 36 }, fitting(record.title)));
};

// Scrolls the map so that a record is in its middle.
const bring = (map, number) => {
  const { x, y } = drawn.items.get(number);
  const [width, height] = NODE;
  map.scrollTo((x + 24 + width / 2) * zoom - map.clientWidth / 2, (y + 24 + height / 2) * zoom - map.clientHeight / 2);
};

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const walk = (event, data, nodes) => {
  const direction = STEPS[event.key];
  const from = nodes.indexOf(document.activeElement);
  if (!direction || from < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const next = nodes.findIndex((one) => Number(one.dataset.number) === nearest(data, Number(nodes[from].dataset.number), direction));
  if (next < 0) return;
  nodes[from].setAttribute("tabindex", -1);
  nodes[next].setAttribute("tabindex", 0);
  nodes[next].focus({ preventScroll: true });
  nodes[next].scrollIntoView({ block: "nearest", inline: "nearest" });
};

// The record to go to: left and right along a relation where there is one, otherwise the nearest in sight.
const nearest = (data, from, [dx, dy]) => {
  const { x, y } = drawn.items.get(from);
  let best = -1;
  let least = Infinity;
  for (const { number, x: ox, y: oy } of drawn.items.values()) {
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
    return [el("p", null, "What others build on is on the left, what builds on it on the right. Select a record to see what it relates to.")];
  }
  const record = records[at];
  const near = [...data.near[at]];
  const titled = (title, items) => items.length > 0 && [el("h3", null, title), recordList(items.map((other) => records[other]))];
  const side = (name) => near.filter(([, [kind, direction]]) => kind !== "related" && direction === name).map(([other]) => other);
  const known = new Set(near.map(([other]) => other));
  return [
    el("p", { class: "crumb" }, el("span", { class: "id" }, record.id), statusOf(record), record.date && el("time", null, record.date)),
    el("h2", null, record.title),
    el("p", null, data.artifacts[at].summary),
    el("p", null, el("a", { href: `#/record/${record.key}` }, "Open the record")),
    titled("Builds on", side("older")), titled("Built on by", side("newer")),
    titled("Related", near.filter(([, [kind]]) => kind === "related").map(([other]) => other)),
    titled("Cites", data.artifacts[at].mentions.filter((other) => !known.has(other))),
    titled("Cited by", data.namedBy[at].filter((other) => !known.has(other))),
  ];
};

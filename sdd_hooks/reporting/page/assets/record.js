// One record: its text, its findings, what it relates to, and who cites it.

const KINDS = {
  "superseded-by": "Replaced by", supersedes: "Replaces", extends: "Extends", "extended-by": "Extended by",
  enables: "Enables", "enabled-by": "Enabled by", governs: "Governs", "governed-by": "Governed by",
  implements: "Implements", "implemented-by": "Implemented by", requires: "Requires",
  "depended-on-by": "Required by", related: "Related",
};
const FEW = 8;
const MANY = 5;

const showRecord = async (key, anchor) => {
  const view = by("view-record");
  const number = numbers.get(key);
  if (number === undefined) {
    put(view, el("h1", { tabindex: -1 }, "No such record"),
      el("p", null, `This page has no record ${key}. `, el("a", { href: "#/" }, "All records")));
    return "No such record";
  }
  const record = records[number];
  const data = await load();
  const artifact = data.artifacts[number];
  const [body, design] = await textsOf(artifact);
  const headings = [];
  const prose = el("div", { class: "prose" }, article(body, artifact, data, headings, ""));
  if (design.length) {
    const title = el("h2", { class: "part", id: "design.md", tabindex: -1 }, "Design");
    headings.push(title);
    prose.append(title, el("p", { class: "crumb" }, place(data, artifact.design, 0)), article(design, artifact, data, headings, "design."));
  }
  if (artifact.cut) {
    prose.append(el("p", { class: "cut" }, "The rest of this text is left out to keep the page small. All of it: ", place(data, record.path, 0)));
  }
  if (!body.length && !design.length && !artifact.cut) prose.append(el("p", { class: "empty" }, "This record has no text."));
  put(view,
    head(record, artifact, data),
    el("div", { class: "columns" },
      el("div", null, ownFindings(artifact, data), prose, pager(number)),
      el("aside", { class: "side", "aria-label": "About this record", tabindex: 0 }, side(number, artifact, data), contents(headings, record))));
  if (anchor) {
    const target = view.querySelector(`#${CSS.escape(anchor)}`);
    if (target) return [`${record.id} ${record.title}`, target];
  }
  return `${record.id} ${record.title}`;
};

const head = (record, artifact, data) => {
  const named = record.id !== record.title;
  const replaced = artifact.relations.filter(([kind]) => kind === "superseded-by");
  return el("header", { class: "record-head" },
    el("p", { class: "crumb" },
      named && el("span", { class: "id" }, record.id), statusOf(record),
      artifact.written && fold(artifact.written) !== fold(record.label) && el("span", null, artifact.written),
      record.date && el("time", null, record.date), record.module && el("span", null, record.module),
      place(data, record.path, 0)),
    el("h1", { tabindex: -1, class: record.title.length > 80 && "long" }, record.title),
    replaced.length > 0 && el("p", { class: "replacement" }, "Replaced by ",
      replaced.map(([, target, label], at) => [at ? ", " : "", target < 0 ? label : recordLink(target)])));
};

const article = (blocks, artifact, data, headings, prefix) => blocks.map((block) => {
  const more = [];
  const node = build(block, (made, attributes) => {
    if (!/^H[2-6]$/.test(made.tagName)) return;
    if (!attributes.i) return;
    made.id = prefix + attributes.i;
    made.tabIndex = -1;
    if (/^H[23]$/.test(made.tagName)) headings.push(made);
    const requirement = prefix ? null : artifact.requirements.find((one) => one[2] === attributes.i);
    if (requirement) more.push(cover(requirement, data));
  });
  return [node, ...more];
});

const isNamed = ([, , , , tested, code, tests]) => tested + code.length + tests.length > 0;
const cover = ([, , , scenarios, tested, code, tests], data) => {
  if (!tested && !code.length && !tests.length) return el("p", { class: "cover missing" }, "Neither code nor a test names this requirement.");
  const places = [...code, ...tests];
  const shown = [];
  for (let at = 0; at < Math.min(places.length, 8); at += 2) shown.push(at ? ", " : "", place(data, data.files[places[at]], places[at + 1]));
  const rest = places.length / 2 - Math.min(places.length / 2, 4);
  return el("p", { class: "cover named" }, shown.length > 0 && ["Named by ", shown], rest > 0 && ` and ${rest} more`,
    tested > 0 && `${shown.length ? "; tests" : "Tests"} name ${tested} of ${plural(scenarios, "scenario")}`);
};

const ownFindings = (artifact, data) => {
  const listed = artifact.findings.filter((number) => number < data.findings.length);
  const list = (some) => el("ul", { class: "findings" }, some.map((number) => finding(data.findings[number], data, false)));
  return listed.length > 0 && el("section", { class: "own-findings", "aria-label": "Findings" },
    el("h2", null, plural(artifact.findings.length, "finding")), list(listed.slice(0, MANY)),
    listed.length > MANY && el("details", null, el("summary", null, `${listed.length - MANY} more`), list(listed.slice(MANY))));
};

const group = (title, items, make, kind) => {
  if (!items.length) return null;
  const made = items.slice(0, 200).map((item) => el("li", { class: kind }, make(item)));
  const beyond = items.length > 200 && el("li", null, `and ${items.length - 200} more`);
  const list = made.length <= FEW + 2
    ? el("ul", null, made, beyond)
    : [el("ul", null, made.slice(0, FEW)), el("details", null, el("summary", null, `${items.length - FEW} more`), el("ul", null, made.slice(FEW), beyond))];
  return [el("h2", null, title), list];
};

const side = (number, artifact, data) => {
  const related = artifact.relations.filter(([kind]) => kind !== "superseded-by");
  const known = new Set(artifact.relations.map(([, target]) => target));
  const namedBy = data.namedBy[number].filter((other) => !known.has(other));
  const mentions = artifact.mentions.filter((other) => !known.has(other));
  return [
    group("Relations", related, ([kind, target, label, derived]) => [
      el("span", { class: "kind", title: derived ? "Written in the other record" : null }, `${KINDS[kind] || kind} `),
      target < 0 ? `${label} (unknown)` : recordLink(target)], "record"),
    group("Applies to", artifact.applies, (pattern) => el("code", null, pattern)),
    group("Governs", byFile(artifact.cited), ([file, lines, notes]) => [
      lines.map((line, at) => [at ? ", " : "", at ? place(data, data.files[file], line).cloneNode(true) : place(data, data.files[file], line)]),
      notes && el("span", { class: "reason" }, notes)]),
    artifact.uncited > 0 && el("p", null, `and ${plural(artifact.uncited, "more comment")}`),
    group("Issues", artifact.issues, ([id, title, status]) => [`${id} ${title} `, el("span", { class: "kind" }, status)]),
    group("Cited by records", namedBy, recordLink, "record"),
    group("Cites records", mentions, recordLink, "record"),
    data.near[number].size + namedBy.length + mentions.length > 0 &&
      el("p", null, el("a", { href: `#/graph?at=${encodeURIComponent(records[number].key)}` }, "Show in the graph")),
  ];
};

// The comments of each file: [file, lines, reasons and requirements].
const byFile = (cited) => {
  const files = new Map();
  for (const [file, line, requirement, reason] of cited) {
    if (!files.has(file)) files.set(file, [file, new Set(), new Set()]);
    files.get(file)[1].add(line);
    const note = [requirement && `“${requirement}”`, reason].filter(Boolean).join(" ");
    if (note) files.get(file)[2].add(note);
  }
  return [...files.values()].map(([file, lines, notes]) => [file, [...lines].slice(0, 3), [...notes].slice(0, 3).join("; ")]);
};

const contents = (headings, record) => headings.length > 2 && [
  el("h2", null, "On this page"),
  el("ul", { class: "toc" }, headings.slice(0, 60).map((heading) =>
    el("li", { class: heading.tagName.toLowerCase() }, el("a", { href: `#/record/${record.key}/${encodeURIComponent(heading.id)}` }, heading.textContent.replace(/^Requirement: /, ""))))),
];

const pager = (number) => {
  const same = records.filter((one) => one.kind === records[number].kind && one.module === records[number].module);
  const at = same.indexOf(records[number]);
  const step = (other, before, after) => other && el("a", { href: `#/record/${other.key}` }, before, other.id === other.title ? "" : `${other.id} `, other.title, after);
  return el("nav", { class: "pager", "aria-label": "Next and previous record" }, step(same[at - 1], "← ", ""), step(same[at + 1], "", " →"));
};

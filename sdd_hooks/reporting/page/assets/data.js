// The data of the page: deflated parts, opened when a view needs them.

const opened = new Map();
const open = (id) => {
  if (!opened.has(id)) opened.set(id, inflate(by(id).textContent));
  return opened.get(id);
};
const inflate = async (text) => {
  if (typeof DecompressionStream === "undefined") throw new Error("This browser is too old to open the texts of this page.");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

const rows = [...by("records").children];
const records = rows.map((row, number) => ({
  number,
  row,
  key: row.dataset.key,
  id: row.querySelector(".id").textContent,
  title: row.querySelector(".title").textContent,
  kind: row.dataset.kind,
  status: row.dataset.status,
  label: row.querySelector(".status").firstChild.textContent.trim(),
  date: row.dataset.date,
  module: row.dataset.module || "",
  path: row.dataset.path,
  past: row.classList.contains("past"),
  cited: Number(row.dataset.cited),
  findings: Number(row.dataset.findings),
}));
const numbers = new Map(records.map((record) => [record.key, record.number]));

// Everything but the texts; then `artifacts[n]` belongs to `records[n]`.
const load = async () => {
  const data = await open("data");
  if (!data.namedBy) {
    data.namedBy = records.map(() => []);
    data.artifacts.forEach((artifact, number) => artifact.mentions.forEach((other) => data.namedBy[other].push(number)));
    data.near = records.map(() => new Map());
    for (const [kind, older, newer] of data.map.edges) {
      data.near[older].set(newer, [data.map.kinds[kind], "newer"]);
      data.near[newer].set(older, [data.map.kinds[kind], "older"]);
    }
  }
  return data;
};
const textsOf = async (artifact) => (await open(`part-${artifact.part}`))[artifact.place];

const addressOf = (data, path, line) => {
  if (!data.base) return "";
  return data.base + path.split("/").map(encodeURIComponent).join("/") + (line ? `?${data.query}#L${line}` : "");
};
// A place in a file: a link to the forge, if the page knows one.
const place = (data, path, line) => {
  const text = el("code", null, line ? `${path}:${line}` : path);
  const address = addressOf(data, path, line);
  return address ? link(address, text) : text;
};
const recordLink = (number) => {
  const record = records[number];
  return el("a", { href: `#/record/${record.key}` }, record.id === record.title ? "" : `${record.id} `, record.title);
};
const statusOf = (record) => el("span", { class: `status ${record.status}` }, record.label);

// Search over ids, titles, texts, requirements, findings and the files that cite.

let corpus;
const loadCorpus = () => {
  corpus ||= (async () => {
    const data = await load();
    return Promise.all(records.map(async (record) => {
      const artifact = data.artifacts[record.number];
      const trees = (await textsOf(artifact)).flat();
      const text = trees.map(treeText).join("");
      return { record, text, folded: fold(text), name: fold(`${record.id} ${record.title} ${record.path}`) };
    }));
  })();
  return corpus;
};
const fold = (text) => text.normalize("NFKC").toLowerCase();
const wordsOf = (query) => [...new Set(fold(query).split(/\s+/).filter(Boolean))].slice(0, 12);

const showSearch = async (parameters) => {
  const query = parameters.get("q") || "";
  const words = wordsOf(query);
  const view = by("view-search");
  if (!words.length) {
    put(view, el("h1", { tabindex: -1 }, "Search"), el("p", { class: "empty" }, "Type words into the field at the top."));
    return "Search";
  }
  const [data, texts] = [await load(), await loadCorpus()];
  const found = rank(texts, words);
  const findings = data.findings.filter((one) => fits(fold(`${one[1]} ${one[2]} ${one[3]} ${one[5]}`), words));
  const files = data.files.filter((path) => fits(fold(path), words));
  put(view,
    el("h1", { tabindex: -1 }, `Search: ${query}`),
    found.length + findings.length + files.length ? "" : el("p", { class: "empty" }, "Nothing has all of these words."),
    section(plural(found.length, "record"), found, (hit) => [
      el("div", { class: "line" }, el("a", { href: `#/record/${hit.record.key}` }, marked(hit.record.title, words)),
        hit.record.id !== hit.record.title && el("span", { class: "id" }, marked(hit.record.id, words)), statusOf(hit.record)),
      hit.excerpt && el("p", null, marked(hit.excerpt, words))]),
    section(plural(findings.length, "finding"), findings, (one) => [
      el("div", { class: "line" }, el("span", { class: `severity ${one[0]}` }, one[0]), el("span", null, marked(one[2], words))),
      el("p", null, one[3] && place(data, one[3], one[4]), one[6] >= 0 && [" in ", recordLink(one[6])])]),
    section(plural(files.length, "file"), files, (path) => place(data, path, 0)));
  by("live").textContent = `${plural(found.length, "record")}, ${plural(findings.length, "finding")}, ${plural(files.length, "file")}`;
  return `Search: ${query}`;
};

const section = (title, items, make) => items.length > 0 ? [
  el("h2", null, title),
  el("ol", { class: "results" }, items.slice(0, 50).map((item) => el("li", null, make(item)))),
  items.length > 50 && el("p", { class: "cut" }, `The first 50 of ${items.length}. More words find fewer.`),
] : null;

const fits = (text, words) => words.every((word) => text.includes(word));

// Records with all words: those with more of them in the title first, then by how often the text has them.
const rank = (texts, words) => {
  const hits = [];
  for (const one of texts) {
    if (!words.every((word) => one.name.includes(word) || one.folded.includes(word))) continue;
    let score = 0;
    for (const word of words) {
      if (one.name.includes(word)) score += 10;
      score += Math.min(4, Math.log2(1 + one.folded.split(word).length - 1));
    }
    if (one.record.past) score *= 0.7;
    hits.push({ record: one.record, score, excerpt: excerpt(one, words) });
  }
  return hits.sort((a, b) => b.score - a.score || a.record.number - b.record.number);
};

const excerpt = ({ text, folded }, words) => {
  const at = Math.min(...words.map((word) => folded.indexOf(word)).filter((found) => found >= 0));
  if (!Number.isFinite(at)) return text.slice(0, 160).trim();
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 70)));
  const piece = text.slice(start, at + 170).replace(/\s+/g, " ").trim();
  return `${start ? "… " : ""}${piece}${at + 170 < text.length ? " …" : ""}`;
};

// The text with each word marked.
const marked = (text, words) => {
  const folded = text.toLowerCase();
  if (folded.length !== text.length) return text;
  const pieces = [];
  let position = 0;
  while (position < text.length) {
    let best = -1;
    let length = 0;
    for (const word of words) {
      const at = folded.indexOf(word, position);
      if (at >= 0 && (best < 0 || at < best || (at === best && word.length > length))) [best, length] = [at, word.length];
    }
    if (best < 0) break;
    pieces.push(text.slice(position, best), el("mark", null, text.slice(best, best + length)));
    position = best + length;
  }
  return [...pieces, text.slice(position)];
};

// The records by date, the newest first, with who decided or wrote them and what they replace.

const showTimeline = async () => {
  const data = await load();
  const years = new Map();
  const dated = records.filter(({ date }) => date).sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : b.number - a.number));
  for (const record of [...dated, ...records.filter(({ date }) => !date)]) {
    const year = record.date.slice(0, 4) || "Without a date";
    years.set(year, [...(years.get(year) || []), record]);
  }
  put(by("view-timeline"),
    el("h1", { tabindex: -1 }, "Timeline"),
    [...years].map(([year, members]) => el("section", { class: "year" },
      el("h2", null, year, el("span", { class: "share" }, states(members))),
      el("ol", null, members.map((record) => moment(record, data.artifacts[record.number]))))));
  return "Timeline";
};

const moment = (record, artifact) => {
  const replaced = artifact.relations.filter(([kind, target]) => kind === "supersedes" && target >= 0);
  return el("li", { class: record.past && "past" },
    el("time", null, record.date), recordLink(record.number), statusOf(record),
    artifact.people && el("span", { class: "people" }, artifact.people),
    replaced.length > 0 && el("span", { class: "people" }, "replaces ", replaced.map(([, target], at) => [at ? ", " : "", el("a", { href: `#/record/${records[target].key}` }, records[target].id)])));
};

// Which requirements the code names, and which decisions.

const share = (part, whole) => svg("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
  svg("rect", { width: whole ? (100 * part) / whole : 0, height: 1 }));

const showCoverage = async (parameters) => {
  const data = await load();
  const missing = parameters.get("only") === "missing";
  const specs = records.filter((record) => data.artifacts[record.number].requirements.length);
  const decisions = records.filter((record) => record.kind === "ADR" && !record.past);
  const uncited = decisions.filter((record) => !record.cited);
  const all = specs.flatMap((record) => data.artifacts[record.number].requirements);
  put(by("view-coverage"),
    el("h1", { tabindex: -1 }, "Coverage"),
    el("h2", null, `Decisions: code names ${decisions.length - uncited.length} of ${decisions.length} in force`),
    share(decisions.length - uncited.length, decisions.length),
    uncited.length > 0 && el("details", null, el("summary", null, `${plural(uncited.length, "decision")} that neither code nor an issue names`),
      el("ul", { class: "tags" }, uncited.map((record) => el("li", null, recordLink(record.number))))),
    data.code.length > 0 && [
      el("h2", null, `Code: decisions for ${data.code[0][2]} of ${plural(data.code[0][1], "source file")}`),
      el("p", { class: "shown" }, "By comments, scopes and names in records that are in force."), codeMap(data.code.slice(1))],
    all.length > 0
      ? [el("h2", null, `Requirements: code or tests name ${all.filter(isNamed).length} of ${all.length}`), share(all.filter(isNamed).length, all.length), onlyMissing(missing)]
      : el("p", { class: "empty" }, "No spec has requirements."),
    specs.map((record) => specTable(record, data, missing)));
  return "Coverage";
};

// The folders of the code below each other, with the share of files that decisions govern.
const codeMap = (folders) => el("table", { class: "map" }, el("tbody", null, folders.map(([path, files, governed, by]) => el("tr", null,
  el("th", { scope: "row" }, el("code", null, "\u00a0\u00a0".repeat(path.split("/").length - 1), path.split("/").at(-1))),
  el("td", null, share(governed, files)),
  el("td", { class: governed ? "right" : "right none" }, governed ? `${governed} of ${files}` : `none of ${files}`),
  el("td", null, by.map((number) => el("a", { href: `#/record/${records[number].key}`, title: records[number].title }, records[number].id)))))));

const onlyMissing = (checked) => el("form", { class: "filters", "aria-label": "Filters" },
  el("fieldset", null, el("label", null,
    el("input", { type: "checkbox", checked, onchange: (event) => go("coverage", new URLSearchParams(event.target.checked ? { only: "missing" } : {})) }),
    el("span", null, "Only those that nothing names"))));

const specTable = (record, data, missing) => {
  const { requirements } = data.artifacts[record.number];
  const shown = missing ? requirements.filter((one) => !isNamed(one)) : requirements;
  if (!shown.length) return null;
  const covered = requirements.filter(isNamed).length;
  const cell = (number, label) => el("td", { class: `right${number ? "" : " none"}`, "data-label": label }, number || "none");
  return el("section", { class: "spec" },
    el("h2", null, recordLink(record.number), statusOf(record), el("span", { class: "share" }, `${covered} of ${requirements.length}`)),
    share(covered, requirements.length),
    el("table", null,
      el("thead", null, el("tr", null, ["Requirement", "Level", "Tested scenarios", "Code", "Tests"].map((title, at) =>
        el("th", { scope: "col", class: at > 1 ? "right" : null }, title)))),
      el("tbody", null, shown.map(([name, level, anchor, scenarios, tested, code, tests]) => el("tr", null,
        el("th", { scope: "row" }, el("a", { href: `#/record/${record.key}/${encodeURIComponent(anchor)}` }, name)),
        el("td", { "data-label": "Level" }, level || "unset"),
        el("td", { class: "right", "data-label": "Scenarios" }, scenarios ? `${tested} of ${scenarios}` : "none"),
        cell(code.length / 2, "Code"), cell(tests.length / 2, "Tests"))))));
};

// The findings, grouped by rule, the most severe first.

const SEVERITIES = ["critical", "warning", "info"];
const PAGE = 40;

const finding = ([severity, , message, path, line, evidence, number], data, linked) => el("li", null,
  el("span", { class: `severity ${severity}` }, severity),
  el("span", null, spans(message)),
  el("span", { class: "where" }, path && place(data, path, line), linked && number >= 0 && [" in ", recordLink(number)]),
  evidence && !message.includes(evidence) && el("span", { class: "evidence" }, evidence));

// A message with its parts in backticks as code.
const spans = (message) => message.split(/`([^`]+)`/).map((piece, at) => at % 2 ? el("code", null, piece) : piece);

const showFindings = async (parameters) => {
  const data = await load();
  const severity = parameters.get("severity") || "";
  const rule = parameters.get("rule") || "";
  const fitting = data.findings.filter((one) => (!severity || one[0] === severity) && (!rule || one[1] === rule));
  const groups = new Map();
  for (const one of fitting) groups.set(one[1], [...(groups.get(one[1]) || []), one]);
  const worst = (list) => Math.min(...list.map((one) => SEVERITIES.indexOf(one[0])));
  const ordered = [...groups].sort((a, b) => worst(a[1]) - worst(b[1]) || b[1].length - a[1].length || a[0].localeCompare(b[0]));
  const rules = [...new Set(data.findings.map((one) => one[1]))].sort();
  put(by("view-findings"),
    el("h1", { tabindex: -1 }, "Findings"),
    data.findings.length > 0 && severityForm(data, severity, rule, rules, fitting.length),
    data.unlisted > 0 ? el("p", null, `${plural(data.unlisted, "further finding")} not on this page: sdd audit lists all of them.`) : "",
    data.findings.length ? "" : el("p", { class: "empty" }, "The audit found nothing."),
    ordered.map(([name, list]) => ruleGroup(name, list, data)));
  return "Findings";
};

const severityForm = (data, severity, rule, rules, shown) => {
  const choice = (value, label, number) => el("label", null,
    el("input", { type: "radio", name: "severity", value, checked: value === severity }),
    el("span", null, label, " ", el("small", null, number)));
  const count = (name) => data.findings.filter((one) => one[0] === name).length;
  const form = el("form", { class: "filters", "aria-label": "Filters", onsubmit: (event) => event.preventDefault() },
    el("fieldset", null, el("legend", null, "Severity"), choice("", "All", data.findings.length),
      SEVERITIES.map((name) => choice(name, name[0].toUpperCase() + name.slice(1), count(name)))),
    el("label", { class: "choice" }, "Rule ", el("select", { name: "rule" }, el("option", { value: "" }, "All"),
      rules.map((name) => el("option", { value: name, selected: name === rule }, name)))),
    el("output", { class: "shown" }, plural(shown, "finding")));
  form.addEventListener("change", () => {
    const parameters = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) parameters.set(name, value);
    go("findings", parameters);
  });
  return form;
};

const ruleGroup = (name, list, data) => {
  const items = el("ul", { class: "findings" });
  let next = 0;
  const more = el("button", { type: "button", onclick: () => grow() });
  const grow = () => {
    const first = items.children.length;
    items.append(...list.slice(next, next + PAGE).map((one) => finding(one, data, true)));
    next += PAGE;
    more.textContent = `Show ${Math.min(PAGE, Math.max(0, list.length - next))} more of ${list.length - next}`;
    more.parentElement?.toggleAttribute("hidden", next >= list.length);
    if (first && next < list.length + PAGE) items.children[first]?.setAttribute("tabindex", "-1");
    if (first) items.children[first]?.focus();
  };
  const rest = el("p", { class: "more" }, more);
  grow();
  rest.hidden = next >= list.length;
  // A rule may have findings of several kinds: `rule/kind`.
  const known = [name, name.split("/")[0]].find((one) => Object.hasOwn(data.rules, one));
  const summary = known && data.rules[known];
  return el("section", { class: "group" },
    el("h2", null, el("code", null, name), el("small", null, plural(list.length, "finding"))),
    summary && el("p", null, spans(summary)), items, rest);
};

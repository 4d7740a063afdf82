// The list of records: filters and order, as the address has them.

const ORDERS = {
  newest: (a, b) => b.date.localeCompare(a.date) || a.number - b.number,
  title: (a, b) => a.title.localeCompare(b.title) || a.number - b.number,
  findings: (a, b) => b.findings - a.findings || a.number - b.number,
  cited: (a, b) => b.cited - a.cited || a.number - b.number,
};
const filters = by("filters");
let listed = "";

const showList = (parameters) => {
  const kind = parameters.get("kind") || "";
  const statuses = new Set((parameters.get("status") || "").split(",").filter(Boolean));
  const only = new Set((parameters.get("only") || "").split(",").filter(Boolean));
  const module = parameters.get("module") || "";
  const order = Object.hasOwn(ORDERS, parameters.get("order") || "") ? parameters.get("order") : "";
  for (const input of filters.querySelectorAll("[name=kind]")) input.checked = input.value === kind;
  for (const input of filters.querySelectorAll("[name=status]")) input.checked = statuses.has(input.value);
  for (const input of filters.querySelectorAll("[name=only]")) input.checked = only.has(input.value);
  if (filters.elements.module) filters.elements.module.value = module;
  filters.elements.order.value = order;
  let shown = 0;
  for (const record of records) {
    const fits = (!kind || record.kind === kind) && (!statuses.size || statuses.has(record.status)) &&
      (!module || record.module === module) && (!only.has("findings") || record.findings > 0) &&
      (!only.has("uncited") || record.cited === 0);
    record.row.hidden = !fits;
    if (fits) shown += 1;
  }
  if (order !== listed) {
    const compare = ORDERS[order];
    const sorted = compare ? [...records].sort(compare) : records;
    by("records").append(...sorted.map((record) => record.row));
    listed = order;
  }
  by("shown").textContent = shown === records.length ? plural(shown, "record") : `${shown} of ${plural(records.length, "record")}`;
  by("nothing").hidden = shown > 0;
};

filters.addEventListener("change", () => {
  const form = new FormData(filters);
  const parameters = new URLSearchParams();
  for (const name of ["kind", "status", "only", "module", "order"]) {
    const value = form.getAll(name).filter(Boolean).join(",");
    if (value) parameters.set(name, value);
  }
  go("", parameters);
});
filters.addEventListener("submit", (event) => event.preventDefault());

// On a phone the filters are closed at first, unless the address has some.
by("filter-box").open = !matchMedia("(max-width: 46rem)").matches || location.hash.includes("?");

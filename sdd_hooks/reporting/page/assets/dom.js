// Elements. Only createElement and text nodes: no function here gives a text to a parser.

const SVG = "http://www.w3.org/2000/svg";

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
};
const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const put = (node, ...children) => {
  node.replaceChildren();
  return fill(node, null, children);
};
const by = (id) => document.getElementById(id);

const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// The elements that the tree of a text may have. Others become a span.
const ELEMENTS = new Set(("p h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a br hr span " +
  "table thead tbody tr th td").split(" "));
const ADDRESS = /^(?:#\/|https?:\/\/|mailto:)/i;

// A link to an address of the web, or of this page; a plain text for any other address.
const link = (address, ...children) => {
  if (!ADDRESS.test(address)) return el("span", null, ...children);
  const outside = !address.startsWith("#");
  return el("a", { href: address, rel: outside && "noopener noreferrer" }, ...children);
};

// Builds the elements of a tree: a text, or [name, attributes?, ...children]. `seen` is called with each.
const build = (tree, seen) => {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [name, ...rest] = tree;
  const attributes = rest.length && typeof rest[0] === "object" && !Array.isArray(rest[0]) ? rest.shift() : {};
  const children = rest.map((child) => build(child, seen));
  let node;
  if (name === "a") node = link(String(attributes.h), ...children);
  else node = el(ELEMENTS.has(name) ? name : "span", null, ...children);
  if (attributes.s !== undefined && name === "ol") node.setAttribute("start", Number(attributes.s));
  if (["right", "center", "image"].includes(attributes.c)) node.className = attributes.c;
  if (name === "pre" || name === "table") {
    node.tabIndex = 0;
    node.setAttribute("role", name === "table" ? "table" : "group");
    if (name === "pre") node.setAttribute("aria-label", "Code");
  }
  seen?.(node, attributes);
  return node;
};
// The text of a tree, with a line for each block.
const treeText = (tree) => {
  if (typeof tree === "string") return tree;
  if (!Array.isArray(tree)) return "";
  const inside = tree.slice(1).map(treeText).join("");
  return /^(?:p|h\d|li|td|th|pre|br)$/.test(tree[0]) ? `${inside}\n` : inside;
};

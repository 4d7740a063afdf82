// Parses the JSON list of diagrams on stdin with the mermaid in the directory of the first argument.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const directory = process.argv[2];
const { JSDOM } = createRequire(directory + "/package.json")("jsdom");
globalThis.window = new JSDOM("").window;
globalThis.document = window.document;
const core = pathToFileURL(directory + "/node_modules/mermaid/dist/mermaid.core.mjs");
const mermaid = (await import(core)).default;

// The first parse registers the types of diagrams.
await mermaid.parse("graph TD");
const parsed = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    parsed.push({
      type: diagram.type,
      direction: diagram.db.getDirection(),
      nodes: [...diagram.db.getVertices().keys()],
      edges: diagram.db.getEdges().map((edge) => [edge.start, edge.end]),
    });
  } catch (error) {
    parsed.push({ error: String(error) });
  }
}
console.log(JSON.stringify(parsed));

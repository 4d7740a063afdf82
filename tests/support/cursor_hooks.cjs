// Runs the hooks of a repository as Cursor does: node cursor_hooks.cjs FOLDER ROOT <STEPS
//
// FOLDER has the CommonJS files of @cursor/sdk. Its local agents need an account, but the part that
// reads `.cursor/hooks.json`, completes the input, starts the command and validates the answer needs
// none. The package does not export that part, so it is taken from the bundle by what does not change
// when names are shortened. STEPS is a JSON array of pairs: the event, and the fields that the agent
// gives. For each of them a line has the validated answer, or null where there is none.
const fs = require("node:fs");
const path = require("node:path");
const Module = require("node:module");

const folder = fs.realpathSync(process.argv[2]);
const root = process.argv[3];
const HOOKS = /function (\w+)\(e=\{\}\)\{return\{createHooksRuntime:/;
const EXECUTOR =
  /Promise\.all\(\[([^\]]+)\]\)\.then\((\w+)\.bind\(\2,"\.\/src\/agent\/local-executor\.ts"\)\)/;
const END = /module\.exports=\w+\}\)\(\);?\s*$/;

const compile = Module._extensions[".js"];
Module._extensions[".js"] = (module, file) => {
  if (path.dirname(file) !== folder) return compile(module, file);
  const source = fs.readFileSync(file, "utf8");
  const executor = EXECUTOR.exec(source);
  const seen = source.replace(HOOKS, (text, name) => `globalThis.hooks=${name};${text}`);
  const loaded = executor
    ? seen.replace(END, (text) => `globalThis.loadExecutor=()=>${executor[0]};${text}`)
    : seen;
  return module._compile(loaded, file);
};
require(path.join(folder, "index.js"));

async function main() {
  await globalThis.loadExecutor();
  const options = { includeUserHooks: false, useCommandHookStdinTransport: true };
  const workspaceState = { projectRoot: root, workingDirectory: root, workspaceRoots: [root] };
  const runtime = await globalThis.hooks(options).createHooksRuntime({ workspaceState });
  const { hookExecutor } = runtime.createSessionRuntime({});
  for (const [event, fields] of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const answer = await hookExecutor.executeHookForStep(event, fields);
    console.log(JSON.stringify(answer ?? null));
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);

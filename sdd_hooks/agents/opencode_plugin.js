// Written by `sdd agent install opencode`; `sdd agent uninstall opencode` removes it.
// It starts `sdd agent hook opencode EVENT` and adds what that prints to the output of a tool.
import { spawn } from "node:child_process"

const PRIME = false
const SECONDS = 10
const EDITS = new Set(["edit", "write", "patch", "apply_patch", "multiedit"])

function hook(event, input, directory) {
  return new Promise((resolve) => {
    const options = event === "session" && PRIME ? ["--prime"] : []
    const child = spawn("sdd", ["agent", "hook", "opencode", event, ...options], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: SECONDS * 1000,
    })
    let output = ""
    child.stdout.on("data", (data) => (output += data))
    // Without sdd there is nothing to say.
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.on("close", () => {
      try {
        resolve(String(JSON.parse(output).additionalContext ?? ""))
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ ...input, directory }))
  })
}

export const SddPlugin = async ({ directory }) => {
  const waiting = new Map()
  return {
    "chat.message": async (input, output) => {
      const text = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      await hook("prompt", { sessionID: input.sessionID, prompt: text.map((part) => part.text).join("\n") }, directory)
    },
    event: async ({ event }) => {
      if (event.type !== "session.created") return
      const text = await hook("session", { sessionID: event.properties?.info?.id ?? "" }, directory)
      if (text) waiting.set("prime", text)
    },
    "experimental.chat.system.transform": async (_input, output) => {
      if (waiting.has("prime")) output.system?.push(waiting.get("prime"))
    },
    "tool.execute.before": async (input, output) => {
      if (!EDITS.has(input.tool)) return
      // An edit cannot be given a text before it runs; it is told with its result if no read was.
      const text = await hook("before", { sessionID: input.sessionID, tool: input.tool, args: output.args }, directory)
      if (text) waiting.set(input.callID, text)
    },
    "tool.execute.after": async (input, output) => {
      if (input.tool !== "read" && !EDITS.has(input.tool)) return
      const told = [waiting.get(input.callID) ?? ""]
      waiting.delete(input.callID)
      told.push(await hook("after", { sessionID: input.sessionID, tool: input.tool, args: input.args }, directory))
      for (const text of told) if (text) output.output = `${output.output}\n\n${text}`
    },
  }
}

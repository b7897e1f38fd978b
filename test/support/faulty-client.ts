import { writeFileSync } from "node:fs";

/** What is wrong with a client that stands in for Gemini CLI. */
export type Fault = "asks nobody" | "runs nothing" | "ends at once" | "hangs";

/**
 * Writes a program that takes its model's calls as Gemini CLI does, and calls no hook. What it was started with, its words and its
 * variables, it leaves in `notes`.
 */
export function writeFaultyClient(file: string, notes: string, fault: Fault): void {
  writeFileSync(file, `#!${process.execPath}\nconst [NOTES, FAULT] = ${JSON.stringify([notes, fault])};\n${PROGRAM}`, {
    mode: 0o755,
  });
}

const PROGRAM = `
const { execFileSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
writeFileSync(NOTES, JSON.stringify({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), pid: process.pid }));
const tools = [{ functionDeclarations: [{ name: "run_shell_command" }] }];
const url = process.env.GOOGLE_GEMINI_BASE_URL + "/v1beta/models/m:generateContent";
function answerTo(command) {
  if (FAULT === "asks nobody") return execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  return FAULT === "runs nothing" ? "no such tool" : "";
}
async function main() {
  if (FAULT === "hangs") return void setInterval(() => undefined, 1000);
  if (FAULT === "ends at once") { console.error("no licence\\u202e here"); process.exit(3); }
  const contents = [{ role: "user", parts: [{ text: "go" }] }];
  for (;;) {
    const answer = await fetch(url, { method: "POST", body: JSON.stringify({ contents, tools }) });
    const { content } = (await answer.json()).candidates[0];
    const { functionCall } = content.parts[0];
    if (functionCall === undefined) return;
    const response = { output: answerTo(functionCall.args.command) };
    contents.push(content, { role: "user", parts: [{ functionResponse: { name: functionCall.name, response } }] });
  }
}
main();
`;

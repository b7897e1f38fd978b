/** The same acts as each agent's own tools name them. `{home}` and `{project}` stand for the user's folders. */

/** A call as an agent would make it. */
export interface StoryStep {
  by: string;
  executor: string;
  args: Readonly<Record<string, unknown>>;
  /** Another session than the story's first. */
  session?: string;
}

type Make = (executor: string, args: StoryStep["args"]) => StoryStep;
const by =
  (agent: string): Make =>
  (executor, args) => ({ by: agent, executor, args });

/** A patch that makes one file. */
const adding = (path: string, text: string) =>
  ["*** Begin Patch", `*** Add File: ${path}`, ...text.split("\n").map((line) => `+${line}`), "*** End Patch"].join(
    "\n",
  );

export interface Verbs {
  read(path: string): StoryStep;
  fetch(url: string): StoryStep;
  write(path: string, text: string): StoryStep;
  run(command: string): StoryStep;
  /** What its program asks for in a box. */
  reach(url: string): StoryStep;
  tool(executor: string, args?: StoryStep["args"]): StoryStep;
}

function verbs(agent: string, own: (make: Make) => Pick<Verbs, "read" | "fetch" | "write" | "run">): Verbs {
  const make = by(agent);
  return {
    ...own(make),
    reach: (url) => make("@reach", { url }),
    tool: (executor, args = {}) => make(executor, args),
  };
}

export const claude = verbs("claude-code", (make) => ({
  read: (path) => make("Read", { file_path: path }),
  fetch: (url) => make("WebFetch", { url, prompt: "Say what is on this page" }),
  write: (path, content) => make("Write", { file_path: path, content }),
  run: (command) => make("Bash", { command }),
}));

export const codex = verbs("codex", (make) => ({
  read: (path) => make("Bash", { command: `cat ${path}` }),
  fetch: (url) => make("Bash", { command: `curl -s '${url}'` }),
  write: (path, text) => make("apply_patch", { patch: adding(path, text) }),
  run: (command) => make("Bash", { command }),
}));

export const gemini = verbs("gemini", (make) => ({
  read: (path) => make("read_file", { file_path: path }),
  fetch: (url) => make("web_fetch", { prompt: `What does ${url} say?` }),
  write: (path, content) => make("write_file", { file_path: path, content }),
  run: (command) => make("run_shell_command", { command }),
}));

export const opencode = verbs("opencode", (make) => ({
  read: (path) => make("read", { filePath: path }),
  fetch: (url) => make("webfetch", { url, format: "text" }),
  write: (path, content) => make("write", { filePath: path, content }),
  run: (command) => make("bash", { command }),
}));

export const client = verbs("assistant", (make) => ({
  read: (path) => make("fs_read", { path }),
  fetch: (url) => make("http_get", { url }),
  write: (path, content) => make("fs_write", { path, content }),
  run: (command) => make("shell_exec", { command }),
}));

import {
  bash,
  commands,
  DENIED,
  type Entry,
  type Expected,
  edit,
  HOME_GRANTS,
  READ_EACH_TIME,
  read,
  section,
  type ToolCall,
  tool,
  write,
} from "../row.ts";
import { ASKED_FILES, KEYS_READ_BY_NAME, SECRET_FILES, type World } from "../world.ts";

/** H1: the guard holds for every tool, not for command lines only. */

const secretBelow = (world: World) => world.put("proj/sub/.env", "SECRET\n");

/** Inside of what was granted. */
const READ_INSIDE: Expected = { ...READ_EACH_TIME, granted: "allowed", full: "allowed" };

const quoted = (path: string) => `'${path}'`;

const PLAIN_READERS: readonly ((path: string) => ToolCall)[] = [
  read,
  (path) => tool("fs_read", { path }),
  (path) => bash(`cat ${quoted(path)}`),
];

const OTHER_READERS: readonly ((path: string) => ToolCall)[] = [
  (path) => tool("Grep", { pattern: "token", path }),
  (path) => tool("parse_document", { path }),
];

const READERS = [...PLAIN_READERS, ...OTHER_READERS];

const NAMERS: readonly ((path: string) => ToolCall)[] = [
  (path) => tool("Glob", { pattern: path }),
  (path) => tool("fs_list", { path }),
];

const WRITERS: readonly ((path: string) => ToolCall)[] = [
  write,
  edit,
  (path) => tool("MultiEdit", { file_path: path, edits: [] }),
  (path) => tool("fs_write", { path, content: "x" }),
  (path) => tool("fs_delete", { path }),
  (path) => bash(`tee ${quoted(path)}`),
];

const on = (path: string, calls: readonly ((path: string) => ToolCall)[], more: Partial<Entry>): Entry[] =>
  calls.map((call) => ({ grants: HOME_GRANTS, why: "a secret", ...more, call: call(`{home}/${path}`) }));

export const SECRETS = section("H1", DENIED, [
  ...SECRET_FILES.flatMap((path) => on(path, [...READERS, ...NAMERS, ...WRITERS], {})),
  ...on(KEYS_READ_BY_NAME, [...OTHER_READERS, ...NAMERS, ...WRITERS], {}),
  ...on(KEYS_READ_BY_NAME, PLAIN_READERS, {
    expected: READ_EACH_TIME,
    why: "a secret that is asked about by name each time",
  }),
  ...ASKED_FILES.flatMap((path) =>
    on(path, READERS, { expected: READ_EACH_TIME, why: "a secret that is asked about by name each time" }),
  ),
  ...[
    tool("fs_delete", { path: "/usr" }),
    tool("fs_delete", { path: "/home" }),
    tool("fs_delete", { path: "/" }),
    tool("fs_delete", { path: "{home}" }),
    write("/etc/fstab"),
    write("/dev/vda"),
    write("/dev/mem"),
    tool("fs_write", { path: "/dev/vda", content: "x" }),
    read("/dev/mem"),
  ].map((call): Entry => ({ call, why: "no way back, whatever tool does it" })),
  {
    call: tool("Grep", { pattern: "KEY", path: "{home}/proj", glob: ".env" }),
    why: "a search that names the secret",
    expected: READ_EACH_TIME,
  },
  ...commands(
    "what lies in a folder that a pattern matches is read, whatever its name",
    ["grep -rn s sub*", "egrep -rh s s?b", "rg -uu s sub*", "rg -. s su*", "grep -rn s a.txt su*"],
    { prepare: secretBelow, expected: READ_EACH_TIME },
  ),
  ...commands(
    "Claude Code's grep reads the files of a folder without being asked to (ugrep)",
    ["grep s sub", "grep -n s ./sub", "grep s .", "grep -l s sub*", "cd sub && grep s ."],
    { prepare: secretBelow, expected: READ_EACH_TIME },
  ),
  ...commands(
    "no folder is matched, or none that holds a secret",
    ["grep -n s *.txt", "grep -rn s src", "rg s sr*", "grep -r s sr*"],
    {
      prepare: secretBelow,
      expected: READ_INSIDE,
    },
  ),
]);

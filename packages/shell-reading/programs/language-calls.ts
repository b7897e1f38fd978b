/** Calls of other languages, by name: what each does, as the program that would do the same. */

/** Calls that start a shell, or a program with its words. */
export const SHELL_CALLS =
  /(?:\bos\.(?:system|popen)|\b\w+\.(?:Popen|check_call|getoutput|system|popen)|\b[A-Za-z]\w*\.(?:run|call)(?=\(\s*[["'])|\bsubprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|\b(?:execSync|exec|execFileSync|execFile|spawnSync|spawn|system|popen|shell_exec|passthru|proc_open|qx|os\.execute|Popen|check_output|os\.exec[lv]p?|IO\.popen|Open3\.\w+|do shell script)|%x)\s*[({[]?/g;
/** What deletes a tree, in whatever language. */
const TREE_CALLS =
  /\b(?:shutil\.rmtree|rmtree|fs(?:\.promises)?\.rm(?:Sync|dirSync|dir)?|rmSync|rmdirSync|(?<![.\w])rm(?=\s*\(\s*["'`])|rimraf(?:\.sync)?|FileUtils\.(?:rm_rf|rm_r|remove_dir|remove_entry(?:_secure)?|rmtree|remove_entry_secure)|remove_tree|emptyDirSync|removeSync|Deno\.remove(?:Sync)?|Dir\.rmdir)\s*\(?/g;
const DELETE_CALLS =
  /\b(?:os\.(?:remove|unlink|truncate)|unlinkSync|unlink|fs\.(?:unlink|truncate)(?:Sync)?|File\.(?:delete|unlink|truncate)|truncate)\s*\(?/g;
const MOVE_CALLS = /\b(?:os\.rename|shutil\.move|renameSync|fs\.rename|File\.rename|FileUtils\.mv)\s*\(/g;
const MODE_CALLS = /\b(?:os\.(?:chmod|chown)|fs\.(?:chmod|chown)(?:Sync)?|FileUtils\.(?:chmod_R|chown_R))\s*\(/g;
export const KILL_CALLS = /\b(?:os\.kill|process\.kill|Process\.kill|kill)\s*\(/g;

/** Calls whose first argument is a path, and the words in front of it in a command that does the same. */
export const CALLS_ON_PATHS: readonly { calls: RegExp; before: readonly string[]; behind?: "elsewhere" }[] = [
  { calls: TREE_CALLS, before: ["rm", "-rf", "--"] },
  { calls: DELETE_CALLS, before: ["rm", "--"] },
  { calls: MODE_CALLS, before: ["chmod", "-R", "777"] },
  { calls: MOVE_CALLS, before: ["mv", "--"], behind: "elsewhere" },
];

/** The command that a call with a process and a signal's name or number is; null for any other text behind the call's name. */
export function killOf(text: string): string[] | null {
  const numbers = /^\s*(-?\d+)\s*,\s*['"]?(?:SIG|signal\.SIG)?(\w+)/.exec(text);
  return numbers === null ? null : ["kill", `-${numbers[2] ?? ""}`, "--", numbers[1] ?? ""];
}

/** A program that starts itself over and over. */
export const FORKS_WITHOUT_END =
  /\bfork\s+while\s+(?:fork|1|true)|while\s*(?:\(?\s*(?:1|true|fork)\s*\)?|True\s*:)\s*[{:;]?\s*(?:os\.)?fork\b|loop\s*\{\s*fork/;

/** What starts a shell or evaluates a text, in the lines of a file that is written. It marks them: a search for a word with `exec` is none. */
export const STARTS_SHELL =
  /\bchild_process\b|\b(?:execSync|execFileSync|spawnSync|spawn|execFile|execa|shell_exec|passthru|proc_open|popen)\s*\(|\bos\.(?:system|popen|exec[lv]p?e?)\s*\(|\bsubprocess\.\w+\s*\(|(?<![.\w])(?:eval|exec)\s*\(|\bnew Function\s*\(|\bvm\.run\w+\s*\(|Runtime\.getRuntime\(\)\.exec|\bshell\s*[:=]\s*(?:true|True)\b|\b(?:curl|wget)\b[^|\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:ba|z)?sh\s+-c\b|\bcommand\.exec\b/;

/** A value that is secret by its name, or a file that holds such. */
export const NAMES_SECRET =
  /\b(?:process\.env|import\.meta\.env|Deno\.env|os\.environ|ENV|getenv|environ)\b[^\n]{0,24}(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE)|(?:~|\$HOME|homedir\(\)|expanduser)[^\n]{0,12}\.(?:ssh|aws|gnupg|netrc|npmrc|kube)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws\/credentials|["'`/]\.env["'`]/i;

/** What sends something to a host. */
export const SENDS_AWAY =
  /\bfetch\s*\(|\baxios\b|XMLHttpRequest|sendBeacon|new WebSocket|\brequests\.(?:get|post|put|patch|request)\b|\burlopen\b|\bhttps?\.(?:get|request)\b|\bhttpx\.|\bnet\.connect\b|\bsocket\b|\bcurl\s|\bgot\.(?:post|put)|\bhttp\.Post/;

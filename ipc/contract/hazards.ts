/** The stable names of what a call is, what it leaves behind and what is dangerous about it. Plain values: the page loads no schemas. */

export const CALL_KINDS = ["command", "edit", "write", "read", "fetch", "mcp", "other"] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/**
 * What a call leaves behind, from the least to the most. `reads`: nothing is changed. `in_git`: only files whose present content Git
 * holds. `kept`: only files of a project that the gate keeps before the call, and can put back. `changes_files`: only the files that it names, and Git holds no copy of one of them. `sends`: what it sends can't be called
 * back. `anything`: it runs code. `final`: it can't be undone.
 */
export const EFFECTS = ["reads", "in_git", "kept", "changes_files", "sends", "anything", "final"] as const;
export type Effect = (typeof EFFECTS)[number];

/** What is dangerous about a call, the worst first. */
export const HAZARDS = [
  "sends-after-reading",
  "changes-what-runs-for-others",
  "deletes-cloud-resources",
  "deletes-database",
  "overwrites-disk",
  "rewrites-remote-history",
  "looks-like-another",
  "runs-downloaded-script",
  "runs-hidden-code",
  "runs-unasked",
  "typed-into-later",
  "as-root",
  "publishes",
  "sends-file",
  "sends-mail",
  "discards-changes",
  "deletes-files",
  "deletes-container-data",
  "leaves-container",
  "changes-what-runs-later",
  "instructs-agents",
  "hides-changes",
  "changes-rights",
  "stops-processes",
  "stops-services",
  "writes-outside-project",
  "reads-secrets",
  "unpinned-package",
] as const;
export type HazardId = (typeof HAZARDS)[number];

/** What a command does, by kind. `program`: nothing more than its name is known. */
export const WORK = [
  "runs-tests",
  "builds",
  "checks-code",
  "formats-code",
  "starts-project",
  "runs-named",
  "runs-file",
  "runs-line",
  "runs-text",
  "runs-module",
  "lists-containers",
  "looks-at-containers",
  "builds-image",
  "runs-container",
  "starts-containers",
  "stops-containers",
  "stages",
  "commits",
  "pushes",
  "fetches",
  "pulls",
  "clones",
  "switches",
  "merges",
  "puts-aside",
  "looks-at-remote",
  "changes-repository",
  "installs",
  "installs-listed",
  "uninstalls",
  "fetches-and-runs",
  "publishes",
  "uploads",
  "downloads",
  "requests",
  "sends-mail",
  "remote-shell",
  "deletes",
  "program",
] as const;
export type WorkId = (typeof WORK)[number];

/** What an added line of a file may do once it is run. It is only marked: most such lines are meant. */
export const LINE_RISKS = ["sends-secret", "starts-shell"] as const;
export type LineRisk = (typeof LINE_RISKS)[number];

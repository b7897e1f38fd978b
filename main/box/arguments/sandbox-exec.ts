import type { Declaration } from "../../gate/confinement/declaration.ts";

/**
 * A declaration as a profile of macOS's `sandbox-exec`, which hides nothing but refuses: what isn't named can't be read or written.
 * It was written from Apple's own profiles and not run here: the gate doesn't use it, and asks on macOS as before.
 */

export interface MacPlaces {
  home: string;
  /** The run's own folder for temporary files. */
  temporary: string;
  /** The project's folder of caches. */
  caches: string;
  /** What stays as it is in the folders that may be written. */
  run_later: readonly string[];
  /** Files that often hold secrets. */
  secrets: readonly string[];
  /** Installed programs in the home. */
  toolchains: readonly string[];
  /** The gate's proxy, a Unix socket; undefined without a network. */
  proxy_socket: string | undefined;
}

/** Programs, libraries, settings and devices that every program reads. */
const SYSTEM_READS = [
  ...["/System", "/usr", "/bin", "/sbin", "/opt", "/Library/Frameworks", "/Library/Developer", "/Library/Java"],
  ...["/Library/Apple", "/Applications/Xcode.app", "/private/etc", "/private/var/db/timezone", "/private/var/db/dyld"],
  ...["/private/var/select", "/nix/store"],
];
const HIDDEN_OF_SYSTEM = ["/private/etc/master.passwd", "/private/etc/sudoers", "/private/etc/ssh"];
const DEVICES = [
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/dev/tty",
  "/dev/fd",
  "/dev/stdout",
  "/dev/stderr",
];

/** Services that libraries ask for; none of them opens, draws or keeps anything for a user. */
const SERVICES = [
  ...["com.apple.system.opendirectoryd.libinfo", "com.apple.system.logger", "com.apple.logd", "com.apple.trustd"],
  ...["com.apple.system.notification_center", "com.apple.bsd.dirhelper", "com.apple.SystemConfiguration.configd"],
];

/** The profile's text. A later rule wins over an earlier one. */
export function sandboxProfile(declaration: Declaration, places: MacPlaces): string {
  const { project, reads, writes, network } = declaration;
  const written = [project, ...writes, places.temporary, places.caches];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    rule("allow file-read-metadata", [
      literal("/"),
      ...ancestors([...written, ...reads, ...places.toolchains]).map(literal),
    ]),
    rule("allow file-read*", [...SYSTEM_READS, ...places.toolchains, ...reads, ...written].map(subpath)),
    rule("deny file-read*", HIDDEN_OF_SYSTEM.map(subpath)),
    rule("allow file-read* file-write-data file-ioctl", DEVICES.map(subpath)),
    rule("allow file-write*", written.map(subpath)),
    rule("deny file-write*", places.run_later.map(subpath)),
    // Renaming a folder would take what is in it along.
    rule("deny file-write-unlink", ancestorsWithin(places.run_later, project).map(literal)),
    rule("deny file-read* file-write*", places.secrets.filter((path) => !reads.includes(path)).map(literal)),
    // Not outbound: the machine's own services answer there.
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    ...(network && places.proxy_socket !== undefined
      ? [`(allow network-outbound (remote unix-socket (path-literal ${quoted(places.proxy_socket)})))`]
      : []),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function rule(what: string, filters: readonly string[]): string {
  return filters.length === 0 ? "" : `(${what}\n  ${filters.join("\n  ")})`;
}

const subpath = (path: string): string => `(subpath ${quoted(path)})`;
const literal = (path: string): string => `(literal ${quoted(path)})`;

/** As a string of the profile's language: only these two characters mean something in it. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** The folders above `paths`, which have to be passed to get there. */
function ancestors(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => above(path)))].sort();
}

function ancestorsWithin(paths: readonly string[], top: string): string[] {
  return ancestors(paths).filter((path) => path.startsWith(`${top}/`));
}

function above(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

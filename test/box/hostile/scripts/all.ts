import { ANSWERS } from "./answers.ts";
import { KEPT_PLACES, NEW_PLACES } from "./planted.ts";
import { KERNEL_FILES, NAMESPACES, SYSTEM_CALLS } from "./proc-and-mounts.ts";
import { LIMITS, PROCESSES } from "./processes.ts";
import { CALLER, SECRETS, SOCKETS } from "./reaching.ts";
import { LINKS, WRITES_OUTSIDE } from "./writes-outside.ts";

export const SCRIPTS = [
  ...WRITES_OUTSIDE,
  ...LINKS,
  ...KERNEL_FILES,
  ...NAMESPACES,
  ...SYSTEM_CALLS,
  ...PROCESSES,
  ...LIMITS,
  ...SOCKETS,
  ...SECRETS,
  ...CALLER,
  ...KEPT_PLACES,
  ...NEW_PLACES,
  ...ANSWERS,
];

import type { Description } from "../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";

/** A request to the web that is no command line. */

/** Characters of a path and query. */
const MAX_PATH = 2000;

export function requestOf({ args }: ProposedCall, manifest: ExecutorManifest): Description["request"] {
  const source = manifest.needs.find(({ target }) => target.from === "url")?.target;
  const url = source?.from === "url" ? args[source.arg] : undefined;
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { host, pathname, search } = new URL(url);
  const asked = manifest.reversibility === "reversible" ? "GET" : "POST";
  const method = typeof args.method === "string" && /^[A-Za-z]{1,16}$/.test(args.method) ? args.method : asked;
  return { method: method.toUpperCase(), host, path: (pathname + search).slice(0, MAX_PATH) };
}

/** Its host; null where it is none. */
export function hostRequested(call: ProposedCall, manifest: ExecutorManifest): string | null {
  const host = requestOf(call, manifest)?.host ?? "";
  return host === "" ? null : host;
}

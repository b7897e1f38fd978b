import { hash } from "node:crypto";

/** SHA-256 (hex) over canonical JSON of executor and args: keys sorted, no white space. An approval holds for exactly this call. */
export function callHash(executor: string, args: Record<string, unknown>): string {
  return hash("sha256", callText(executor, args), "hex");
}

/** What `callHash` is made of. */
export function callText(executor: string, args: Record<string, unknown>): string {
  return canonicalJson({ args, executor });
}

/** JSON with the keys of every object in code-unit order. The value came out of JSON.parse and lies within the frame's depth. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Numbers that JSON.stringify makes one of: `1e400` is not null, `-0` is not 0.
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const child = (value as Record<string, unknown>)[key];
    if (child === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(child)}`;
  }
  return `{${members}}`;
}

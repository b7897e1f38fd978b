import { hash } from "node:crypto";
import type { Description } from "../../../ipc/contract/description.ts";
import type { McpTool } from "../../../ipc/contract/mcp.ts";
import { isPlainToolName } from "../../../ipc/contract/mcp-names.ts";
import { canonicalJson } from "../executors/canonical.ts";

/** A tool as its server described it, and the pin that an approval of it is bound to. */
export interface Definition {
  name: string;
  /** SHA-256 (hex) of all that the server says of it, canonical: any change of it is another pin. */
  pin: string;
  /** What the pin is of, as JSON; null where it is too long to be shown, and so to be approved of. */
  text: string | null;
}

/** A definition that is longer can't be shown on a card, in characters of JSON. */
const MAX_DEFINITION = 32_768;

/** Every word that the server says of its tool counts: white space and look-alikes are changes as any other, an object's order isn't. */
export function definitionOf({ name, title, description, input_schema, annotations }: McpTool): Definition {
  const text = canonicalJson({ name, title, description, input_schema, annotations });
  return { name, pin: hash("sha256", text, "hex"), text: text.length > MAX_DEFINITION ? null : text };
}

/** True if the user can say of it what it is: its definition can be shown, and its name means no other. */
export function isClassifiable({ name, text }: Pick<Definition, "name" | "text">): boolean {
  return text !== null && isPlainToolName(name);
}

/** A definition's text, read again. */
export interface ReadDefinition {
  title: string;
  description: string;
  /** As indented JSON; empty where there is none. */
  input_schema: string;
  annotations: string;
}

/** Undefined of what isn't such a text. */
export function readDefinition(text: string): ReadDefinition | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined; // not JSON: a damaged row
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { title, description, input_schema, annotations } = read as Partial<Record<keyof McpTool, unknown>>;
  return {
    title: typeof title === "string" ? title : "",
    description: typeof description === "string" ? description : "",
    input_schema: indented(input_schema),
    annotations: indented(annotations),
  };
}

/** Deep nesting would make many blanks of a short text: it stays in one line then. */
function indented(value: unknown): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value, null, 2);
  return text.length > 2 * MAX_DEFINITION ? JSON.stringify(value) : text;
}

type Claim = NonNullable<Description["mcp"]>["claims"][number];

const CLAIMS: Readonly<Record<string, Claim>> = {
  readOnlyHint: "read-only",
  destructiveHint: "destructive",
  idempotentHint: "idempotent",
  openWorldHint: "open-world",
};

/** What the server claims of its tool: shown as its words, and nothing depends on it. */
export function claimsOf({ annotations }: ReadDefinition): Claim[] {
  if (annotations === "") return [];
  const hints: unknown = JSON.parse(annotations);
  if (typeof hints !== "object" || hints === null) return [];
  return Object.entries(hints).flatMap(([name, isClaimed]) => {
    const claim = Object.hasOwn(CLAIMS, name) ? CLAIMS[name] : undefined;
    return isClaimed === true && claim !== undefined ? [claim] : [];
  });
}

import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { withoutComments } from "../../../main/hooks/json-comments.ts";
import { type Member, memberAt, membersOf } from "../../json-members.ts";

/** An entry among `agent_servers` of an editor's settings: put in, replaced and taken out, with every other byte as it was. */

const SERVERS = "agent_servers";

/** The settings with the entry. @throws SyntaxError where they are none that can be kept */
export function withEntry(text: string | undefined, name: string, entry: Json): string {
  if (text === undefined || text.trim() === "") return `${JSON.stringify({ [SERVERS]: { [name]: entry } }, null, 2)}\n`;
  const servers = serversIn(text);
  if (servers === undefined) return inserted(text, withoutComments(text).search(/\S/), SERVERS, { [name]: entry }, 1);
  const known = memberAt(withoutComments(text), [SERVERS, name]);
  if (known === undefined) return inserted(text, servers.valueStart, name, entry, 2);
  const isSame = JSON.stringify(parsedValue(text.slice(known.valueStart, known.valueEnd))) === JSON.stringify(entry);
  if (isSame) return text;
  return text.slice(0, known.valueStart) + indented(entry, 2) + text.slice(known.valueEnd);
}

/** The settings without it; the same where it isn't there. */
export function withoutEntry(text: string, name: string): string {
  const servers = serversIn(text);
  const known = servers && memberAt(withoutComments(text), [SERVERS, name]);
  if (servers === undefined || known === undefined) return text;
  const members = membersOf(withoutComments(text), servers.valueStart);
  const index = members.findIndex(({ start }) => start === known.start);
  const next = members[index + 1];
  if (next !== undefined) return text.slice(0, known.start) + text.slice(next.start);
  const before = members[index - 1];
  const from = before === undefined ? known.start : before.valueEnd;
  return text.slice(0, from).trimEnd() + text.slice(known.valueEnd);
}

function serversIn(text: string): Member | undefined {
  const settings = parsedValue(text);
  if (!isObject(settings)) throw new SyntaxError("the settings are no JSON object");
  const servers = settings[SERVERS];
  if (servers === undefined) return undefined;
  const found = memberAt(withoutComments(text), [SERVERS]);
  if (!isObject(servers) || found === undefined) throw new SyntaxError(`${SERVERS} is no object, or is there twice`);
  return found;
}

function parsedValue(text: string): unknown {
  return JSON.parse(withoutComments(text).replace(/^\ufeff/, "")) as unknown;
}

/** As the first member of the object that begins there. */
function inserted(text: string, objectStart: number, key: string, value: Json, depth: number): string {
  const isEmpty = membersOf(withoutComments(text), objectStart).length === 0;
  const member = `\n${"  ".repeat(depth)}${JSON.stringify(key)}: ${indented(value, depth)}`;
  const end = isEmpty ? `\n${"  ".repeat(depth - 1)}` : ",";
  const rest = text.slice(objectStart + 1);
  return `${text.slice(0, objectStart + 1)}${member}${end}${isEmpty ? rest.trimStart() : rest}`;
}

function indented(value: Json, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(depth)}`);
}

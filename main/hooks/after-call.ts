import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { RanCall } from "../../ipc/contract/wire.ts";
import { MAX_FRAME_BYTES } from "../../ipc/socket/frames.ts";
import { type HookPlace, LeftToProgram } from "./dialect.ts";
import { type Reporter, report } from "./report.ts";

/**
 * After a call, the same for every client: the gate learns that it ran, and what; its model that it ran confined, where that may be why
 * it failed.
 */

// What programs print where the system refuses them something, in the languages that the C library has for the most users, and Node's codes.

/** A read-only place (EROFS). */
const READ_ONLY_TEXTS: readonly string[] = [
  "EROFS",
  "Read-only file system",
  "File system in sola lettura",
  "Das Dateisystem ist nur lesbar",
  "accessible en lecture seulement",
  "Sistema de ficheros de sólo lectura",
  "Sistema de arquivos somente para leitura",
];

/** No network (ENETUNREACH, EAI_AGAIN). */
const NO_NETWORK_TEXTS: readonly string[] = [
  "ENETUNREACH",
  "EAI_AGAIN",
  "Network is unreachable",
  "La rete non è raggiungibile",
  "Das Netzwerk ist nicht erreichbar",
  "Le réseau n'est pas accessible",
  "La red es inaccesible",
  "A rede está fora de alcance",
  "Temporary failure in name resolution",
  "Errore temporaneo nella risoluzione del nome",
  "Temporärer Fehler bei der Namensauflösung",
  "Échec temporaire dans la résolution du nom",
  "Fallo temporal en la resolución del nombre",
  "Falha temporário na resolução de nome",
  "Could not resolve host",
];

/** A file that isn't there (ENOENT): in a box perhaps only there. */
const MISSING_TEXTS: readonly string[] = [
  "ENOENT",
  "No such file or directory",
  "File o directory non esistente",
  "Datei oder Verzeichnis nicht gefunden",
  "Aucun fichier ou dossier",
  "No existe el archivo o el directorio",
  "No existe el fichero o el directorio",
  "Arquivo ou diretório inexistente",
];

/** The limit of memory, which counts what they reserve. */
export const SANITIZER_TEXTS: readonly string[] = [
  "AddressSanitizer failed to allocate",
  "ThreadSanitizer failed to allocate",
  "ThreadSanitizer can not mmap",
];

/** With no permission (EACCES, EPERM), a place that can't be moved away or exchanged (EBUSY), and no address space. */
const REFUSAL_TEXTS: readonly string[] = [
  ...READ_ONLY_TEXTS,
  ...NO_NETWORK_TEXTS,
  "EACCES",
  "EPERM",
  "EBUSY",
  "Permission denied",
  "Permesso negato",
  "Keine Berechtigung",
  "Permission non accordée",
  "Permiso denegado",
  "Permissão negada",
  "Operation not permitted",
  "Operazione non permessa",
  "Die Operation ist nicht erlaubt",
  "Opération non permise",
  "Operación no permitida",
  "Operação não permitida",
  "Device or resource busy",
  "Dispositivo o risorsa occupata",
  "Das Gerät oder die Ressource ist belegt",
  "Périphérique ou ressource occupé",
  "Dispositivo o recurso ocupado",
  "Dispositivo ou recurso está ocupado",
  ...SANITIZER_TEXTS,
];

/** True if a program was refused the memory that its sanitizer reserves. */
export function lacksSanitizerMemory(output: string): boolean {
  return SANITIZER_TEXTS.some((text) => output.includes(text));
}

/** True if a program's output says that the system refused it something. */
function saysRefused(output: string): boolean {
  return REFUSAL_TEXTS.some((text) => output.includes(text));
}

const KEPT_FROM = [...READ_ONLY_TEXTS, ...NO_NETWORK_TEXTS];

/** What is looked through of an output, and of its names. */
const MAX_CHARACTERS = 65_536;
const MAX_NAMES = 64;

/**
 * Whether a command says that its box kept it from something: a place that can't be written, or a file that isn't there for it and is
 * there outside. It marks the call and tells the model; nothing is decided by it.
 * @param cwd absolute; the folder that the command ran in
 * @throws LeftToProgram where files have to be looked for
 */
export function triedMore(output: string, cwd: string, { isGate }: Pick<HookPlace, "isGate">): boolean {
  const text = output.slice(0, MAX_CHARACTERS);
  if (KEPT_FROM.some((said) => text.includes(said))) return true;
  const lines = text.split("\n").filter((line) => MISSING_TEXTS.some((said) => line.includes(said)));
  const names = lines.flatMap(namesIn).slice(0, MAX_NAMES);
  // A command may have chosen the names: a long way through links takes long.
  if (isGate && names.length > 0) throw new LeftToProgram();
  return names.some((name) => existsSync(resolve(cwd, name)));
}

/** `cat: NAME: No such ...`, `cannot access 'NAME': No such ...`, `ENOENT: ..., open 'NAME'`. */
function namesIn(line: string): string[] {
  const quoted = [...line.matchAll(/['"‘“«]([^'"‘“«’”»]+)['"’”»]/g)].map(([, name = ""]) => name);
  const parts = line.split(": ").slice(1, -1);
  return [...quoted, ...parts].filter((name) => name !== "" && !name.includes("\0"));
}

export interface CallThatRan extends Omit<RanReport, "input"> {
  place: HookPlace;
  /** What ran, to be compared with what was allowed; undefined where that is what the gate itself gave for it. */
  ran: RanCall | undefined;
  /** It continues, and prints later what it prints. */
  in_background?: boolean;
  /** What it printed, as far as the client says it. */
  output: string;
  /** The folder that it ran in, absolute; empty where the client doesn't say it. */
  cwd: string;
  /** The command with which a call is sent to run outside the box, as it is typed here. */
  outside: string;
}

/** For `outside`. */
export const OUTSIDE = "outside --reason WHY -- COMMAND";

/** The note for the model, or undefined. @throws LeftToProgram */
export async function reportCall({ place, ran, ...call }: CallThatRan): Promise<string | undefined> {
  const { output, cwd, outside, in_background, ...report } = call;
  // What is too long isn't compared.
  const input = ran === undefined || JSON.stringify(ran.args).length > MAX_FRAME_BYTES / 4 ? {} : { input: ran };
  const hasTriedMore = cwd.startsWith("/") && triedMore(output, cwd, place);
  const answer = await reportRan({ ...report, ...input, ...(hasTriedMore ? { refused: true as const } : {}) });
  const notes = [confinedNote(confinedTo(answer?.confined), call, hasTriedMore, place), undoneNote(answer?.undone)];
  return notes.filter((note) => note !== undefined).join("\n") || undefined;
}

function confinedNote(
  confined: ConfinedTo | null,
  { output, outside, in_background = false }: Pick<CallThatRan, "output" | "outside" | "in_background">,
  hasTriedMore: boolean,
  { env }: HookPlace,
): string | undefined {
  if (confined === null) return undefined;
  if (confined.isNarrow) return hasTriedMore ? narrowNote(outside) : undefined;
  if (in_background) return backgroundNote(confined, outside, env);
  if (lacksSanitizerMemory(output)) return sanitizerNote(outside);
  return saysRefused(output) ? noteOf(confined, outside, env) : undefined;
}

/** What is shown of a file's name, which a project may have chosen. */
const MAX_NAME = 120;

/** That the user took something back: what the model remembers of these files isn't so any more. */
function undoneNote(undone: unknown): string | undefined {
  if (!isObject(undone)) return undefined;
  const { taken_back, put_again, more } = undone;
  const quoted = (name: unknown) => `"${shortened(visible(String(name)), MAX_NAME).replaceAll('"', "\\u{22}")}"`;
  const named = (names: unknown) => (Array.isArray(names) ? names : []).map(quoted).join(", ");
  const others = typeof more === "number" && more > 0 ? ` (and ${more} more)` : "";
  const [back, again] = [named(taken_back), named(put_again)];
  const said = [
    ...(back === "" ? [] : [`took back what you did to these files, which are as before: ${back}`]),
    ...(again === "" ? [] : [`put your version of these files there again: ${again}`]),
  ];
  return said.length === 0
    ? undefined
    : `Metnos Gate: the user ${said.join("; and ")}${others}. Read them before you continue`;
}

/** A line that is clear, or only looks, is held to that. */
function narrowNote(outside: string): string {
  return `Metnos Gate: it tried to read or write outside of what was asked, which its box doesn't let through. Name what it is to read in the command itself, or send it again as \`${outside}\`; the user is asked`;
}

/** So that the model doesn't look for another cause. */
function noteOf(confined: ConfinedTo, outside: string, env: Env): string {
  return `Metnos Gate: this command ran confined to ${reachOf(confined, env)}. If it failed for that, don't work around it: to run it outside, send it again as \`${outside}\`; the user is asked`;
}

/** No build of the project would help. */
function sanitizerNote(outside: string): string {
  return `Metnos Gate: this command ran confined, with a limit of memory that counts the terabytes which AddressSanitizer and ThreadSanitizer reserve. Leave the sanitizers in: ask the user to set \`memory_mb = 0\` below \`[box]\` in gate.toml, or send it again as \`${outside}\` to run it outside; the user is asked`;
}

/** Said at once, as no hook is called when it has ended. */
function backgroundNote(confined: ConfinedTo, outside: string, env: Env): string {
  return `Metnos Gate: it runs confined to ${reachOf(confined, env)}; no browser and no other command reaches a server that it starts. If it has to, stop it and send it again as \`${outside}\`; the user is asked`;
}

function reachOf({ project, network }: ConfinedTo, env: Env): string {
  const home = homeFolder(env);
  const place = visible(project.startsWith(`${home}/`) ? `~${project.slice(home.length)}` : project);
  return `${place}, with ${network ? "only the hosts that the user allows" : "no network"}`;
}

// `tool.ran` over gate.sock: that a call has run and how it ended, and what the gate knows of it.

interface RanReport extends Reporter {
  call_id: string;
  /** How the client says that it ended; left out, it doesn't say it. */
  ok?: boolean;
  /** In milliseconds, as the client says. */
  duration_ms?: number;
  /** What ran; left out, it isn't compared with what was allowed. */
  input?: RanCall;
  /** What ran has to be among what was asked about, by this id. */
  unasked?: true;
  /** Its output says that its box kept it from something. */
  refused?: true;
}

/** What the call was confined to. `isNarrow`: to less than its project. */
interface ConfinedTo {
  isNarrow: boolean;
  project: string;
  network: boolean;
}

/** What the gate answers; null where it doesn't. Never rejects. */
function reportRan({
  call_id,
  ok,
  duration_ms,
  input,
  unasked,
  refused,
  ...reporter
}: RanReport): Promise<Json | null> {
  const data = {
    call_id,
    ...(ok === undefined ? {} : { ok }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(input === undefined ? {} : { input }),
    ...(unasked === undefined ? {} : { unasked }),
    ...(refused === undefined ? {} : { refused }),
  };
  return report(reporter, "tool.ran", data, "tool.ran.ok");
}

function confinedTo(confined: unknown): ConfinedTo | null {
  if (typeof confined !== "object" || confined === null) return null;
  const { kind, project, network } = confined as Record<string, unknown>;
  return typeof project === "string" ? { isNarrow: kind !== undefined, project, network: network === true } : null;
}

import type { SimpleCommand } from "../reading.ts";
import { interpreterOf, scriptWordOf } from "./interpreters.ts";
import { SHELLS } from "./shells.ts";

/** Programs that run what is typed into them: a shell, an interpreter or a client that is given nothing to run. This only warns. */

/** With one of these an interpreter or a shell has its text, or only says something. */
const HAS_TEXT = /^(?:-\w*[ceEr]|-p|-pe|-m|-V|-v|--(?:command|eval|print|run|test|check|version|help)(?:=.*)?)$/;
const STAYS_OPEN = /^(?:-\w*i\w*|--interactive)$/;

interface Client {
  /** Options that give it what to do. */
  given: RegExp;
  /** Options that take the next word. */
  valued: RegExp;
  /** With more words than these it isn't asked for more. */
  words: number;
}

const client = (given: RegExp, words: number, valued = /^$/): Client => ({ given, valued, words });
const POSTGRES = /^-[hpUdvPFRTL]$|^--(?:host|port|username|dbname|set|pset)$/;
const MYSQL = client(/^(?:-e.*|--execute(?:=.*)?|-V|--version|--help)$/, 99, /^-[hPuD]$/);
const MONGO = client(/^(?:--eval|--file|-f)(?:=.*)?$|^--(?:version|help)$/, 1, /^-[up]$|^--(?:host|port|username)$/);
const SQL_FILE = client(/^(?:-c|-cmd|-version|--version|-help|--help|-init)$/, 1, /^-(?:separator|nullvalue)$/);

const CLIENTS: Readonly<Record<string, Client>> = {
  psql: client(/^(?:-[cflVX]*[cflV]|--(?:command|file|list|version|help)(?:=.*)?)$/, 99, POSTGRES),
  mysql: MYSQL,
  mariadb: MYSQL,
  sqlite3: SQL_FILE,
  duckdb: SQL_FILE,
  mongosh: MONGO,
  mongo: MONGO,
  "redis-cli": client(/^--(?:version|help|eval|pipe|scan|bigkeys)$/, 0, /^-[hpanu]$/),
  ssh: client(/^-[NVQGf]\w*$/, 1, /^-[BbcDEeFIiJLlmOopQRSWw]$/),
  mosh: client(/^--(?:version|help)$/, 1),
  sftp: client(/^-b.*$/, 1, /^-[BcDFiJloPRSs]$/),
  telnet: client(/^$/, 2),
  ftp: client(/^$/, 2),
};

/** True if it would wait for what is typed into it: its input isn't given, and its words say nothing of what to run. */
export function isInteractive({ name, argv, stdin, isSpeculative }: SimpleCommand): boolean {
  if (stdin !== null || isSpeculative === true) return false;
  const args = argv.slice(1).map(({ text }) => text);
  const record = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (record !== undefined) return asksForMore(record, args);
  const interpreter = interpreterOf(name);
  if (interpreter?.firstWordIsCode === true) return false;
  if (!SHELLS.has(name) && interpreter === undefined) return false;
  const isOpen = args.some((text) => STAYS_OPEN.test(text));
  const hasCode = args.some((text) => HAS_TEXT.test(text) || interpreter?.code.includes(text) === true);
  if (hasCode) return isOpen && interpreter?.language === "python";
  return isOpen || scriptWordOf(name, argv) === null;
}

function asksForMore({ given, valued, words }: Client, args: readonly string[]): boolean {
  let plain = 0;
  for (let at = 0; at < args.length; at++) {
    const text = args[at] ?? "";
    if (!text.startsWith("-")) plain++;
    else if (given.test(text)) return false;
    else if (valued.test(text)) at++;
  }
  return plain <= words;
}

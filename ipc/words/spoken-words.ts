import type { Language } from "../contract/language.ts";

/** The sentences that a voice says about a request. Names in them were made sayable before. */

export interface SpokenWords {
  asks: (agent: string, what: string) => string;
  asks_many: (agent: string, count: number) => string;
  runs: (programs: string) => string;
  runs_something: string;
  and: string;
  more_programs: (count: number) => string;
  edits: (file: string) => string;
  creates: (file: string) => string;
  replaces: (file: string) => string;
  deletes: (file: string) => string;
  changes_files: (count: number) => string;
  reads: (file: string) => string;
  in_folder: (name: string, folder: string) => string;
  a_file: string;
  fetches: (host: string) => string;
  sends: (host: string) => string;
  a_host: string;
  tool_of: (tool: string, server: string) => string;
  tool: (tool: string) => string;
  a_tool: string;
  an_agent: string;
  outside: string;
  hidden: string;
  dangerous: (count: number) => string;
  left: (minutes: number) => string;
  keys: string;
  keys_repeated: string;
  keys_many: string;
}

export const SPOKEN_WORDS: Readonly<Record<Language, SpokenWords>> = {
  en: {
    asks: (agent, what) => `${agent} wants to ${what}`,
    asks_many: (agent, count) => `${agent} waits for ${count} answers`,
    runs: (programs) => `run ${programs}`,
    runs_something: "run a command",
    and: " and ",
    more_programs: (count) => (count === 1 ? " and one more program" : ` and ${count} more programs`),
    edits: (file) => `change ${file}`,
    creates: (file) => `create ${file}`,
    replaces: (file) => `replace ${file}`,
    deletes: (file) => `delete ${file}`,
    changes_files: (count) => `change ${count} files`,
    reads: (file) => `read ${file}`,
    in_folder: (name, folder) => `${name} in the folder ${folder}`,
    a_file: "a file",
    fetches: (host) => `get something from ${host}`,
    sends: (host) => `send something to ${host}`,
    a_host: "the internet",
    tool_of: (tool, server) => `use the tool ${tool} of ${server}`,
    tool: (tool) => `use the tool ${tool}`,
    a_tool: "use a tool",
    an_agent: "An agent",
    outside: "It asks to run outside the box",
    hidden: "Careful: a name in it has characters that can't be seen, or that look like others",
    dangerous: (count) => (count === 1 ? "One of them is dangerous" : `${count} of them are dangerous`),
    left: (minutes) =>
      minutes < 1 ? "Less than a minute left" : minutes === 1 ? "One minute left" : `${minutes} minutes left`,
    keys: "Press A to approve once, D to deny",
    keys_repeated: "Press D to stop it, A to let it continue",
    keys_many: "They wait in the list",
  },
  it: {
    asks: (agent, what) => `${agent} vuole ${what}`,
    asks_many: (agent, count) => `${agent} aspetta ${count} risposte`,
    runs: (programs) => `eseguire ${programs}`,
    runs_something: "eseguire un comando",
    and: " e ",
    more_programs: (count) => (count === 1 ? " e un altro programma" : ` e altri ${count} programmi`),
    edits: (file) => `modificare ${file}`,
    creates: (file) => `creare ${file}`,
    replaces: (file) => `sostituire ${file}`,
    deletes: (file) => `eliminare ${file}`,
    changes_files: (count) => `modificare ${count} file`,
    reads: (file) => `leggere ${file}`,
    in_folder: (name, folder) => `${name} nella cartella ${folder}`,
    a_file: "un file",
    fetches: (host) => `prendere qualcosa da ${host}`,
    sends: (host) => `inviare qualcosa a ${host}`,
    a_host: "internet",
    tool_of: (tool, server) => `usare lo strumento ${tool} di ${server}`,
    tool: (tool) => `usare lo strumento ${tool}`,
    a_tool: "usare uno strumento",
    an_agent: "Un agente",
    outside: "Chiede di essere eseguito fuori dal box",
    hidden: "Attenzione: un nome contiene caratteri che non si vedono, o che somigliano ad altri",
    dangerous: (count) => (count === 1 ? "Una è pericolosa" : `${count} sono pericolose`),
    left: (minutes) =>
      minutes < 1 ? "Meno di un minuto" : minutes === 1 ? "Ancora un minuto" : `Ancora ${minutes} minuti`,
    keys: "Premi A per approvare una volta, D per rifiutare",
    keys_repeated: "Premi D per fermarla, A per lasciarla continuare",
    keys_many: "Sono nella lista",
  },
};

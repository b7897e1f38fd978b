import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  says: (server: string) => `${server} says of it:`,
  saysNothing: (server: string) => `${server} says nothing of it.`,
  definition: (tool: string) => `What the server says of ${tool}`,
  difference: "What has changed of it",
  arguments: "The arguments that it takes, as the server says",
  looks: "Approve: it only looks …",
  looksTitle: "Say that it only looks",
  meaning: (server: string, tool: string) =>
    `You say: ${tool} of ${server} only looks. This holds as long as ${server} says the same of it.`,
  once: "Approve, and ask each time",
  cancel: "Cancel",
  thisTool: "This tool",
  using: (server: string, tool: string) => `using ${tool} of ${server}`,
  usingAll: (server: string) => `using every tool of ${server} that only looks`,
  list: {
    title: "Tools of MCP servers",
    looks: "only looks",
    known: "asked each time",
    forget: "Forget",
    forgetOne: (tool: string) => `Forget what you said of ${tool}`,
    meaning:
      "What you said holds while the server says the same of its tool. Forgotten, it is asked about like a new one.",
  },
};

const it: typeof en = {
  says: (server) => `${server} ne dice:`,
  saysNothing: (server) => `${server} non ne dice nulla.`,
  definition: (tool) => `Ciò che il server dice di ${tool}`,
  difference: "Che cosa è cambiato",
  arguments: "Gli argomenti che prende, come dice il server",
  looks: "Approva: guarda soltanto …",
  looksTitle: "Di' che guarda soltanto",
  meaning: (server, tool) =>
    `Dici: ${tool} di ${server} guarda soltanto. Vale finché ${server} ne dice le stesse cose.`,
  once: "Approva, e chiedi ogni volta",
  cancel: "Annulla",
  thisTool: "Questo strumento",
  using: (server, tool) => `usare ${tool} di ${server}`,
  usingAll: (server) => `usare ogni strumento di ${server} che guarda soltanto`,
  list: {
    title: "Strumenti di server MCP",
    looks: "guarda soltanto",
    known: "chiesto ogni volta",
    forget: "Dimentica",
    forgetOne: (tool) => `Dimentica ciò che hai detto di ${tool}`,
    meaning:
      "Ciò che hai detto vale finché il server dice le stesse cose del suo strumento. Dimenticato, si chiede come di uno nuovo.",
  },
};

export const mcpWords: InEach<typeof en> = { en, it };

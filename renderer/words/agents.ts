import type { Level } from "../../ipc/decision.ts";

const en = {
  title: "Agents",
  requests: "Agents that want to connect",
  levels: {
    ReadOnly: "Reads after asking. Never writes, sends, runs code or spends money.",
    Supervised: "May do everything, after asking. What you allow for longer isn't asked again.",
    Full: "Asks only for what can't be undone: running code and sending mail.",
  } satisfies Record<Level, string>,
  columns: { agent: "Agent", level: "Level", seen: "Last seen", calls: "Calls today" },
  calls_today: "calls today",
  connected: "connected",
  not_connected: "no connection now",
  now: "now",
  never: "never",
  level_of: (name: string) => `Level of ${name}`,
  change_to: (name: string, level: string) => `Change ${name} to ${level}?`,
  change_note: "What it waits for now is withdrawn and asked again at the new level.",
  change: "Change",
  leave: "Leave it",
  revoke: "Revoke",
  revoke_of: (name: string) => `Revoke ${name}`,
  confirm_revoke: (name: string) =>
    `End ${name}'s pairing? It is disconnected, and its grants and waiting requests end.`,
  revoke_it: "End the pairing",
  keep: "Keep",
  revoked: (count: number) => (count === 1 ? "1 revoked agent" : `${count} revoked agents`),
  revoked_at: "revoked",
  empty: "No agent is connected to this gate yet.",
  empty_next: "In a terminal, put the gate in front of Claude Code:",
  empty_other:
    "Any other agent connects over a Unix socket with one JSON object per line; docs/protocol.md says how. It then appears here and waits for you.",
  another: "Connect another agent",
  copy: "Copy",
  copied: "Copied",
};

const it: typeof en = {
  title: "Agenti",
  requests: "Agenti che vogliono collegarsi",
  levels: {
    ReadOnly: "Legge dopo aver chiesto. Non scrive, non invia, non esegue codice e non spende.",
    Supervised: "Può fare tutto, dopo aver chiesto. Ciò che consenti più a lungo non viene richiesto.",
    Full: "Chiede solo per ciò che non si può annullare: eseguire codice e inviare posta.",
  },
  columns: { agent: "Agente", level: "Livello", seen: "Visto", calls: "Chiamate oggi" },
  calls_today: "chiamate oggi",
  connected: "collegato",
  not_connected: "nessun collegamento ora",
  now: "ora",
  never: "mai",
  level_of: (name) => `Livello di ${name}`,
  change_to: (name, level) => `Portare ${name} a ${level}?`,
  change_note: "Ciò che ora aspetta viene ritirato e chiesto di nuovo al nuovo livello.",
  change: "Cambia",
  leave: "Lascia così",
  revoke: "Revoca",
  revoke_of: (name) => `Revoca ${name}`,
  confirm_revoke: (name) =>
    `Terminare l'abbinamento di ${name}? Viene scollegato, e i suoi permessi e le sue richieste finiscono.`,
  revoke_it: "Termina l'abbinamento",
  keep: "Mantieni",
  revoked: (count) => (count === 1 ? "1 agente revocato" : `${count} agenti revocati`),
  revoked_at: "revocato",
  empty: "Nessun agente è ancora collegato a questo gate.",
  empty_next: "In un terminale, metti il gate davanti a Claude Code:",
  empty_other:
    "Ogni altro agente si collega a un socket Unix con un oggetto JSON per riga; docs/protocol.md spiega come. Poi appare qui e ti aspetta.",
  another: "Collega un altro agente",
  copy: "Copia",
  copied: "Copiato",
};

export const agentsWords = { en, it };

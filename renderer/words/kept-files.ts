import type { KeptFile } from "../../ipc/contract/kept-files.ts";
import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  title: "Room on the disk",
  intro:
    "What the gate keeps. Requests are removed after 400 days, and old months of the trail become archives, unless gate.toml says otherwise.",
  kinds: {
    trail: "Audit trail",
    archives: "Archived months of the trail",
    receipts: "Receipts",
    checkpoints: "Checkpoints",
    grants: "Grants",
    approvals: "Requests",
    agents: "Agents",
    safety: "Pause and goals",
    activity: "Figures of Activity",
    lines: "Lines of Activity",
  } satisfies Record<KeptFile, string>,
  free: (free: string, total: string) => `${free} of ${total} are free on the disk of`,
  low: "This disk is almost full. Make room on it: once it is full, the gate can't write down what is decided.",
};

const it: typeof en = {
  title: "Spazio su disco",
  intro:
    "Ciò che il gate conserva. Le richieste si tolgono dopo 400 giorni e i vecchi mesi del registro diventano archivi, se gate.toml non dice altro.",
  kinds: {
    trail: "Registro",
    archives: "Mesi archiviati del registro",
    receipts: "Ricevute",
    checkpoints: "Checkpoint",
    grants: "Permessi",
    approvals: "Richieste",
    agents: "Agenti",
    safety: "Pausa e obiettivi",
    activity: "Cifre dell'attività",
    lines: "Righe dell'attività",
  },
  free: (free, total) => `${free} di ${total} liberi sul disco di`,
  low: "Questo disco è quasi pieno. Fai spazio: quando è pieno, il gate non può più registrare ciò che viene deciso.",
};

export const keptFilesWords: InEach<typeof en> = { en, it };

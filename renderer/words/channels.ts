import type { ChannelName, ChannelStatus } from "../../ipc/contract/channels.ts";
import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  title: "Channels",
  intro: "How you are called when you look elsewhere. When each is used is said in gate.toml: docs/channels.md.",
  names: { desktop: "This desktop", telegram: "Telegram", ntfy: "ntfy" } satisfies Record<ChannelName, string>,
  states: {
    on: "on",
    off: "off",
    waiting: "not linked yet",
    failing: "failing, tried again",
  } satisfies Record<ChannelStatus["state"], string>,
  /** What to do where it is off. */
  toUse: {
    desktop: "Switch on Notifications above; docs/notifications.md says what this desktop has to have.",
    telegram: "To use it, make a bot of your own and give its token here.",
    ntfy: "To use it, name a server and a topic in gate.toml: docs/channels.md says how.",
  } satisfies Record<ChannelName, string>,
  none: "This gate calls nobody: no channel is served.",
  test: "Test",
  testOf: (name: string) => `Test ${name}`,
  sent: "Sent: it says that it is a test.",

  link: "Link a chat",
  linkAgain: "Make another link",
  linked: "Linked with",
  since: "since",
  unlink: "Unlink",
  unlinkMeans: "Requests are no longer sent there, and nothing can be answered from there.",
  keep: "Keep it",
  openIt: (bot: string) => `Open this link, once, in the Telegram of your phone. It leads to ${bot}.`,
  openItUnnamed: "Open this link, once, in the Telegram of your phone.",
  qr: "The link as a QR code",
  linkOver: "The link's time is over.",
  linkElsewhere: "A link that was made elsewhere is open:",

  claim: {
    title: "Is this you?",
    pressed: "pressed the link in Telegram:",
    renamed: "is the new name of the chat that is linked:",
    untilThen: "Until you confirm it, the chat can only deny.",
    id: (id: string) => `id ${id}`,
    noUsername: "no user name",
    namesAre: "Whoever pressed it has chosen this name. The chat gets what agents ask, and can answer it.",
    notMe: "Not me",
    confirm: "Yes, link it",
    tooSoon: "That didn't count: this had only just appeared. Press again.",
  },
};

const it: typeof en = {
  title: "Canali",
  intro: "Come ti si chiama quando guardi altrove. Quando si usa ciascuno lo dice gate.toml: docs/channels.md.",
  names: { desktop: "Questo desktop", telegram: "Telegram", ntfy: "ntfy" },
  states: {
    on: "attivo",
    off: "spento",
    waiting: "non ancora collegato",
    failing: "non riesce, si riprova",
  },
  toUse: {
    desktop: "Attiva le Notifiche qui sopra; docs/notifications.md dice che cosa serve a questo desktop.",
    telegram: "Per usarlo, crea un bot tuo e indica qui il suo token.",
    ntfy: "Per usarlo, indica un server e un topic in gate.toml: docs/channels.md spiega come.",
  },
  none: "Questo gate non chiama nessuno: nessun canale è attivo.",
  test: "Prova",
  testOf: (name) => `Prova ${name}`,
  sent: "Inviato: dice che è una prova.",

  link: "Collega una chat",
  linkAgain: "Crea un altro link",
  linked: "Collegata con",
  since: "da",
  unlink: "Scollega",
  unlinkMeans: "Lì non arriva più nessuna richiesta, e da lì non si può più rispondere.",
  keep: "Mantieni",
  openIt: (bot) => `Apri questo link, una volta sola, nel Telegram del tuo telefono. Porta a ${bot}.`,
  openItUnnamed: "Apri questo link, una volta sola, nel Telegram del tuo telefono.",
  qr: "Il link come codice QR",
  linkOver: "Il tempo del link è finito.",
  linkElsewhere: "È aperto un link creato altrove:",

  claim: {
    title: "Sei tu?",
    pressed: "ha premuto il link in Telegram:",
    renamed: "è il nuovo nome della chat collegata:",
    untilThen: "Finché non lo confermi, la chat può solo rifiutare.",
    id: (id) => `id ${id}`,
    noUsername: "senza nome utente",
    namesAre: "Chi l'ha premuto ha scelto questo nome. La chat riceve ciò che gli agenti chiedono, e può rispondere.",
    notMe: "Non sono io",
    confirm: "Sì, collegala",
    tooSoon: "Non è valso: era appena apparso. Premi di nuovo.",
  },
};

export const channelsWords: InEach<typeof en> = { en, it };

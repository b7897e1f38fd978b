const en = {
  product: "Metnos Gate",
  views: "Sections",
  approvals: "Approvals",
  policy: "Policy",
  grants: "Grants",
  agents: "Agents",
  activity: "Activity",
  safety: "Safety",
  settings: "Settings",
  waiting: (count: number) => `${count} waiting`,
  silent:
    "The gate is not answering. Nothing you see here is up to date, and no answer gets through. Trying again. If it was started again, this page needs a new link: metnos-gate open.",
  ended:
    "The gate has ended. Nothing you see here is up to date, and no answer gets through. Start it with metnos-gate start; this page then needs a new link: metnos-gate open.",
  shut_out:
    "The gate is running, but this page's session with it has ended: it needs a new link. In a terminal: metnos-gate open.",
  broken: "This part of the page stopped working.",
  brokenNext: "Open it again. If it comes back, the details below say what happened.",
  again: "Open again",
  pause: "Pause",
  resume: "Resume",
  look: "Look at it",
  paused_title: "Everything is paused",
  everything_paused: "Everything is paused: every call of every agent is denied.",
  paused_by: { human: "You paused the gate", safety: "The safety filter paused the gate" },
  since: "Since",
  violations: (count: number) =>
    count === 1 ? "1 violation not acknowledged" : `${count} violations not acknowledged`,
  keys: {
    title: "Keys",
    window: "Everywhere",
    sheet: "These keys",
    views: "A section, in the order of the list",
    range: (last: number) => `1 to ${last}`,
    search: "Search",
  },
  loading: "One moment",
};
const it: typeof en = {
  product: "Metnos Gate",
  views: "Sezioni",
  approvals: "Richieste",
  policy: "Regole",
  grants: "Permessi",
  agents: "Agenti",
  activity: "Attività",
  safety: "Sicurezza",
  settings: "Impostazioni",
  waiting: (count) => `${count} in attesa`,
  silent:
    "Il gate non risponde. Quello che vedi non è aggiornato e nessuna risposta arriva. Riprovo. Se è stato riavviato, questa pagina ha bisogno di un nuovo link: metnos-gate open.",
  ended:
    "Il gate è terminato. Quello che vedi non è aggiornato e nessuna risposta arriva. Avvialo con metnos-gate start; poi questa pagina ha bisogno di un nuovo link: metnos-gate open.",
  shut_out:
    "Il gate è attivo, ma la sessione di questa pagina è finita: serve un nuovo link. In un terminale: metnos-gate open.",
  broken: "Questa parte della pagina ha smesso di funzionare.",
  brokenNext: "Riaprila. Se succede di nuovo, i dettagli qui sotto dicono che cosa è successo.",
  again: "Riapri",
  pause: "Pausa",
  resume: "Riprendi",
  look: "Guarda",
  paused_title: "Tutto è in pausa",
  everything_paused: "Tutto è in pausa: ogni chiamata di ogni agente viene negata.",
  paused_by: { human: "Hai messo in pausa il gate", safety: "Il filtro di sicurezza ha messo in pausa il gate" },
  since: "Dalle",
  violations: (count) =>
    count === 1 ? "1 violazione di cui non hai preso atto" : `${count} violazioni di cui non hai preso atto`,
  keys: {
    title: "Tasti",
    window: "Ovunque",
    sheet: "Questi tasti",
    views: "Una sezione, nell'ordine dell'elenco",
    range: (last) => `da 1 a ${last}`,
    search: "Cerca",
  },
  loading: "Un momento",
};
export const windowWords = { en, it };

import type { AlarmCode } from "../contract/alarms.ts";
import type { Language } from "../contract/language.ts";

/** Each alarm's texts, the same on every surface, and whether it is about a past event. Plain values: the page loads no schemas. */

export interface AlarmWords {
  /** One sentence without its full stop: a tray's line, a notification's title. */
  title: string;
  /** What it means for the user, one sentence. */
  meaning: string;
}

export const ALARM_WORDS: Readonly<Record<Language, Readonly<Record<AlarmCode, AlarmWords>>>> = {
  en: {
    trail_unwritable: {
      title: "The audit trail can't be written",
      meaning: "Decisions made meanwhile may be missing from it.",
    },
    trail_lost: { title: "Lines of the audit trail were lost", meaning: "The trail says how many, and where." },
    trail_changed: {
      title: "The audit trail was removed or changed while the gate ran",
      meaning: "Lines of it may be missing: the gate writes on, and a backup may have them.",
    },
    checkpoint_unwritable: {
      title: "A signed checkpoint of the trail can't be written",
      meaning: "The trail itself is written; that nothing in it was changed can be proven up to the last checkpoint.",
    },
    trail_restarted: {
      title: "The audit trail isn't what its last checkpoint says",
      meaning:
        "Lines before that checkpoint were changed or removed: compare the trail with a checkpoint that you kept.",
    },
    receipts_unwritable: {
      title: "Receipts can't be made",
      meaning: "They are made as soon as that is possible; what you decide counts all the same.",
    },
    disk_low: {
      title: "The gate's disk is almost full",
      meaning: "Once it is full, the gate can't write down what is decided.",
    },
    database_unusable: { title: "A database can't be used", meaning: "What you decide now may not last." },
    pause_not_stored: {
      title: "A pause could not be stored",
      meaning: "It holds, and is tried again; the message says whether a restart would keep it.",
    },
    file_renewed: {
      title: "A file of the gate was damaged or missing and was recreated",
      meaning: "What it held before is gone, or was set aside.",
    },
    gate_replaced: {
      title: "This gate was replaced and has stopped",
      meaning: "It answers no more calls. Another gate may be running in its place.",
    },
    gate_restarted: {
      title: "The gate ended unexpectedly and was restarted",
      meaning: "The requests waiting for you were kept, and agents that were waiting ask again by themselves.",
    },
    hook_disabled: { title: "An agent's hook is turned off", meaning: "Its tool calls don't pass the gate." },
    box_bypassed: {
      title: "A command that was to run confined ran outside its box",
      meaning: "Its agent is paused: look at what the command did before you resume the agent.",
    },
    ran_other_than_allowed: {
      title: "A call ran other than it was allowed",
      meaning: "Something changed it after the gate had looked at it, such as another hook or plugin: see what it did.",
    },
    tried_more_than_said: {
      title: "Programs tried more than their commands say",
      meaning: "Their boxes kept them from it. Activity marks the calls: see what they were to do.",
    },
    untrusted_changed_later: {
      title: "Programs changed what runs later, unnamed, in a session that took in something untrusted",
      meaning: "What they wrote may be another's: see it before you build, push or begin a session there.",
    },
    ran_unasked: {
      title: "An agent ran something without asking",
      meaning: "The gate learned of it afterwards and could not stop it: see what it did.",
    },
    instructions_hand_secret: {
      title: "An agent's instructions hand its model a secret",
      meaning: "Its client reads them, and what they import, before it asks for anything: see who wrote that.",
    },
    other_hooks: {
      title: "An agent has other hooks before its tools",
      meaning: "Such a hook can change a call after you approved it: see whether they are yours.",
    },
    judge_over_budget: {
      title: "The model's budget for today is used up",
      meaning: "Until midnight the judge goes by its rules alone; a validator that needs the model refuses.",
    },
    judge_unavailable: {
      title: "A judge's model can't be asked",
      meaning:
        "The judge refuses nothing meanwhile, and you are still asked; a validator that needs the model refuses.",
    },
    channel_failing: {
      title: "A channel can't reach you",
      meaning: "What waits for you isn't said there. It is tried again all the time.",
    },
    box_set_aside: {
      title: "A confined command left files whose content runs later",
      meaning: "They were set aside: nothing runs them unless you put them back.",
    },
    box_hid_its_end: {
      title: "A confined command made itself look ended and ran on",
      meaning: "It was killed, and what it left was looked at. No ordinary program does that: find what started it.",
    },
  },
  it: {
    trail_unwritable: {
      title: "Il registro non si può scrivere",
      meaning: "Le decisioni prese intanto possono mancare.",
    },
    trail_lost: { title: "Alcune righe del registro sono perse", meaning: "Il registro dice quante, e dove." },
    trail_changed: {
      title: "Il registro è stato tolto o cambiato mentre il gate era in funzione",
      meaning: "Possono mancare delle righe: il gate continua a scrivere, e un backup può averle.",
    },
    checkpoint_unwritable: {
      title: "Un checkpoint firmato del registro non si può scrivere",
      meaning: "Il registro viene scritto; che nulla sia cambiato si può provare fino all'ultimo checkpoint.",
    },
    trail_restarted: {
      title: "Il registro non è quello che dice il suo ultimo checkpoint",
      meaning:
        "Righe precedenti sono state cambiate o tolte: confronta il registro con un checkpoint che hai conservato.",
    },
    receipts_unwritable: {
      title: "Le ricevute non si possono creare",
      meaning: "Vengono create appena è possibile; quello che decidi vale comunque.",
    },
    disk_low: {
      title: "Il disco del gate è quasi pieno",
      meaning: "Quando è pieno, il gate non può più registrare ciò che viene deciso.",
    },
    database_unusable: { title: "Un database non si può usare", meaning: "Quello che decidi ora può non restare." },
    pause_not_stored: {
      title: "Una pausa non si è potuta salvare",
      meaning: "Vale comunque, e si ritenta; il messaggio dice se resterebbe dopo un riavvio.",
    },
    file_renewed: {
      title: "Un file del gate era danneggiato o mancante ed è stato ricreato",
      meaning: "Quello che conteneva è perso, o è stato messo da parte.",
    },
    gate_replaced: {
      title: "Questo gate è stato sostituito e si è fermato",
      meaning: "Non risponde più alle chiamate. Al suo posto può esserci un altro gate.",
    },
    gate_restarted: {
      title: "Il gate si è interrotto ed è stato riavviato",
      meaning: "Quello che ti aspetta è rimasto, e gli agenti in attesa chiedono di nuovo da soli.",
    },
    hook_disabled: {
      title: "L'hook di un agente è disattivato",
      meaning: "Le sue chiamate non passano dal gate.",
    },
    box_bypassed: {
      title: "Un comando che doveva essere confinato è stato eseguito fuori",
      meaning: "Il suo agente è in pausa: guarda che cosa ha fatto il comando prima di farlo continuare.",
    },
    ran_other_than_allowed: {
      title: "Una chiamata è stata eseguita diversa da quella consentita",
      meaning:
        "Qualcosa l'ha cambiata dopo il controllo del gate, come un altro hook o plugin: guarda che cosa ha fatto.",
    },
    tried_more_than_said: {
      title: "Dei programmi hanno tentato più di quanto dicono i loro comandi",
      meaning: "Il confinamento l'ha impedito. L'attività segna le chiamate: guarda che cosa dovevano fare.",
    },
    untrusted_changed_later: {
      title: "Dei programmi hanno cambiato, senza dirlo, ciò che viene eseguito più tardi, dopo contenuti non fidati",
      meaning: "Ciò che hanno scritto può essere di altri: guardalo prima di compilare o di iniziare sessioni.",
    },
    ran_unasked: {
      title: "Un agente ha eseguito qualcosa senza chiedere",
      meaning: "Il gate l'ha saputo dopo e non ha potuto impedirlo: guarda che cosa ha fatto.",
    },
    instructions_hand_secret: {
      title: "Le istruzioni di un agente passano un segreto al suo modello",
      meaning: "Il suo client le legge, con ciò che importano, prima di chiedere qualcosa: guarda chi l'ha scritto.",
    },
    other_hooks: {
      title: "Un agente ha altri hook prima dei suoi strumenti",
      meaning: "Un hook così può cambiare una chiamata dopo che l'hai approvata: guarda se sono tuoi.",
    },
    judge_over_budget: {
      title: "Il modello ha esaurito il budget di oggi",
      meaning: "Fino a mezzanotte il giudice usa solo le regole; un validatore che ha bisogno del modello rifiuta.",
    },
    judge_unavailable: {
      title: "Il modello di un giudice non risponde",
      meaning:
        "Intanto il giudice non rifiuta nulla, e ti viene ancora chiesto; un validatore che ha bisogno del modello rifiuta.",
    },
    channel_failing: {
      title: "Un canale non riesce a raggiungerti",
      meaning: "Ciò che ti aspetta non viene detto lì. Si riprova di continuo.",
    },
    box_set_aside: {
      title: "Un comando confinato ha lasciato file il cui contenuto verrebbe eseguito più tardi",
      meaning: "Sono stati messi da parte: niente li esegue finché non li rimetti al loro posto.",
    },
    box_hid_its_end: {
      title: "Un comando confinato si è finto concluso e ha continuato",
      meaning:
        "È stato terminato, e ciò che ha lasciato è stato controllato. Nessun programma ordinario lo fa: cerca che cosa l'ha avviato.",
    },
  },
};

/** These are about a past event: they stay until the operator dismisses them. The others stay as long as their cause does. */
export const PAST_ALARMS: readonly AlarmCode[] = [
  "trail_changed",
  "trail_restarted",
  "file_renewed",
  "gate_restarted",
  "box_bypassed",
  "ran_other_than_allowed",
  "tried_more_than_said",
  "untrusted_changed_later",
  "ran_unasked",
  "instructions_hand_secret",
  "other_hooks",
  "box_set_aside",
  "box_hid_its_end",
];

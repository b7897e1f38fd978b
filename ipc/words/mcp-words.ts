import type { Language } from "../contract/language.ts";
import type { AskedTool, McpState, ToolPart } from "../contract/mcp.ts";

/** What every surface says of a server's tool. */

const PARTS: Readonly<Record<Language, Readonly<Record<ToolPart, string>>>> = {
  en: {
    title: "its title",
    description: "its description",
    input_schema: "its arguments",
    annotations: "what it claims",
  },
  it: {
    title: "il titolo",
    description: "la descrizione",
    input_schema: "gli argomenti",
    annotations: "ciò che dichiara",
  },
};

const STATES: Readonly<Record<Language, Readonly<Record<McpState, string>>>> = {
  en: {
    new: "You have never allowed this tool",
    known: "You have allowed this tool before, as it is now",
    looks: "You said that this tool only looks",
    changed: "This tool isn't what it was when you last allowed it",
  },
  it: {
    new: "Non hai mai consentito questo strumento",
    known: "Hai già consentito questo strumento, così com'è ora",
    looks: "Hai detto che questo strumento guarda soltanto",
    changed: "Questo strumento non è più quello che avevi consentito",
  },
};

const CHANGED: Readonly<Record<Language, string>> = {
  en: "Changed since you last allowed it",
  it: "Cambiato da quando lo hai consentito",
};

const TOO_LONG: Readonly<Record<Language, string>> = {
  en: "What the server says of this tool is too long to be shown",
  it: "Ciò che il server dice di questo strumento è troppo lungo per essere mostrato",
};

const RUNS_UNASKED: Readonly<Record<Language, string>> = {
  en: "Said to only look, it runs without asking from now on",
  it: "Se dici che guarda soltanto, d'ora in poi viene eseguito senza chiedere",
};

function partText(part: ToolPart, language: Language): string {
  return PARTS[language][part];
}

/** What is known of the tool, in a sentence without its stop: of a changed one what has changed. */
export function toolStateText({ state, changed }: Pick<AskedTool, "state" | "changed">, language: Language): string {
  if (state !== "changed" || changed.length === 0) return STATES[language][state];
  return `${CHANGED[language]}: ${changed.map((part) => partText(part, language)).join(", ")}`;
}

export function tooLongText(language: Language): string {
  return TOO_LONG[language];
}

/** What saying that it only looks comes to, where a grant or the level answers for it then. */
export function runsUnaskedText(language: Language): string {
  return RUNS_UNASKED[language];
}

/** What a text surface must not leave out: that the tool isn't the one that was allowed, or that nobody can read what it is. */
export function toolWarning(tool: AskedTool, language: Language): string | null {
  if (tool.is_too_long) return tooLongText(language);
  return tool.state === "changed" ? toolStateText(tool, language) : null;
}

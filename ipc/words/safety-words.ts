import type { Language } from "../contract/language.ts";
import type { SubjectType, ViolationCause } from "../contract/safety.ts";

/** What an agent did that a safety rule forbids, the same on every surface. Plain values: the page loads no schemas. */

/** `about`: null where an earlier version stored the violation. */
type Sentence = (about: string | null) => string;

interface Words {
  /** What follows the agent's name, by built-in rule. */
  builtin: Readonly<Record<string, Sentence>>;
  /** A rule of the user's own. */
  own: Readonly<Record<SubjectType, (rule: string) => string>>;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    builtin: {
      "SR-001": (length) =>
        `proposed a goal with too long a description${length === null ? "" : `: ${length} characters`}`,
      "SR-002": () => "proposed a goal of critical priority that doesn't say it may be critical",
      "SR-003": (caps) => `planned a subtask that needs ${caps ?? "what no subtask may have"}`,
      "SR-004": (caps) => `planned a subtask that needs ${caps ?? "a capability of an unknown kind"}`,
      "SR-005": (count) => `planned ${count ?? "too many"} subtasks at once`,
      "SR-006": () => "proposed a goal that names a web address",
      "SR-007": (type) => `proposed a goal of ${type === null ? "a type that is never allowed" : `type ${type}`}`,
    },
    own: {
      goal: (rule) => `proposed a goal that breaks your rule "${rule}"`,
      subtask: (rule) => `planned a subtask that breaks your rule "${rule}"`,
      graph: (rule) => `made a plan that breaks your rule "${rule}"`,
    },
  },
  it: {
    builtin: {
      "SR-001": (length) =>
        `ha proposto un obiettivo con una descrizione troppo lunga${length === null ? "" : `: ${length} caratteri`}`,
      "SR-002": () => "ha proposto un obiettivo di priorità critica che non dice di poterlo essere",
      "SR-003": (caps) => `ha previsto un sottocompito che richiede ${caps ?? "ciò che nessun sottocompito può avere"}`,
      "SR-004": (caps) => `ha previsto un sottocompito che richiede ${caps ?? "una capacità di tipo sconosciuto"}`,
      "SR-005": (count) => `ha previsto ${count ?? "troppi"} sottocompiti insieme`,
      "SR-006": () => "ha proposto un obiettivo che contiene un indirizzo web",
      "SR-007": (type) => `ha proposto un obiettivo di ${type === null ? "un tipo mai ammesso" : `tipo ${type}`}`,
    },
    own: {
      goal: (rule) => `ha proposto un obiettivo che infrange la tua regola «${rule}»`,
      subtask: (rule) => `ha previsto un sottocompito che infrange la tua regola «${rule}»`,
      graph: (rule) => `ha fatto un piano che infrange la tua regola «${rule}»`,
    },
  },
};

/** `claude-code proposed a goal of type disable_safety_filter (SR-007)`: a sentence without its full stop. Its parts are visible text already, but for `detail`. */
export function violationText(
  { rule_id, subject_type, agent_name, detail, about }: ViolationCause,
  language: Language,
): string {
  const { builtin, own } = WORDS[language];
  const did = builtin[rule_id]?.(about) ?? own[subject_type](detail);
  return `${agent_name} ${did} (${rule_id})`;
}

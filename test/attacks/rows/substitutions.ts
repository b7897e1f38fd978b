// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { CODE, commands, type Entry, section } from "../row.ts";

/** C2: substitutions inside of a parameter's operators. */

const named: Partial<Entry> = { prepare: (world) => world.put("proj/$(touch pwned)") };

export const SUBSTITUTIONS = section("C2", CODE, [
  ...commands("a slice's offset is expanded", [
    "x=abc; for i in ${x:$(touch pwned)}; do true; done",
    "x=abc; cat <<< ${x:$(touch pwned)}",
    "x=abc; case ${x:$(touch pwned)} in *) ;; esac",
    'set -- a b; for i in "${@:$(touch pwned)}"; do true; done',
  ]),
  ...commands("a case operator's pattern is expanded", [
    "x=abc; for i in ${x^$(touch pwned)}; do true; done",
    "x=abc; for i in ${x^^$(touch pwned)}; do true; done",
    "x=abc; for i in ${x,$(touch pwned)}; do true; done",
    "x=abc; for i in ${x,,$(touch pwned)}; do true; done",
  ]),
  ...commands("a replacement's pattern is expanded", [
    "x=abc; for i in ${x//${x:$(touch pwned)}/}; do true; done",
    "x=abc; for i in ${x:`touch pwned`}; do true; done",
  ]),
  ...commands("@P expands a text like a prompt, also one from a file or a file's name", [
    'for x in "$(cat x3)"; do for i in ${x@P}; do true; done; done',
    "x='$(touch pwned)'; for i in ${x@P}; do true; done",
  ]),
  ...commands("@P on the files' names", ["for x in *; do for i in ${x@P}; do true; done; done"], named),
  ...commands("defaults and lengths are expanded, too", [
    "for i in ${x:-$(touch pwned)}; do true; done",
    "for i in ${x:=$(touch pwned)}; do true; done",
    "x=1; for i in ${x:+$(touch pwned)}; do true; done",
    "x=abc; for i in ${x%$(touch pwned)}; do true; done",
    "x=abc; for i in ${x#`touch pwned`}; do true; done",
  ]),
]);

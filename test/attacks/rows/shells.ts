// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { CODE, commands, NEVER_ALLOWED, section } from "../row.ts";

/** C9: what zsh and dash read otherwise than bash. */

export const SHELLS = section("C9", CODE, [
  ...commands("zsh: a pattern's qualifier runs code", [
    "for i in a.tx?(e:'touch pwned':); do true; done",
    "ls a.tx?(+t)",
  ]),
  ...commands("zsh: (e) expands a text again", ["x='$(touch pwned)'; for i in ${(e)x}; do true; done"]),
  ...commands("zsh: the last part of a pipe keeps what it assigned", ["a=echo; true | a=bash; $a x.sh"]),
  ...commands("zsh: a redirection without a command", ["READNULLCMD=sh; < x.sh", "< x.sh"]),
  ...commands("zsh: =name is the program's path", ["cat =ls", "cat =../other/secret"]),
  ...commands("dash: no $'...'", [String.raw`echo $'a\'; touch pwned #'`, "cat <<$'A'\n$A\ntouch pwned\nA"]),
  ...commands("dash: .* matches ..", ["head .*/other/secret"]),
  ...commands("dash and zsh: echo expands backslashes", [String.raw`echo 'a\nb'`, String.raw`echo 'a\c' b`]),
  ...commands("zsh: named folders; dash: no braces", ["cat ~x/secret", "cat {a,b}.txt"]),
  // To bash it is a pattern for any name: the guard may deny it, too.
  { command: "cat a.tx?(e:'touch pwned':)", why: "zsh: a pattern's qualifier runs code", expected: NEVER_ALLOWED },
]);

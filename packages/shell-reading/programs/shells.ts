/** Shells: `-c TEXT`, a script file, or a script on their input. */
export const SHELLS: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ksh93 ash mksh fish rbash yash posh bash5".split(" "),
);

/** Options of a shell that take the next word. */
export const SHELL_VALUED: ReadonlySet<string> = new Set(
  "-o +o -O +O --rcfile --init-file -C --init-command".split(" "),
);

/** Programs that run the command lines on their input later. */
export const SCHEDULERS: ReadonlySet<string> = new Set(["at", "batch", "crontab"]);

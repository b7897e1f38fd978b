import type { Word } from "../reading.ts";
import type { Accesses, Program } from "./program.ts";

/** Programs that say something about the machine, the clock or where one is. */

const texts = (args: readonly Word[]): readonly Word[] => args;

/** One of lsof's words that lists what is open on the network. */
const NETWORK_FILES = /^-(?:[nPt]+|[nPt]*i[46]?(?:tcp|udp)?|stcp:[a-z]+)$/i;

/** No letter that takes a value but as the last, and no `e` without a dash. */
const PS_FLAGS = /^(?:-[AadefFljywHLTN]+|--forest|--no-headers|--(?:sort|ppid)=[\w%,+-]+|[afjlruwvxT]+)$/;
const PS_VALUED = /^-[AadefFljywHLTN]*[opCu]$/;

/**
 * Where a value is missing, or two options don't go together, ps on Linux reads all its words anew as if none had a dash: `-u -xe`, `-eu`,
 * `-efo args`. Then `e` shows environments.
 */
function isPlainPs(args: readonly Word[]): boolean {
  const letters = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? "";
    const isValued = PS_VALUED.test(text);
    const value = isValued ? (args[++at]?.text ?? "") : "pid";
    if (!(isValued || PS_FLAGS.test(text)) || !/^[\w%=,.:+][\w%=,.:+-]*$/.test(value) || /env/i.test(value))
      return false;
    for (const letter of text === "--forest" ? "H" : /^-\w/.test(text) ? text : "") letters.add(letter);
  }
  const has = (...some: string[]) => some.some((letter) => letters.has(letter));
  const conflict = (has("o") && has(..."fFljy")) || (has("T") && has("H", "L"));
  return !(has("e") && conflict);
}

/** It says something of the machine where it is, and its words are data. */
const looksHere = (args: readonly Word[]): Accesses => ({
  accesses: [{ kind: "list", word: "here" }],
  unclear: null,
  data: args,
});

export const SYSTEM_PROGRAMS: readonly Program[] = [
  {
    names: ["pwd"],
    options: { flags: "-L -P" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["which", "type", "whereis"],
    about_machine: true,
    operands: ["text"],
    options: { flags: "-a" },
    unclear: { flags: "-p -P -f -t" },
    accesses: looksHere,
    isClear: (args) => args.every(({ text }) => /^(?:-a|[\w+.][\w+.-]*)$/.test(text)),
    text_only: true,
  },
  {
    // Asked for its version alone it runs nothing of the project; others (go, cargo, yarn) may.
    names: ["node", "npm"],
    looksUp: ["node"],
    options: { flags: "-v --version" },
    folderOptions: "-C --prefix --cwd",
    accesses: (args) => ({
      accesses: [],
      unclear: args.length === 1 && /^(?:-v|--version)$/.test(args[0]?.text ?? "") ? null : "it runs code",
      data: [],
    }),
  },
  {
    // `-V` alone prints the version before anything of the project is looked at.
    names: ["python3", "python"],
    options: { flags: "-V --version" },
    accesses: (args) => ({
      accesses: [],
      unclear: args.length === 1 && /^(?:-V|--version)$/.test(args[0]?.text ?? "") ? null : "it runs code",
      data: [],
    }),
  },
  {
    names: ["whoami", "arch", "nproc"],
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["groups", "tty", "uptime"],
    about_machine: true,
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["id"],
    about_machine: true,
    operands: ["text"],
    options: { flags: "-u -g -n -G -r" },
    text_only: true,
  },
  {
    names: ["uname"],
    options: { flags: "-a -s -n -r -v -m -p -i -o --all --kernel-name --kernel-release --machine --operating-system" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["hostname"],
    about_machine: true,
    options: { flags: "-s -I" },
    // These may ask a name server.
    unclear: { flags: "-f -i -d -A -y --fqdn --long --ip-address --domain --all-fqdns --yp --nis", reads: "-F --file" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["date"],
    operands: ["text"],
    options: { flags: "-u --utc --universal -R", optional: "-I --iso-8601", text: "-d --date --rfc-3339" },
    unclear: { flags: "--debug", text: "-s --set", reads: "-f --file -r --reference" },
    // A number sets the clock; what the format holds is printed.
    isClear: (args) =>
      args.every(({ text }, at) => /^[-+]/.test(text) || /^(?:-d|--date)$/.test(args[at - 1]?.text ?? "")),
    text_only: true,
    data: (args) => args.filter(({ text }) => text.startsWith("+")),
  },
  {
    names: ["df"],
    about_machine: true,
    operands: ["lists"],
    options: { flags: "-h -k -m -i -l -a -P -H -T --human-readable --inodes --local --all --total" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["free"],
    options: { flags: "-h -b -k -m -g -t -w --human --total --wide" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["lsblk"],
    about_machine: true,
    options: { flags: "-a -f -p -d -l --all --fs --paths --nodeps --list" },
    withoutOperands: "lists",
    text_only: true,
  },
  {
    names: ["getconf", "locale"],
    operands: ["text"],
    guard_only: true,
    text_only: true,
  },
  {
    // Not the environment of processes: `e` without a dash, and a format of that name, show it.
    names: ["ps"],
    about_machine: true,
    options: {
      flags: "-A -a -d -e -f -F -l -j -y -w -H -L -T -N --forest --no-headers",
      text: "-o -p -C -u --sort --ppid",
    },
    accesses: looksHere,
    isClear: isPlainPs,
    text_only: true,
  },
  {
    names: ["pgrep"],
    about_machine: true,
    options: { flags: "-f -l -a -x -n -o -c -i -v", text: "-u -P" },
    accesses: looksHere,
    isClear: (args) => args.every(({ text }) => /^(?:-[flaxnociv]+|-[uP]|[^-].*)$/s.test(text)),
    text_only: true,
  },
  {
    // Without a port, and without `-n`, it looks up the names of all hosts that somebody here is connected to.
    names: ["lsof"],
    about_machine: true,
    options: { flags: "-n -P -t", text: "-i -s" },
    accesses: looksHere,
    isClear: (args) => {
      const words = args.map(({ text }) => text).join(" ");
      const somePorts = /^(?:-[nPt]+ )*-[nPt]*i ?[46]?(?:tcp|udp)?:\d{1,5}(?:[,-]\d{1,5})*(?: -[nPt]+)*$/i;
      // Without `-i` it lists every file that anybody has open.
      const namesNone = [/^-[Pti]*n/, /^-[nPt]*i/].every((one) => args.some(({ text }) => one.test(text)));
      return somePorts.test(words) || (namesNone && args.every(({ text }) => NETWORK_FILES.test(text)));
    },
    text_only: true,
  },
  {
    names: ["ss"],
    about_machine: true,
    options: { flags: "-l -t -u -n -p -a -4 -6 -H -s -i -o -e" },
    accesses: looksHere,
    isClear: (args) => args.every(({ text }) => /^-[ltunpa46Hsioe]+$/.test(text)),
    text_only: true,
  },
  {
    // Without `-n` it looks up the names of hosts.
    names: ["netstat"],
    about_machine: true,
    options: { flags: "-l -t -u -n -p -a -4 -6 -e" },
    accesses: looksHere,
    isClear: (args) =>
      args.every(({ text }) => /^-[ltunpa46e]+$/.test(text)) && args.some(({ text }) => text.includes("n")),
    text_only: true,
  },
  {
    names: ["getent"],
    about_machine: true,
    operands: ["text"],
    guard_only: true,
    text_only: true,
    data: texts,
  },
  {
    names: ["man", "info"],
    operands: ["text"],
    guard_only: true,
    text_only: (args) => !args.some(({ text }) => /^-(?:P|H|-pager|-html)/.test(text)),
    // `man ./a` shows the file.
    data: (args) => args.filter(({ text }) => !text.includes("/")),
  },
  {
    names: ["apropos", "whatis", "tldr", "help"],
    operands: ["text"],
    guard_only: true,
    text_only: true,
    data: texts,
  },
];

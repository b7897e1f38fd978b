import type { Span, Word } from "../reading.ts";

/**
 * One record per program: what its options and operands mean. Read by all who need it: what a call needs (`clear/`), what the
 * guard sees it touch (`guard/`), and which of its words are only data. What concerns only a few programs is beside the records, by
 * name: what they run (wrappers, shells, interpreters, repeaters, code-words), what they print (prints), and what they do with
 * disks, processes and sockets. No other folder of the gate names a program.
 */

/**
 * What a word is to a program. `reads`: a file's contents; `lists`: names and sizes only; `writes`: a file or folder made or
 * changed; `modes`: rights or owners; `pattern` and `text`: data, no path; `copies`, `moves` and `links`: sources, then one target.
 */
export type Role =
  | "reads"
  | "lists"
  | "writes"
  | "deletes"
  | "modes"
  | "host"
  | "pattern"
  | "text"
  /** A revision or another name that isn't a path of its own. */
  | "object"
  | "command"
  | "copies"
  | "moves"
  | "links";

/** Options by how they take a value; names are separated by blanks (`-n --lines`). */
export interface OptionList {
  /** No value. */
  flags?: string;
  /** No value, or one that is joined by `=` (`--color=auto`). */
  optional?: string;
  /** A value that is data, in the same word or the next. */
  text?: string;
  /** A value that is the pattern, which is then no operand. */
  pattern?: string;
  /** A file that is read, one that is written, a folder that takes what is copied or moved. */
  reads?: string;
  writes?: string;
  target?: string;
}

export interface Program {
  /** The first one names the record. */
  names: readonly string[];
  /** Options that it may be cleared with. What isn't listed isn't clear. */
  options?: OptionList;
  /** Known, so that the words behind them are read rightly, and never clear. */
  unclear?: OptionList;
  /** Options that take two words, whatever their text; data, both of them. */
  pairs?: string;
  /** `-5` is an option. */
  takesNumbers?: true;
  /** It finds its options behind operands as well, on every system. */
  optionsAnywhere?: true;
  /** What its operands are, in order; the last one goes for all that follow. None: it takes no operands. */
  operands?: readonly Role[];
  /** What it does to the working directory without any operand. */
  withoutOperands?: "lists" | "reads";
  /** Options with which it reaches everything below its operands; `always` without any. */
  tree?: string;
  /** It reads links' targets, or the files of a folder that it is given: each operand must be a plain file to be clear. */
  plainFilesOnly?: true;
  /** It skips names that begin with a dot. */
  skips_hidden?: true;
  /** Of a folder that it is given, a variant of it reads what lies in it. */
  readsFolders?: true;
  /** It does nothing with what it reads or is given but print, search, count, compare or keep it. */
  text_only?: true | ((args: readonly Word[]) => boolean);
  /** It prints its words and does nothing else with them, whatever they are. */
  printsWords?: true;
  /** A number may be any of its words. */
  takesStatus?: true;
  /** Never clear: what it does with its words is known as far as the guard needs it. */
  guard_only?: true;
  /** Where options and operands don't say it all: a language of its own, or more than one form. */
  accesses?: (args: readonly Word[], command: CommandContext) => Accesses;
  /** More conditions under which it is clear, on all of its words. */
  isClear?: (args: readonly Word[]) => boolean;
  /** Its words that are only data, where the roles don't say it. */
  data?: (args: readonly Word[]) => readonly Word[];
  /** Options that name the folder it works in. */
  folderOptions?: string;
  /** Options whose value is a folder here, a colon, and a place in a container. */
  volumeOptions?: string;
  /** Its input is passed on to its output, and into the files that it names. */
  copiesInput?: true;
  /** The shell itself does it, and what comes after is changed by it: the folder, the options, whether anything comes at all. */
  changesShell?: true;
  /** Clear only in the folder that the line begins in. */
  inFirstFolderOnly?: true;
  /** What follows runs in another folder. */
  changesFolder?: true;
  /** It says of the machine what a box has otherwise or not at all: its processes, mounts, groups, the programs on PATH. */
  about_machine?: true | ((args: readonly Word[]) => boolean);
  /** It works on a repository: its words may be revisions, and what is in the repository decides what runs. */
  worksOnRepository?: true;
  /** The paths that it may find, with what its tests leave of them. */
  finds?: (args: readonly Word[], span: Span) => Word[];
  /** Programs that it has looked up on the PATH itself, whatever its words are. */
  looksUp?: readonly string[];
}

/** What is known of where a command runs. */
export interface CommandContext {
  /** Absolute; null where it isn't known. */
  cwd: string | null;
  home: string;
  /** A pipe or a file feeds it. */
  hasInput: boolean;
  /** The text that feeds it, where that is known to the last letter. */
  inputText?: string | null;
  /** The disk may be asked, for what it takes to be clear; the guard only wants to know what is touched. */
  looksAtDisk: boolean;
}

/** Something that a command touches, before it is resolved to a path. `here`: the working directory. */
export interface Access {
  kind: "read" | "list" | "write" | "delete" | "move" | "mode" | "host";
  word: Word | "here";
  is_tree?: true;
  /** Names that begin with a dot are left out. */
  skips_hidden?: true;
  /** A folder is read with what lies in it. */
  reads_folder?: true;
  /** Of a listing: it prints of what the files hold, or held. */
  shows_contents?: true;
  /** To a host: more than what is asked for goes there. */
  sends?: true;
  /** A write that puts this file or folder there. */
  copy_of?: Word;
  /** `target` is a folder, or becomes the copy itself if it isn't one: `cp x DIR` is DIR/x. */
  into?: "folder" | "exactly" | "either";
  /** It must be a plain file: of a folder the program would read what lies in it. */
  is_plain_file?: true;
  /** Any number of words may take its place and mean the same: a pattern, or names that are found. */
  is_many?: true;
  /** One other name may take its place and mean the same. */
  is_one?: true;
  /** No link may lie below it: the program, or what it runs, would follow it. */
  follows_links?: true;
  /** Written through whatever it holds at the time: no exact target. */
  is_found?: true;
  /** Only git's history holds it: no box can hide it. */
  is_put_away?: true;
}

export interface Accesses {
  accesses: readonly Access[];
  /** Every option and form is one that may be cleared; else why it isn't. */
  unclear: string | null;
  /** Words that are only data. */
  data: readonly Word[];
  /** Commands that it runs for each file that it finds, with `{}` in the file's place. */
  runs?: readonly (readonly Word[])[];
  /** Without a look at the disk: it changes something that none of its words names, such as a repository. */
  changesUnnamed?: boolean;
}

import type { ListedHost } from "../../targets/listed-host.ts";

/** A whole agent that runs in a box: the user starts it so, and what it runs is in the same box. */

export interface AgentRun {
  readonly agent_id: string;
  readonly agent_name: string;
  /** Its program, absolute, and its words. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Files and folders that its program is made of: absolute and real. */
  readonly program: readonly string[];
  /** Variables of its starter that it gets beside those of every box, such as its model's key. */
  readonly variables: readonly string[];
  readonly places: AgentPlaces;
  readonly hosts: AgentHosts;
  readonly seat: Seat;
}

/** Paths are absolute, as the user names them. */
interface AgentPlaces {
  /** Folders in which it keeps its state: in the box they are its own for this project, and empty the first time. */
  readonly state: readonly string[];
  /** The user's own settings of it: to be read only, also where there are none. */
  readonly settings: readonly AgentSetting[];
  /** Files and folders of the gate's that it needs, and where the box has them: to be read only. */
  readonly files: readonly { readonly source: string; readonly at: string }[];
}

export interface AgentSetting {
  readonly path: string;
  readonly is_folder: boolean;
  /** Of a file: where there is none, an empty object is shown, as the client takes an empty file for a broken one. */
  readonly is_json?: boolean | undefined;
}

export interface AgentHosts {
  readonly listed: readonly ListedHost[];
  /** Ports of servers on this machine that it reaches: 127.0.0.1, in its box as outside. */
  readonly loopback: readonly number[];
}

/** What this run alone has of the gate: gone when it ends. */
export interface Seat {
  /** The agents' socket of this run, on the machine; nothing else is at it. */
  readonly socket: string;
  /** What its connections identify themselves by. */
  readonly token: string;
  /** The box has begun: nothing outside of it has to reach the socket any more. */
  begun(): void;
  /** Nothing of it is left, or it never started. */
  ended(): void;
}

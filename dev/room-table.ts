// The rooms that the product's files are in, from the ground up, and what each may grow to (test/rooms.test.ts).

export interface Room {
  /** A folder, or a file that is a room of its own. */
  path: string;
  holds: string;
  /** Files import from their own room and from lower floors. */
  floor: number;
  /** So many lines at most (TypeScript, CSS, C). A commit that raises it says why, and what went in exchange. */
  lines: number;
  /** What other rooms may import: `all`, `none`, or names of files without their endings, by folder of the room. */
  doors: string;
}

export const ROOMS: readonly Room[] = [
  {
    path: "packages/shell-reading",
    holds: "a command line -> what it would touch: records of programs, grammar, interpreter",
    floor: 0,
    lines: 16860,
    doors: `
      doors: files gate-command git programs reading`,
  },
  {
    path: "packages/hook-bench",
    holds: "calls that score any gate's hook",
    floor: 0,
    lines: 500,
    doors: `
      .: door`,
  },
  {
    path: "ipc/contract",
    holds: "what is said between processes: messages, records, the operator's methods",
    floor: 0,
    lines: 3290,
    doors: "all",
  },
  {
    path: "ipc/base",
    holds: "what every process needs: paths, names of commands, texts that can be shown",
    floor: 0,
    lines: 920,
    doors: "all",
  },
  {
    path: "ipc/words",
    holds: "the sentences that several surfaces say",
    floor: 1,
    lines: 3310,
    doors: "all",
  },
  {
    path: "ipc/socket",
    holds: "the sockets' servers and clients",
    floor: 1,
    lines: 2600,
    doors: `
      .: agent-answers agent-server asking-status bridge confined-run frames lasting-operator line-server
      .: operator-client operator-dispatch operator-server own-socket page-close page-frames page-secret safe-goals
      .: socket-file`,
  },
  {
    path: "ipc/client.ts",
    holds: "the agent's client, published by itself",
    floor: 2,
    lines: 450,
    doors: "all",
  },
  {
    path: "main/base",
    holds: "clocks, files, SQLite, locks",
    floor: 1,
    lines: 2200,
    doors: "all",
  },
  {
    path: "main/agents",
    holds: "who asks: pairing, tokens, pauses of one agent",
    floor: 2,
    lines: 1070,
    doors: `
      .: agent-tokens agents agents-on-path index`,
  },
  {
    path: "main/targets",
    holds: "capabilities, and what a grant on a target covers",
    floor: 2,
    lines: 415,
    doors: `
      .: capabilities host listed-host pattern target`,
  },
  {
    path: "main/decide",
    holds: "a call -> a decision: asks nobody",
    floor: 3,
    lines: 16600,
    doors: `
      .: pipeline
      confinement: box confinement declaration environment project
      costs: config prices
      description: describe effect line-diff named-danger run-by-name skill-text used
      flow: config later-places session-flow session-marks written-files
      executors: called-tool canonical catalog command-lines internal manifest needs
      grants: active rows stale stale-rows store
      guard: cloud-metadata guard hazards without-values
      guard/shell: guard-shell
      judge: verdicts
      mcp: announced-tools definition mcp-tools tool-store
      places: agent-settings built-folders call-environment call-place configured-files further-needs gate-files instructions patterns
      places: protected-paths run-later run-later-places used-destinations
      policy: cells policy replay
      rate: budgets config
      reviews: config review-steps
      safety: config safety schema
      stages: examination safety`,
  },
  {
    path: "main/records",
    holds: "the trail, receipts, activity",
    floor: 4,
    lines: 8650,
    doors: `
      activity: activity call-facts call-line forget-calls kept-calls kept-calls-schema list-calls reports spending
      activity: try-policy
      audit: accept-problems alarms archive chain checkpoint checkpoints compare-checkpoints last-lines log
      audit: month-files record verify
      receipts: due-receipts due-receipts-schema public-keys-file receipt-keys receipts signing-key stored-receipts
      receipts: verify`,
  },
  {
    path: "main/hooks",
    holds: "what clients' hooks say, and how they are answered",
    floor: 4,
    lines: 2850,
    doors: `
      .: after-call answer client-program dialect exchange hook-pipes json-comments mcp-name notice parent
      .: pipes-folder rule-pattern session-event
      answering: dialects pipe-answers
      claude-code: effective-settings session
      codex: codex-home
      gemini: payload settings-sources`,
  },
  {
    path: "main/calls",
    holds: "a call's life until its answer, and the requests",
    floor: 5,
    lines: 6370,
    doors: `
      .: index
      approvals: registry schema`,
  },
  {
    path: "main/config",
    holds: "gate.toml",
    floor: 5,
    lines: 1170,
    doors: `
      .: config gate-paths index policy-overrides-file settings`,
  },
  {
    path: "main/box",
    holds: "the box, and what may run in it",
    floor: 6,
    lines: 10070,
    doors: `
      .: git-process maker node
      agent-runs: agent-run
      arguments: bubblewrap git limits machine mounts system-calls unusable-places
      network: box-network listed-hosts lookup run-network
      project: later-changes project-tree time-slice
      runs: box-end first-process
      service: box-service probe`,
  },
  {
    path: "main/undo",
    holds: "what projects were before calls, and taking that back",
    floor: 6,
    lines: 2800,
    doors: `
      .: git-program index`,
  },
  {
    path: "main/judges",
    holds: "the second opinions: models, judge agents, validators",
    floor: 7,
    lines: 4400,
    doors: `
      .: index`,
  },
  {
    path: "main/core",
    holds: "puts the parts together, opens and closes them",
    floor: 8,
    lines: 3935,
    doors: `
      .: archiving boxed-agents channel core explained-call gate-port note-board offline offline-receipts restart
      service: gate-service launch-agent service-parts
      storage: disk-watch grants-schema open-databases`,
  },
  {
    path: "main/surfaces",
    holds: "where people answer: operator, page server, notifications, Telegram",
    floor: 9,
    lines: 9300,
    doors: `
      .: gate-page index
      notifications: notifier platform review-route session-bus sink start
      operator: operator
      web: web-sessions`,
  },
  {
    path: "main/serve.ts",
    holds: "the process of a gate",
    floor: 10,
    lines: 310,
    doors: "all",
  },
  {
    path: "main/desktop",
    holds: "the same in Electron, with its windows",
    floor: 11,
    lines: 2500,
    doors: "none",
  },
  {
    path: "cli",
    holds: "the `metnos-gate` command, the hook's program, the adapters for agents",
    floor: 11,
    lines: 21470,
    doors: "none",
  },
  {
    path: "preload",
    holds: "the page's bridge in the desktop app",
    floor: 2,
    lines: 50,
    doors: "all",
  },
  {
    path: "renderer",
    holds: "the page",
    floor: 2,
    lines: 18850,
    doors: "all",
  },
];

/** Lines of what isn't the product, and so has no floor. */
export const BESIDE: Readonly<Record<string, number>> = {
  test: 126_800,
  bench: 4860,
  build: 150,
  conformance: 650,
  dev: 800,
  fuzz: 1300,
  "judge-eval": 900,
  mutation: 450,
  pictures: 640,
  release: 400,
  reliability: 5750,
};

export function roomOf(path: string): Room | undefined {
  return ROOMS.find((room) => path === room.path || path.startsWith(`${room.path}/`));
}

/** The paths that `doors` names, without their endings. */
export function doorsOf({ path, doors }: Room): string[] {
  if (doors === "none") return [];
  return doors
    .trim()
    .split(/\n\s*/)
    .flatMap((line) => {
      const [folder = "", names = ""] = line.split(": ");
      return names.split(" ").map((name) => (folder === "." ? `${path}/${name}` : `${path}/${folder}/${name}`));
    });
}

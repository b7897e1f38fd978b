import type { Adapter, AdapterName } from "./adapter.ts";

/** Every client that the gate can be put in front of. Loaded one by one: each brings its own formats. */
const ADAPTERS: Readonly<Record<AdapterName, () => Promise<Adapter>>> = {
  "claude-code": async () => (await import("./claude-code/adapter.ts")).claudeCode,
  codex: async () => (await import("./codex/adapter.ts")).codex,
  gemini: async () => (await import("./gemini/adapter.ts")).gemini,
  opencode: async () => (await import("./opencode/adapter.ts")).opencode,
};

export const ADAPTER_NAMES = Object.keys(ADAPTERS) as AdapterName[];

/** Undefined if there is none of this name. */
export async function adapterOf(name: string): Promise<Adapter | undefined> {
  return Object.hasOwn(ADAPTERS, name) ? await ADAPTERS[name as AdapterName]() : undefined;
}

export function allAdapters(): Promise<Adapter[]> {
  return Promise.all(Object.values(ADAPTERS).map((load) => load()));
}

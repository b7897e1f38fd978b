import { useQuery } from "./use-gate.tsx";

/** How the gate is called on this machine, before the words of a command: as a shell line that runs anywhere. */
export function useCommand(): (words: string) => string {
  const { data: status } = useQuery("status", {});
  return (words) => `${status?.command ?? "metnos-gate"} ${words}`;
}

import { createContext, type ReactNode, useContext } from "react";
import { useQuery } from "./use-gate.tsx";

/** Null until the gate has answered. */
const HomeContext = createContext<string | null>(null);

export function HomeProvider({ children }: { children: ReactNode }) {
  const { data: status } = useQuery("status", {});
  return <HomeContext value={status?.home ?? null}>{children}</HomeContext>;
}

/** The home folder that the gate reads `~` as. */
export function useHome(): string | null {
  return useContext(HomeContext);
}

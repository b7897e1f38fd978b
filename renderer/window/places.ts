import { type ComponentType, lazy } from "react";
import type { windowWords } from "../words/window.ts";

export interface PlaceProps {
  /** What comes after the place's name in the address: `#/approvals/<rest>`. */
  rest: string;
}

export interface Place {
  name: PlaceName;
  Page: ComponentType<PlaceProps>;
}

export type PlaceName = Extract<
  keyof (typeof windowWords)["en"],
  "approvals" | "policy" | "grants" | "agents" | "activity" | "safety" | "settings"
>;

/** The side list, in its order. Each place is loaded when it is first opened. */
export const PLACES: readonly Place[] = [
  { name: "approvals", Page: lazy(() => import("../places/approvals/Approvals.tsx")) },
  { name: "policy", Page: lazy(() => import("../places/policy/Policy.tsx")) },
  { name: "grants", Page: lazy(() => import("../places/grants/Grants.tsx")) },
  { name: "agents", Page: lazy(() => import("../places/agents/Agents.tsx")) },
  { name: "activity", Page: lazy(() => import("../places/activity/Activity.tsx")) },
  { name: "safety", Page: lazy(() => import("../places/safety/Safety.tsx")) },
  { name: "settings", Page: lazy(() => import("../places/settings/Settings.tsx")) },
];

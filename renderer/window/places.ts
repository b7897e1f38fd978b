import type { ComponentType } from "react";
import Activity from "../places/activity/Activity.tsx";
import Agents from "../places/agents/Agents.tsx";
import Approvals from "../places/approvals/Approvals.tsx";
import Grants from "../places/grants/Grants.tsx";
import Policy from "../places/policy/Policy.tsx";
import Safety from "../places/safety/Safety.tsx";
import Settings from "../places/settings/Settings.tsx";
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

/** The side list, in its order. All of it comes from this machine: a place that loads on its own would only open later. */
export const PLACES: readonly Place[] = [
  { name: "approvals", Page: Approvals },
  { name: "policy", Page: Policy },
  { name: "grants", Page: Grants },
  { name: "agents", Page: Agents },
  { name: "activity", Page: Activity },
  { name: "safety", Page: Safety },
  { name: "settings", Page: Settings },
];

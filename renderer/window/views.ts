import type { ComponentType } from "react";
import Activity from "../views/activity/Activity.tsx";
import Agents from "../views/agents/Agents.tsx";
import Approvals from "../views/approvals/Approvals.tsx";
import Grants from "../views/grants/Grants.tsx";
import Policy from "../views/policy/Policy.tsx";
import Safety from "../views/safety/Safety.tsx";
import Settings from "../views/settings/Settings.tsx";
import type { windowWords } from "../words/window.ts";
import type { ViewProps } from "./view-props.ts";

export interface View {
  name: ViewName;
  Page: ComponentType<ViewProps>;
}

export type ViewName = Extract<
  keyof (typeof windowWords)["en"],
  "approvals" | "policy" | "grants" | "agents" | "activity" | "safety" | "settings"
>;

/** The side list, in its order. All of it comes from this machine: a view that is loaded separately would only open later. */
export const VIEWS: readonly View[] = [
  { name: "approvals", Page: Approvals },
  { name: "policy", Page: Policy },
  { name: "grants", Page: Grants },
  { name: "agents", Page: Agents },
  { name: "activity", Page: Activity },
  { name: "safety", Page: Safety },
  { name: "settings", Page: Settings },
];

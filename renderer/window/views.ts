import type { ComponentType } from "react";
import Activity from "../views/activity/Activity.tsx";
import Agents from "../views/agents/Agents.tsx";
import Approvals from "../views/approvals/Approvals.tsx";
import Grants from "../views/grants/Grants.tsx";
import Policy from "../views/policy/Policy.tsx";
import Safety from "../views/safety/Safety.tsx";
import Settings from "../views/settings/Settings.tsx";
import { VIEWS_IN_ORDER, type ViewName } from "./view-names.ts";
import type { ViewProps } from "./view-props.ts";

export interface View {
  name: ViewName;
  Page: ComponentType<ViewProps>;
}

const PAGES: Readonly<Record<ViewName, ComponentType<ViewProps>>> = {
  approvals: Approvals,
  policy: Policy,
  grants: Grants,
  agents: Agents,
  activity: Activity,
  safety: Safety,
  settings: Settings,
};

/** The side list, in its order. All of it comes from this machine: a view that is loaded separately would only open later. */
export const VIEWS: readonly View[] = VIEWS_IN_ORDER.map((name) => ({ name, Page: PAGES[name] }));

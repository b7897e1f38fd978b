import { type ComponentType, Suspense } from "react";
import { Calling } from "../calling/Calling.tsx";
import { WhileAway } from "../calling/WhileAway.tsx";
import { isSilent } from "../gate/link.ts";
import { bridge } from "../gate/open-link.ts";
import { useLinkState } from "../gate/use-gate.tsx";
import { useShortcutKeys } from "../parts/shortcuts.tsx";
import Activity from "../views/activity/Activity.tsx";
import Agents from "../views/agents/Agents.tsx";
import Approvals from "../views/approvals/Approvals.tsx";
import Grants from "../views/grants/Grants.tsx";
import Policy from "../views/policy/Policy.tsx";
import Safety from "../views/safety/Safety.tsx";
import Settings from "../views/settings/Settings.tsx";
import { useWords } from "../words/language.ts";
import { windowWords } from "../words/window.ts";
import { Alarms } from "./Alarms.tsx";
import { AwayNotice, Reachable } from "./Away.tsx";
import { Boundary } from "./Boundary.tsx";
import { KeySheet } from "./KeySheet.tsx";
import { PauseBanner } from "./PauseBanner.tsx";
import { goTo, useRoute } from "./route.ts";
import { SideList } from "./SideList.tsx";
import { VIEWS_IN_ORDER, type ViewName } from "./view-names.ts";
import type { ViewProps } from "./view-props.ts";
import "./alarms.css";
import "./window.css";

interface View {
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
const VIEWS: readonly View[] = VIEWS_IN_ORDER.map((name) => ({ name, Page: PAGES[name] }));

/** The side list of views, and the view that is open. */
export function Window() {
  const words = useWords(windowWords);
  const { view: asked, rest } = useRoute();
  useShortcutKeys();
  const view = VIEWS.find(({ name }) => name === asked) ?? VIEWS[0];
  if (view === undefined) return null;
  return (
    <div className="window">
      {bridge() === undefined ? <Calling /> : null}
      <div className="above">
        <Alarms />
        <Reachable>
          <PauseBanner onLook={view.name === "safety" ? undefined : () => goTo("safety")} />
        </Reachable>
      </div>
      <SideList view={view.name} />
      <main className="pane" key={view.name}>
        <Notices />
        <WhileAway />
        <Reachable>
          <Boundary key={view.name}>
            <Suspense fallback={<p className="quiet">{words.loading}</p>}>
              <view.Page rest={rest} />
            </Suspense>
          </Boundary>
        </Reachable>
      </main>
      <div className="strip-place" />
      <KeySheet />
    </div>
  );
}

/** That the gate doesn't answer: in every view. */
export function Notices() {
  return isSilent(useLinkState()) ? <AwayNotice /> : null;
}

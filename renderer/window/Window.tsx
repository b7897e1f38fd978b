import { Suspense } from "react";
import { Calling } from "../calling/Calling.tsx";
import { WhileAway } from "../calling/WhileAway.tsx";
import { isSilent } from "../gate/link.ts";
import { bridge } from "../gate/open-link.ts";
import { useLinkState } from "../gate/use-gate.tsx";
import { useShortcutKeys } from "../parts/shortcuts.tsx";
import { useWords } from "../words/language.ts";
import { windowWords } from "../words/window.ts";
import { Alarms } from "./Alarms.tsx";
import { AwayNotice, Reachable } from "./Away.tsx";
import { Boundary } from "./Boundary.tsx";
import { KeySheet } from "./KeySheet.tsx";
import { PauseBanner } from "./PauseBanner.tsx";
import { goTo, useRoute } from "./route.ts";
import { SideList } from "./SideList.tsx";
import { VIEWS } from "./views.ts";
import "./alarms.css";
import "./window.css";

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
      <KeySheet />
    </div>
  );
}

/** That the gate doesn't answer: in every view. */
export function Notices() {
  return isSilent(useLinkState()) ? <AwayNotice /> : null;
}

import { Suspense } from "react";
import { Calling } from "../calling/Calling.tsx";
import { WhileAway } from "../calling/WhileAway.tsx";
import { isSilent } from "../gate/link.ts";
import { bridge } from "../gate/open-link.ts";
import { useLinkState, useQuery } from "../gate/use-gate.tsx";
import { useWords } from "../words/language.ts";
import { windowWords } from "../words/window.ts";
import { Alarms } from "./Alarms.tsx";
import { AwayNotice, Reachable } from "./Away.tsx";
import { Boundary } from "./Boundary.tsx";
import { type Route, useRoute } from "./route.ts";
import { VIEWS } from "./views.ts";
import "./alarms.css";
import "./window.css";

/** The side list of views, and the view that is open. */
export function Window() {
  const words = useWords(windowWords);
  const { view: asked, rest } = useRoute();
  const view = VIEWS.find(({ name }) => name === asked) ?? VIEWS[0];
  if (view === undefined) return null;
  return (
    <div className="window">
      {bridge() === undefined ? <Calling /> : null}
      <Alarms />
      <SideList route={{ view: view.name, rest }} />
      <main className="pane" key={view.name}>
        <Notices is_pause_told={view.name === "safety"} />
        <WhileAway />
        <Reachable>
          <Boundary key={view.name}>
            <Suspense fallback={<p className="quiet">{words.loading}</p>}>
              <view.Page rest={rest} />
            </Suspense>
          </Boundary>
        </Reachable>
      </main>
    </div>
  );
}

function SideList({ route }: { route: Route }) {
  const words = useWords(windowWords);
  const { data: status } = useQuery("status", {});
  const waiting = (status?.approvals_pending ?? 0) + (status?.pairing_requests.length ?? 0);
  return (
    <nav className="side" aria-label={words.views}>
      <p className="product">{words.product}</p>
      <ul>
        {VIEWS.map(({ name }) => (
          <li key={name}>
            <a href={`#/${name}`} aria-current={name === route.view ? "page" : undefined}>
              <span>{words[name]}</span>
              {name === "approvals" && waiting > 0 ? (
                <span className="count figures">
                  <span aria-hidden="true">{waiting}</span>
                  <span className="unseen">{words.waiting(waiting)}</span>
                </span>
              ) : null}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What matters in every view: the gate doesn't answer, the gate is paused. */
export function Notices({ is_pause_told = false }: { is_pause_told?: boolean }) {
  const words = useWords(windowWords);
  const is_away = isSilent(useLinkState());
  const { data: status } = useQuery("status", {});
  if (is_away) return <AwayNotice />;
  if (status?.paused !== true || is_pause_told) return null;
  return (
    <p className="notice" role="status">
      {words.paused}
    </p>
  );
}

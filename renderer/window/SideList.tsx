import { useEffect, useRef } from "react";
import { useQuery } from "../gate/use-gate.tsx";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { useWords } from "../words/language.ts";
import { windowWords } from "../words/window.ts";
import { PauseControl } from "./PauseControl.tsx";
import { goTo } from "./route.ts";
import { ViewIcon } from "./ViewIcon.tsx";
import { VIEWS_IN_ORDER, type ViewName } from "./view-names.ts";

/** The views, with what waits in each, and the pause. A list at the side; a bar on top where there is no room. */
export function SideList({ view }: { view: ViewName }) {
  const words = useWords(windowWords);
  const { data: status } = useQuery("status", {});
  const { data: safety } = useQuery("safety.status", {});
  const waiting = (status?.approvals_pending ?? 0) + (status?.pairing_requests.length ?? 0);
  const violations = safety?.violations_unacknowledged ?? 0;
  const current = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: in the bar the open view's name may be out of sight
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  useShortcuts(
    [
      ...VIEWS_IN_ORDER.map((name, index) => ({
        key: String(index + 1),
        says: words.keys.views,
        shown: index === 0 ? words.keys.range(VIEWS_IN_ORDER.length) : null,
        run: () => goTo(name),
      })),
      {
        key: "/",
        says: words.keys.search,
        run: () => document.querySelector<HTMLInputElement>("main input[type=search]")?.focus(),
      },
    ],
    words.keys.window,
  );
  return (
    <nav className="side" aria-label={words.views}>
      <p className="product">{words.product}</p>
      <ul>
        {VIEWS_IN_ORDER.map((name) => (
          <li key={name}>
            <a
              ref={name === view ? current : null}
              href={`#/${name}`}
              aria-current={name === view ? "page" : undefined}
            >
              <ViewIcon name={name} />
              <span className="name">{words[name]}</span>
              {name === "approvals" ? <Count count={waiting} says={words.waiting(waiting)} /> : null}
              {name === "safety" ? <Count count={violations} says={words.violations(violations)} isAlarm /> : null}
            </a>
          </li>
        ))}
      </ul>
      <PauseControl />
    </nav>
  );
}

function Count({ count, says, isAlarm = false }: { count: number; says: string; isAlarm?: boolean }) {
  if (count === 0) return null;
  return (
    <span className={isAlarm ? "count alarming figures" : "count figures"}>
      <span aria-hidden="true">{count > 99 ? "99+" : count}</span>
      <span className="unseen">{says}</span>
    </span>
  );
}

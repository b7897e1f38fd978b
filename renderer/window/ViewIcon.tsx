import type { ViewName } from "./view-names.ts";

/** One stroke drawing for each view, 18 px. Its name is always beside it. */
const PATHS: Readonly<Record<ViewName | "pause" | "resume", string>> = {
  approvals: "M3 4h12v8H8l-3 3v-3H3z M6 7h6 M6 9.5h4",
  policy: "M3 3h12v12H3z M3 7h12 M3 11h12 M7 3v12 M11 3v12",
  grants: "M6.5 12.5a3 3 0 1 1 2.6-4.5H16v2.5h-1.5V13H12v-2.5H9.1a3 3 0 0 1-2.6 2z",
  agents: "M4 6h10v8H4z M9 6V3 M7 9.5v1.5 M11 9.5v1.5 M2 9v3 M16 9v3",
  activity: "M2 9h3l2-5 4 10 2-5h3",
  safety: "M9 2l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V4z",
  settings: "M3 5h7 M13 5h2 M3 9h2 M8 9h7 M3 13h7 M13 13h2 M10 3.5v3 M5.5 7.5v3 M10 11.5v3",
  pause: "M6 4v10 M12 4v10",
  resume: "M6 4l8 5-8 5z",
};

export function ViewIcon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="view-icon" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

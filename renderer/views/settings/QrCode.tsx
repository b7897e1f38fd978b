import { useEffect, useState } from "react";

/** Modules of white around it, which readers need. */
const BORDER = 3;

interface Drawn {
  size: number;
  path: string;
}

/** A text as a QR code, drawn here: nothing is asked for elsewhere. Nothing until what draws it was loaded. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  useEffect(() => {
    let is_wanted = true;
    void import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { ecc: "M", border: BORDER });
      if (is_wanted) setDrawn({ size, path: pathOf(data) });
    });
    return () => {
      is_wanted = false;
    };
  }, [text]);
  if (drawn === null) return <div className="qr" />;
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`}>
      <path d={drawn.path} />
    </svg>
  );
}

/** A rectangle for each run of dark modules in a row. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) =>
      [
        ...row
          .map((is_dark) => (is_dark ? "1" : "0"))
          .join("")
          .matchAll(/1+/g),
      ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join("");
}

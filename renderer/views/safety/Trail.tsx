import { useCommand } from "../../gate/use-command.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { useLanguage } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";

/** The trail's newest signed checkpoint, and how to find with it whether anything before it was changed. */
export function Trail() {
  const language = useLanguage();
  const words = safetyWords[language].trail;
  const command = useCommand();
  const { data, error, refresh } = useQuery("audit.checkpoint", {});
  // One is made every few minutes: no event says so.
  useEveryHalfMinute(refresh);
  if (data === undefined) return <Failure error={error} />;
  const { text, signed_at, lines } = data;
  return (
    <section className="trail" aria-labelledby="safety-trail">
      <h2 id="safety-trail">{words.title}</h2>
      <p className="quiet">{words.intro}</p>
      {text === null ? (
        <p>{words.none}</p>
      ) : (
        <>
          <p className="figures">
            {words.signed}
            {signed_at === null ? null : (
              <>
                {" "}
                <RelativeTime at={signed_at} />
              </>
            )}
            {lines === null ? null : `, ${words.over(lines.toLocaleString(language), lines === 1)}`}.
          </p>
          <details>
            <summary>{words.show}</summary>
            <CommandToCopy command={text} />
          </details>
          <p className="quiet">{words.check}</p>
          <CommandToCopy command={command("audit verify --against checkpoint.txt")} />
        </>
      )}
    </section>
  );
}

import { byteSize } from "../../../ipc/words/byte-size.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { keptFilesWords } from "../../words/kept-files.ts";
import { useLanguage } from "../../words/language.ts";

/** The sizes of the gate's files, and the room that is left where they are. */
export function KeptFiles() {
  const language = useLanguage();
  const words = keptFilesWords[language];
  const { data, error, refresh } = useQuery("storage.files", {});
  useEveryHalfMinute(refresh);
  if (data === undefined) return <Failure error={error} />;
  return (
    <section className="kept-files" aria-labelledby="settings-kept-files">
      <h2 id="settings-kept-files">{words.title}</h2>
      <p className="quiet">{words.intro}</p>
      <dl>
        {data.files.map(({ kind, path, bytes }) => (
          <div key={kind} title={path}>
            <dt>{words.kinds[kind]}</dt>
            <dd>{byteSize(bytes, language)}</dd>
          </div>
        ))}
      </dl>
      {data.disks.map(({ path, free_bytes, total_bytes, is_low }) => (
        <div key={path}>
          <p className="disk">
            {words.free(byteSize(free_bytes, language), byteSize(total_bytes, language))}{" "}
            <code>
              <VisibleText text={path} />
            </code>
          </p>
          {is_low ? <p className="why-not">{words.low}</p> : null}
        </div>
      ))}
    </section>
  );
}

import type { SafetyRuleView } from "../../../ipc/contract/safety.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";
import { SeverityMark } from "./SeverityMark.tsx";

/** The safety filter's rules, and which of them failed. */
export function Rules({ rules }: { rules: readonly SafetyRuleView[] }) {
  const { columns, ...words } = useWords(safetyWords);
  const is_broken = rules.some(({ errors }) => errors > 0);
  return (
    <section aria-labelledby="safety-rules">
      <h2 id="safety-rules">{words.rules}</h2>
      {rules.length === 0 ? <EmptyState title={words.no_rules}>{words.no_rules_next}</EmptyState> : null}
      {is_broken ? <p className="failure">{words.broken}</p> : null}
      {rules.length === 0 ? null : (
        <table className="table rules folds">
          <thead>
            <tr>
              <th scope="col">{columns.rule}</th>
              <th scope="col">{columns.effect}</th>
              <th scope="col">{columns.what}</th>
              <th scope="col">{columns.errors}</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.rule_id}>
                <th scope="row">
                  <span className="mono">{rule.rule_id}</span>
                  {rule.is_builtin ? null : <span className="quiet"> {words.own_rule}</span>}
                </th>
                <td>
                  <SeverityMark severity={rule.severity} ofRule />
                </td>
                <td>
                  {rule.is_builtin ? null : <span className="quiet">{words.subjects[rule.subject_type]}: </span>}
                  <VisibleText text={(rule.is_builtin ? words.builtin[rule.rule_id] : undefined) ?? rule.description} />
                </td>
                <td>
                  {rule.errors === 0 ? (
                    <span className="quiet">{words.no_errors}</span>
                  ) : (
                    <>
                      <b>{words.errors(rule.errors)}</b>
                      {rule.last_error === null ? null : (
                        <p className="quiet">
                          <VisibleText text={rule.last_error} />
                        </p>
                      )}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

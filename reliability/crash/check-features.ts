import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { checkEdited } from "./editor.ts";
import type { Ledger } from "./ledger.ts";
import { JUDGED_A_DAY, MAILS, PRICE, type StandIns } from "./stand-ins.ts";

/** Allowed but not counted in whole seconds, and rounded. */
const MAILS_OVER = 1;

/** Asks the gate that started after a kill. */
export async function checkFeatures(
  ledger: Ledger,
  operator: OperatorApi,
  { model, project }: { model: Pick<StandIns["model"], "requests">; project: string },
): Promise<void> {
  const { features } = ledger;
  await checkCosts(ledger, operator);
  await checkEdited(ledger, operator, { project });
  const { allowed, since } = features.mails;
  const most = MAILS.capacity + ((performance.now() - since) / 60_000) * MAILS.per_minute + MAILS_OVER;
  if (allowed > most) ledger.violateOnce("budget_given_back", `${allowed} calls were allowed where ${most} may be`);
  if (model.requests.length > JUDGED_A_DAY)
    ledger.violateOnce("budget_given_back", `the model was asked ${model.requests.length} of ${JUDGED_A_DAY} times`);
  const violations = await operator.call("safety.violations", { limit: 1000 });
  const found = Map.groupBy(violations, ({ subject_id }) => subject_id);
  for (const subject of features.violations) {
    const times = found.get(subject)?.length ?? 0;
    if (times !== 1)
      ledger.violateOnce(times === 0 ? "lost" : "invented", `${times} violations of ${subject} are kept`);
  }
  const tools = await operator.call("mcp.tools", {});
  for (const [name, fact] of features.tools) {
    if (fact.known === undefined) continue; // its next announcement says
    if (tools.some(({ tool }) => tool === name) !== fact.known > 0)
      ledger.violate("lost", `the tool ${name} was allowed in version ${fact.known}, and isn't listed as that`);
  }
}

async function checkCosts(ledger: Ledger, operator: OperatorApi): Promise<void> {
  const { priced } = ledger.features;
  const day = new Date().toDateString();
  const spent = await operator.call("costs.today", {});
  const calls = spent.reduce((sum, one) => sum + one.calls, 0);
  const amount = spent.reduce((sum, one) => sum + one.amount, 0);
  if (amount !== calls * PRICE) ledger.violate("invented", `${calls} calls cost ${amount}`);
  if (priced.day === day) {
    if (calls < priced.allowed) ledger.violate("lost", `${calls} of ${priced.allowed} priced calls are counted`);
    const most = priced.allowed + priced.unanswered;
    if (calls > most) ledger.violate("invented", `${calls} priced calls are counted, and ${most} were sent`);
  }
  Object.assign(priced, { allowed: calls, unanswered: 0, day });
}

import { describe, expect, it } from "vitest";
import { operatorMethods } from "../../../ipc/contract/operator-api.ts";
import { dispatchCallback } from "../../../main/calls/approvals/callback.ts";
import { openedBroker, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// docs/decisions/requirements-approvals.md, "Callback": here the answer is given on the operator's surface.

const { ttl_seconds: _, ...REQUEST } = pendingOf();
const schema = operatorMethods["approvals.callback"].result;

describe("approve:<token> and reject:<token>", () => {
  // handle_callback_approve_chiama_resolve_e_conferma
  it("approve resolves as approved and confirms what was approved", () => {
    const { broker, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(REQUEST);
    const result = dispatchCallback(broker, `approve:${token}`, ROBERTO);
    expect(schema.parse(result)).toEqual({
      ok: true,
      decision: "approved",
      token,
      capability_class: "fs_write:/srv/*",
      confirmation: "Approved: write a.txt -> /srv/",
    });
    expect(registry.getPending(token)).toMatchObject({ status: "approved", decision_by_sender: "roberto" });
  });

  // handle_callback_reject_simmetrico
  it("reject resolves as rejected and confirms what was denied", () => {
    const { broker, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(REQUEST);
    expect(dispatchCallback(broker, ` reject:${token}\n`, ROBERTO)).toMatchObject({
      ok: true,
      decision: "rejected",
      confirmation: "Denied: write a.txt -> /srv/",
    });
    expect(registry.getPending(token)?.status).toBe("rejected");
  });

  // handle_callback_data_malformato_logga_e_segnala
  it("anything else is an unknown callback, and changes nothing", () => {
    const { broker, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(REQUEST);
    for (const data of [
      "",
      token,
      `Approve:${token}`,
      `approve ${token}`,
      `approved:${token}`,
      "grant:x",
      `x approve:${token}`,
    ]) {
      expect(dispatchCallback(broker, data, ROBERTO)).toEqual({ ok: false, reason: "unknown_callback", data });
    }
    expect(dispatchCallback(broker, "approve:", ROBERTO)).toEqual({ ok: false, reason: "missing_token" });
    expect(dispatchCallback(broker, "reject: ", ROBERTO)).toEqual({ ok: false, reason: "missing_token" });
    expect(registry.getPending(token)?.status).toBe("pending");
  });

  // handle_callback_approval_error_invia_errore_a_sender
  it("the registry's refusal is said, not thrown", () => {
    const { broker, clock } = openedBroker(tempFolder());
    const fails = (data: string, by = ROBERTO) => dispatchCallback(broker, data, by);
    expect(fails("approve:0123456789abcdef")).toEqual({ ok: false, reason: "approval_failed", error: "unknown token" });
    const { token } = broker.ask(REQUEST);
    expect(fails(`approve:${token}`, { channel: "telegram", sender_id: "roberto" })).toMatchObject({
      ok: false,
      error: "decider not authorised",
    });
    dispatchCallback(broker, `reject:${token}`, ROBERTO);
    expect(fails(`approve:${token}`)).toMatchObject({
      ok: false,
      reason: "approval_failed",
      error: "token already resolved",
    });
    const late = broker.ask(REQUEST);
    clock.advance(601);
    expect(fails(`approve:${late.token}`)).toMatchObject({
      ok: false,
      reason: "approval_failed",
      error: "the request has expired",
    });
  });

  // handle_callback_precede_check_pairing
  it("needs no pairing: the principal that the request was made for can answer it, no other", () => {
    const { broker } = openedBroker(tempFolder());
    const stranger = { channel: "telegram", sender_id: "99" };
    const { token } = broker.ask({ ...REQUEST, ...stranger });
    expect(dispatchCallback(broker, `approve:${token}`, ROBERTO)).toMatchObject({
      ok: false,
      reason: "approval_failed",
    });
    expect(dispatchCallback(broker, `approve:${token}`, stranger)).toMatchObject({ ok: true, decision: "approved" });
  });

  it("confirms in the language of the cards", () => {
    const { broker } = openedBroker(tempFolder(), undefined, { language: "it" });
    const said = (data: string) => dispatchCallback(broker, data, ROBERTO).confirmation;
    const request = { ...REQUEST, action_verb: "scriva" };
    expect(said(`approve:${broker.ask(request).token}`)).toBe("Approvato: scriva a.txt -> /srv/");
    expect(said(`reject:${broker.ask(request).token}`)).toBe("Rifiutato: scriva a.txt -> /srv/");
  });

  it("approves once only: it never carries a territory", () => {
    const { broker, registry, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(REQUEST);
    dispatchCallback(broker, `approve:${token}`, ROBERTO);
    expect(registry.getPending(token)?.territory_concession).toBe("none");
    expect(grants.listGrants()).toEqual([]);
  });
});

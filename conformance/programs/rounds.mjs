import { createHmac, randomBytes } from "node:crypto";
import { capabilitiesIn, form, says, text, tool, user } from "./contents.mjs";

/** Tools of the protocol without sessions, which ask by their result: the client sends the call again with the answers. */

const KEY = randomBytes(32);

/** How they ask. @param sdk its package */
export function roundsOf(sdk) {
  const { inputRequired } = sdk;
  const name = (message) => inputRequired.elicit(form(message, { name: { type: "string" } }, ["name"]));
  const confirm = () => inputRequired.elicit(form("Please confirm", { ok: { type: "boolean" } }, ["ok"]));
  const sample = (prompt) => inputRequired.createMessage({ messages: [user(text(prompt))], maxTokens: 100 });
  const asks = (inputRequests, state) =>
    inputRequired({ inputRequests, ...(state === undefined ? {} : { requestState: signed(state) }) });
  const round = (description, run) =>
    tool(description, (_args, context) => {
      const { inputResponses = {}, requestState } = context.mcpReq;
      const given = requestState();
      const state = given === undefined ? undefined : verified(given);
      if (given !== undefined && state === undefined)
        throw new sdk.ProtocolError(-32602, "the state isn't this server's");
      return run(inputResponses, state, context);
    });
  return { inputRequired, name, confirm, sample, asks, round };
}

export function askingOnce({ inputRequired, name, confirm, sample, asks, round }) {
  return {
    test_input_required_result_elicitation: round("asks the user by its result", ({ user_name }) =>
      user_name?.content?.name === undefined
        ? asks({ user_name: name("What is your name?") })
        : says(`Hello, ${user_name.content.name}!`),
    ),
    test_input_required_result_sampling: round("asks the model by its result", ({ sample_request }) =>
      sample_request === undefined
        ? asks({ sample_request: sample("What is the capital of France?") })
        : says(`Sampling result: ${sample_request.content?.text}`),
    ),
    test_input_required_result_list_roots: round("asks for the roots by its result", ({ roots_request }) =>
      roots_request === undefined
        ? asks({ roots_request: inputRequired.listRoots() })
        : says(`Found ${roots_request.roots?.length} root(s)`),
    ),
    test_input_required_result_request_state: round("has a state", ({ confirm: given }, state) =>
      state?.kind === "state" && given?.content?.ok === true
        ? says("state-ok: requestState validated")
        : asks({ confirm: confirm() }, { kind: "state" }),
    ),
  };
}

export function askingAgain({ inputRequired, name, confirm, sample, asks, round }) {
  return {
    test_input_required_result_multiple_inputs: round(
      "asks for several things",
      ({ user_name, greeting, client_roots }, state) =>
        state !== undefined && user_name && greeting && client_roots
          ? says(
              `Name: ${user_name.content?.name}; Greeting: ${greeting.content?.text}; Roots: ${client_roots.roots?.length}`,
            )
          : asks(
              {
                user_name: name("What is your name?"),
                greeting: sample("Generate a greeting"),
                client_roots: inputRequired.listRoots(),
              },
              { kind: "several" },
            ),
    ),
    test_input_required_result_multi_round: round("asks twice", ({ step1, step2 }, state) => {
      if (state?.round === 2 && step2)
        return says(`Multi-round complete for ${state.name} who likes ${step2.content?.color}`);
      if (state?.round !== 1 || !step1) return asks({ step1: name("Step 1: What is your name?") }, { round: 1 });
      const color = inputRequired.elicit(
        form("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]),
      );
      return asks({ step2: color }, { round: 2, name: step1.content?.name });
    }),
    test_input_required_result_tampered_state: round("takes no state but its own", ({ confirm: given }, state) =>
      state?.kind === "tampered" && given
        ? says("integrity-ok: state verified")
        : asks({ confirm: confirm() }, { kind: "tampered" }),
    ),
    test_input_required_result_capabilities: round("asks for what the client can", (responses, _state, context) => {
      if (Object.keys(responses).length > 0)
        return says(`capabilities-ok: received ${Object.keys(responses).join(",")}`);
      const { elicitation, sampling: canSample } = capabilitiesIn(context);
      const requests = {
        ...(elicitation === undefined ? {} : { elicit_input: name("Elicitation input") }),
        ...(canSample === undefined ? {} : { sample_input: sample("Sample request") }),
      };
      return Object.keys(requests).length === 0
        ? says("No supported capabilities declared")
        : asks(requests, { kind: "capabilities" });
    }),
  };
}

function signed(state) {
  const data = JSON.stringify({ ...state, nonce: randomBytes(8).toString("hex") });
  return JSON.stringify({ data, hmac: hmacOf(data) });
}

function verified(given) {
  try {
    const { data, hmac } = JSON.parse(given);
    return hmac === hmacOf(data) ? JSON.parse(data) : undefined;
  } catch {
    return undefined; // nothing that this server has written
  }
}

function hmacOf(data) {
  return createHmac("sha256", KEY).update(data).digest("hex");
}

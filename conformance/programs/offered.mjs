import { capabilitiesIn, form, IMAGE, image, resource, says, text, tool, user } from "./contents.mjs";
import { askingAgain, askingOnce, roundsOf } from "./rounds.mjs";

/** What the suite's scenarios ask a server for: the names and texts are the suite's. */

const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const always = (description, content) => tool(description, () => ({ content }));

export const RESOURCES = [
  {
    uri: "test://static-text",
    name: "static-text",
    mimeType: "text/plain",
    contents: { text: "This is the content of the static text resource." },
  },
  { uri: "test://static-binary", name: "static-binary", mimeType: "image/png", contents: { blob: IMAGE } },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    mimeType: "text/plain",
    contents: { text: "Watched resource content" },
  },
];

export const TEMPLATES = [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }];

const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const titled = (count, prefix = "value") =>
  Array.from({ length: count }, (_, n) => ({ const: `${prefix}${n + 1}`, title: `Option ${n + 1}` }));
const CHOICES = ["option1", "option2", "option3"];
const ENUMS = {
  untitledSingle: { type: "string", enum: CHOICES },
  titledSingle: { type: "string", oneOf: titled(3) },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: CHOICES } },
  titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled(3) } },
};

/** With what a JSON Schema may hold beside properties, which must reach the client as it is. */
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** @param sdk its package; `changed`: announces that the tools, or the prompts, have changed */
export function toolsOf(sdk, changed) {
  const rounds = roundsOf(sdk);
  const changing = async (kind) => {
    await changed(kind);
    return says("changed");
  };
  return {
    test_simple_text: always("says a text", [text("This is a simple text response for testing.")]),
    test_image_content: always("shows an image", [image]),
    test_audio_content: always("plays audio", [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }]),
    test_embedded_resource: always("has a resource in it", [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ]),
    test_multiple_content_types: always("has a text, an image and a resource", [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ]),
    test_error_handling: tool("fails", () => ({
      ...says("This tool intentionally returns an error for testing"),
      isError: true,
    })),
    test_tool_with_logging: tool("logs", logging),
    test_tool_with_progress: tool("says how far it is", progressing),
    test_sampling: tool("asks the model", sampling, { prompt: { type: "string" } }),
    test_elicitation: tool(
      "asks the user",
      (args, context) => eliciting("User response", args.message, { response: { type: "string" } }, [], context),
      {
        message: { type: "string" },
      },
    ),
    test_elicitation_sep1034_defaults: tool("asks with defaults", (_args, context) =>
      eliciting("Elicitation completed", "Please review the form", DEFAULTS, [], context),
    ),
    test_elicitation_sep1330_enums: tool("asks for choices", (_args, context) =>
      eliciting("Elicitation completed", "Please choose", ENUMS, [], context),
    ),
    json_schema_2020_12_tool: {
      description: "has a whole schema",
      inputSchema: SCHEMA_2020_12,
      run: () => says("called"),
    },
    test_trigger_tool_change: tool("changes the tools", () => changing("tools")),
    test_trigger_prompt_change: tool("changes the prompts", () => changing("prompts")),
    test_missing_capability: tool("needs sampling", (_args, context) => {
      if (capabilitiesIn(context).sampling === undefined)
        throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      return says("Success");
    }),
    test_streaming_elicitation: tool("says how far it is, without a request of its own", progressing),
    test_logging_tool: tool("logs where the client wants it", async (_args, { mcpReq }) => {
      await mcpReq.log("info", "Diagnostic trace logging activated");
      return says("Logging evaluated");
    }),
    ...askingOnce(rounds),
    ...askingAgain(rounds),
  };
}

async function logging(_args, { mcpReq }) {
  for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
    await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
  return says("Tool with logging executed successfully");
}

async function progressing(_args, { mcpReq }) {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
    await mcpReq.notify({ method: "notifications/progress", params });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return says(String(progressToken ?? 0));
}

async function sampling({ prompt }, { mcpReq }) {
  const { content } = await mcpReq.requestSampling({ messages: [user(text(prompt))], maxTokens: 100 });
  return says(`LLM response: ${content.text}`);
}

async function eliciting(saysWhat, message, properties, required, { mcpReq }) {
  const { action, content = {} } = await mcpReq.elicitInput(form(message, properties, required));
  return says(`${saysWhat}: action=${action}, content=${JSON.stringify(content)}`);
}

export function promptsOf({ inputRequired }) {
  const argument = (name) => ({ name, description: name, required: true });
  return {
    test_simple_prompt: {
      description: "has no arguments",
      run: () => ({ messages: [user(text("This is a simple prompt for testing."))] }),
    },
    test_prompt_with_arguments: {
      description: "has two arguments",
      arguments: [argument("arg1"), argument("arg2")],
      run: ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
    },
    test_prompt_with_embedded_resource: {
      description: "has a resource in it",
      arguments: [argument("resourceUri")],
      run: ({ resourceUri }) => ({
        messages: [
          user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
          user(text("Please process the embedded resource above.")),
        ],
      }),
    },
    test_prompt_with_image: {
      description: "has an image in it",
      run: () => ({ messages: [user(image), user(text("Please analyze the image above."))] }),
    },
    test_input_required_result_prompt: {
      description: "asks the user by its result",
      run: (_args, { mcpReq }) => {
        const given = mcpReq.inputResponses?.user_context?.content?.context;
        if (given !== undefined) return { messages: [user(text(`Prompt with context: ${given}`))] };
        const asked = inputRequired.elicit(
          form("What context should the prompt use?", { context: { type: "string" } }, ["context"]),
        );
        return inputRequired({ inputRequests: { user_context: asked } });
      },
    },
  };
}

/** What tools and prompts are made of. */

export const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

export const text = (value) => ({ type: "text", text: value });
export const image = { type: "image", data: IMAGE, mimeType: "image/png" };
export const says = (value) => ({ content: [text(value)] });
export const resource = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });
export const user = (content) => ({ role: "user", content });
export const form = (message, properties, required) => ({
  message,
  requestedSchema: { type: "object", properties, required },
});

export const tool = (description, run, properties = {}) => ({
  description,
  inputSchema: { type: "object", properties },
  run,
});

export function capabilitiesIn({ mcpReq }) {
  return mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
}

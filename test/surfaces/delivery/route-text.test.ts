import { expect, it } from "vitest";
import { routeSchema } from "../../../main/config/channels.ts";
import { routeText } from "../../../main/surfaces/channels/channels.ts";

it("when a channel is used is said in either language", () => {
  const quietHours = { from: "22:00", to: "07:00" };
  const route = routeSchema.parse({ when: "unanswered", after_seconds: 20, quiet_hours: quietHours });
  expect(routeText(route, true, "en")).toBe("when nobody answered for 20 s; from 22:00 to 07:00 only what is urgent");
  expect(routeText(route, true, "it")).toBe(
    "quando nessuno risponde per 20 s; dalle 22:00 alle 07:00 solo ciò che è urgente",
  );
  const locked = routeSchema.parse({ when: "locked", quiet_hours: quietHours, in_quiet_hours: "nothing" });
  expect(routeText(locked, false, "it")).toBe(
    "mentre lo schermo è bloccato (qui non si sa: nel dubbio lo è); dalle 22:00 alle 07:00 nulla",
  );
});

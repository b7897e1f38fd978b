import { expect, it } from "vitest";
import { AgentConnection } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";
it("x", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "crowd", level: "Supervised" });
    const token = gate.token("crowd");
    let t = performance.now(); const lap = (w: string) => { console.log(w, Math.round(performance.now() - t)); t = performance.now(); };
    const agents = await Promise.all(Array.from({ length: 1000 }, async () => AgentConnection.open(gate.places.agent_socket)));
    lap("open");
    await Promise.all(agents.map((a) => a.hello("crowd", { token })));
    lap("hello");
    await Promise.all(agents.map((a) => a.ask({ executor: "time_now" })));
    lap("ask");
    await Promise.all(agents.map((a) => a.close()));
    lap("close");
    expect(1).toBe(1);
});

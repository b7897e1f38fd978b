import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { popupBounds } from "../../main/desktop/popup-position.ts";

const screen = { x: 0, y: 28, width: 1280, height: 772 };

describe("the popup's place", () => {
  it("is under an icon in a panel above, centred on it", () => {
    expect(popupBounds({ x: 800, y: 0, width: 22, height: 28 }, screen, 300)).toEqual({
      x: 621,
      y: 36,
      width: 380,
      height: 300,
    });
  });

  it("is over an icon in a panel below", () => {
    const workArea = { x: 0, y: 0, width: 1280, height: 760 };
    const { y, height } = popupBounds({ x: 1200, y: 760, width: 24, height: 40 }, workArea, 300);
    expect(y + height).toBe(752);
  });

  it("is inside the work area, 380 wide, and never taller than two thirds of it: wherever the icon, however long the content", () => {
    const rectangle = fc.record({
      x: fc.integer({ min: -3000, max: 3000 }),
      y: fc.integer({ min: -3000, max: 3000 }),
      width: fc.integer({ min: 400, max: 4000 }),
      height: fc.integer({ min: 300, max: 3000 }),
    });
    const anchor = fc.record({
      x: fc.integer({ min: -4000, max: 8000 }),
      y: fc.integer({ min: -4000, max: 8000 }),
      width: fc.integer({ min: 0, max: 64 }),
      height: fc.integer({ min: 0, max: 64 }),
    });
    fc.assert(
      fc.property(anchor, rectangle, fc.nat(100_000), (icon, area, content) => {
        const popup = popupBounds(icon, area, content);
        expect(popup.width).toBe(380);
        expect(popup.height).toBeLessThanOrEqual(Math.max(80, (area.height * 2) / 3));
        expect(popup.height).toBeGreaterThanOrEqual(80);
        expect(popup.x).toBeGreaterThanOrEqual(area.x);
        expect(popup.y).toBeGreaterThanOrEqual(area.y);
        expect(popup.x + popup.width).toBeLessThanOrEqual(area.x + area.width);
        expect(popup.y + popup.height).toBeLessThanOrEqual(area.y + area.height);
      }),
    );
  });
});

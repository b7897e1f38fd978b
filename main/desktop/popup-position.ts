import type { Rectangle } from "electron";

export const POPUP_WIDTH = 380;
const MIN_HEIGHT = 80;
const MARGIN = 8;

/**
 * The popup's bounds: at the tray icon, inside the work area, as tall as its content up to two thirds of the area. CSS pixels.
 * @param anchor the tray icon's bounds, or a point where those aren't known
 */
export function popupBounds(anchor: Rectangle, work_area: Rectangle, content_height: number): Rectangle {
  const width = Math.min(POPUP_WIDTH, work_area.width);
  const height = Math.max(MIN_HEIGHT, Math.min(Math.ceil(content_height), Math.floor((work_area.height * 2) / 3)));
  const center_x = anchor.x + anchor.width / 2;
  const center_y = anchor.y + anchor.height / 2;
  const is_above = center_y < work_area.y + work_area.height / 2;
  return {
    x: clamped(Math.round(center_x - width / 2), work_area.x + MARGIN, work_area.x + work_area.width - width - MARGIN),
    y: is_above
      ? Math.max(work_area.y + MARGIN, Math.min(anchor.y + anchor.height, work_area.y + work_area.height - height))
      : Math.max(work_area.y, Math.min(anchor.y, work_area.y + work_area.height - MARGIN) - height),
    width,
    height,
  };
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(Math.min(value, most), Math.min(least, most));
}

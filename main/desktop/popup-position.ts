import type { Rectangle } from "electron";

export const POPUP_WIDTH = 380;
const MIN_HEIGHT = 80;
const MARGIN = 8;

/**
 * The popup's bounds: at the tray icon, inside the work area, as tall as its content up to two thirds of the area. CSS pixels.
 * @param anchor the tray icon's bounds, or a point where those aren't known
 */
export function popupBounds(anchor: Rectangle, workArea: Rectangle, contentHeight: number): Rectangle {
  const width = Math.min(POPUP_WIDTH, workArea.width);
  const height = Math.max(MIN_HEIGHT, Math.min(Math.ceil(contentHeight), Math.floor((workArea.height * 2) / 3)));
  const centerX = anchor.x + anchor.width / 2;
  const centerY = anchor.y + anchor.height / 2;
  const isAbove = centerY < workArea.y + workArea.height / 2;
  return {
    x: clamped(Math.round(centerX - width / 2), workArea.x + MARGIN, workArea.x + workArea.width - width - MARGIN),
    y: isAbove
      ? Math.max(workArea.y + MARGIN, Math.min(anchor.y + anchor.height, workArea.y + workArea.height - height))
      : Math.max(workArea.y, Math.min(anchor.y, workArea.y + workArea.height - MARGIN) - height),
    width,
    height,
  };
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(Math.min(value, most), Math.min(least, most));
}

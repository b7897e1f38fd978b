import { Notices } from "../window/Window.tsx";

export function Popup() {
  return (
    <main className="popup">
      <Notices />
    </main>
  );
}

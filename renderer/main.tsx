import { createRoot } from "react-dom/client";
import { openLink } from "./gate/open-link.ts";
import { GateProvider } from "./gate/use-gate.tsx";
import { HomeProvider } from "./gate/use-home.tsx";
import { Popup } from "./popup/Popup.tsx";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import { applyTheme } from "./style/theme.ts";
import { Boundary } from "./window/Boundary.tsx";
import { useRoute } from "./window/route.ts";
import { Window } from "./window/Window.tsx";
import { useDocumentLanguage } from "./words/language.ts";

function Page() {
  useDocumentLanguage();
  const { view } = useRoute();
  return <Boundary>{view === "popup" ? <Popup /> : <Window />}</Boundary>;
}

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
applyTheme();
createRoot(root).render(
  <GateProvider link={openLink()}>
    <HomeProvider>
      <Page />
    </HomeProvider>
  </GateProvider>,
);

import { render } from "preact";
import { takeTokenFromAddress } from "./client";
import "./style.css";

takeTokenFromAddress();
// An address with a token that is opened in a tab which shows the page already loads nothing by itself.
window.addEventListener("hashchange", () => {
  if (takeTokenFromAddress()) location.reload();
});

// People who label do not load what draws charts, nor the other way round.
async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  if (location.pathname.replace(/\/+$/, "") === "/label") {
    const { LabelPage } = await import("./label/LabelPage");
    render(<LabelPage />, root);
  } else {
    const { WatchPage } = await import("./views/WatchPage");
    render(<WatchPage />, root);
  }
}
void start();

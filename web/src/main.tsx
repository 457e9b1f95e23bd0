import { render } from "preact";
import { takeTokenFromAddress } from "./client";
import { LabelPage } from "./label/LabelPage";
import "./style.css";
import { WatchPage } from "./views/WatchPage";

takeTokenFromAddress();
// An address with a token that is opened in a tab which shows the page already loads nothing by itself.
window.addEventListener("hashchange", () => {
  if (takeTokenFromAddress()) location.reload();
});
const root = document.getElementById("app");
if (root) render(location.pathname.replace(/\/+$/, "") === "/label" ? <LabelPage /> : <WatchPage />, root);

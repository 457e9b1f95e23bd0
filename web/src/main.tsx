import { render } from "preact";
import { takeTokenFromAddress } from "./client";
import { LabelPage } from "./label/LabelPage";
import "./style.css";
import { WatchPage } from "./views/WatchPage";

takeTokenFromAddress();
const root = document.getElementById("app");
if (root) render(location.pathname.replace(/\/+$/, "") === "/label" ? <LabelPage /> : <WatchPage />, root);

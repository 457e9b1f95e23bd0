import { render } from "preact";
import "./style.css";

render(<main><h1>acuity</h1><p>This page is being built.</p></main>, document.getElementById("app")!);

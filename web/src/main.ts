import { App } from "./app";
import { connectControls } from "./controls";
import { connectPointers } from "./pointers";
import { tell } from "./testing";

const app = new App();
connectControls(app);
connectPointers(app);
tell(app);

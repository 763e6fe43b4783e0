// Canvases of reports have two pixels to each of the page at least, so that they can be printed. uPlot asks the window
// for their number when it is loaded: this module has to come before it.

const { devicePixelRatio } = window;
Object.defineProperty(window, "devicePixelRatio", { configurable: true, get: () => Math.max(2, devicePixelRatio) });

export {};

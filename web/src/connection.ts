import { parseBinary, parseText, PROTOCOL, type BinaryMessage, type ClientMessage, type Known, type ServerMessage } from "./protocol";

export type ConnectionState = "connecting" | "connected" | "lost";

export interface Handlers {
  /** `why` where it is known why the program refuses. */
  state(state: ConnectionState, why: string): void;
  text(message: ServerMessage): void;
  /** With the time at which it came. */
  binary(message: BinaryMessage, since: number): void;
  malformed(why: string): void;
  known(pane: number): Known | undefined;
}

const sentence = (why: string): string => `${why[0].toUpperCase()}${why.slice(1)}${/[.!]$/.test(why) ? "" : "."}`;

/** One websocket, opened again whenever it is lost. */
export class Connection {
  private socket: WebSocket | null = null;
  private delay = 500;

  constructor(private readonly url: string, private readonly handlers: Handlers) {
    this.open();
  }

  send(message: ClientMessage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Refused before it was open: a program that answers all the same has enough pages already. */
  private async ask(): Promise<void> {
    try {
      const answer = await fetch("/", { method: "HEAD", cache: "no-store" });
      if (answer.ok && !this.socket) this.handlers.state("lost", "The program refuses this page: too many are open. Close one of the others.");
    } catch {
      // It is not there: it is waited for.
    }
  }

  private open(): void {
    this.handlers.state("connecting", "");
    let opened = false, heard = false;
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      opened = true;
      this.send({ type: "hello", protocol: PROTOCOL });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      const since = performance.now();
      // Not before: a call may be taken only to say why there is no place.
      if (!heard) {
        heard = true;
        this.delay = 500;
        this.handlers.state("connected", "");
      }
      try {
        if (typeof event.data === "string") this.handlers.text(parseText(event.data));
        else {
          const message = parseBinary(event.data, (pane) => this.handlers.known(pane));
          if (message) this.handlers.binary(message, since);
        }
      } catch (error) {
        this.handlers.malformed(error instanceof Error ? error.message : String(error));
      }
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.handlers.state("lost", event.reason ? sentence(event.reason) : "");
      if (!opened) void this.ask();
      setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(5000, this.delay * 1.6);
    };
  }
}

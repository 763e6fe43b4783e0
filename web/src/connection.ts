import { parseBinary, parseText, PROTOCOL, type BinaryMessage, type ClientMessage, type ServerMessage } from "./protocol";

export type ConnectionState = "connecting" | "connected" | "lost";

export interface Handlers {
  state(state: ConnectionState): void;
  text(message: ServerMessage): void;
  binary(message: BinaryMessage): void;
  malformed(why: string): void;
  systemPane(pane: number): boolean;
}

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

  private open(): void {
    this.handlers.state("connecting");
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.delay = 500;
      this.handlers.state("connected");
      this.send({ type: "hello", protocol: PROTOCOL });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      try {
        if (typeof event.data === "string") this.handlers.text(parseText(event.data));
        else this.handlers.binary(parseBinary(event.data, (pane) => this.handlers.systemPane(pane)));
      } catch (error) {
        this.handlers.malformed(error instanceof Error ? error.message : String(error));
      }
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.handlers.state("lost");
      setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(5000, this.delay * 1.6);
    };
  }
}

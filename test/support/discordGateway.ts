import { WebSocketServer, type WebSocket } from 'ws';

interface Payload {
  readonly op: number;
  readonly d?: unknown;
  readonly s?: number;
  readonly t?: string;
}

interface Session {
  readonly id: string;
  readonly events: Payload[];
  socket: WebSocket | undefined;
}

const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
};

/** Discord's gateway as https://discord.com/developers/docs/events/gateway describes it, for one bot. */
export class DiscordGateway {
  readonly sockets = new WebSocketServer({ noServer: true });
  /** How clients asked to be taken in: `identify` or `resume`. */
  readonly heard: string[] = [];
  /** How many heartbeats came. */
  beats = 0;
  heartbeatMs = 41_250;
  /** Whether heartbeats are answered. */
  acks = true;
  /** The code to close with instead of taking the next client in. */
  refuseWith: number | undefined;
  readonly #token: string;
  readonly #url: () => string;
  readonly #user: unknown;
  #session: Session | undefined;
  #sessions = 0;

  constructor(token: string, user: unknown, url: () => string) {
    this.#token = token;
    this.#user = user;
    this.#url = url;
    this.sockets.on('connection', (socket) => this.#greet(socket));
  }

  /** Tells the bot of an event, now or when it resumes. */
  dispatch(t: string, d: unknown): void {
    const session = this.#session;
    if (!session) return;
    const event = { op: op.dispatch, t, d, s: session.events.length + 1 };
    session.events.push(event);
    if (session.socket) send(session.socket, event);
  }

  /** Cuts the connection without a word. */
  cut(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  /** Asks the bot to connect again. */
  askToReconnect(): void {
    for (const socket of this.sockets.clients) send(socket, { op: op.reconnect });
  }

  /** Ends the session; the bot has to identify anew. */
  invalidate(): void {
    this.#session = undefined;
    for (const socket of this.sockets.clients) send(socket, { op: op.invalid, d: false });
  }

  /** Forgets the session, so that resuming it fails. */
  forget(): void {
    this.#session = undefined;
  }

  closeWith(code: number): void {
    for (const socket of this.sockets.clients) socket.close(code);
  }

  #greet(socket: WebSocket): void {
    send(socket, { op: op.hello, d: { heartbeat_interval: this.heartbeatMs } });
    socket.on('message', (data: Buffer) => {
      const payload = JSON.parse(data.toString()) as Payload;
      const d = (payload.d ?? {}) as { token?: string; session_id?: string; seq?: number };
      if (payload.op === op.heartbeat) this.#beat(socket);
      if (payload.op === op.identify) this.#identify(socket, d.token);
      if (payload.op === op.resume) this.#resume(socket, d);
    });
    socket.on('close', () => {
      if (this.#session?.socket === socket) this.#session.socket = undefined;
    });
  }

  #beat(socket: WebSocket): void {
    this.beats++;
    if (this.acks) send(socket, { op: op.ack });
  }

  #identify(socket: WebSocket, token: string | undefined): void {
    this.heard.push('identify');
    const refusal = token === this.#token ? this.refuseWith : 4004;
    if (refusal !== undefined) {
      socket.close(refusal);
      return;
    }
    const session = { id: `session-${++this.#sessions}`, events: [], socket };
    this.#session = session;
    this.dispatch('READY', {
      v: 10,
      user: this.#user,
      guilds: [],
      session_id: session.id,
      resume_gateway_url: this.#url(),
      shard: [0, 1],
      application: { id: '900', flags: 0 },
    });
  }

  #resume(
    socket: WebSocket,
    { token, session_id, seq = 0 }: { token?: string; session_id?: string; seq?: number },
  ): void {
    this.heard.push('resume');
    const session = this.#session;
    if (token !== this.#token || !session || session.id !== session_id) {
      send(socket, { op: op.invalid, d: false });
      return;
    }
    session.socket = socket;
    for (const event of session.events.slice(seq)) send(socket, event);
    this.dispatch('RESUMED', {});
  }
}

function send(socket: WebSocket, payload: Payload): void {
  socket.send(JSON.stringify(payload));
}

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Seconds of a cluster for one second of the test. */
export const SPEED = 20;
const toTestMs = (seconds: number) => (seconds * 1000) / SPEED;

/**
 * State of an API server. `leaving`: /readyz is red, requests still work. `frozen`: nothing answers. `gone`: its port
 * is closed. `early`: /readyz is green, but requests get no answer, as a control plane node does whose pod network does
 * not run yet (openshift/machine-config-operator#6400).
 */
export type ApiState = 'works' | 'leaving' | 'frozen' | 'gone' | 'early';

/** A double of kube-apiserver, without TLS. */
interface ApiDouble {
  readonly port: number;
  setState(state: ApiState): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an API server that answers `GET /readyz` and any other request of a line. */
export async function startApiDouble(): Promise<ApiDouble> {
  let state: ApiState = 'works';
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      if (state === 'frozen') return;
      if (data.toString().startsWith('GET /readyz'))
        socket.end(`HTTP/1.0 ${state === 'leaving' ? '500 Internal Server Error' : '200 OK'}\r\n\r\n`);
      else if (state !== 'early') socket.write('ok\n');
    });
  });
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  return {
    port,
    async setState(next) {
      state = next;
      if (next === 'gone') await close();
      else if (!server.listening) await listen();
    },
    stop: close,
  };
}

/** Requests that failed, and how many seconds of the cluster had one. */
export interface RequestCounts {
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Adds up the requests of several clients; the seconds are those of the client that had the most. */
export function sumCounts(all: readonly RequestCounts[]): RequestCounts {
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    seconds: Math.max(0, ...all.map(({ seconds }) => seconds)),
  };
}

/** Seconds until a client gives a request up. */
const CLIENT_TIMEOUT = 10;

/** Sends one request over a connection; resolves to whether an answer came in time. */
function sendRequest(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isOk: boolean) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', onClose);
      resolve(isOk);
    };
    const onData = () => finish(true);
    const onClose = () => finish(false);
    const timer = setTimeout(() => finish(false), toTestMs(CLIENT_TIMEOUT));
    socket.on('data', onData).on('close', onClose).on('error', onClose);
    socket.write('GET /apis\n');
  });
}

/**
 * Requests something each second (of the cluster) from an endpoint: over a new connection, as oc does, or over one that
 * stays open until a request fails, as nodes do.
 */
export function startClient(port: number, isLasting: boolean): { stop(): Promise<RequestCounts> } {
  let isStopped = false;
  const started = performance.now();
  const badSeconds = new Set<number>();
  const counts = { requests: 0, failed: 0 };
  const open = () => connect(port, '127.0.0.1').on('error', () => {});
  const pause = () => new Promise((resolve) => setTimeout(resolve, toTestMs(1)));
  const toSecond = (at: number) => Math.floor(((at - started) * SPEED) / 1000);
  async function sendOne(socket: Socket): Promise<boolean> {
    const begun = performance.now();
    const isOk = await sendRequest(socket);
    counts.requests += 1;
    if (isOk) return true;
    counts.failed += 1;
    for (let second = toSecond(begun); second <= toSecond(performance.now()); second += 1) badSeconds.add(second);
    return false;
  }
  const pending = new Set<Promise<unknown>>();
  const run = (async () => {
    let lasting = open();
    while (!isStopped) {
      if (isLasting) {
        if (lasting.destroyed || !(await sendOne(lasting))) {
          lasting.destroy();
          lasting = open();
        }
      } else {
        const socket = open();
        const request = sendOne(socket).finally(() => {
          socket.destroy();
          pending.delete(request);
        });
        pending.add(request);
      }
      await pause();
    }
    lasting.destroy();
    await Promise.all(pending);
  })();
  return {
    async stop() {
      isStopped = true;
      await run;
      return { ...counts, seconds: badSeconds.size };
    },
  };
}

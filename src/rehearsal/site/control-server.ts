import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { catalogue } from '../../i18n/catalogue.ts';
import { HOUR } from '../../platform/clock.ts';
import { REBOOT } from '../../platform/manual-actions.ts';
import type { ProcessIdentity } from '../../platform/process.ts';
import type { SitePaths } from './files.ts';
import type { SimulatedSite } from './site.ts';

const words = () => catalogue().rehearsal;

/** The path of a Unix socket is limited to about a hundred bytes (sun_path). */
const MAX_SOCKET_PATH_BYTES = 100;

/** A site without a request for half a day stops; its world stays saved. */
const IDLE_TIMEOUT = 12 * HOUR;

/**
 * Serves the manual actions and the status of a site: HTTP over a Unix socket that only its owner can use.
 * @param idleTimeout real milliseconds without a request, after which `onStop` is called
 */
export async function serveControl(
  site: SimulatedSite,
  paths: SitePaths,
  onStop: () => void,
  idleTimeout = IDLE_TIMEOUT,
) {
  const isTooLong = Buffer.byteLength(paths.socket) > MAX_SOCKET_PATH_BYTES;
  const socketPath = isTooLong ? join(mkdtempSync(join(tmpdir(), 'upi-wizard-')), 'control.sock') : paths.socket;
  rmSync(socketPath, { force: true });
  const idleTimer = setTimeout(onStop, idleTimeout);
  const server = createServer((request, response) => {
    idleTimer.refresh();
    handleRequest(site, request, response, onStop).catch((error: Error) =>
      sendJson(response, 500, { error: error.message }),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(socketPath, done);
  });
  chmodSync(socketPath, 0o600);
  return {
    socket: socketPath,
    close: () => {
      clearTimeout(idleTimer);
      server.close();
      server.closeAllConnections();
      rmSync(isTooLong ? dirname(socketPath) : socketPath, { recursive: true, force: true });
    },
  };
}

async function handleRequest(
  site: SimulatedSite,
  request: IncomingMessage,
  response: ServerResponse,
  onStop: () => void,
) {
  const url = new URL(request.url ?? '/', 'http://site');
  const body = request.method === 'POST' ? await readBody(request) : {};
  const getField = (name: string) => String(body[name] ?? '');
  const getParameter = (name: string) => url.searchParams.get(name) ?? '';
  const [node, host] = [getField('node'), getField('host')];
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /power-on':
      return sendResult(response, site.powerOn(node), words().noSuchMachine(node));
    case 'POST /power-off':
      return sendResult(response, site.powerOff(node), words().noSuchMachine(node));
    case 'POST /install-files':
      return sendResult(response, await site.installFiles(host, getField('dir')), words().noSuchHost(host));
    case 'POST /host-run': {
      const argv = Array.isArray(body.argv) ? body.argv.map(String) : [];
      const result = site.runOnHost(host, getField('dir'), argv);
      return result === null ? sendResult(response, false, words().noSuchHost(host)) : sendJson(response, 200, result);
    }
    case 'GET /read-file':
      return sendJson(response, 200, { text: site.readFile(getParameter('host'), getParameter('path')) });
    case 'GET /machine-report':
      return sendJson(response, 200, { report: site.inspectMachine(getParameter('address')) });
    case 'POST /repair':
      return sendResult(
        response,
        site.repair(getField('fault')),
        getField('fault') === REBOOT
          ? words().nothingToReboot
          : words().nothingToRepair(getField('fault'), site.isRepaired(getField('fault'))),
      );
    case 'POST /speed': {
      const speed = Number(body.speed);
      const isUsable = Number.isFinite(speed) && speed >= 0;
      if (isUsable) site.setSpeed(speed, parseHolder(body.holder));
      return sendResult(response, isUsable, words().noSuchSpeed(getField('speed')));
    }
    case 'GET /status':
      return sendJson(response, 200, site.getStatus());
    case 'POST /stop':
      sendJson(response, 200, {});
      return onStop();
    default:
      return sendJson(response, 404, { error: url.pathname });
  }
}

function parseHolder(value: unknown): ProcessIdentity | null {
  const { pid, start } = (value ?? {}) as Partial<ProcessIdentity>;
  return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : null;
}

function sendResult(response: ServerResponse, isSuccess: boolean, error: string): void {
  sendJson(response, isSuccess ? 200 : 404, isSuccess ? {} : { error });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  return JSON.parse((await text(request)) || '{}') as Record<string, unknown>;
}

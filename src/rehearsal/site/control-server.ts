import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HOUR } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { SitePaths } from './files.ts';
import type { SiteHost } from './site.ts';

const words = () => catalogue().rehearsal;

/** A Unix socket's path may hold about a hundred bytes (sun_path). */
const LONGEST_SOCKET_PATH = 100;

/** A site without a request for half a day stops; its world stays saved. */
const ABANDONED_AFTER = 12 * HOUR;

/**
 * How the site learns what people do: HTTP over a Unix socket that only its owner can use.
 * @param abandonedAfter real milliseconds without a word, after which `onStop` is called
 */
export async function serveControl(
  site: SiteHost,
  paths: SitePaths,
  onStop: () => void,
  abandonedAfter = ABANDONED_AFTER,
) {
  const isElsewhere = Buffer.byteLength(paths.socket) > LONGEST_SOCKET_PATH;
  const socket = isElsewhere ? join(mkdtempSync(join(tmpdir(), 'upi-wizard-')), 'control.sock') : paths.socket;
  rmSync(socket, { force: true });
  const abandoned = setTimeout(onStop, abandonedAfter);
  const server = createServer((request, response) => {
    abandoned.refresh();
    answer(site, request, response, onStop).catch((error: Error) => send(response, 500, { error: error.message }));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(socket, done);
  });
  chmodSync(socket, 0o600);
  return {
    socket,
    close: () => {
      clearTimeout(abandoned);
      server.close();
      server.closeAllConnections();
      rmSync(isElsewhere ? dirname(socket) : socket, { recursive: true, force: true });
    },
  };
}

async function answer(site: SiteHost, request: IncomingMessage, response: ServerResponse, onStop: () => void) {
  const url = new URL(request.url ?? '/', 'http://site');
  const body = request.method === 'POST' ? await bodyOf(request) : {};
  const word = (name: string) => String(body[name] ?? '');
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /power-on':
      return done(response, site.powerOn(word('node')), words().noSuchMachine(word('node')));
    case 'POST /power-off':
      return done(response, site.powerOff(word('node')), words().noSuchMachine(word('node')));
    case 'POST /put-in-place':
      return done(response, await site.putInPlace(word('host'), word('dir')), words().noSuchHost(word('host')));
    case 'POST /host-run': {
      const argv = Array.isArray(body.argv) ? body.argv.map(String) : [];
      const said = site.hostRun(word('host'), word('dir'), argv);
      return said === null ? done(response, false, words().noSuchHost(word('host'))) : send(response, 200, said);
    }
    case 'GET /read-file':
      return send(response, 200, {
        text: site.readFile(url.searchParams.get('host') ?? '', url.searchParams.get('path') ?? ''),
      });
    case 'GET /inside':
      return send(response, 200, { inside: site.inside(url.searchParams.get('address') ?? '') });
    case 'POST /repair':
      return done(response, site.repair(word('fault')), words().nothingToRepair(word('fault')));
    case 'POST /speed': {
      const speed = Number(body.speed);
      const isUsable = Number.isFinite(speed) && speed >= 0;
      if (isUsable) site.setSpeed(speed);
      return done(response, isUsable, words().noSuchSpeed(word('speed')));
    }
    case 'GET /status':
      return send(response, 200, site.status());
    case 'POST /stop':
      send(response, 200, {});
      return onStop();
    default:
      return send(response, 404, { error: url.pathname });
  }
}

function done(response: ServerResponse, isDone: boolean, otherwise: string): void {
  send(response, isDone ? 200 : 404, isDone ? {} : { error: otherwise });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
}

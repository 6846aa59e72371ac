import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../ports/clock.ts';
import { get } from '../ports/http.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { runPatience } from './patience.ts';

/** A member of a pool, as HAProxy itself sees it. */
export interface PoolMember {
  readonly pool: string;
  readonly name: string;
  /** "UP", "DOWN", "no check", "MAINT", with a count where it changes ("UP 1/3"). */
  readonly status: string;
  /** What its last check said: "L7STS/404 Not Found", "L4CON Connection refused"; left out where the table does not tell. */
  readonly check?: string;
  /** Where it is ("172.16.0.21:6443", "[fd00::1]:6443"); left out where the table does not tell (`stats show-legends`). */
  readonly address?: string;
  /** How its pool passes traffic on; left out where the table does not tell. */
  readonly mode?: 'tcp' | 'http';
}

/** Where HAProxy tells: its status page, or its socket on this machine. */
export type StatsSource = { readonly host: string; readonly port: number } | { readonly socket: string };

const TIMEOUT = 3000;
const MOST_BYTES = 512 * 1024;

/** The members of all pools of a HAProxy that runs, or null where it does not tell us. */
export async function poolMembers(source: StatsSource, clock: Clock): Promise<PoolMember[] | null> {
  const patience = runPatience(clock, TIMEOUT);
  try {
    const text = await ('socket' in source
      ? askSocket(source.socket, patience.signal)
      : askPage(source.host, source.port, patience.signal));
    return parseStats(text);
  } catch {
    return null;
  } finally {
    patience.end();
  }
}

/** Parses the table that `show stat` and `;csv` of the page print; null: not such a table. */
export function parseStats(text: string): PoolMember[] | null {
  const [head = '', ...rows] = text.split('\n');
  const columns = head.replace(/^# /, '').split(',');
  const [pool, name, status] = ['pxname', 'svname', 'status'].map((column) => columns.indexOf(column));
  if (pool !== 0 || name !== 1 || status === undefined || status < 0) return null;
  return rows
    .map((row) => row.split(','))
    .filter((cells) => cells.length > status && !['FRONTEND', 'BACKEND'].includes(cells[name] ?? ''))
    .map((cells) => ({
      pool: sanitizeLine(cells[pool] ?? '', 100),
      name: sanitizeLine(cells[name] ?? '', 100),
      status: sanitizeLine(cells[status] ?? '', 50),
      ...checkOf(columns, cells),
      ...placeOf(columns, cells),
    }));
}

/** HAProxy management guide, 9.1: addr, mode. */
function placeOf(columns: readonly string[], cells: readonly string[]): Pick<PoolMember, 'address' | 'mode'> {
  const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
  const address = sanitizeLine(cell('addr'), 100);
  const mode = cell('mode');
  return {
    ...(address === '' ? {} : { address }),
    ...(mode === 'tcp' || mode === 'http' ? { mode } : {}),
  };
}

/** HAProxy management guide, 9.1: check_status, check_code, last_chk. */
function checkOf(columns: readonly string[], cells: readonly string[]): Pick<PoolMember, 'check'> {
  const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
  // A check that runs just now has a star before the result of the one before.
  const result = cell('check_status').replace(/^\* /, '');
  if (result === '') return {};
  const code = cell('check_code');
  const check = [code === '' || code === '0' ? result : `${result}/${code}`, cell('last_chk').replaceAll('"', '')];
  return { check: sanitizeLine(check.join(' ').trim(), 100) };
}

function askPage(host: string, port: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = get({ host, port, path: '/;csv', agent: false, signal }, (response) => {
      if (response.statusCode === 200) textOf(response).then(resolve, reject);
      else {
        response.resume();
        reject(new Error(`${response.statusCode}`));
      }
    });
    asked.on('error', reject);
  });
}

async function askSocket(path: string, signal: AbortSignal): Promise<string> {
  const socket = connect({ path, signal });
  socket.write('show stat\n');
  return await textOf(socket);
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_BYTES) break;
  }
  return text;
}

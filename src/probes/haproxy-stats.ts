import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { get } from '../platform/http.ts';
import { sanitizeLine } from '../platform/sanitize.ts';

/** A member of a pool, as HAProxy reports it. */
export interface PoolMember {
  readonly pool: string;
  readonly name: string;
  /** "UP", "DOWN", "no check", "MAINT", with a count while it changes ("UP 1/3"). */
  readonly status: string;
  /** Result of its last check: "L7STS/404 Not Found", "L4CON Connection refused"; omitted if the table has none. */
  readonly check?: string;
  /** Address and port ("172.16.0.21:6443", "[fd00::1]:6443"); omitted if the table has none (`stats show-legends`). */
  readonly address?: string;
  /** Seconds since its status changed; omitted if the table has none. */
  readonly unchangedFor?: number;
  /** Mode of its pool; omitted if the table has none. */
  readonly mode?: 'tcp' | 'http';
}

/** Source of the statistics: the status page of HAProxy, or its socket on this machine. */
type StatsSource = { readonly host: string; readonly port: number } | { readonly socket: string };

const STATS_TIMEOUT_MS = 3000;
const MAX_TEXT_LENGTH = 512 * 1024;

/** Fetches the members of all pools of a running HAProxy; null if it gives no statistics. */
export async function fetchPoolMembers(source: StatsSource, clock: Clock): Promise<PoolMember[] | null> {
  const deadline = startDeadline(clock, STATS_TIMEOUT_MS);
  try {
    const text = await ('socket' in source
      ? queryStatsSocket(source.socket, deadline.signal)
      : fetchStatsPage(source.host, source.port, deadline.signal));
    return parseStats(text);
  } catch {
    return null;
  } finally {
    deadline.end();
  }
}

/** Parses the table that `show stat` and `;csv` of the page print; null: not such a table. */
function parseStats(text: string): PoolMember[] | null {
  const [headerLine = '', ...rows] = text.split('\n');
  const columns = headerLine.replace(/^# /, '').split(',');
  const [poolIndex, nameIndex, statusIndex] = ['pxname', 'svname', 'status'].map((column) => columns.indexOf(column));
  if (poolIndex !== 0 || nameIndex !== 1 || statusIndex === undefined || statusIndex < 0) return null;
  return rows
    .map((row) => row.split(','))
    .filter((cells) => cells.length > statusIndex && !['FRONTEND', 'BACKEND'].includes(cells[nameIndex] ?? ''))
    .map((cells) => ({
      pool: sanitizeLine(cells[poolIndex] ?? '', 100),
      name: sanitizeLine(cells[nameIndex] ?? '', 100),
      status: sanitizeLine(cells[statusIndex] ?? '', 50),
      ...parseCheck(columns, cells),
      ...parseAddressAndMode(columns, cells),
    }));
}

/** Parses the columns addr, mode and lastchg (HAProxy management guide, 9.1). */
function parseAddressAndMode(
  columns: readonly string[],
  cells: readonly string[],
): Pick<PoolMember, 'address' | 'mode' | 'unchangedFor'> {
  const getCell = (column: string) => cells[columns.indexOf(column)] ?? '';
  const address = sanitizeLine(getCell('addr'), 100);
  const [mode, unchangedFor] = [getCell('mode'), getCell('lastchg')];
  return {
    ...(/^\d{1,9}$/.test(unchangedFor) ? { unchangedFor: Number(unchangedFor) } : {}),
    ...(address === '' ? {} : { address }),
    ...(mode === 'tcp' || mode === 'http' ? { mode } : {}),
  };
}

/** Parses the columns check_status, check_code and last_chk (HAProxy management guide, 9.1). */
function parseCheck(columns: readonly string[], cells: readonly string[]): Pick<PoolMember, 'check'> {
  const getCell = (column: string) => cells[columns.indexOf(column)] ?? '';
  // While a check runs, a star precedes the previous result.
  const checkStatus = getCell('check_status').replace(/^\* /, '');
  if (checkStatus === '') return {};
  const code = getCell('check_code');
  const check = [
    code === '' || code === '0' ? checkStatus : `${checkStatus}/${code}`,
    getCell('last_chk').replaceAll('"', ''),
  ];
  return { check: sanitizeLine(check.join(' ').trim(), 100) };
}

function fetchStatsPage(host: string, port: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const clientRequest = get({ host, port, path: '/;csv', agent: false, signal }, (response) => {
      if (response.statusCode === 200) readText(response).then(resolve, reject);
      else {
        response.resume();
        reject(new Error(`${response.statusCode}`));
      }
    });
    clientRequest.on('error', reject);
  });
}

async function queryStatsSocket(path: string, signal: AbortSignal): Promise<string> {
  const socket = connect({ path, signal });
  socket.write('show stat\n');
  return await readText(socket);
}

async function readText(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_TEXT_LENGTH) break;
  }
  return text;
}

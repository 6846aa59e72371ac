import { sanitizeLine } from '../../platform/sanitize.ts';
import type { BootRequest } from './boot-log.ts';

/** nginx's format `combined`, which is also Apache's: `172.16.0.11 - - [21/Nov/2026:22:31:03 +0000] "GET /x HTTP/1.1" 200 9 …`. */
const COMBINED = /^(\S+) \S+ \S+ \[([^\]]+)\] "([A-Z]+) (\S+)[^"]*" (\d{3}) (\d+|-)/;
const TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Parses a line of a web server's access log; null: not such a line. The log does not tell whether a response was
 * complete, so any 2xx counts as complete.
 */
export function parseAccessLine(line: string): BootRequest | null {
  const [, client = '', time = '', method = '', path = '', status = '', bytes = ''] = COMBINED.exec(line) ?? [];
  const at = parseTime(time);
  if (client === '' || at === null) return null;
  return {
    at,
    client: sanitizeLine(client).toLowerCase(),
    method,
    path: sanitizeLine(path),
    status: Number(status),
    bytes: Number(bytes) || 0,
    complete: /^2/.test(status),
  };
}

function parseTime(text: string): number | null {
  const [, day, month = '', year, clock, hours, minutes] = TIME.exec(text) ?? [];
  const number = MONTHS.indexOf(month) / 3 + 1;
  if (month === '' || !Number.isInteger(number)) return null;
  const at = Date.parse(`${year}-${String(number).padStart(2, '0')}-${day}T${clock}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : at;
}

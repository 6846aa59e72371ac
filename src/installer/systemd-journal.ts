import type { LogSource } from '../checks/bootstrap/evidence.ts';
import { redact } from '../platform/redact.ts';
import { sanitize } from '../platform/sanitize.ts';
import type { LogLine } from './log-line.ts';

export interface JournalPart {
  readonly lines: readonly { readonly source: LogSource; readonly line: LogLine }[];
  /** The cursor to continue reading from; null if nothing was read. */
  readonly cursor: string | null;
}

const MAX_TEXT_LENGTH = 2000;
// Only cursors in the format of systemd are passed to a shell.
const CURSOR = /^[a-z]=[0-9a-f]+(?:;[a-z]=[0-9a-f]+)*$/;
/** syslog priorities. */
const LEVELS = ['fatal', 'fatal', 'fatal', 'error', 'warning', 'info', 'info', 'debug'] as const;

/** Parses lines of `journalctl -o json`, of release-image.service and bootkube.service; other lines are skipped. */
export function parseJournal(text: string): JournalPart {
  const lines: { readonly source: LogSource; readonly line: LogLine }[] = [];
  let cursor: string | null = null;
  for (const row of text.split('\n')) {
    const entry = parseEntry(row);
    if (entry === null) continue;
    const found = String(entry.__CURSOR ?? '');
    if (CURSOR.test(found)) cursor = found;
    const unit = String(entry.UNIT ?? entry._SYSTEMD_UNIT ?? '');
    const source: LogSource = unit.startsWith('release-image') ? 'release-image' : 'bootkube';
    const at = Number(entry.__REALTIME_TIMESTAMP) / 1000;
    const message = decodeMessage(entry.MESSAGE);
    lines.push({
      source,
      line: {
        at: Number.isFinite(at) ? at : null,
        level: LEVELS[Number(entry.PRIORITY)] ?? 'info',
        text: sanitize(redact(message), MAX_TEXT_LENGTH),
      },
    });
  }
  return { lines, cursor };
}

/** Text that is not UTF-8 arrives as an array of bytes. */
function decodeMessage(message: unknown): string {
  if (typeof message === 'string') return message;
  return Array.isArray(message) ? Buffer.from(message.map(Number)).toString('utf8') : '';
}

function parseEntry(row: string): Readonly<Record<string, unknown>> | null {
  if (!row.startsWith('{')) return null;
  try {
    return JSON.parse(row) as Record<string, unknown>;
  } catch {
    return null;
  }
}

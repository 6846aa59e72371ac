import type { LogSource } from '../diagnosis/bootstrap/evidence.ts';
import { redact } from '../text/redact.ts';
import { sanitize } from '../text/sanitize.ts';
import type { LogLine } from './log-line.ts';

export interface JournalPart {
  readonly lines: readonly { readonly source: LogSource; readonly line: LogLine }[];
  /** Where to read on; null where nothing was read. */
  readonly cursor: string | null;
}

const LONGEST_TEXT = 2000;
// What systemd makes; anything else is not handed to a shell.
const CURSOR = /^[a-z]=[0-9a-f]+(?:;[a-z]=[0-9a-f]+)*$/;
/** syslog priorities. */
const LEVELS = ['fatal', 'fatal', 'fatal', 'error', 'warning', 'info', 'info', 'debug'] as const;

/** Lines of `journalctl -o json`, of release-image.service and bootkube.service; other lines are left out. */
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
    const message = messageOf(entry.MESSAGE);
    lines.push({
      source,
      line: {
        at: Number.isFinite(at) ? at : null,
        level: LEVELS[Number(entry.PRIORITY)] ?? 'info',
        text: sanitize(redact(message), LONGEST_TEXT),
      },
    });
  }
  return { lines, cursor };
}

/** What is not UTF-8 comes as an array of bytes. */
function messageOf(message: unknown): string {
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

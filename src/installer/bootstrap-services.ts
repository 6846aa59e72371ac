import { sanitize, sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import type { LogLine, LogSource } from './log.ts';

/**
 * Parses the progress of a service of the bootstrap node from its record in /var/log/openshift
 * (bootstrap-service-record.sh of openshift/installer): a JSON array of entries as jq prints it. The beginning may be
 * missing, because only the end of a long record is read. The rules are those of `openshift-install analyze`
 * (pkg/gather/service/analyze.go).
 * @returns null if there is no entry
 */
export function parseServiceRecord(text: string): ServiceEvidence | null {
  const entries = parseRecordEntries(text);
  if (entries.length === 0) return null;
  const finishedStages = new Set<string>();
  let [starts, state, stage]: [number, ServiceEvidence['state'], string | null] = [0, 'running', null];
  let lastError: string | null = null;
  for (const entry of entries) {
    const { phase = '', result, stage: entryStage = null, errorMessage } = entry;
    if (phase === 'service start') [starts, state, stage] = [starts + 1, 'running', null];
    if (phase === 'stage start') [state, stage] = ['running', entryStage];
    if (phase === 'stage end' && result === 'success') {
      if (entryStage !== null) finishedStages.add(entryStage);
      stage = null;
    }
    if (result === 'failure') {
      // A failed stage also fails its service: the service's own failure must not replace the stage.
      if (entryStage !== null) stage = entryStage;
      lastError = getLastLine(errorMessage) ?? lastError;
    }
    if (/^(?:service|post-command) end$/.test(phase)) state = result === 'success' ? 'succeeded' : 'failed';
  }
  return { starts: Math.max(1, starts), state, stage, finished: [...finishedStages], lastError };
}

interface RecordEntry {
  readonly phase?: string;
  readonly result?: string;
  readonly stage?: string;
  readonly errorMessage?: string;
}

function parseRecordEntries(text: string): RecordEntry[] {
  const rawEntries = parseArray(text) ?? parseArray(`[${text.slice(text.indexOf('\n  {') + 1)}`) ?? [];
  return rawEntries.filter(isJsonObject).map((entry) => {
    const pickField = (name: keyof RecordEntry) => {
      const value = entry[name];
      if (typeof value !== 'string') return {};
      return { [name]: name === 'errorMessage' ? value : sanitizeLine(value, 100) };
    };
    return {
      ...pickField('phase'),
      ...pickField('result'),
      ...pickField('stage'),
      ...pickField('errorMessage'),
    };
  });
}

function parseArray(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the last line of a message that is not blank. */
function getLastLine(message: string | undefined): string | null {
  const lines = redact((message ?? '').slice(0, 10_000))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const lastLine = lines.at(-1);
  return lastLine === undefined ? null : sanitizeLine(lastLine.trim(), 300);
}

interface JournalPart {
  readonly lines: readonly { readonly source: LogSource; readonly line: LogLine }[];
  /** The cursor to continue reading from; null if nothing was read. */
  readonly cursor: string | null;
}

const MAX_TEXT_LENGTH = 2000;
// Only cursors in the format of systemd are passed to a shell.
const CURSOR = /^[a-z]=[0-9a-f]+(?:;[a-z]=[0-9a-f]+)*$/;

/** The log level of each syslog priority. */
const LEVELS = ['fatal', 'fatal', 'fatal', 'error', 'warning', 'info', 'info', 'debug'] as const;

/** Parses lines of `journalctl -o json`, of release-image.service and bootkube.service; other lines are skipped. */
export function parseJournal(text: string): JournalPart {
  const lines: { readonly source: LogSource; readonly line: LogLine }[] = [];
  let cursor: string | null = null;
  for (const row of text.split('\n')) {
    const entry = parseJournalEntry(row);
    if (entry === null) continue;
    const entryCursor = String(entry.__CURSOR ?? '');
    if (CURSOR.test(entryCursor)) cursor = entryCursor;
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

/** Decodes a message: one that is not UTF-8 is an array of bytes. */
function decodeMessage(message: unknown): string {
  if (typeof message === 'string') return message;
  return Array.isArray(message) ? Buffer.from(message.map(Number)).toString('utf8') : '';
}

function parseJournalEntry(row: string): Readonly<Record<string, unknown>> | null {
  if (!row.startsWith('{')) return null;
  try {
    return JSON.parse(row) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Progress of a service on the bootstrap node, from its own progress record. */
export interface ServiceEvidence {
  /** Number of starts in the part of the record that was read. */
  readonly starts: number;
  readonly state: 'running' | 'succeeded' | 'failed';
  /** The stage in progress, or the failed one; null between stages. */
  readonly stage: string | null;
  /** All stages that ever succeeded. */
  readonly finished: readonly string[];
  /** Last error of the latest failure, one line. */
  readonly lastError: string | null;
}

import type { ServiceEvidence } from '../diagnosis/bootstrap/evidence.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { redactSecrets } from './redact.ts';

/**
 * How far a service of the bootstrap node is, by its record in /var/log/openshift (bootstrap-service-record.sh of
 * openshift/installer). The rules are those of `openshift-install analyze` (pkg/gather/service/analyze.go).
 */
export interface ServiceRecord extends ServiceEvidence {
  /** When its stage began, ms; null where it is not said. */
  readonly stageSince: number | null;
}

/**
 * Reads a record: a JSON array of entries that jq prints. The beginning may be missing (only the end of a long one is read).
 * @returns null where there is no entry
 */
export function parseServiceRecord(text: string): ServiceRecord | null {
  const entries = entriesOf(text);
  if (entries.length === 0) return null;
  const finished = new Set<string>();
  let [starts, state, stage, since]: [number, ServiceRecord['state'], string | null, number | null] = [
    0,
    'running',
    null,
    null,
  ];
  let lastError: string | null = null;
  for (const entry of entries) {
    const { phase = '', result, stage: named = null, errorMessage, timestamp } = entry;
    if (phase === 'service start') [starts, state, stage, since] = [starts + 1, 'running', null, null];
    if (phase === 'stage start') [state, stage, since] = ['running', named, timeOf(timestamp)];
    if (phase === 'stage end' && result === 'success') {
      if (named !== null) finished.add(named);
      [stage, since] = [null, null];
    }
    if (result === 'failure') {
      // A stage that fails ends the service as well: the stage is what counts.
      if (named !== null) stage = named;
      lastError = lineOf(errorMessage) ?? lastError;
    }
    if (/^(?:service|post-command) end$/.test(phase)) state = result === 'success' ? 'succeeded' : 'failed';
  }
  return { starts: Math.max(1, starts), state, stage, stageSince: since, finished: [...finished], lastError };
}

interface Entry {
  readonly timestamp?: string;
  readonly phase?: string;
  readonly result?: string;
  readonly stage?: string;
  readonly errorMessage?: string;
}

function entriesOf(text: string): Entry[] {
  const parsed = parseArray(text) ?? parseArray(`[${text.slice(text.indexOf('\n  {') + 1)}`) ?? [];
  return parsed.filter(isRecord).map((entry) => {
    const field = (name: keyof Entry) => {
      const value = entry[name];
      if (typeof value !== 'string') return {};
      return { [name]: name === 'errorMessage' ? value : sanitizeLine(value, 100) };
    };
    return {
      ...field('timestamp'),
      ...field('phase'),
      ...field('result'),
      ...field('stage'),
      ...field('errorMessage'),
    };
  });
}

function parseArray(text: string): unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function timeOf(text: string | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** The last line of a message that says something. */
function lineOf(message: string | undefined): string | null {
  const lines = redactSecrets((message ?? '').slice(0, 10_000))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  return last === undefined ? null : sanitizeLine(last.trim(), 300);
}

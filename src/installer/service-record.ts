import type { ServiceEvidence } from '../checks/bootstrap/evidence.ts';
import { redact } from '../platform/redact.ts';
import { sanitizeLine } from '../platform/sanitize.ts';

/**
 * Parses the progress of a service of the bootstrap node from its record in /var/log/openshift
 * (bootstrap-service-record.sh of openshift/installer): a JSON array of entries as jq prints it. The beginning may be
 * missing, because only the end of a long record is read. The rules are those of `openshift-install analyze`
 * (pkg/gather/service/analyze.go).
 * @returns null if there is no entry
 */
export function parseServiceRecord(text: string): ServiceEvidence | null {
  const entries = parseEntries(text);
  if (entries.length === 0) return null;
  const finished = new Set<string>();
  let [starts, state, stage]: [number, ServiceEvidence['state'], string | null] = [0, 'running', null];
  let lastError: string | null = null;
  for (const entry of entries) {
    const { phase = '', result, stage: entryStage = null, errorMessage } = entry;
    if (phase === 'service start') [starts, state, stage] = [starts + 1, 'running', null];
    if (phase === 'stage start') [state, stage] = ['running', entryStage];
    if (phase === 'stage end' && result === 'success') {
      if (entryStage !== null) finished.add(entryStage);
      stage = null;
    }
    if (result === 'failure') {
      // A failed stage ends the service as well; the stage is the relevant part.
      if (entryStage !== null) stage = entryStage;
      lastError = getLastLine(errorMessage) ?? lastError;
    }
    if (/^(?:service|post-command) end$/.test(phase)) state = result === 'success' ? 'succeeded' : 'failed';
  }
  return { starts: Math.max(1, starts), state, stage, finished: [...finished], lastError };
}

interface RecordEntry {
  readonly phase?: string;
  readonly result?: string;
  readonly stage?: string;
  readonly errorMessage?: string;
}

function parseEntries(text: string): RecordEntry[] {
  const parsed = parseArray(text) ?? parseArray(`[${text.slice(text.indexOf('\n  {') + 1)}`) ?? [];
  return parsed.filter(isRecord).map((entry) => {
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
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the last line of a message that is not blank. */
function getLastLine(message: string | undefined): string | null {
  const lines = redact((message ?? '').slice(0, 10_000))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  return last === undefined ? null : sanitizeLine(last.trim(), 300);
}

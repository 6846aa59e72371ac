import type { ServiceEvidence } from '../diagnosis/bootstrap/evidence.ts';
import { redact } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/**
 * Reads how far a service of the bootstrap node is, by its record in /var/log/openshift (bootstrap-service-record.sh of
 * openshift/installer): a JSON array of entries that jq prints. The beginning may be missing (only the end of a long one is
 * read). The rules are those of `openshift-install analyze` (pkg/gather/service/analyze.go).
 * @returns null where there is no entry
 */
export function parseServiceRecord(text: string): ServiceEvidence | null {
  const entries = entriesOf(text);
  if (entries.length === 0) return null;
  const finished = new Set<string>();
  let [starts, state, stage]: [number, ServiceEvidence['state'], string | null] = [0, 'running', null];
  let lastError: string | null = null;
  for (const entry of entries) {
    const { phase = '', result, stage: named = null, errorMessage } = entry;
    if (phase === 'service start') [starts, state, stage] = [starts + 1, 'running', null];
    if (phase === 'stage start') [state, stage] = ['running', named];
    if (phase === 'stage end' && result === 'success') {
      if (named !== null) finished.add(named);
      stage = null;
    }
    if (result === 'failure') {
      // A stage that fails ends the service as well: the stage is what counts.
      if (named !== null) stage = named;
      lastError = lineOf(errorMessage) ?? lastError;
    }
    if (/^(?:service|post-command) end$/.test(phase)) state = result === 'success' ? 'succeeded' : 'failed';
  }
  return { starts: Math.max(1, starts), state, stage, finished: [...finished], lastError };
}

interface Entry {
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

/** The last line of a message that says something. */
function lineOf(message: string | undefined): string | null {
  const lines = redact((message ?? '').slice(0, 10_000))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  return last === undefined ? null : sanitizeLine(last.trim(), 300);
}

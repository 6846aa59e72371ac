import type { EvidenceTexts } from './index.ts';

/** An entry of bootstrap-service-record.sh. */
interface ServiceEntry {
  readonly phase?: string;
  readonly stage?: string;
  readonly result?: string;
}

/**
 * Services that `openshift-install analyze` looks at, in its order; it goes on after the first only if that succeeded.
 */
const SERVICES = ['release-image', 'bootkube'] as const;
const ENDS = new Set(['service end', 'post-command end']);

/**
 * Names what `openshift-install analyze` reports about a log bundle: the service of the bootstrap that did not run or
 * did not succeed, with its stage (openshift/installer pkg/gather/service/analyze.go, Apache-2.0, commit 16a0282239f0).
 * It reads nothing else, so it says nothing about pasted text.
 */
export function analyzeLikeInstaller(texts: EvidenceTexts): string | null {
  const isLogBundle = Object.keys(texts).some((path) => path.startsWith('log-bundle-'));
  if (!isLogBundle) return null;
  const records = new Map(
    Object.entries(texts).flatMap(([path, text]) => {
      const service = /\/bootstrap\/services\/([^.]+)\.json$/.exec(path)?.[1];
      return service === undefined ? [] : [[service, parseRecord(text)] as const];
    }),
  );
  if (records.size === 0) return 'invalid bundle';
  for (const service of SERVICES) {
    const entries = records.get(service) ?? [];
    if (!entries.some(({ phase }) => phase === 'service start')) return `${service} did not run`;
    const last = entries.at(-1);
    if (last?.result === 'success' && ENDS.has(last.phase ?? '')) continue;
    const stage = entries.findLast(({ result }) => result === 'failure')?.stage ?? '';
    return service === 'release-image' ? 'release-image failed' : `bootkube failed at "${stage}"`;
  }
  return null;
}

function parseRecord(text: string): readonly ServiceEntry[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

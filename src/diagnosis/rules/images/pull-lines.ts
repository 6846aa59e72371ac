import { matchLogLines } from '../diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from '../evidence.ts';

/** Wording of registries. The API's own "Unauthorized" is about logins of the cluster. */
const REFUSED =
  /unauthorized: |authentication required|denied: (?:access|requested)|invalid username\/password|\b401 \(?unauthorized/i;
const PULL = /pull|registry|\/v2\/|image|manifest|docker:\/\//i;
const NO_ANSWER =
  /i\/o timeout|connection refused|no route to host|network is unreachable|deadline exceeded|Client\.Timeout|awaiting headers|no such host|server misbehaving|connection reset/i;

/** Parses the registry that a line is about: the host of the first image or URL in it; null if it names none. */
export function parseRegistry(text: string): string | null {
  const url = /https?:\/\/([\w.-]+(?::\d+)?)\/v2/.exec(text)?.[1];
  const image = /(?:docker:\/\/|["\s@(])((?:[\w-]+\.)+[\w-]+(?::\d+)?)\/[\w./-]+(?:@sha256:|:[\w.-]+)/.exec(text)?.[1];
  return url ?? image ?? /registry ([\w.-]+\.[\w-]+(?::\d+)?)/.exec(text)?.[1] ?? null;
}

/** Lines of pulls that a registry refused. */
export function findRefusedPulls(evidence: Evidence): EvidenceLine[] {
  // A proxy that requires a login uses the same words.
  return matchLogLines(evidence, REFUSED).filter(({ text }) => PULL.test(text) && !/proxy authentication/i.test(text));
}

/** Lines of pulls that got no answer. Names of the cluster itself are no registries. */
export function findUnansweredPulls(evidence: Evidence): EvidenceLine[] {
  return matchLogLines(evidence, NO_ANSWER).filter(({ text }) => {
    const registry = parseRegistry(text);
    return (
      registry !== null && PULL.test(text) && !/^api(?:-int)?\./.test(registry) && !/:(?:6443|22623)$/.test(registry)
    );
  });
}

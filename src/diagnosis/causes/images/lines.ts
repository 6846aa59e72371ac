import { told } from '../cause.ts';
import type { Evidence, Line } from '../evidence.ts';

/** As registries say it: the API's own "Unauthorized" is about logins of the cluster. */
const REFUSED =
  /unauthorized: |authentication required|denied: (?:access|requested)|invalid username\/password|\b401 \(?unauthorized/i;
const PULLING = /pull|registry|\/v2\/|image|manifest|docker:\/\//i;
const NO_ANSWER =
  /i\/o timeout|connection refused|no route to host|network is unreachable|deadline exceeded|Client\.Timeout|awaiting headers|no such host|server misbehaving|connection reset/i;

/** The registry that a line is about: the host of the first image or URL in it; null where it names none. */
export function registryOf(text: string): string | null {
  const url = /https?:\/\/([\w.-]+(?::\d+)?)\/v2/.exec(text)?.[1];
  const image = /(?:docker:\/\/|["\s@(])((?:[\w-]+\.)+[\w-]+(?::\d+)?)\/[\w./-]+(?:@sha256:|:[\w.-]+)/.exec(text)?.[1];
  return url ?? image ?? /registry ([\w.-]+\.[\w-]+(?::\d+)?)/.exec(text)?.[1] ?? null;
}

/** Lines of pulls that a registry refused. */
export function refusedPulls(evidence: Evidence): Line[] {
  // A proxy that wants a login says so in the same words.
  return told(evidence, REFUSED).filter(({ text }) => PULLING.test(text) && !/proxy authentication/i.test(text));
}

/** Lines of pulls that got no answer. Names of the cluster itself are no registries. */
export function unansweredPulls(evidence: Evidence): Line[] {
  return told(evidence, NO_ANSWER).filter(({ text }) => {
    const registry = registryOf(text);
    return (
      registry !== null && PULLING.test(text) && !/^api(?:-int)?\./.test(registry) && !/:(?:6443|22623)$/.test(registry)
    );
  });
}

import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/**
 * Machines that `gather bootstrap` could not log in to: a bundle contains nothing of them, and most often they are at
 * fault.
 */
export const controlPlaneSshFailed = diagnosticRule('control-plane-unreached', 'installation', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /^ssh: connect to host \S+ port 22: |Permission denied \(|^No masters found/,
  ).filter(({ source, host }) => source === 'gather.log' && !isNodeReady(evidence, host));
  // Before the bootstrap serves their configuration, nodes accept no login, which is normal.
  const isServed = matchLogLines(evidence, /Pod Status:|^API is up|Tearing down temporary|Waiting for CEO/).length > 0;
  return symptomsFromLines(lines, isServed ? 'likely' : 'possible', 'ssh core@NODE journalctl -b -n 50');
});

function isNodeReady({ design, cluster }: Evidence, host: string | null): boolean {
  const ip = design?.nodes.find(({ name }) => name === host)?.ip ?? [host ?? ''];
  return (cluster?.nodes ?? []).some((node) => node.isReady && node.addresses.some((address) => ip.includes(address)));
}

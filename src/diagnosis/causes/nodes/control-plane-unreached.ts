import { cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Whom `gather bootstrap` could not log in to: of these machines a bundle has nothing, and most often they are what is wrong. */
export const controlPlaneUnreached = cause('control-plane-unreached', 'installation', (evidence) => {
  const lines = told(evidence, /^ssh: connect to host \S+ port 22: |Permission denied \(|^No masters found/).filter(
    ({ source, host }) => source === 'gather.log' && !isReady(evidence, host),
  );
  // Before the bootstrap serves their configuration, nodes wait without a login, and that is as it has to be.
  const isServed = told(evidence, /Pod Status:|^API is up|Tearing down temporary|Waiting for CEO/).length > 0;
  return clueOfLines(lines, isServed ? 'likely' : 'possible', 'ssh core@NODE journalctl -b -n 50');
});

function isReady({ design, cluster }: Evidence, host: string | null): boolean {
  const ip = design?.nodes.find(({ name }) => name === host)?.ip ?? [host ?? ''];
  return (cluster?.nodes ?? []).some((node) => node.isReady && node.addresses.some((address) => ip.includes(address)));
}

import { cause, clueOfLines, failed, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { isOfMachines, isOfPods, lostConnections } from '../nodes/between-nodes.ts';

/** Addresses that may be of the cluster itself where nobody knows its networks (RFC 1918, RFC 6598, RFC 4193). */
const INSIDE =
  /(?:dial \S+|\/\/|ping|host) \[?(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Nodes are told another way out of the machine network than the design has. */
export const gatewayWrong = cause('gateway-wrong', 'network', (evidence) => {
  const wrong = routersInFiles(evidence);
  if (wrong.length > 0) return wrong;
  // Where its file cannot be read, the server itself says what it tells machines.
  const offered = failed(evidence, 'dhcp-gateway');
  if (offered.length > 0) return offered;
  const lines = told(
    evidence,
    /(?:connect|dial|ping).*(?:network is unreachable|no route to host)|^ip route: no default route/i,
  ).filter(
    // No router stands between the machines of a network, nor between their pods.
    ({ text }) => !/:(?:6443|22623)\b/.test(text) && !isWithin(evidence, text),
  );
  return clueOfLines(lines.slice(-1), 'likely', 'ip route; ping -c 3 "$(ip route | awk \'/^default/ {print $3}\')"');
});

function routersInFiles({ design, files }: Evidence) {
  if (design === null) return [];
  const planned = design.networks.machine.flatMap(({ gateway }) => gateway ?? []);
  return files.flatMap(({ host, kind, path, text }) => {
    if ((kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') || planned.length === 0) return [];
    return routersOf(kind, text).flatMap((address) =>
      planned.includes(address)
        ? []
        : [
            {
              likelihood: 'certain' as const,
              subject: host,
              symptom: `${path} on ${host}: routers ${address}`,
              command: `ssh ${host} grep -n routers ${path}`,
            },
          ],
    );
  });
}

function routersOf(kind: 'isc-dhcpd' | 'kea-dhcp4', text: string): string[] {
  const lines =
    kind === 'isc-dhcpd'
      ? text.matchAll(/^\s*option\s+routers\s+([\d., ]+);/gm)
      : text.matchAll(/"name":\s*"routers"[^}]*?"data":\s*"([\d., ]+)"/g);
  return [...new Set([...lines].flatMap(([, list = '']) => list.split(',').map((each) => each.trim())))];
}

function isWithin(evidence: Evidence, text: string): boolean {
  const { design } = evidence;
  if (design === null) return INSIDE.test(text);
  const lost = lostConnections({ ...evidence, cluster: null, lines: [{ source: '', host: null, text, at: null }] });
  return lost.some(({ address }) => isOfMachines(design, address) || isOfPods(design, address));
}

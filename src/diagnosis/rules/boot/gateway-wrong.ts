import { diagnosticRule, matchLogLines, symptomsFromFailedChecks, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { isMachineAddress, isPodOrServiceAddress, listFailedConnections } from '../nodes/failed-connections.ts';

/** Addresses that may belong to the cluster itself while its networks are unknown (RFC 1918, RFC 6598, RFC 4193). */
const PRIVATE_ADDRESS =
  /(?:dial \S+|\/\/|ping|host) \[?(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1|f[cd][0-9a-f]{2}:|fe80:)/i;

/** Nodes get another gateway for the machine network than the design has. */
export const gatewayWrong = diagnosticRule('gateway-wrong', 'network', (evidence) => {
  const wrong = findWrongRouters(evidence);
  if (wrong.length > 0) return wrong;
  // If the file of the DHCP server cannot be read, its own offer shows the gateway.
  const offered = symptomsFromFailedChecks(evidence, 'dhcp-gateway');
  if (offered.length > 0) return offered;
  const lines = matchLogLines(
    evidence,
    /(?:connect|dial|ping).*(?:network is unreachable|no route to host)|^ip route: no default route/i,
  ).filter(
    // No router is involved between the machines of a network, nor between their pods.
    ({ text }) => !/:(?:6443|22623)\b/.test(text) && !isWithinCluster(evidence, text),
  );
  return symptomsFromLines(
    lines.slice(-1),
    'likely',
    'ip route; ping -c 3 "$(ip route | awk \'/^default/ {print $3}\')"',
  );
});

function findWrongRouters({ design, files }: Evidence) {
  if (design === null) return [];
  const planned = design.networks.machine.flatMap(({ gateway }) => gateway ?? []);
  return files.flatMap(({ host, kind, path, text }) => {
    if ((kind !== 'isc-dhcpd' && kind !== 'kea-dhcp4') || planned.length === 0) return [];
    return parseRouters(kind, text).flatMap((address) =>
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

function parseRouters(kind: 'isc-dhcpd' | 'kea-dhcp4', text: string): string[] {
  const lines =
    kind === 'isc-dhcpd'
      ? text.matchAll(/^\s*option\s+routers\s+([\d., ]+);/gm)
      : text.matchAll(/"name":\s*"routers"[^}]*?"data":\s*"([\d., ]+)"/g);
  return [...new Set([...lines].flatMap(([, list = '']) => list.split(',').map((each) => each.trim())))];
}

function isWithinCluster(evidence: Evidence, text: string): boolean {
  const { design } = evidence;
  if (design === null) return PRIVATE_ADDRESS.test(text);
  const failed = listFailedConnections({
    ...evidence,
    cluster: null,
    lines: [{ source: '', host: null, text, at: null }],
  });
  return failed.some(({ address }) => isMachineAddress(design, address) || isPodOrServiceAddress(design, address));
}

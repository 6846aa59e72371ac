import { serviceHosts } from '../../../design/names.ts';
import { parseLeasedAddress } from '../../boot/dhcp-log.ts';
import { diagnosticRule, type Symptom, symptomsFromFailedChecks } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

const MAC = /(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/i;

/** A DHCP server that is not ours answers on the machine network, and is sometimes faster. */
export const rogueDhcpServer = diagnosticRule('foreign-dhcp', 'boot', (evidence) => {
  const command = 'sudo nmap --script broadcast-dhcp-discover';
  const proven = findRogueServers(evidence).map(
    ({ server, text }): Symptom => ({ likelihood: 'certain', subject: server, symptom: text, command }),
  );
  const mismatched = evidence.mismatchedRequests.map(
    ({ node, from, path }): Symptom => ({
      likelihood: 'likely',
      subject: node,
      symptom: `${path} asked for by ${from}`,
      command,
    }),
  );
  return [...symptomsFromFailedChecks(evidence, 'dhcp-foreign'), ...proven, ...mismatched];
});

/**
 * A request names the server whose offer a machine accepted, in brackets (ISC dhcpd: "DHCPREQUEST for A (S) from M").
 * Only the last request of a machine counts: it may have got its own address since.
 */
function findRogueServers({ design, lines }: Evidence) {
  if (design === null) return [];
  const own = serviceHosts(design).flatMap(({ ip }) => ip);
  const texts = lines.filter(({ source }) => source === 'dhcp').map(({ text }) => text);
  return texts.flatMap((text, index) => {
    const server = parseServerAddress(text);
    if (server === null || own.includes(server)) return [];
    const [mac] = MAC.exec(text) ?? [];
    const isOver = (later: string) =>
      mac !== undefined &&
      later.includes(mac) &&
      (parseLeasedAddress(later) !== null || own.includes(parseServerAddress(later) ?? ''));
    return texts.slice(index + 1).some(isOver) ? [] : [{ server, text }];
  });
}

function parseServerAddress(text: string): string | null {
  const [, server = null] =
    /DHCPREQUEST for \S+ \(([\d.]+)\)/.exec(text) ?? /server[- ]identifier[ =:]+([\d.]+)/i.exec(text) ?? [];
  return server;
}

import { serviceHosts } from '../../../design/names.ts';
import { leasedAddress } from '../../boot/dhcp-log.ts';
import { type Clue, cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

const MAC = /(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/i;

/** Somebody else gives addresses on the machine network, and is sometimes quicker. */
export const foreignDhcp = cause('foreign-dhcp', 'boot', (evidence) => {
  const command = 'sudo nmap --script broadcast-dhcp-discover';
  const proven = foreignServers(evidence).map(
    ({ server, text }): Clue => ({ likelihood: 'certain', subject: server, symptom: text, command }),
  );
  const misplaced = evidence.misplaced.map(
    ({ node, from, path }): Clue => ({
      likelihood: 'likely',
      subject: node,
      symptom: `${path} asked for by ${from}`,
      command,
    }),
  );
  return [...failed(evidence, 'dhcp-foreign'), ...proven, ...misplaced];
});

/**
 * A request names the server whose offer a machine took, in brackets (ISC dhcpd: "DHCPREQUEST for A (S) from M"). What a machine did
 * last counts: it may have got its own address since.
 */
function foreignServers({ design, lines }: Evidence) {
  if (design === null) return [];
  const own = serviceHosts(design).flatMap(({ ip }) => ip);
  const said = lines.filter(({ source }) => source === 'dhcp').map(({ text }) => text);
  return said.flatMap((text, index) => {
    const server = serverIn(text);
    if (server === null || own.includes(server)) return [];
    const [mac] = MAC.exec(text) ?? [];
    const isOver = (later: string) =>
      mac !== undefined &&
      later.includes(mac) &&
      (leasedAddress(later) !== null || own.includes(serverIn(later) ?? ''));
    return said.slice(index + 1).some(isOver) ? [] : [{ server, text }];
  });
}

function serverIn(text: string): string | null {
  const [, server = null] =
    /DHCPREQUEST for \S+ \(([\d.]+)\)/.exec(text) ?? /server[- ]identifier[ =:]+([\d.]+)/i.exec(text) ?? [];
  return server;
}

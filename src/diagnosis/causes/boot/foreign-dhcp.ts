import { serviceHosts } from '../../../design/names.ts';
import { type Clue, cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

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

/** A request names the server whose offer a machine took, in brackets (ISC dhcpd: "DHCPREQUEST for A (S) from M"). */
function foreignServers({ design, lines }: Evidence) {
  if (design === null) return [];
  const own = serviceHosts(design).flatMap(({ ip }) => ip);
  return lines.flatMap(({ source, text }) => {
    if (source !== 'dhcp') return [];
    const server =
      /DHCPREQUEST for \S+ \(([\d.]+)\)/.exec(text)?.[1] ?? /server[- ]identifier[ =:]+([\d.]+)/i.exec(text)?.[1];
    return server === undefined || own.includes(server) ? [] : [{ server, text }];
  });
}

import { serviceHosts } from '../../../design/names.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { keaFile } from './kea-file.ts';

/** What the programs say of a file that they refuse: ISC dhcpd, Kea, HAProxy, BIND. */
const REFUSED =
  /Configuration file errors encountered|\bdhcpd?\S* line \d+: |DHCP4_(?:CONFIG_LOAD_FAIL|PARSER_FAIL|INIT_FAIL)|Fatal errors found in configuration|parsing \[\/etc\/haproxy\/\S+:\d+\]|loading configuration: (?:failure|unexpected|syntax)|dns_(?:rdata_fromtext|master_load): |zone \S+: not loaded due to errors|zone \S+: loading from (?:master )?file \S+ failed/;

/** Whether a program says that it refuses its file. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text);
}

const TESTS: Readonly<Record<string, string>> = {
  haproxy: 'sudo haproxy -c -f /etc/haproxy/haproxy.cfg',
  named: 'sudo named-checkconf -z',
  dhcpd: 'sudo dhcpd -t -cf /etc/dhcp/dhcpd.conf',
  'kea-dhcp4': 'sudo kea-dhcp4 -t /etc/kea/kea-dhcp4.conf',
};

/** A service refuses its file: it does not run, or goes on with what it had before. */
export const serviceFileBroken = cause('service-file-broken', 'network', (evidence) => [
  ...unbalanced(evidence),
  ...refused(evidence),
]);

/** What the service hosts say themselves proves it; the same in a bundle may be over. */
function refused(evidence: Evidence): Clue[] {
  const { design } = evidence;
  const hosts = new Set(design === null ? [] : serviceHosts(design).map(({ name }) => name));
  const lines = told(evidence, REFUSED);
  const own = lines.filter(({ host, source }) => host !== null && hosts.has(host) && source in TESTS);
  const first = new Map(own.toReversed().map((line) => [`${line.host} ${line.source}`, line]));
  const proven = [...first.values()].map(
    ({ host, source, text }): Clue => ({
      likelihood: 'certain',
      subject: host ?? '',
      symptom: `${source} on ${host}: ${text}`,
      command: `ssh ${host} ${TESTS[source] ?? ''}`,
    }),
  );
  if (proven.length > 0) return proven;
  return clueOfLines(lines.slice(-1), 'likely', Object.values(TESTS).join('; '));
}

/** Files that no program can read: JSON that is none, and braces that do not close. */
function unbalanced({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text }): Clue[] => {
    if (kind === 'kea-dhcp4' && keaFile(text) === null) {
      const command = `ssh ${host} sudo kea-dhcp4 -t ${path}`;
      return [{ likelihood: 'certain', subject: host, symptom: `${path} on ${host}: no JSON`, command }];
    }
    const braces = kind === 'isc-dhcpd' ? bracesOf(text) : null;
    if (braces === null || braces.open === braces.closed) return [];
    const symptom = `${path} on ${host}: ${braces.open} {, ${braces.closed} }`;
    return [{ likelihood: 'certain', subject: host, symptom, command: `ssh ${host} sudo dhcpd -t -cf ${path}` }];
  });
}

function bracesOf(text: string): { open: number; closed: number } {
  const plain = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|#.*$/gm, '');
  return { open: plain.split('{').length - 1, closed: plain.split('}').length - 1 };
}

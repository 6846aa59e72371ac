import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { keaFile } from './kea-file.ts';

/** What the programs say of a file that they refuse: ISC dhcpd, Kea, HAProxy, BIND. */
const REFUSED =
  /Configuration file errors encountered|\bdhcpd?\S* line \d+: (?:semicolon|expecting|parse|unknown|right brace)|DHCP4_(?:CONFIG_LOAD_FAIL|PARSER_FAIL|INIT_FAIL)|Fatal errors found in configuration|parsing \[\/etc\/haproxy\/\S+:\d+\]|loading configuration: (?:failure|unexpected|syntax)|dns_(?:rdata_fromtext|master_load): .*(?:syntax error|unexpected|bad)/;

/** A service refuses its file: it does not run, or goes on with what it had before. */
export const serviceFileBroken = cause('service-file-broken', 'network', (evidence) => [
  ...unbalanced(evidence),
  ...clueOfLines(
    told(evidence, REFUSED).slice(-1),
    'likely',
    'dhcpd -t -cf /etc/dhcp/dhcpd.conf; kea-dhcp4 -t /etc/kea/kea-dhcp4.conf; haproxy -c -f /etc/haproxy/haproxy.cfg; named-checkconf -z',
  ),
]);

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

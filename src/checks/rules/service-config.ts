import { listServiceHosts } from '../../design/derived-facts.ts';
import { parseKeaConfig } from './dhcp-config.ts';
import {
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** Messages of ISC dhcpd, Kea, HAProxy and BIND about a file that they reject. */
const CONFIG_ERROR =
  /Configuration file errors encountered|\bdhcpd?\S* line \d+: |DHCP4_(?:CONFIG_LOAD_FAIL|PARSER_FAIL|INIT_FAIL)|Fatal errors found in configuration|parsing \[\/etc\/haproxy\/\S+:\d+\]|loading configuration: (?:failure|unexpected|syntax)|dns_(?:rdata_fromtext|master_load): |zone \S+: not loaded due to errors|zone \S+: loading from (?:master )?file \S+ failed/;

/** Whether a program reports in this line that it rejects its configuration file. */
export function isConfigError(text: string): boolean {
  return CONFIG_ERROR.test(text);
}

const TEST_COMMAND_BY_PROGRAM: Readonly<Record<string, string>> = {
  haproxy: 'sudo haproxy -c -f /etc/haproxy/haproxy.cfg',
  named: 'sudo named-checkconf -z',
  dhcpd: 'sudo dhcpd -t -cf /etc/dhcp/dhcpd.conf',
  'kea-dhcp4': 'sudo kea-dhcp4 -t /etc/kea/kea-dhcp4.conf',
};

/** A service rejects its configuration file: it does not run, or continues with the previous one. */
export const serviceConfigInvalid = createDiagnosticRule('service-file-broken', 'network', (evidence) => [
  ...listUnparsableFileSymptoms(evidence),
  ...listRejectedFileSymptoms(evidence),
]);

/** Lists lines about rejected files. A line from the service host is proof; one in a bundle may be outdated. */
function listRejectedFileSymptoms(evidence: Evidence): Symptom[] {
  const { design } = evidence;
  const hosts = new Set(design === null ? [] : listServiceHosts(design).map(({ name }) => name));
  const lines = matchLogLines(evidence, CONFIG_ERROR);
  const hostLines = lines.filter(
    ({ host, source }) => host !== null && hosts.has(host) && source in TEST_COMMAND_BY_PROGRAM,
  );
  const firstLineByProgram = new Map(hostLines.toReversed().map((line) => [`${line.host} ${line.source}`, line]));
  const hostSymptoms = [...firstLineByProgram.values()].map(
    ({ host, source, text }): Symptom =>
      createSymptom(
        'certain',
        host ?? '',
        `${source} on ${host}: ${text}`,
        `ssh ${host} ${TEST_COMMAND_BY_PROGRAM[source] ?? ''}`,
      ),
  );
  if (hostSymptoms.length > 0) return hostSymptoms;
  return symptomsFromLines(lines.slice(-1), 'likely', Object.values(TEST_COMMAND_BY_PROGRAM).join('; '));
}

/** Lists files that no program can parse: invalid JSON, or unbalanced braces. */
function listUnparsableFileSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text }): Symptom[] => {
    if (kind === 'kea-dhcp4' && parseKeaConfig(text) === null) {
      const command = `ssh ${host} sudo kea-dhcp4 -t ${path}`;
      return [createSymptom('certain', host, `${path} on ${host}: invalid JSON`, command)];
    }
    const braces = kind === 'isc-dhcpd' ? countBraces(text) : null;
    if (braces === null || braces.openCount === braces.closedCount) return [];
    const evidenceText = `${path} on ${host}: ${braces.openCount} {, ${braces.closedCount} }`;
    return [createSymptom('certain', host, evidenceText, `ssh ${host} sudo dhcpd -t -cf ${path}`)];
  });
}

function countBraces(text: string): { openCount: number; closedCount: number } {
  const plainText = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|#.*$/gm, '');
  return { openCount: plainText.split('{').length - 1, closedCount: plainText.split('}').length - 1 };
}

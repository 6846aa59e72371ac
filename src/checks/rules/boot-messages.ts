import { DHCP_LOG_COMMAND } from '../boot/dhcp-log.ts';
import { matchLogLines, type Symptom, symptomsFromLines } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** An iPXE error names its page: "http://…/boot.ipxe... Connection refused (https://ipxe.org/111a6092)". */
const IPXE_ERROR_PAGE = String.raw`[^(]*\(https?:\/\/ipxe\.org\/`;
const NO_CONNECTION = 'Connection refused|timed out|No route to host|[Uu]nreachable|Connection reset|dns error';

/** curl's messages when the live system fetches its root file system: resolve, connect, HTTP error, timeout, reset. */
export const LIVE_SYSTEM_FETCH_ERROR = /\bcurl: \((?:6|7|22|28|56)\)/;

/**
 * Messages of programs that boot a machine, as its console shows them: codes of PXE firmware (Intel PXE 2.1, appendix;
 * UEFI edk2 NetworkPkg), iPXE (ipxe.org/err), Ignition, reqwest in coreos-installer
 * (cgruver/okd4-single-node-cluster#9), and curl in the live system (coreos/fedora-coreos-tracker#1423).
 */
const BOOT_MESSAGES = {
  'boot-server-silent': new RegExp(
    [
      String.raw`error sending request for url \(http[^)]*\).*(?:${NO_CONNECTION})`,
      String.raw`http\S+\.\.\. ?(?:Connection (?:refused|timed out|reset)|(?:Network|Host) unreachable)${IPXE_ERROR_PAGE}`,
      String.raw`\bcurl: \((?:7|28)\) |Couldn't establish connectivity with the server specified by`,
      String.raw`GET error: Get "?http:\/\/\S+\.ign\S* dial tcp \S+ (?:connect: )?(?:connection refused|i\/o timeout|no route to host)`,
    ].join('|'),
  ),
  'boot-file-missing': new RegExp(
    [
      String.raw`http\S+\.\.\. ?No such file or directory${IPXE_ERROR_PAGE}`,
      String.raw`HTTP status client error \(404 Not Found\) for url \(http`,
      'failed to fetch config: resource not found',
      String.raw`\bcurl: \(22\) .*\b404\b`,
    ].join('|'),
  ),
  'boot-file-forbidden': new RegExp(
    [
      String.raw`http\S+\.\.\. ?(?:Permission denied|Operation not permitted)${IPXE_ERROR_PAGE}`,
      String.raw`HTTP status client error \(403 Forbidden\) for url \(http`,
      String.raw`\bcurl: \(22\) .*\b403\b`,
    ].join('|'),
  ),
  'tftp-silent': new RegExp(
    String.raw`PXE-E(?:32|35|18)\b|TFTP (?:open|read) timeout|tftp:\S+\.\.\. ?Connection timed out${IPXE_ERROR_PAGE}`,
  ),
  'boot-program-missing': new RegExp(
    String.raw`PXE-(?:T01|T02|T04|E3B|E36|E23)\b|TFTP [Ee]rror - (?:File [Nn]ot [Ff]ound|Access [Vv]iolation)|tftp:\S+\.\.\. ?No such file or directory${IPXE_ERROR_PAGE}`,
  ),
  'dhcp-boot-wrong': /PXE-E(?:53|55|74|77)\b|No boot ?filename received|Nothing to boot: No such file or directory/,
  'wrong-mac': new RegExp(
    String.raw`PXE-E(?:51|16)\b|No DHCP or proxyDHCP offers|No configuration methods succeeded${IPXE_ERROR_PAGE}`,
  ),
} as const;

/** Finds the last message of each machine that shows this fault on its console. */
export function symptomsFromBootMessages(evidence: Evidence, id: keyof typeof BOOT_MESSAGES): Symptom[] {
  // Other programs use curl, too.
  const lines = matchLogLines(evidence, BOOT_MESSAGES[id]).filter(
    ({ source, text }) => !LIVE_SYSTEM_FETCH_ERROR.test(text) || /coreos-livepxe/.test(source),
  );
  return symptomsFromLines(lines, id === 'wrong-mac' ? 'possible' : 'likely', COMMAND_BY_MESSAGE[id]);
}

const LOG_COMMAND = `${DHCP_LOG_COMMAND} -n 50`;
const FETCH_COMMAND = 'curl -sI URL';
const COMMAND_BY_MESSAGE: Readonly<Record<keyof typeof BOOT_MESSAGES, string>> = {
  'boot-server-silent': FETCH_COMMAND,
  'boot-file-missing': FETCH_COMMAND,
  'boot-file-forbidden': FETCH_COMMAND,
  'tftp-silent': 'ss -lunp sport = :69; journalctl -u tftp.socket -u tftp -n 20',
  'boot-program-missing': 'ls -l /var/lib/tftpboot',
  'dhcp-boot-wrong': LOG_COMMAND,
  'wrong-mac': LOG_COMMAND,
};

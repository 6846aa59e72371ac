import { OFFER_PATTERN } from '../../checks/boot/dhcp-log.ts';
import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { nodesWithRole } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

import { startDeadline } from '../../probes/open-inside.ts';
import type { StepContext } from '../contract.ts';
import { getBootstrapNodeReport } from '../shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../shared/installer/log.ts';

const words = () => catalogue().diagnose.journals;

/** Receives a machine whose journal was not read, and the reason. */
export type OnUnread = (host: string, why: string) => void;

/** Older messages may no longer be true. */
const MAX_AGE = 15 * MINUTE;
const MAX_LINE_LENGTH = 600;
/** SSH gives up after 5 s; reading the bootstrap node is not worth a longer wait. */
const READ_TIMEOUT = 10 * SECOND;

/**
 * Reads the latest lines of openshift-install and of the bootstrap node's journal, without normal and resolved ones.
 * @param onUnread receives the bootstrap node if it refuses the login, and the reason
 */
export async function readInstallationLines(context: StepContext, onUnread: OnUnread): Promise<EvidenceLine[]> {
  await waitForBootstrapRead(context);
  const { lines } = await readInstallerLog(context);
  const bootstrap = nodesWithRole(context.design, 'bootstrap')[0]?.name ?? null;
  const now = context.clock.now();
  // A failed login to the bootstrap node is our own message, and no problem of the installation.
  const sshError = context.probeCache.sshRead?.lastFailure ?? null;
  const why = sshError ?? (context.probeCache.sshRead?.isRunning ? words().timeout(READ_TIMEOUT / SECOND) : null);
  if (bootstrap !== null && why !== null) onUnread(bootstrap, why);
  return lines
    .filter(({ text }) => sshError === null || !text.includes(sshError))
    .filter(({ mark, text }) => (mark !== 'noise' && mark !== 'solved') || /watch close/.test(text))
    .filter(({ at }) => at === null || now - at < MAX_AGE)
    .map(({ source, text, at }) => ({
      source: source === 'installer' ? 'openshift-install' : source,
      host: source === 'installer' ? null : bootstrap,
      text: text.slice(0, MAX_LINE_LENGTH),
      at,
    }));
}

/** Starts reading the bootstrap node over SSH, and waits for the end. */
async function waitForBootstrapRead(context: StepContext): Promise<void> {
  const { clock, probeCache, signal } = context;
  getBootstrapNodeReport(context);
  // In a rehearsal whose time runs fast, a login still takes its real time.
  const deadline = startDeadline(clock, READ_TIMEOUT);
  try {
    while (probeCache.sshRead?.isRunning && !deadline.signal.aborted) await clock.sleep(SECOND / 4, signal);
  } finally {
    deadline.end();
  }
}

const OFFER_LINE = new RegExp(OFFER_PATTERN);

/**
 * Parses the lines of a DHCP server in a system log, with the times of its host.
 * @param zone `UTC`, or empty for the time zone of this machine
 */
export function parseDhcpLines(log: string, now: number, zone: 'UTC' | ''): EvidenceLine[] {
  const own = log.split('\n').filter((line) => /dhcp/i.test(line) && !OFFER_LINE.test(line.trimEnd()));
  return parseJournalLines(own.slice(-800).join('\n'), null, now, { source: 'dhcp', zone }).map((line) => ({
    ...line,
    source: 'dhcp',
    host: null,
  }));
}

// `oc adm node-logs` of several nodes may put the name of each before its lines.
const JOURNAL_LINE =
  /^(?:[a-z0-9][a-z0-9.-]* (?=[A-Z][a-z]{2} +\d+ \d\d:))?([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) (\S+) ([^\s[:]+)(?:\[\d+\])?: (.*)$/;

/**
 * Parses lines as journalctl prints them: time, host, unit, message. Other lines keep their text.
 * @param host the machine of the lines; null: the one that each line names
 * @param now ms: a time without its year is of the last twelve months
 */
export function parseJournalLines(
  text: string,
  host: string | null,
  now: number,
  { source = 'journal', zone = 'UTC' }: { readonly source?: string; readonly zone?: 'UTC' | '' } = {},
): EvidenceLine[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, time = '', loggedHost = '', unit = source, message = line] = JOURNAL_LINE.exec(line) ?? [];
      const name = host ?? (loggedHost === '' ? null : sanitizeLine(loggedHost.split('.')[0] ?? loggedHost, 80));
      return {
        source: sanitizeLine(unit, 80),
        host: name,
        text: sanitizeLine(redact(message), MAX_LINE_LENGTH),
        at: parseLogTime(time, now, zone),
      };
    });
}

/**
 * Parses a time as logs write it, ms; null for anything else.
 * @param now ms: a time without its year is of the twelve months before
 */
export function parseLogTime(text: string, now: number, zone: string): number | null {
  if (text === '') return null;
  if (/^\d{4}/.test(text)) return toValidTime(Date.parse(text.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')));
  const year = new Date(now).getUTCFullYear();
  const found = toValidTime(Date.parse(`${text} ${year} ${zone}`));
  return found !== null && found > now + 24 * 60 * MINUTE
    ? toValidTime(Date.parse(`${text} ${year - 1} ${zone}`))
    : found;
}

const toValidTime = (time: number) => (Number.isNaN(time) ? null : time);

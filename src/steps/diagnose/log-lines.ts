import { runPatience } from '../../bastion/patience.ts';
import { nodesWithRole } from '../../design/names.ts';
import { ONLY_OFFERED } from '../../diagnosis/boot/dhcp-log.ts';
import type { Line } from '../../diagnosis/causes/evidence.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { StepContext } from '../contract.ts';
import { lookInside } from '../shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../shared/installer/log.ts';

const words = () => catalogue().diagnose.journals;

/** Takes a machine whose journal was not read, and why. */
export type OnUnread = (host: string, why: string) => void;

/** What was said longer ago may be over by now. */
const RECENT = 15 * MINUTE;
const LONGEST = 600;
/** Ssh itself gives up after 5 s; a look at the bootstrap node is worth no more. */
const INSIDE = 10 * SECOND;

/**
 * The latest lines of openshift-install and of the bootstrap node's journal, without what is normal or solved.
 * @param onUnread gets the bootstrap node when it does not let us in, and why
 */
export async function installationLines(context: StepContext, onUnread: OnUnread): Promise<Line[]> {
  await settled(context);
  const { lines } = await readInstallerLog(context);
  const bootstrap = nodesWithRole(context.design, 'bootstrap')[0]?.name ?? null;
  const now = context.clock.now();
  // Why the bootstrap node does not let us in is our own message, and no trouble of the installation.
  const own = context.recollection.visit?.said ?? null;
  const why = own ?? (context.recollection.visit?.isUnderWay ? words().silent(INSIDE / SECOND) : null);
  if (bootstrap !== null && why !== null) onUnread(bootstrap, why);
  return lines
    .filter(({ text }) => own === null || !text.includes(own))
    .filter(({ mark, text }) => (mark !== 'noise' && mark !== 'solved') || /watch close/.test(text))
    .filter(({ at }) => at === null || now - at < RECENT)
    .map(({ source, text, at }) => ({
      source: source === 'installer' ? 'openshift-install' : source,
      host: source === 'installer' ? null : bootstrap,
      text: text.slice(0, LONGEST),
      at,
    }));
}

/** Reads the bootstrap node over SSH, as long as that takes. */
async function settled(context: StepContext): Promise<void> {
  const { clock, recollection, signal } = context;
  lookInside(context);
  // In a rehearsal whose time runs fast, a login still takes its real time.
  const patience = runPatience(clock, INSIDE);
  try {
    while (recollection.visit?.isUnderWay && !patience.signal.aborted) await clock.sleep(SECOND / 4, signal);
  } finally {
    patience.end();
  }
}

const OFFERED = new RegExp(ONLY_OFFERED);

/** The lines of a DHCP server in a system log, whose times are those of its host. @param zone `UTC`, or empty for that of this machine */
export function dhcpLines(log: string, now: number, zone: 'UTC' | ''): Line[] {
  const own = log.split('\n').filter((line) => /dhcp/i.test(line) && !OFFERED.test(line.trimEnd()));
  return journalLines(own.slice(-800).join('\n'), null, now, { source: 'dhcp', zone }).map((line) => ({
    ...line,
    source: 'dhcp',
    host: null,
  }));
}

// `oc adm node-logs` of several nodes may put the name of each before its lines.
const JOURNAL =
  /^(?:[a-z0-9][a-z0-9.-]* (?=[A-Z][a-z]{2} +\d+ \d\d:))?([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) (\S+) ([^\s[:]+)(?:\[\d+\])?: (.*)$/;

/**
 * Lines as journalctl prints them: time, host, unit, message. Other lines keep their text.
 * @param host what the lines are of, where they do not say
 * @param now ms: a time without its year is of the last twelve months
 */
export function journalLines(
  text: string,
  host: string | null,
  now: number,
  { source = 'journal', zone = 'UTC' }: { readonly source?: string; readonly zone?: 'UTC' | '' } = {},
): Line[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, time = '', there = '', unit = source, message = line] = JOURNAL.exec(line) ?? [];
      const name = host ?? (there === '' ? null : sanitizeLine(there.split('.')[0] ?? there, 80));
      return {
        source: sanitizeLine(unit, 80),
        host: name,
        text: sanitizeLine(redact(message), LONGEST),
        at: timeOf(time, now, zone),
      };
    });
}

/** A time as logs write it, ms; null for what is none. @param now a time without its year is of the twelve months before */
export function timeOf(text: string, now: number, zone: string): number | null {
  if (text === '') return null;
  if (/^\d{4}/.test(text)) return valid(Date.parse(text.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')));
  const year = new Date(now).getUTCFullYear();
  const found = valid(Date.parse(`${text} ${year} ${zone}`));
  return found !== null && found > now + 24 * 60 * MINUTE ? valid(Date.parse(`${text} ${year - 1} ${zone}`)) : found;
}

const valid = (time: number) => (Number.isNaN(time) ? null : time);
